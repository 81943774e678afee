// What is printed of a built page: runs in it, with its own scripts off. `names` has the id of each page by its address.
(names) => {
  const article = document.querySelector("article.bd-article");
  const here = names[location.href];
  const inBook = (address) => {
    const [page, id] = address.split("#");
    return names[page] && names[page] + (id ? "--" + decodeURIComponent(id) : "");
  };
  const all = (selector) => [...article.querySelectorAll(selector)];

  const GONE = "script, style, noscript, button, a.headerlink, .toctree-wrapper, .attnbook-unwritten, "
    + "details.above-input, details.hide > summary";

  // code that the page folds is left out; what it prints and everything else that is folded is open
  for (const e of all(GONE)) e.remove();
  for (const details of all("details.hide")) details.replaceWith(...details.childNodes);
  for (const details of all("details")) details.open = true;

  for (const e of all("[id]")) e.id = here + "--" + e.id;
  for (const a of all("a[href]")) {
    const target = inBook(a.href);
    if (target) a.setAttribute("href", "#" + target);
    else if (/^(https?|mailto):/.test(a.href)) a.href = a.href;
    else a.removeAttribute("href"); // a file beside the book
  }
  for (const img of all("img[src]")) {
    img.src = img.src;
    img.removeAttribute("loading");
  }
  for (const source of all("source")) source.srcset = new URL(source.srcset, document.baseURI).href;

  // replies, hints and solutions stand at the end of the book, for readers who have thought
  const title = article.querySelector("h1");
  let help = "";
  const atTheEnd = (e, what) => {
    e.id ||= `${here}--help-${help.length}`;
    help += e.outerHTML;
    const link = document.createElement("p");
    link.className = "to-help";
    link.innerHTML = `${what}: <a href="#${e.id}">page <b data-page="${e.id}">000</b></a>`;
    return link;
  };
  for (const box of all(".predict, .quiz")) {
    const link = atTheEnd(box, "Replies");
    box.removeAttribute("id");
    for (const details of box.querySelectorAll("details")) details.open = false;
    box.append(link);
  }
  for (const hints of all(".attnbook-hints")) {
    const name = `<p class="exercise-name">Exercise ${hints.dataset.exercise}</p>`;
    hints.insertAdjacentHTML("afterbegin", name);
    hints.replaceWith(atTheEnd(hints, "Hints and solution"));
  }
  return {
    title: title.innerHTML,
    plain: title.textContent.trim(),
    sections: all("section[id] > h2").map((h2) => [h2.parentNode.id, h2.innerHTML]),
    html: article.innerHTML,
    help: help && `<h2>${title.innerHTML}</h2>${help}`,
    styles: [...document.querySelectorAll('link[rel="stylesheet"]')].map((e) => e.href),
  };
}
