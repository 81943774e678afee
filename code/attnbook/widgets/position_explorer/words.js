/* What is said of the positions, or of the words, that are shown. */

import { fmt, fmtShort, range, say } from "../kit/kit.js";
import { FURTHEST, plain, twinOf } from "./maths.js";

const ALIKE = 3; // degrees: of places this close a hand is said to be almost the same

export function inWords(view) {
  const { at, k, D, i, omega, angle, spread, gram } = view;
  if (view.show === "encoding") {
    if (2 * i + 1 >= D)
      return say(
        "D = {D} is odd, so the last frequency has its sine only. A height is not a point on a circle: in general no " +
          "matrix that depends on k alone turns sin pω into sin (p + k)ω.",
        { D },
      );
    const degrees = (turn) => (turn * 180) / Math.PI;
    const turn = degrees(angle);
    const turned = Math.abs(turn) < 1 ? plain(turn) : fmt(turn, 0);
    const move = { from: at, to: at + k, i, k, turned };
    const step =
      k === 0
        ? say`With k = 0 hand ${i} stays where it is: raise k to turn it. `
        : at
          ? say(
              "From {from} to {to} hand {i} turns by {turned}°, as it does from 0 to {k}: the angle depends on " +
              "k, not " +
                "on p. ",
              move,
            )
          : say(
              "From {from} to {to} hand {i} turns by {turned}°, as it does from any p to p + {k}: the angle " +
              "depends on " +
                "k, not on p. ",
              move,
            );
    if (degrees(omega) < ALIKE)
      return (
        step +
        say("Alone it cannot tell neighbours apart: one position further it has turned by {turn}°.", {
          turn: plain(degrees(omega)),
        })
      );
    const [twin, off] = twinOf(omega, at);
    if (Math.abs(twin - at) === 1) return step + say`A full turn takes ${fmtShort((2 * Math.PI) / omega)} positions.`;
    const away = off < 0.05 ? say("less than 0.1°") : `${fmt(off, 1)}°`;
    return off < ALIKE
      ? step + say`Alone it cannot tell ${at} from ${twin}: there it stands almost the same, ${away} away.`
      : step + say`No other position puts it at the same place: the nearest is ${twin}, ${away} off.`;
  }
  if (view.show === "similarity") {
    const row = gram[at].slice(at);
    if (k === 0 && spread < 1e-9)
      return say(
        "Position {at} and itself have a similarity of {most}, half of D, and so has every position: " +
          "sin² + cos² = 1 for each pair. Raise k.",
        { at, most: fmt(row[0]) },
      );
    const further = row.slice(0, FURTHEST + 1).some((g, j) => j > k && Math.min(...row.slice(0, j)) < g - 1e-9);
    const lowest = range(k + 1).reduce((least, j) => (row[j] < row[least] ? j : least), 0);
    const here = k
      ? say`Positions ${at} and ${at + k} have a similarity of ${fmt(row[k])}`
      : say`Position ${at} and itself have a similarity of ${fmt(row[k])}`;
    const again =
      lowest < k
        ? say` Closer is not always more alike: at offset ${lowest} it is only ${fmt(row[lowest])}.`
        : (k ? say(" No closer position is less alike.") : "") + (further ? say(" Try a larger offset.") : "");
    return spread < 1e-9
      ? here + say`, and so have any two that are ${k} apart: it is Σ cos(kω), with no p in it.` + again
      : here +
          say(
            ". But D = {D} is odd, its last sine lacks a cosine: one offset gives similarities up to {apart} apart.",
            { D, apart: plain(spread) },
          ) +
          again;
  }
  const same = String(view.order) === String(range(view.words.length));
  if (same) return say("Both sentences are in the same order. Shuffle the words!");
  const without = say("Without positions attention reads a bag of words: shuffling only shuffles the outputs.");
  const { changes, largest } = view.withPositions;
  if (largest < 1e-9)
    return without + say(" Here the words that change places are the same, so positions make no difference.");
  const most = { word: view.words[view.order[changes.indexOf(largest)]], largest: fmt(largest) };
  return changes.every((change) => change > 1e-9)
    ? without +
        say(
          " With positions every word's output changes, most of all that of “{word}”: one number moves by {largest}.",
          most,
        )
    : without +
        say(" With positions the outputs change, most of all that of “{word}”: one number moves by {largest}.", most);
}
