// How the page's large files come: part by part, and everybody who waits for one hears how far it is.
import assert from "node:assert/strict";
import test from "node:test";
import { loadFile } from "../../code/attnbook/widgets/kit/files.js";

test("all that wait for a file hear how much of it is there, those that come later too", async () => {
  globalThis.attnbookFiles = { probe: 2, "probe.0": btoa("no weig"), "probe.1": btoa("hts") };
  const heard = [[], [], []];
  const waits = [];
  const wait = (who, more = () => {}) =>
    waits.push(
      loadFile({}, "probe", (share) => {
        heard[who].push(share);
        more(share);
      }).catch(() => "read by nobody: these are no weights"),
    );
  wait(0, (share) => share < 1 && wait(2));
  wait(1);
  await Promise.all(waits.slice(0, 2)); // the third begins to wait in the middle
  await Promise.all(waits);
  assert.deepEqual(heard, [[0.5, 1], [0.5, 1], [0.5, 1]]);
});
