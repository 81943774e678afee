// Starts Pyodide with the book's modules, and compiles what has been imported by then: of Python's library, and of them.
// Run by tools/pages/classroom.py:  node classroom.js FOLDER-OF-PYODIDE THE-BOOKS-MODULES.zip ZIP-TO-BE-WRITTEN
const fs = require("fs");
const [pyodide, book, compiled] = process.argv.slice(2);

const COMPILE = `
import importlib.util, py_compile, shutil, site, sys

def compiled(file, made, name, **options):
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(file, made, name, doraise=True, invalidation_mode=unchecked, **options)

modules = site.getsitepackages()[0]
library = next(path for path in sys.path if path.endswith(".zip"))
shutil.unpack_archive(library, "/library")
for module in [*sys.modules.values()]:
    file = getattr(module, "__file__", None) or ""
    if file.startswith(library):
        name = file[len(library) + 1:]
        compiled(f"/library/{name}", f"/compiled/library/{name}c", name, optimize=2)  # nobody reads the docstrings
    elif file.startswith(modules):
        made = importlib.util.cache_from_source(file)[len(modules):]
        compiled(file, f"/compiled/book{made}", file)
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
