// Python, in a worker made from a Blob, so that it starts from file:// as well. It gets Pyodide as one Blob (or, after
// Stop, the parts that it took from it the first time) and asks nothing of the network.
"use strict";
const NOWHERE = "https://pyodide.invalid/";
let ask;

async function partsOf({ content, places }) {
  const parts = {};
  await Promise.all(Object.entries(places).map(async ([name, [begin, end]]) => {
    parts[name] = new Uint8Array(await content.slice(begin, end).arrayBuffer());
  }));
  parts.wasm = await WebAssembly.compile(parts.wasm);
  return parts;
}

async function start(parts, { language = "en", words }) {
  // Pyodide takes a worker without importScripts for a module worker, and one with it may import; this one does neither.
  const run = self.importScripts.bind(self);
  self.importScripts = () => { throw new Error("nothing is imported here"); };
  for (const script of [parts.asm, parts.loader]) { // not by eval, which a Content-Security-Policy would have to allow
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    run(address);
    URL.revokeObjectURL(address);
  }
  self.fetch = async (address) => {
    if (String(address).endsWith(".wasm")) return new Response(new Uint8Array());
    if (String(address).endsWith("python_stdlib.zip")) return new Response(parts.library);
    throw new Error(`the page asks nothing of the network: ${address}`);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => ({
    module: parts.wasm,
    instance: await WebAssembly.instantiate(parts.wasm, imports),
  });
  const python = await loadPyodide({
    indexURL: NOWHERE,
    packageBaseUrl: NOWHERE,
    createPyodideModule: pyodideModule.default, // by tools/pages/classroom.py
    lockFileContents: JSON.parse(new TextDecoder().decode(parts.lock)),
    env: { HOME: "/tmp", ATTNBOOK_PROGRESS: "off", ATTNBOOK_LANGUAGE: language, PYTHONDONTWRITEBYTECODE: "1" },
  });
  const site = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(parts.book, "zip", { extractDir: site });
  if (words) {
    const folder = `${site}/attnbook/exercises/catalogs/${language}/LC_MESSAGES`;
    python.FS.mkdirTree(folder);
    python.FS.writeFile(`${folder}/exercises.mo`, new Uint8Array(words));
  }
  const questions = python.pyimport("attnbook.classroom.questions");
  questions.warm();
  const tell = (text) => postMessage({ type: "print", text });
  const enter = (code) => postMessage({ type: "enter", code });
  ask = (question) => {
    const asked = JSON.stringify(question);
    if (!question.kept) return JSON.parse(questions.answer(asked, tell, enter));
    return JSON.parse(python.pyimport("attnbook.classroom.handing_in").answer(asked));
  };
  return python;
}

onmessage = async ({ data }) => {
  try {
    if (data.type === "start") {
      const parts = data.parts || await partsOf(data);
      if (!data.parts) postMessage({ type: "parts", parts });
      const python = await start(parts, data);
      postMessage({ type: "ready", heap: python._module.HEAP8.length });
    } else {
      const began = performance.now();
      const answer = ask(data.question);
      postMessage({ type: "answer", answer: { ...answer, milliseconds: performance.now() - began } });
    }
  } catch (error) {
    postMessage({ type: "failed", text: String((error && error.message) || error).slice(-2000) });
  }
};
