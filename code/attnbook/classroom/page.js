// Makes cells of a page into editors that run Python here, and keeps what was written and solved in the browser.
// `attnbookClassroom` (tools/classroom.py) says what there is to load and which exercises each page has.
(() => {
  "use strict";
  const setup = globalThis.attnbookClassroom;
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  const page = document.querySelector("meta[name=attnbook-page]")?.content || "";
  const HELP = "Ctrl and Enter run the cell. Escape, then Tab, leaves the editor.";

  // --- what the browser keeps -----------------------------------------------------------------------------------------

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

  // --- Python ---------------------------------------------------------------------------------------------------------

  const loaded = new Map();
  const load = (file) => {
    if (!loaded.has(file)) loaded.set(file, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${here}${file}?v=${setup.version}`;
      script.onload = resolve;
      script.onerror = () => (loaded.delete(file), reject(new Error(`${file} could not be read`)));
      document.head.append(script);
    }));
    return loaded.get(file);
  };

  const python = {
    limit: 20, // seconds for a cell
    worker: null, ready: null, parts: null, running: null, queue: Promise.resolve(),

    async begin(say) {
      let begin = { parts: this.parts };
      if (!this.parts) {
        let done = 0;
        const count = setup.slices;
        const tell = () => say(`Loading Python: ${(setup.megabytes * done / count).toFixed(1)} of ${setup.megabytes} MB`, done / count);
        tell();
        const files = ["worker.js", ...Array.from({ length: count }, (_, number) => `engine-${number}.js`)];
        await Promise.all(files.map((file) => load(file).then(() => { done += file !== "worker.js"; tell(); })));
        begin = { text: attnbookSlices.join(""), places: setup.places };
      }
      say("Starting Python …");
      await new Promise((resolve, reject) => {
        const address = URL.createObjectURL(new Blob([attnbookWorker], { type: "text/javascript" }));
        this.worker = new Worker(address);
        URL.revokeObjectURL(address);
        this.running = { reject };
        this.worker.onerror = (event) => this.running?.reject(new Error(event.message || "Python could not start"));
        this.worker.onmessage = ({ data }) => {
          if (data.type === "parts") [this.parts, globalThis.attnbookSlices] = [data.parts, []];
          else if (data.type === "ready") resolve(data);
          else if (data.type === "print") this.running?.tell?.(data.text);
          else if (data.type === "answer") this.running?.resolve(data.answer);
          else this.running?.reject(new Error(data.text));
        };
        this.worker.postMessage({ type: "start", ...begin });
      });
    },

    warm(say) {
      this.ready ??= this.begin(say).then(() => say(""));
      this.ready.catch((error) => (this.stop(), say(error.message)));
    },

    // say(text, share): what is going on. tell(text): what the cell prints. One cell runs at a time.
    run(question, say, tell) {
      const turn = this.queue.then(async () => {
        this.stopped = false;
        this.ready ??= this.begin(say);
        try { await this.ready; } catch (error) { this.stop(); throw error; }
        if (this.stopped) throw new Error("Stopped.");
        say("Running …");
        let clock;
        try {
          return await new Promise((resolve, reject) => {
            this.running = { resolve, reject, tell };
            const late = `Stopped after ${this.limit} seconds. Does a loop never end?`;
            clock = setTimeout(() => this.stop(late), this.limit * 1000);
            this.worker.postMessage({ question });
          });
        } finally {
          clearTimeout(clock);
          this.running = null;
        }
      });
      this.queue = turn.catch(() => {});
      return turn;
    },

    stop(why = "Stopped.") {
      this.worker?.terminate();
      this.worker = this.ready = null;
      this.stopped = true;
      this.running?.reject(new Error(why));
    },
  };

  // --- a cell ---------------------------------------------------------------------------------------------------------

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const codeOf = (cell) => cell.querySelector(".cell_input pre")?.textContent.replace(/\n$/, "");
  const CHECK = /^check\("([\w-]+)"/m;
  const cells = [];

  function prepare(cell) {
    const original = codeOf(cell);
    const exercise = original.match(CHECK)?.[1];
    const key = `cell:${page}:${exercise || original.slice(0, 60)}`;
    const code = cell.querySelector(".cell_input");
    const still = code.innerHTML;
    const output = cell.querySelector(".cell_output") || cell.appendChild(element("div", { className: "cell_output docutils container" }));
    const first = output.innerHTML;
    const label = exercise ? `Your answer to the exercise ${exercise}` : "A cell to change and run";
    const go = element("button", { type: "button", className: "classroom-run", textContent: exercise ? "▶ Check" : "▶ Run" });
    const edit = element("button", { type: "button", textContent: "Edit" });
    const halt = element("button", { type: "button", textContent: "■ Stop", hidden: true });
    const again = element("button", { type: "button", textContent: "Start again", hidden: true });
    const said = element("span", { className: "classroom-said" });
    said.setAttribute("role", "status");
    const bar = element("progress", { hidden: true, max: 1 });
    bar.setAttribute("aria-label", "Loading Python");
    const tools = element("div", { className: "classroom-bar" }, go, edit, halt, again, bar, said);
    code.after(tools);
    cell.classList.add("classroom-cell");
    if (exercise) cell.dataset.exercise = exercise;
    let editor = null, opening = null, text = store.get(key) ?? original;
    const mine = { original, current: () => text };
    cells.push(mine);

    const say = (words, share) => {
      said.textContent = words;
      bar.hidden = share === undefined;
      bar.value = share || 0;
    };
    const write = (now) => {
      text = now;
      again.hidden = text === original;
      if (!store.set(key, text === original ? null : text)) say("This browser keeps nothing: your answer is lost when the page is closed.");
    };
    const options = { label, help: HELP, told: write, run };

    function open() {
      opening ??= load("editor.js").catch(() => {}).then(() => {
        const place = element("div", { className: "classroom-editor" });
        code.replaceChildren(place);
        edit.hidden = true;
        editor = globalThis.attnbookEditor ? attnbookEditor.make(place, text, options) : plain(place, text, options);
        return editor;
      });
      return opening;
    }

    async function run() {
      if (!halt.hidden) return;
      await open();
      editor.mark(null);
      const folded = output.closest("details");
      if (folded) folded.open = true;
      [go.disabled, halt.hidden] = [true, false];
      const printed = element("pre", { className: "classroom-printed" });
      printed.tabIndex = 0;
      const tell = (piece) => {
        if (!printed.isConnected) output.replaceChildren(printed);
        printed.textContent += piece;
      };
      output.classList.add("classroom-waiting");
      try {
        const changed = Object.fromEntries(cells.filter((other) => other !== mine && other.current() !== other.original).map((other) => [other.original, other.current()]));
        const answer = await python.run({ page, original, source: text, changed }, say, tell);
        output.replaceChildren(...[printed.textContent && printed, ...shown(answer)].filter(Boolean));
        if (answer.line) editor.mark(answer.line);
        if (answer.exercise) note(answer.exercise, answer.status);
        cell.dataset.status = answer.error ? "error" : answer.status || "done";
        cell.dataset.milliseconds = Math.round(answer.milliseconds);
        say(answer.error ? "The cell ends with an error." : { solved: "Solved.", wrong: "Not right yet.", unwritten: "Not written yet." }[answer.status] || "Done.");
      } catch (error) {
        cell.dataset.status = "stopped";
        say(error.message);
      }
      again.hidden = false;
      output.classList.remove("classroom-waiting");
      [go.disabled, halt.hidden] = [false, true];
    }

    go.onclick = run;
    halt.onclick = () => python.stop();
    again.onclick = () => {
      if (editor) editor.set(original);
      else code.innerHTML = still;
      write(original);
      [output.innerHTML, again.hidden] = [first, true];
      delete cell.dataset.status;
      say("As it was.");
    };
    const begin = () => {
      python.warm(say);
      open().then((made) => made.focus());
    };
    edit.onclick = begin;
    code.addEventListener("click", (event) => {
      if (!editor && !event.target.closest("button") && !String(getSelection())) begin();
    });
    if (text !== original) {
      code.querySelector("pre").textContent = text;
      again.hidden = false;
    }
  }

  function plain(place, text, { label, told, run }) { // without CodeMirror
    const area = element("textarea", { value: text, spellcheck: false, rows: text.split("\n").length + 1 });
    area.setAttribute("aria-label", label);
    area.oninput = () => told(area.value);
    area.onkeydown = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(); };
    place.append(area);
    return { get: () => area.value, set: (now) => { area.value = now; }, focus: () => area.focus(), mark: () => {} };
  }

  function shown(answer) {
    const nodes = [];
    if (answer.error) {
      const where = answer.line ? `line ${answer.line}: ` : "";
      nodes.push(element("pre", { className: "classroom-error", textContent: where + answer.error }));
    } else if (answer.html) nodes.push(element("div", { className: "output text_html", innerHTML: answer.html }));
    else if (answer.text) nodes.push(element("div", { className: "output text_plain highlight" }, element("pre", { textContent: answer.text })));
    return nodes;
  }

  // --- the contents, and the page of all exercises -----------------------------------------------------------------------

  function showProgress() {
    const solved = (names) => names.filter((name) => progress()[name]?.state === "solved").length;
    for (const link of document.querySelectorAll(".bd-sidebar-primary a.reference.internal")) {
      const name = new URL(link.href).pathname.match(/chapters\/([^/]+)\.html$/)?.[1] || (link.getAttribute("href") === "#" ? page.replace(/^chapters\//, "") : "");
      const names = setup.exercises[`chapters/${name}`];
      link.querySelector(".classroom-solved")?.remove();
      if (!names || !solved(names)) continue;
      const mark = element("span", { className: "classroom-solved", textContent: `${solved(names)}/${names.length} ✓` });
      mark.title = `${solved(names)} of ${names.length} exercises solved`;
      link.append(" ", mark);
    }
    const table = document.querySelector("table.attnbook-progress");
    if (!table) return;
    const all = Object.values(setup.exercises).flat();
    table.caption.textContent = `${solved(all)} of ${all.length} exercises solved`;
    for (const row of table.tBodies[0].rows) {
      const state = progress()[row.querySelector("code").textContent]?.state;
      const [sign, words] = { solved: ["✓", "solved"], attempted: ["✗", "tried, not solved yet"] }[state] || ["○", "not tried yet"];
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
      const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "progress.json" });
      link.click();
      URL.revokeObjectURL(link.href);
    };
    take.onclick = () => choose.click();
    choose.onchange = async () => {
      try {
        const read = JSON.parse(await choose.files[0].text());
        const states = Object.entries(read.exercises);
        if (!(read.version <= 1) || states.some(([, entry]) => !["solved", "attempted"].includes(entry.state))) throw new Error();
        for (const [name, entry] of states) {
          const known = progress()[name]?.state;
          if (known === "solved" || (known && entry.state === "attempted")) continue;
          store.set("progress", { exercises: { ...progress(), [name]: entry }, version: 1 });
        }
        said.textContent = "Read; what is solved in either place is now solved here.";
      } catch {
        said.textContent = "This is not a progress file of this book; nothing was changed.";
      }
      choose.value = "";
      showProgress();
    };
    table.before(element("p", { className: "classroom-bar" }, give, take, choose, said));
  }

  // --- begin ----------------------------------------------------------------------------------------------------------

  function missing() {
    const wanted = { Worker: "workers", WebAssembly: "WebAssembly", DecompressionStream: "decompression", Blob: "blobs" };
    return Object.keys(wanted).filter((name) => !(name in globalThis)).map((name) => wanted[name]);
  }

  document.querySelector(".classroom-without")?.remove(); // what only a page without scripts says
  showProgress();
  offerFiles();
  const mine = [...document.querySelectorAll("div.cell")].filter((cell) => {
    const code = codeOf(cell);
    return code && (cell.classList.contains("tag_try-it") || CHECK.test(code));
  });
  const remark = (cell, textContent) => cell.before(element("p", { className: "classroom-said", textContent }));
  if (mine.length && missing().length) {
    remark(mine[0], `This browser cannot run Python in the page (it lacks ${missing().join(", ")}). The same cells work in the notebook.`);
  } else {
    mine.forEach(prepare);
    const first = mine.find((cell) => cell.classList.contains("tag_try-it"));
    if (first) remark(first, "Cells with ▶ Run can be changed and run here. PyTorch is then a small stand-in in plain Python; the other cells draw or train, and need the notebook.");
  }
  globalThis.attnbookPython = python; // for tests
})();
