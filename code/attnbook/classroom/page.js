// Makes cells of a page into editors that run Python here, and keeps what was written and solved in the browser.
// `attnbookClassroom` (tools/classroom.py) says what there is to load and which exercises each page has.
(() => {
  "use strict";
  const setup = globalThis.attnbookClassroom;
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  const page = document.querySelector("meta[name=attnbook-page]")?.content || "";
  const COMMAND = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
  const HELP = `${COMMAND}+Enter runs it · Esc, then Tab, leaves the editor`;

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
      script.onerror = () => {
        loaded.delete(file);
        reject(new Error(`Python could not be loaded (${file} is missing). Press the button to try again.`));
      };
      document.head.append(script);
    }));
    return loaded.get(file);
  };

  const python = {
    limit: 20, // seconds for a cell
    worker: null, ready: null, parts: null, current: null, queue: Promise.resolve(),
    life: 0, // counts the workers: what an earlier one still says is not listened to

    async begin(say) {
      const life = this.life;
      let begin = { parts: this.parts };
      if (!this.parts) {
        let done = 0;
        const count = setup.slices;
        const tell = () => life === this.life && say(`Loading Python (${setup.megabytes} MB) …`, done / count);
        tell();
        const files = ["worker.js", ...Array.from({ length: count }, (_, number) => `engine-${number}.js`)];
        await Promise.all(files.map((file) => load(file).then(() => { done += file !== "worker.js"; tell(); })));
        begin = { text: attnbookSlices.join(""), places: setup.places };
      }
      if (life !== this.life) return; // stopped meanwhile
      say("Starting Python …");
      await new Promise((resolve, reject) => {
        let started = false;
        const failed = (text) => {
          if (life !== this.life) return;
          if (started) this.stop("Python broke down and starts afresh at the next run. Very deep recursion or nesting does that. Your code is kept.");
          else reject(new Error(`Python could not start: ${text}`));
        };
        const address = URL.createObjectURL(new Blob([attnbookWorker], { type: "text/javascript" }));
        this.worker = new Worker(address);
        URL.revokeObjectURL(address);
        this.worker.onerror = (event) => failed(event.message);
        this.worker.onmessage = ({ data }) => {
          if (life !== this.life) return;
          if (data.type === "parts") [this.parts, globalThis.attnbookSlices] = [data.parts, []];
          else if (data.type === "ready") [started] = [true, resolve()];
          else if (data.type === "print") this.current?.tell(data.text);
          else if (data.type === "answer") this.current?.resolve(data.answer);
          else failed(data.text);
        };
        this.worker.postMessage({ type: "start", ...begin });
      });
    },

    warm(say) {
      if (this.ready) return;
      this.ready = this.begin(say).then(() => say(""));
      this.ready.catch((error) => { this.stop(); say(error.message); });
    },

    // say(text, share): what is going on. tell(text): what the cell prints. One cell runs at a time. The answer that is
    // promised has a method `cancel`, for a cell that runs or waits.
    run(question, say, tell) {
      const task = { tell };
      const over = new Promise((_, reject) => { task.end = (why) => { task.ended = true; reject(new Error(why)); }; });
      over.catch(() => {});
      if (this.current) say("Waiting for the other cell …");
      const work = async () => {
        if (task.ended) return over;
        this.current = task;
        let clock;
        try {
          if (!this.ready) this.ready = this.begin(say);
          else say("Starting Python …");
          await Promise.race([this.ready, over]);
          say("Running …");
          const late = `Stopped after ${this.limit} seconds. Does a loop never end?`;
          clock = setTimeout(() => this.stop(late), this.limit * 1000);
          const answer = new Promise((resolve) => { task.resolve = resolve; });
          this.worker.postMessage({ question });
          return await Promise.race([answer, over]);
        } catch (error) {
          if (!task.ended) this.stop();
          throw error;
        } finally {
          clearTimeout(clock);
          this.current = null;
        }
      };
      const turn = this.queue.then(work);
      this.queue = turn.catch(() => {});
      const answer = Promise.race([turn, over]);
      answer.cancel = () => (this.current === task ? this.stop() : task.end("Stopped."));
      return answer;
    },

    stop(why = "Stopped.") {
      this.worker?.terminate();
      this.worker = this.ready = null;
      this.life += 1;
      this.current?.end(why);
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

  const HASH = (text) => [...text].reduce((sum, sign) => (sum * 33 + sign.codePointAt(0)) % 2 ** 32, 5381).toString(36);
  const RESULTS = { solved: "Solved.", wrong: "Not right yet. The result is below.", unwritten: "Not written yet." };

  function prepare(cell) {
    const original = codeOf(cell);
    const exercise = original.match(CHECK)?.[1];
    const asked = original.match(/^check\(.*$/m)?.[0];
    const key = `cell:${page}:${exercise || HASH(original)}`;
    const code = cell.querySelector(".cell_input");
    const still = code.innerHTML;
    const output = cell.querySelector(".cell_output") || cell.appendChild(element("div", { className: "cell_output docutils container" }));
    const first = output.innerHTML;
    const label = exercise ? `Your answer to the exercise ${exercise}` : "A cell to change and run";
    const button = (text, what) => {
      const made = element("button", { type: "button", textContent: text });
      made.setAttribute("aria-label", exercise ? `${text} ${exercise}` : what);
      return made;
    };
    const go = exercise ? button("Check") : button("Run", "Run this cell");
    const edit = button("Edit", "Edit this cell");
    const halt = button("Stop", "Stop this cell");
    const again = button("Start again", "Start again with this cell");
    go.className = "classroom-run";
    halt.className = "classroom-stop";
    edit.title = `Loads Python (${setup.megabytes} MB) once`;
    halt.hidden = again.hidden = true;
    const said = element("span", { className: "classroom-said" });
    said.setAttribute("role", "status");
    const bar = element("progress", { hidden: true, max: 1 });
    bar.setAttribute("aria-label", "Loading Python");
    const help = element("span", { className: "classroom-help", textContent: HELP });
    code.after(element("div", { className: "classroom-bar" }, go, edit, halt, again, bar, said, help));
    cell.classList.add("classroom-cell");
    if (exercise) {
      cell.dataset.exercise = exercise;
      output.setAttribute("role", "group");
      output.setAttribute("aria-label", `Result of ${exercise}`);
    }
    const kept = store.get(key);
    let editor = null, opening = null, running = null, before = null;
    let text = typeof kept === "string" ? kept : original;
    const mine = { original, current: () => text };
    cells.push(mine);

    const say = (words, share) => {
      if (said.textContent !== words) said.textContent = words;
      bar.hidden = share === undefined;
      bar.value = share || 0;
    };
    const write = (now) => {
      [text, before, again.textContent] = [now, null, "Start again"];
      again.hidden = text === original;
      if (!store.set(key, text === original ? null : text)) say("This browser's storage is full or blocked: your answer is lost when you close the page.");
    };
    const options = { label, help: HELP, told: write, run };
    const busy = (now) => {
      halt.hidden = !now;
      again.disabled = now;
      go.setAttribute("aria-disabled", now); // not `disabled`, which would take the focus away
      output.classList.toggle("classroom-waiting", now);
    };

    function open() {
      opening ??= load("editor.js").catch(() => {}).then(() => {
        const place = element("div", { className: "classroom-editor" });
        code.replaceChildren(place);
        code.classList.add("classroom-open");
        edit.hidden = true;
        editor = globalThis.attnbookEditor ? attnbookEditor.make(place, text, options) : plain(place, text, options);
        return editor;
      });
      return opening;
    }

    async function run() {
      if (!halt.hidden) return;
      busy(true);
      const printed = element("pre", { className: "classroom-printed", tabIndex: 0 });
      printed.setAttribute("role", "group");
      printed.setAttribute("aria-label", "What the cell printed");
      const tell = (piece) => {
        if (!printed.isConnected) output.replaceChildren(printed);
        printed.append(piece);
      };
      const folded = output.closest("details");
      if (folded) folded.open = true;
      try {
        (await open()).mark(null);
        const others = cells.filter((other) => other !== mine && other.current() !== other.original);
        const changed = Object.fromEntries(others.map((other) => [other.original, other.current()]));
        running = python.run({ page, original, source: text, changed }, say, tell);
        const answer = await running;
        output.replaceChildren(...[printed.textContent && printed, ...shown(answer)].filter(Boolean));
        editor.mark(answer.line);
        for (const verdict of answer.verdicts) note(verdict.exercise, verdict.status);
        const status = answer.verdicts.at(-1)?.status;
        cell.dataset.status = answer.error ? "error" : status || "done";
        cell.dataset.milliseconds = Math.round(answer.milliseconds);
        if (answer.error) say(answer.line ? `Line ${answer.line} raises an error.` : "The cell ends with an error.");
        else say(RESULTS[status] || (asked ? `Nothing was checked: the last line should be ${asked}` : "Done."));
      } catch (error) {
        if (!printed.isConnected) output.replaceChildren();
        cell.dataset.status = "stopped";
        say(error.message);
      }
      running = null;
      again.hidden = text === original && output.innerHTML === first;
      busy(false);
    }

    function reset() {
      const undone = before;
      const last = text;
      const now = undone ?? original;
      if (editor) editor.set(now);
      else code.innerHTML = still;
      write(now);
      if (undone === null) {
        output.innerHTML = first;
        delete cell.dataset.status;
        if (last !== original) [before, again.textContent, again.hidden] = [last, "Undo", false];
      }
      again.setAttribute("aria-label", `${again.textContent} ${exercise || "this cell"}`);
      say(undone === null ? "Your changes are removed." : "They are back.");
      go.focus();
    }

    go.onclick = run;
    halt.onclick = () => { running ? running.cancel() : python.stop(); go.focus(); };
    again.onclick = reset;
    const begin = () => {
      python.warm(say);
      open().then((made) => made.focus());
    };
    edit.onclick = begin;
    code.addEventListener("click", (event) => {
      if (!editor && !event.target.closest("button") && !String(getSelection())) begin();
    });
    const recall = () => {
      if (text === original) return;
      code.querySelector("pre").textContent = text;
      again.hidden = false;
      const when = exercise && progress()[exercise]?.solved_on;
      if (exercise) output.replaceChildren(element("p", { className: "classroom-said", textContent: `${when ? `Solved on ${when}. ` : ""}Your answer was kept; Check judges it again.` }));
    };
    recall();
    addEventListener("storage", (event) => { // another tab
      if (event.key !== `attnbook:${key}`) return;
      const theirs = store.get(key) ?? original;
      if (editor && theirs !== text) say("This cell was changed in another tab; what you write here replaces it.");
      else if (!editor) [text] = [theirs, recall()];
    });
  }

  function plain(place, text, { label, told, run }) { // without CodeMirror
    const area = element("textarea", { value: text, spellcheck: false, rows: text.split("\n").length + 1 });
    area.setAttribute("aria-label", label);
    area.oninput = () => told(area.value);
    area.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey)) [run(), event.preventDefault()];
    };
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
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    };
    take.onclick = () => choose.click();
    choose.onchange = async () => {
      let full = false;
      try {
        const read = JSON.parse(await choose.files[0].text());
        const states = Object.entries(read.exercises);
        if (!(read.version <= 1) || states.some(([, entry]) => !["solved", "attempted"].includes(entry.state))) throw new Error();
        for (const [name, entry] of states) {
          const known = progress()[name]?.state;
          if (known === "solved" || (known && entry.state === "attempted")) continue;
          if (!store.set("progress", { exercises: { ...progress(), [name]: entry }, version: 1 })) full = true;
        }
        said.textContent = full ? "This browser's storage is full or blocked; nothing was kept." : "Read; what is solved in either place is now solved here.";
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
  addEventListener("storage", showProgress); // another tab
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
