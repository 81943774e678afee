// Reads one [file, function, arguments] per line and writes one {answer} or {error} per line: functions of the figures'
// modules, called from Python (conftest.py). `file` is one below attnbook/widgets; of a figure, its `math` is meant.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { createInterface } from "node:readline";

// A file of weights is its base64, as the build has it.
registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".safetensors")) return next(url, context);
    const source = `export default "${readFileSync(new URL(url), "base64")}";`;
    return { format: "module", shortCircuit: true, source };
  },
});

const WIDGETS = new URL("../../code/attnbook/widgets/", import.meta.url);

// Typed arrays as lists; what JSON has no word for as Python's json writes it.
const listed = (_key, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
const marked = (key, value) => (typeof value === "number" && !Number.isFinite(value) ? `@${value}` : listed(key, value));
const written = (value) => JSON.stringify(value, marked).replace(/"@(NaN|-?Infinity)"/g, "$1");

for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try {
    const [file, name, given] = Function(`return ${line}`)(); // Python's JSON may hold NaN and Infinity
    const module = await import(new URL(file, WIDGETS));
    const functions = module.default ? module.default.math : module;
    said = { answer: functions[name](...given) };
  } catch (error) {
    said = { error: String(error) };
  }
  process.stdout.write(`${written(said)}\n`);
}
