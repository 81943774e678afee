/* In front of all scripts of a page (tools/pages/finish.py). Where a browser keeps nothing, even to ask for its storage is an
 * error, which would end the theme's scripts and the search: such a page gets a storage that lasts as long as the page.
 * Where the storage is full, what is written lasts as long as well; progress.js tells the reader. */
const unkept = window.attnbookUnkept = new Map(); /* of localStorage, where there is one */
for (const name of ["localStorage", "sessionStorage"]) {
  let real = null;
  try { real = window[name]; void real.length; } catch { real = null; window.attnbookForgets = true; }
  const kept = real && name === "localStorage" ? unkept : new Map();
  const keys = () => [...new Set([...Object.keys(real ?? {}), ...kept.keys()])];
  const value = {
    get length() { return keys().length; },
    key: (number) => keys()[number] ?? null,
    getItem: (key) => kept.get(`${key}`) ?? real?.getItem(key) ?? null,
    removeItem: (key) => { kept.delete(`${key}`); real?.removeItem(key); },
    clear: () => { kept.clear(); real?.clear(); },
    setItem: (key, text) => {
      kept.delete(`${key}`);
      try { real.setItem(key, text); } catch {
        kept.set(`${key}`, `${text}`);
        if (real) dispatchEvent(new Event("attnbook-full"));
      }
    },
  };
  Object.defineProperty(window, name, { value });
}
