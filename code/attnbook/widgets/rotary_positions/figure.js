/* A query and a key turn with their positions, and their score knows only how far apart they are. */

import { figure } from "../kit/card.js";
import { clamp, COLOUR, dot, fmt, linspace, range, say } from "../kit/kit.js";
import { linear } from "../kit/paint.js";

const PLACES = 20;
const MOST = 100;
const SPEEDS = [1, 0.5, 0.1];
const REACH = 1.5; // of a coordinate
const TURN = 2 * Math.PI;
const LABEL = { anchor: "middle", weight: 650, halo: true };

const rotate = ([x, y], angle) => [
  x * Math.cos(angle) - y * Math.sin(angle),
  x * Math.sin(angle) + y * Math.cos(angle),
];

function turned({ query, key, queryPlace, keyPlace, front, omega }) {
  const [q, k] = [rotate(query, omega * (front + queryPlace)), rotate(key, omega * (front + keyPlace))];
  return { q, k, score: dot(q, k) };
}

// The score of a key that stands so many places after the query: Θ turns by the distance alone.
const scoreAt = ({ query, key, omega }, distance) => dot(query, rotate(key, omega * distance));

// From the turned key to the turned query, −π to π: what their dot product knows.
function angleBetween({ q, k }) {
  return Math.atan2(k[0] * q[1] - k[1] * q[0], dot(q, k));
}

// The way of an arrow's tip as it turns: a spiral that gains a little with each turn, so that turns can be counted.
function spiral([x, y], angle, scale, inner) {
  const [start, size] = [Math.atan2(y, x), Math.hypot(x, y)];
  const most = Math.min(angle, 4 * TURN); // more of them would be a disc
  return linspace(0, most, 2 + Math.ceil(12 * most)).map((a) => {
    const radius = size * (inner + (0.05 * a) / TURN);
    const at = start + angle - most + a;
    return [scale.x(radius * Math.cos(at)), scale.y(radius * Math.sin(at))];
  });
}

function drawRow(p, view, fig) {
  const x = linear([0, PLACES], [26, p.width - 26]);
  const line = 46;
  p.line("row", 12, line, p.width - 12, line, { stroke: COLOUR.line, "stroke-width": 1.5 });
  range(PLACES + 1).forEach((i) => {
    p.line(`t${i}`, x(i), line - 4, x(i), line + 4, { stroke: COLOUR.line, "stroke-width": 1.2 });
    if (i % 5 === 0) {
      p.text(`n${i}`, x(i), line + 30, view.front + i, { size: 12, anchor: "middle", colour: COLOUR.muted });
    }
  });
  p.text("about", p.width - 12, 14, say("position in the text"), { size: 12.5, anchor: "end", colour: COLOUR.muted });
  const both = [
    ["key", "keyPlace", "key_place", COLOUR.key, COLOUR.keyInk, "square", say("key"), say("place of the key")],
    [
      "query",
      "queryPlace",
      "query_place",
      COLOUR.query,
      COLOUR.query,
      "circle",
      say("query"),
      say("place of the query"),
    ],
  ];
  const near = Math.abs(x(view.queryPlace) - x(view.keyPlace)) < 44;
  for (const [name, place, trait, colour, ink, shape, shown, label] of both) {
    const lower = near && name === "key" && view.queryPlace >= view.keyPlace;
    const higher = near && name === "key" && !lower;
    p.text(name, x(view[place]) + (lower ? -6 : higher ? 6 : 0), line - 16, shown, {
      anchor: lower ? "end" : higher ? "start" : near ? (view.queryPlace >= view.keyPlace ? "start" : "end") : "middle",
      colour: ink,
      weight: 650,
    });
    p.handle(trait, {
      x,
      at: [view[place], line],
      axis: "x",
      step: 1,
      min: [0, line],
      max: [PLACES, line],
      colour,
      shape,
      label,
      text: say`position ${view.front + view[place]}`,
      onMove: ([to]) => fig.set({ [trait]: Math.round(to) }),
    });
  }
}

