/* The files of the page's trained models: their weights, and what is known of the corpus. They are not part of the
 * page: they come as scripts beside this one, which unpack themselves (widgets/scripts.py), or in base64: from the
 * kernel in JupyterLab (kit/models.py), or in a page that is one file. In place of a large file stands the number of
 * its parts, which follow one by one. */

import { html, say } from "./kit.js";
import { makeTranslator } from "./models.js";
import { bytesOf, readWeights } from "./weights.js";

const SCRIPT = typeof document === "undefined" || !document.currentScript ? null : document.currentScript.src;
const waiting = {}; // name → {content: a promise, share: of it that is there, tell: those who hear of it}

// What is in a file that is there; its content, once read, is let go.
export function readFile(name) {
  const files = globalThis.attnbookFiles;
  if (!files[name].weight) files[name] = readWeights(files[name]);
  return files[name];
}

// tell(share) hears how much of a large file is there, from 0 to 1, whoever has asked for it first.
export function loadFile(model, name, tell = () => {}) {
  const files = (globalThis.attnbookFiles = globalThis.attnbookFiles || {});
  const one = (waiting[name] ||= { share: 0, tell: [] });
  one.tell.push(tell);
  if (one.share) tell(one.share);
  const told = (share) => {
    one.share = share;
    one.tell.forEach((hear) => hear(share));
  };
  one.content ||= wholeFile(model, name, told).then((content) => {
    files[name] = content;
    Object.assign(one, { share: 0, tell: [] });
  });
  return one.content.then(
    () => readFile(name),
    (error) => {
      delete waiting[name];
      throw error;
    },
  );
}

async function wholeFile(model, name, tell) {
  const files = globalThis.attnbookFiles;
  const bring = (part) => files[part] || (SCRIPT ? fromScript : fromKernel)(model, part);
  const count = await bring(name);
  if (typeof count !== "number") return count;
  let [whole, length] = [null, 0];
  for (let i = 0; i < count; i++) {
    const part = bytesOf(await bring(`${name}.${i}`));
    delete files[`${name}.${i}`];
    whole ||= new Uint8Array(count * part.length); // none is longer than the first
    whole.set(part, length);
    length += part.length;
    tell((i + 1) / count);
  }
  return whole.buffer;
}

async function fromScript(_model, name) {
  const file = `model-${name}.js`;
  const script = html("script", { src: new URL(file, SCRIPT).href, async: true });
  const loaded = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
  document.head.append(script);
  const content = await loaded.then(() => globalThis.attnbookFiles[name]).catch(() => null);
  script.remove();
  if (content) return content;
  delete globalThis.attnbookFiles[name];
  throw new Error(say("the file {file} beside this page’s scripts cannot be read; build the book again", { file }));
}

const fromKernel = (model, name) =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(say("the kernel does not answer; run the cell again"))), 30000);
    const hear = (message) => {
      if (message.file !== name) return;
      clearTimeout(late);
      model.off("msg:custom", hear);
      if (message.text === null) reject(new Error(say("the kernel has no file {name}", { name })));
      else resolve(message.text);
    };
    model.on("msg:custom", hear);
    model.send({ wanted: name });
  });

export const translators = {};

export async function loadTranslator(model, name) {
  const file = await loadFile(model, name);
  return (translators[name] = translators[name] || makeTranslator(file));
}
