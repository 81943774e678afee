/* The mask as code, with its own choice of notation. */

import { html, say } from "../kit/kit.js";
import { CONVENTIONS, NOTES } from "./maths.js";

// Below the figure's sentence, for n tokens; returns show(text, convention).
export function addCode(fig, n) {
  const code = html("output", {
    "data-value": "code",
    style: "display:block;white-space:pre;font:inherit;color:inherit",
  });
  const notes = Object.entries(NOTES).map(([name, text]) =>
    html("p", { "data-note": name, style: "grid-area:1/1;color:var(--ab-muted)", text }),
  );
  const copied = html("span", { role: "status", style: "color:var(--ab-muted)" });
  const copy = html("button", { type: "button", class: "ab-button", text: say("Copy") });
  copy.onclick = () =>
    copyText(code, (text) => {
      copied.textContent = text;
    });
  const row = fig.select("convention", { label: say("As code, with"), options: CONVENTIONS }).closest(".ab-control");
  row.style.cssText = "flex-wrap:wrap;min-width:0;flex:1 1 280px";
  const shelf = [
    html(
      "div",
      { style: "display:flex;flex-wrap:wrap;gap:0.5rem 0.75rem;align-items:center;margin:0.75rem 0 0.5rem" },
      row,
      copied,
      copy,
    ),
    html(
      "pre",
      {
        tabindex: 0,
        "aria-label": say("The mask as code"),
        // room for the longest: three lines before the rows, two after them, and a scroll bar
        style:
          `margin:0;padding:0.75rem 0.875rem;min-height:calc(${n + 5} * 1.5 * 13px + 2.5rem);overflow-x:auto;` +
          "background:var(--ab-panel);color:var(--ab-ink);border:1px solid var(--ab-grid);border-radius:8px;" +
          "font:13px/1.5 ui-monospace,Menlo,Consolas,monospace",
      },
      code,
    ),
    html("div", { style: "display:grid;margin-top:0.5rem" }, ...notes), // as tall as the longest of them
  ];
  fig.card.querySelector(".ab-said").after(...shelf);
  return (text, convention) => {
    if (code.textContent !== text) {
      code.textContent = text;
      copied.textContent = "";
    }
    notes.forEach((note) => {
      note.style.visibility = note.dataset.note === convention ? "" : "hidden";
    });
  };
}

function copyText(node, report) {
  const select = () => {
    const area = document.createRange();
    area.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(area);
    report(say("Selected: press Ctrl+C"));
  };
  if (!navigator.clipboard) {
    select();
    return;
  }
  navigator.clipboard.writeText(node.textContent).then(() => report(say("Copied")), select);
}