function drawPlane(p, view, fig) {
  const half = Math.min(p.width, p.height) / 2 - 8;
  const scale = {
    x: linear([-REACH, REACH], [p.width / 2 - half, p.width / 2 + half]),
    y: linear([-REACH, REACH], [p.height / 2 + half, p.height / 2 - half]),
  };
  const at = ([x, y]) => [scale.x(x), scale.y(y)];
  const middle = at([0, 0]);
  p.circle("unit", ...middle, half / REACH, { fill: "none", stroke: COLOUR.grid, "stroke-width": 1.5 });
  p.line("across", middle[0] - half, middle[1], middle[0] + half, middle[1], { stroke: COLOUR.grid });
  p.line("up", middle[0], middle[1] - half, middle[0], middle[1] + half, { stroke: COLOUR.grid });
  const between = angleBetween(view);
  const from = Math.atan2(view.k[1], view.k[0]);
  const arc = linspace(from, from + between, 40).map((a) => at([0.62 * Math.cos(a), 0.62 * Math.sin(a)]));
  p.path("wedge", [middle, ...arc], { close: true, fill: COLOUR.weight, opacity: 0.22 });
  const turn = (place) => view.omega * (view.front + place);
  const both = [
    ["key", view.key, view.k, turn(view.keyPlace), COLOUR.key, COLOUR.keyInk, "k", 0.36],
    ["query", view.query, view.q, turn(view.queryPlace), COLOUR.query, COLOUR.query, "q", 0.22],
  ];
  for (const [name, before, after, angle, colour, ink, letter, inner] of both) {
    p.line(`${name}-before`, ...middle, ...at(before), { stroke: colour, "stroke-dasharray": "3 4", opacity: 0.8 });
    const look = { stroke: colour, "stroke-width": 1.6, opacity: 0.8 };
    p.path(`${name}-way`, spiral(before, angle, scale, inner), look);
    p.arrow(`${name}-after`, ...middle, ...at(after), { colour, width: 3, head: 11 });
    const size = Math.hypot(...after) || 1;
    const [x, y] = at(after.map((v) => v + (0.17 * v) / size));
    p.text(`${name}-letter`, x, y + 5, letter, { ...LABEL, colour: ink, italic: true });
  }
  const [x, y] = at([0.8 * Math.cos(from + between / 2), 0.8 * Math.sin(from + between / 2)]);
  p.text("angle", x, y + 4, fmt(Math.abs(between)), { ...LABEL, colour: COLOUR.weight });
  if (dot(view.query, view.key) === 1 && view.query[0] === view.key[0])
    p.text("start", at(view.query)[0], at(view.query)[1] + 22, say("both start here"), { size: 12, anchor: "middle" });
  for (const [name, before, , , colour] of both) {
    const [shape, size] = name === "key" ? ["square", 8] : ["circle", 5]; // the one is seen behind the other
    p.handle(name, {
      ...scale,
      at: before,
      step: 0.1,
      colour,
      shape,
      size,
      label: name === "key" ? say("the key before it is turned") : say("the query before it is turned"),
      text: before.map((v) => fmt(v)).join(", "),
      onMove: (to) => fig.set({ [name]: to.map((v) => Math.round(100 * v) / 100) }),
    });
  }
}

