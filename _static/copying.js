/* A formula is copied as its TeX, and whole. A browser would take it three times: as it is seen, as screen readers get
 * it, and as TeX. (KaTeX's own script for this also takes buttons and what is folded, and leaves out the comma that
 * tools/pages/formulas.py puts behind a formula.) */
(function () {
  "use strict";
  const GONE = "button, .headerlink, .classroom-bar, script, style, details:not([open]) > :not(summary)";

  function formula(node) {
    const drawn = (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest(".katex");
    return drawn?.closest(".katex-display") ?? drawn;
  }

  function tex(drawn) {
    const sign = drawn.parentElement?.matches(".katex-display") ? "$$" : "$";
    const end = drawn.querySelector(".formula-end")?.textContent ?? "";
    return `${sign}${drawn.querySelector("annotation").textContent.trim()}${sign}${end}`;
  }

  addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection.isCollapsed || !event.clipboardData) return;
    const range = selection.getRangeAt(0).cloneRange();
    const [first, last] = [formula(range.startContainer), formula(range.endContainer)];
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const copied = document.createElement("div");
    copied.append(range.cloneContents());
    const formulas = copied.querySelectorAll(".katex");
    if (!formulas.length) return;
    for (const drawn of formulas) drawn.replaceWith(tex(drawn));
    for (const gone of copied.querySelectorAll(GONE)) gone.remove();
    copied.style.cssText = "position: absolute; left: -200vw;";
    document.body.append(copied); // its text has line breaks only while it is part of the page
    event.clipboardData.setData("text/plain", copied.innerText);
    event.clipboardData.setData("text/html", copied.innerHTML);
    event.preventDefault();
    copied.remove();
  });
})();
