/* Pictures drawn by Python. On the built page every choice has its stored frame (`frames`); in a live notebook the
 * kernel sends the frame of the present choice (`frame`), and until it has, the old one is shown dimmed. */

function frameKey(spec, state) {
  // as frame_key in __init__.py
  return spec.controls.map(({ name }) => String(state(name))).join("|");
}

function render({ model, el }) {
  const spec = model.get("spec");
  const fig = figure({ model, el, title: spec.title, hint: spec.hint });
  const row = fig.card.querySelector(".ab-stages");
  const images = [];
  for (const { name, label, kind, values } of spec.controls) {
    if (kind === "slider") fig.slider(name, { label, values });
    else fig.select(name, { label, options: values });
  }
  for (const { name, label, digits } of spec.outputs) fig.output(name, { label, digits });
  fig.reset();

  return fig.start((state) => {
    const key = frameKey(spec, state);
    const stored = state("frames");
    const frame = stored ? stored[key] : state("frame");
    if (!frame || !frame.panels) return null;
    row.setAttribute("aria-busy", String(frame.key !== key));
    frame.panels.forEach(({ picture, alt }, i) => {
      if (!images[i]) {
        images[i] = html("img", { class: "ab-frame", "data-panel": i });
        row.append(html("div", { class: "ab-stage ab-panel" }, images[i]));
      }
      images[i].src = picture;
      images[i].alt = alt;
    });
    fig.show(frame.numbers);
    fig.say(frame.said);
    return frame;
  });
}

export default { render, math: { frameKey } };
