/* Scores, weights and the output; which key wins where in the plane. */

import { dot, fmt, range, say, softmax, sum } from "../kit/kit.js";

export const REACH = 2.5; // no coordinate goes further from 0
export const SCORES = [
  ["dot", say("dot product  q·k")],
  ["scaled_dot", say("scaled dot product  q·k/√2")],
  ["gaussian", say("Gaussian  −½‖q−k‖²")],
];
// 0, then steps that grow from 0.03 to 3.8; 1 in the middle, 50 at the end.
export const SHARPNESS = range(61).map((i) => Number(((49 ** (i / 30) - 1) / 48).toPrecision(3)));

export function scoresOf(name, query, keys) {
  return keys.map((key) => {
    if (name === "dot") return dot(query, key);
    if (name === "scaled_dot") return dot(query, key) / Math.sqrt(query.length);
    if (name === "gaussian") return -sum(query.map((q, i) => (q - key[i]) ** 2)) / 2;
    throw new Error(`no score named ${name}`);
  });
}

export const weightsOf = (scores, sharpness) => softmax(scores.map((e) => sharpness * e));

export const outputOf = (weights, values) =>
  values[0].map((_, i) => sum(values.map((value, j) => weights[j] * value[i])));

export function lookUp(name, query, keys, values, sharpness) {
  const scores = scoresOf(name, query, keys);
  const weights = weightsOf(scores, sharpness);
  return { scores, weights, output: outputOf(weights, values) };
}

// The keys that a hard look-up chooses from: one, if not several have the highest score.
export const tiedKeys = (scores) => range(scores.length).filter((j) => scores[j] > Math.max(...scores) - 1e-9);

// The convex hull of points in the plane, counter-clockwise, by Andrew's monotone chain.
export function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const chain = (order) => {
    const kept = [];
    for (const point of order) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1); // its last point begins the other chain
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

// The part of a convex polygon where a·x + b·y + c ≥ 0.
function halfPlane(polygon, [a, b, c]) {
  const side = ([x, y]) => a * x + b * y + c;
  return polygon.flatMap((from, i) => {
    const to = polygon[(i + 1) % polygon.length];
    const [s, t] = [side(from), side(to)];
    const kept = s >= 0 ? [from] : [];
    if ((s > 0 && t < 0) || (s < 0 && t > 0))
      kept.push([0, 1].map((axis) => from[axis] + (s / (s - t)) * (to[axis] - from[axis])));
    return kept;
  });
}

// For each key the queries that it answers best. The difference of two scores is linear in the query — in the
// Gaussian the squares ‖q‖² cancel — so that each of these regions is a polygon (or empty).
export function winningRegions(name, keys, frame) {
  const half = (key) => (name === "gaussian" ? -dot(key, key) / 2 : 0);
  return keys.map((key, j) =>
    keys.reduce(
      (polygon, other, i) =>
        i === j ? polygon : halfPlane(polygon, [key[0] - other[0], key[1] - other[1], half(key) - half(other)]),
      frame,
    ),
  );
}

// The sides of the regions, without those that lie on the frame, and each only once though two regions share it.
export function borders(regions, frame) {
  const [low, high] = [frame[3], frame[1]];
  const same = (a, b) => Math.abs(a - b) < 1e-9;
  const onFrame = (a, b) =>
    [0, 1].some((axis) => same(a[axis], b[axis]) && (same(a[axis], low[axis]) || same(a[axis], high[axis])));
  const sides = new Map();
  regions.forEach((polygon) =>
    polygon.forEach((from, i) => {
      const to = polygon[(i + 1) % polygon.length];
      const name = (point) => point.map((v) => fmt(v, 6)).join();
      if (name(from) !== name(to) && !onFrame(from, to)) sides.set([name(from), name(to)].sort().join(), [from, to]);
    }),
  );
  return [...sides.values()];
}

export const keysTakingPart = (weights) => 1 / sum(weights.map((a) => a * a));
