/* In front of all scripts of a page (tools/pages.py). Where a browser keeps nothing, even to ask for its storage is an
 * error, which would end the theme's scripts and the search: such a page gets a storage that lasts as long as the page.
 * Where the storage is full, what is written lasts as long as well; progress.js tells the reader. */
for (const name of ["localStorage", "sessionStorage"]) {
  try { void window[name].length; } catch {
    const kept = new Map();
    const value = {
      get length() { return kept.size; },
      key: (number) => [...kept.keys()][number] ?? null,
      getItem: (key) => kept.get(`${key}`) ?? null,
      setItem: (key, text) => { kept.set(`${key}`, `${text}`); },
      removeItem: (key) => { kept.delete(`${key}`); },
      clear: () => kept.clear(),
    };
    Object.defineProperty(window, name, { value });
    window.attnbookForgets = true;
  }
}
{
  const { getItem, setItem, removeItem } = Storage.prototype;
  const unkept = window.attnbookUnkept = new Map();
  Object.assign(Storage.prototype, {
    getItem(key) { return unkept.get(`${key}`) ?? getItem.call(this, key); },
    removeItem(key) { unkept.delete(`${key}`); removeItem.call(this, key); },
    setItem(key, text) {
      unkept.delete(`${key}`);
      try { setItem.call(this, key, text); } catch {
        unkept.set(`${key}`, `${text}`);
        dispatchEvent(new Event("attnbook-full"));
      }
    },
  });
}
