// Starts Pyodide with the book's modules, and compiles those of Python's library that have been imported by then.
// Run by tools/classroom.py:  node classroom.js FOLDER-OF-PYODIDE THE-BOOKS-MODULES.zip ZIP-TO-BE-WRITTEN
const fs = require("fs");
const [pyodide, book, compiled] = process.argv.slice(2);

const COMPILE = `
import py_compile, shutil, sys

library = next(path for path in sys.path if path.endswith(".zip"))
shutil.unpack_archive(library, "/library")
for module in [*sys.modules.values()]:
    file = getattr(module, "__file__", None) or ""
    if file.startswith(library):
        name = file[len(library) + 1:]
        py_compile.compile(f"/library/{name}", f"/compiled/{name}c", name, doraise=True,
            optimize=2,  # nobody reads the docstrings
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
open(shutil.make_archive("/compiled", "zip", "/compiled"), "rb").read()
`;

(async () => {
  const options = { args: ["-X", "no_debug_ranges"] }; // columns of errors would double what is compiled
  const python = await require(`${pyodide}/pyodide.js`).loadPyodide(options);
  const site = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(new Uint8Array(fs.readFileSync(book)), "zip", { extractDir: site });
  python.pyimport("attnbook.classroom.questions").warm();
  fs.writeFileSync(compiled, python.runPython(COMPILE).toJs());
})().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
