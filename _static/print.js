/* Opens what is folded while the page is printed, code among it, and folds it again afterwards. The choices of a quiz
 * stay folded, and so do hints and solutions: replies are not for the eye of somebody who still thinks. Paper is light,
 * whatever the page was. */
(function () {
  "use strict";
  const t = (...said) => globalThis.attnbookSay(...said); // tools/languages
  const { dataset } = document.documentElement;
  let opened = [], theme;
  addEventListener("beforeprint", () => {
    theme = dataset.theme;
    dataset.theme = "light";
    const folded = document.querySelectorAll("main details:not([open])");
    opened = [...folded].filter((details) => !details.closest(".predict, .quiz, .attnbook-hints"));
    for (const details of opened) details.open = true;
    for (const hints of document.querySelectorAll(".attnbook-hints")) hints.dataset.where = t("In the page:");
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    opened = [];
    dataset.theme = theme;
  });
})();
