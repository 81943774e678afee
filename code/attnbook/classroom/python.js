// Python in a worker: loaded, started, asked one cell at a time, stopped. Part of the page's one script, in which `setup`
// says what there is to load (tools/pages/classroom.py) and `here` is the folder that it is loaded from.
import { here, setup, t } from "./book.js";

const language = setup.languages[document.documentElement.lang]; // what the checker says is a file of its own
const words = language && `words-${document.documentElement.lang}.js`;
const BROKEN = t("Python broke down and starts afresh at the next run. Very deep recursion or nesting does that. \
Your code is kept.");
const lastLine = (text) => String(text).trim().split("\n").at(-1).slice(0, 200);

const loaded = new Map();
export const load = (file) => {
  if (!loaded.has(file)) loaded.set(file, new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${here}${file}?v=${setup.version}`;
    script.onload = resolve;
    script.onerror = () => reject(unloaded(file, false));
    document.head.append(script);
  }));
  return loaded.get(file);
};
function unloaded(file, isThere) {
  loaded.delete(file); // so that it is asked for again
  return new Error(isThere
    ? t("Python could not be loaded ({file} is damaged). Press the button to try again.", { file })
    : t("Python could not be loaded ({file} is missing). Press the button to try again.", { file }));
}

export const python = {
  limit: 20, // seconds for a cell
  worker: null, ready: null, fail: null, parts: null, current: null, queue: Promise.resolve(),
  life: 0, // counts the workers: what an earlier one still says is not listened to

  async begin(say) {
    const life = this.life;
    if (words) await load(words);
    let begin = { parts: this.parts };
    if (!this.parts) {
      let done = 0;
      const count = setup.slices;
      const tell = () => life === this.life && say(t("Loading Python ({megabytes} MB) …", setup), done / count);
      tell();
      const files = ["worker.js", ...Array.from({ length: count }, (_, number) => `engine-${number}.js`)];
      await Promise.all(files.map((file) => load(file).then(() => { done += file !== "worker.js"; tell(); })));
      const came = (number) => (number ? globalThis.attnbookSlices?.[number - 1] : globalThis.attnbookWorker);
      const content = await Promise.all(files.map((_, number) => Promise.resolve(came(number)).catch(() => null)));
      const broken = files.find((_, number) => !content[number]);
      if (broken) throw unloaded(broken, true);
      begin = { content: new Blob(content.slice(1)), places: setup.places };
    }
    const checker = await globalThis.attnbookChecker;
    if (life !== this.life) return; // stopped meanwhile
    say(t("Starting Python …"));
    await new Promise((resolve, reject) => {
      this.fail = reject;
      let started = false;
      const failed = (text) => {
        if (life !== this.life) return;
        if (started) this.stop(`${BROKEN} (${lastLine(text)})`);
        else reject(new Error(t("Python could not start: {why}",
          { why: lastLine(text || t("the browser allows no worker here")) })));
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
        else if (data.type === "enter") { if (this.current) this.current.code = data.code; }
        else if (data.type === "answer") this.current?.resolve(data.answer);
        else failed(data.text);
      };
      this.worker.postMessage({ type: "start", ...begin, language, words: checker });
    });
  },

  warm(say) {
    if (this.ready) return;
    this.ready = this.begin(say).then(() => say(""));
    this.ready.catch((error) => { this.stop(error.message); say(error.message); });
  },

  // say(text, share): what is going on. tell(text): what the cell prints. One cell runs at a time. The answer that is
  // promised has a method `cancel`, for a cell that runs or waits.
  run(question, say, tell) {
    const task = { tell, code: question.source }; // `code`: of the cell that Python is in
    const over = new Promise((_, reject) => { task.end = (why) => { task.ended = true; reject(new Error(why)); }; });
    over.catch(() => {});
    if (this.current) say(t("Waiting for the other cell …"));
    const work = async () => {
      if (task.ended) return over;
      this.current = task;
      let clock;
      try {
        if (!this.ready) this.ready = this.begin(say);
        else say(t("Starting Python …"));
        await Promise.race([this.ready, over]);
        say(t("Running …"));
        clock = setTimeout(() => this.stop(this.late(task, question)), this.limit * 1000);
        const answer = new Promise((resolve) => { task.resolve = resolve; });
        this.worker.postMessage({ question });
        return await Promise.race([answer, over]);
      } catch (error) {
        if (!task.ended) this.stop(error.message);
        throw error;
      } finally {
        clearTimeout(clock);
        this.current = null;
      }
    };
    const turn = this.queue.then(work);
    this.queue = turn.catch(() => {});
    const answer = Promise.race([turn, over]);
    answer.cancel = () => (this.current === task ? this.stop() : task.end(t("Stopped.")));
    return answer;
  },

  late(task, question) {
    const own = task.code === question.source;
    const found = { seconds: this.limit, begin: task.code.trim().split("\n")[0] };
    return own
      ? t("Stopped after {seconds} seconds. Does a loop never end?", found)
      : t("Stopped after {seconds} seconds in the cell above that begins with “{begin}”. \
Does a loop never end there?", found);
  },

  stop(why = t("Stopped.")) {
    this.worker?.terminate();
    this.worker = this.ready = null;
    this.life += 1;
    this.fail?.(new Error(why)); // for a cell that has only asked it to start
    this.current?.end(why);
  },
};
