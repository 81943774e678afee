// Reads one [TeX, is it a display] per line, writes one {html} or {error} per line. Run by tools/pages/formulas.py.
const katex = require(process.argv[2]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [tex, displayMode] = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(tex, { displayMode, output: "htmlAndMathml", strict: "error" }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