function drawScore(p, view) {
  const plot = p.plot({ top: 30, left: 44, right: 12, bottom: 44 });
  const x = linear([-PLACES, PLACES], [plot.left, plot.right]);
  const high = Math.max(0.5, Math.hypot(...view.query) * Math.hypot(...view.key)) * 1.15;
  const y = linear([-high, high], [plot.bottom, plot.top]);
  p.axes("axes", {
    plot,
    x,
    y,
    xTicks: p.narrow ? [-20, -10, 0, 10, 20] : 8,
    xLabel: say("distance from query to key"),
  });
  p.text("score", plot.left - 34, 16, say`score q · k = ${fmt(view.score)}`, { size: 12.5 });
  p.line("zero", plot.left, y(0), plot.right, y(0), { stroke: COLOUR.line });
  const points = linspace(-PLACES, PLACES, 321).map((d) => [x(d), y(scoreAt(view, d))]);
  p.path("curve", points, { stroke: COLOUR.weight, "stroke-width": 2.2 });
  const place = [x(view.distance), y(view.score)];
  p.line("stem", place[0], y(0), ...place, { stroke: COLOUR.ink, "stroke-dasharray": "3 3" });
  p.circle("now", ...place, 6.5, { fill: COLOUR.weight, stroke: COLOUR.ground, "stroke-width": 2 });
}

function inWords({ front, queryPlace, keyPlace, omega, distance, score, moved }) {
  const radians = (places) => fmt(omega * places, omega === 1 ? 0 : 1);
  const [query, key, more] = [front + queryPlace, front + keyPlace, Math.abs(distance)].map(radians);
  const start = say`The query is turned by ${query} radians, the key by ${key}.`;
  const far = Math.abs(distance);
  const apart =
    distance === 0
      ? say("They are at one place: both are turned alike.")
      : distance > 0
        ? say`They are ${far} apart: the key is turned ${more} radians more.`
        : say`They are ${far} apart: the key is turned ${more} radians less.`;
  const then = moved
    ? say`The score is ${fmt(score)}, with ${front} words in front as with none.`
    : say`The score is ${fmt(score)}. Put words in front: both turn on, and the score stays.`;
  return `${start} ${apart} ${then}`;
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Turned by the position, scored by the distance"),
    hint: say("Put words in front: both arrows turn. Drag the query or the key along the row: the score moves."),
  });
  fig.stage({
    height: 84,
    draw: (p, view) => drawRow(p, view, fig),
    label: ({ front, queryPlace, keyPlace }) =>
      say`Row of words: the query at position ${front + queryPlace}, the key at ${front + keyPlace}`,
  });
  fig.stage({
    height: (width) => Math.round(clamp(0.8 * width, 250, 300)),
    basis: 270,
    grow: 3,
    draw: (p, view) => drawPlane(p, view, fig),
    label: ({ q, k }) => {
      const [query, key] = [q, k].map((at) => at.map((v) => fmt(v)).join(", "));
      return say`Plane with the turned query at ${query} and the turned key at ${key}`;
    },
  });
  fig.stage({
    height: (width) => Math.round(clamp(0.8 * width, 250, 300)),
    basis: 290,
    grow: 4,
    draw: drawScore,
    label: ({ distance, score }) =>
      say`The score against the distance, a wave; at distance ${fmt(distance, 0)} it is ${fmt(score)}`,
  });
  fig.slider("front", { label: say("words in front"), min: 0, max: MOST, digits: 0 });
  fig.select("omega", { label: say("radians per position"), options: SPEEDS.map((speed) => [speed, `ω = ${speed}`]) });
  fig.output("distance", { label: say("distance, key − query"), digits: 0 });
  fig.output("angle", { label: say("angle between the arrows"), note: say("radians") });
  fig.output("score", { label: say("score q · k"), digits: 3 });
  fig.reset(["query", "key", "query_place", "key_place"]);
  fig.controlsFirst();
  return fig.start((state) => {
    const view = {
      query: state("query"),
      key: state("key"),
      queryPlace: state("query_place"),
      keyPlace: state("key_place"),
      front: state("front"),
      omega: state("omega"),
    };
    Object.assign(view, turned(view), { distance: view.keyPlace - view.queryPlace, moved: view.front > 0 });
    fig.show({ distance: view.distance, angle: Math.abs(angleBetween(view)), score: view.score });
    fig.say(inWords(view));
    return view;
  });
}

export default { render, math: { rotate, turned, scoreAt, angleBetween, inWords } };
