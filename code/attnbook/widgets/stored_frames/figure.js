/* What a page keeps of a figure that needs a kernel: stored pictures, one at a time, and what each of them says. */

import { figure } from "../kit/card.js";
import { html, say } from "../kit/kit.js";

function render({ model, el }) {
  const frames = model.get("frames");
  const fig = figure({ model, el, title: say(model.get("title")), hint: say(model.get("hint")) });
  const picture = html("img", { class: "ab-frame" });
  const lines = html("ul", { class: "ab-frame-says", "aria-live": "polite" });
  fig.card.querySelector(".ab-stages").append(picture, lines);
  fig.select("shown", { label: say("Show"), options: frames.map(({ name }, i) => [i, say(name)]) });
  fig.controlsFirst();
  return fig.start((state) => {
    const frame = frames[state("shown")];
    picture.src = frame.picture;
    picture.alt = say(frame.alt);
    lines.replaceChildren(...frame.says.map((text) => html("li", { text: say(text) })));
  });
}

export default { render, math: {} };
