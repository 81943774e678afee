/* A link with `download` saves its file. A page that was opened as a file may not do that, and cannot read other files:
 * there the file comes, packed, as a script that stands beside it, NAME.js (tools/pages/downloads.py). */
(function () {
  "use strict";
  async function save(content, name) {
    const address = URL.createObjectURL(new Blob([await content]));
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
  addEventListener("click", (event) => {
    const link = event.target.closest("a[download]");
    if (!link?.href.startsWith("file:")) return;
    event.preventDefault();
    const script = document.createElement("script");
    script.src = `${link.href}.js`;
    script.onload = () => save(globalThis.attnbookFile, link.download);
    script.onerror = () => location.assign(link.href);
    document.head.append(script);
  });
})();
