/* Opens what is folded while the page is printed, code and hints among it, and folds it again afterwards. The choices
 * of a quiz stay folded: their replies are not for the eye of somebody who still thinks. */
(function () {
  "use strict";
  let opened = [];
  addEventListener("beforeprint", () => {
    const folded = document.querySelectorAll("main details:not([open])");
    opened = [...folded].filter((details) => !details.closest(".predict, .quiz"));
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    opened = [];
  });
})();
