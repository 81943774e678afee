// What the browser keeps: what was written and solved. Part of the page's one script; `setup.exercises` holds the names
// of each page's exercises, `page` is the name of this one.
const FULL = "This browser's storage is full or blocked";

const store = {
  get(key) {
    try { return JSON.parse(localStorage.getItem(`attnbook:${key}`)); } catch { return null; }
  },
  set(key, value) {
    try {
      if (value === null) localStorage.removeItem(`attnbook:${key}`);
      else localStorage.setItem(`attnbook:${key}`, JSON.stringify(value));
      return true;
    } catch { return false; } // private windows and full disks: the page works, and forgets
  },
};

// The same record as the notebooks' progress file (attnbook/exercises/record.py).
const progress = () => store.get("progress")?.exercises || {};
function note(name, status) {
  if (status === "unwritten" || progress()[name]?.state === "solved") return;
  const entry = status === "solved"
    ? { solved_on: new Date().toLocaleDateString("sv"), state: "solved" } : { state: "attempted" };
  store.set("progress", { exercises: { ...progress(), [name]: entry }, version: 1 });
  showProgress();
}

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

function showProgress() {
  const solved = (names) => names.filter((name) => progress()[name]?.state === "solved").length;
  for (const link of document.querySelectorAll(".bd-sidebar-primary a.reference.internal")) {
    const here = link.getAttribute("href") === "#";
    const names = setup.exercises[here ? page : new URL(link.href).pathname.match(/(chapters\/[^/]+)\.html$/)?.[1]];
    link.querySelector(".classroom-solved")?.remove();
    if (!names || !solved(names)) continue;
    const textContent = `${solved(names)}/${names.length} ✓`;
    const mark = element("span", { className: "classroom-solved", textContent });
    mark.title = `${solved(names)} of ${names.length} exercises solved`;
    link.append(" ", mark);
  }
  const table = document.querySelector("table.attnbook-progress");
  if (!table) return;
  const all = Object.values(setup.exercises).flat();
  table.caption.textContent = `${solved(all)} of ${all.length} exercises solved`;
  for (const row of table.tBodies[0].rows) {
    const state = progress()[row.querySelector("code").textContent]?.state;
    const signs = { solved: ["✓", "solved"], attempted: ["✗", "tried, not solved yet"] };
    const [sign, words] = signs[state] || ["○", "not tried yet"];
    const mark = row.cells[2].firstChild;
    mark.textContent = sign;
    mark.setAttribute("aria-label", words);
    row.cells[2].title = words;
  }
}

function offerFiles() {
  const table = document.querySelector("table.attnbook-progress");
  if (!table) return;
  const said = element("span", { className: "classroom-said" });
  said.setAttribute("role", "status");
  const choose = element("input", { type: "file", accept: ".json,application/json", hidden: true });
  const give = element("button", { type: "button", textContent: "Save my progress to a file" });
  const take = element("button", { type: "button", textContent: "Read progress from a file" });
  give.onclick = () => {
    const text = JSON.stringify({ exercises: progress(), version: 1 }, null, 1) + "\n";
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = element("a", { href: address, download: "progress.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  take.onclick = () => choose.click();
  choose.onchange = async () => {
    let full = false;
    try {
      const read = JSON.parse(await choose.files[0].text());
      const states = Object.entries(read.exercises);
      const strange = states.some(([, entry]) => !["solved", "attempted"].includes(entry.state));
      if (!(read.version <= 1) || strange) throw new Error();
      for (const [name, entry] of states) {
        const known = progress()[name]?.state;
        if (known === "solved" || (known && entry.state === "attempted")) continue;
        if (!store.set("progress", { exercises: { ...progress(), [name]: entry }, version: 1 })) full = true;
      }
      const done = "Read; what is solved in either place is now solved here.";
      said.textContent = full ? `${FULL}; nothing was kept.` : done;
    } catch {
      said.textContent = "This is not a progress file of this book; nothing was changed.";
    }
    choose.value = "";
    showProgress();
  };
  table.before(element("p", { className: "classroom-bar" }, give, take, choose, said));
  for (const code of table.querySelectorAll("td code")) {
    const name = code.textContent;
    const where = Object.keys(setup.exercises).find((chapter) => setup.exercises[chapter].includes(name));
    const link = element("a", { href: `${where.replace("chapters/", "")}.html#ex-${name}` });
    code.replaceWith(link);
    link.append(code);
  }
}
