/* A decoder-only language model in the browser: the same numbers as attnbook.transformer.LanguageModel's, up to
 * rounding. Its block is today's: RMSNorm before each part, grouped queries, rotary positions, SwiGLU.
 *
 *   const writer = makeWriter(file)             file: from readWeights
 *   writer.pieces                               its vocabulary, see byte_pieces.js
 *   writer.after(ids, begun)                    {logProbs, weights}: every token as the next one, and for each layer
 *                                               where it looked, averaged over heads; `begun` tokens were given
 */

import { makeBytePieces } from "./byte_pieces.js";
import { mean, range, say } from "./kit.js";
import { affine, attend, logSoftmax, plus, rotated, rowOf } from "./layers.js";

const FORMAT = "attnbook language model 1";
const BLOCK = { activation: "silu", gated: true, norm: "rms", norm_first: true, positions: "rotary" };
const WANTED = { ...BLOCK, tie_output: true };
const PLAIN = ["qk_norm", "attention_bias", "feed_forward_bias", "rotary_scaling", "window", "scale_embedding"];

export function rmsNorm(x, weight, eps) {
  const size = Math.sqrt(x.reduce((total, v) => total + v * v, 0) / x.length + eps);
  return x.map((v, f) => (v / size) * weight[f]);
}

// W_2 (silu(W_g x) ⊙ W_1 x)
export function gated(x, first, gate, last) {
  const values = affine(x, first);
  const hidden = affine(x, gate).map((v, i) => (v / (1 + Math.exp(-v))) * values[i]);
  return affine(hidden, last);
}

export function makeDecoder(p, config) {
  const odd = [
    ...Object.keys(WANTED).filter((name) => config[name] !== WANTED[name]),
    ...PLAIN.filter((name) => config[name]),
  ];
  if (odd.length) throw new Error(`no language model of the page has ${odd[0]} ${config[odd[0]]}`);
  const { num_heads: H, num_layers: N, eps, rotary_base: base } = config;
  const kvHeads = config.num_kv_heads ?? H;
  const size = config.head_dim ?? config.d_model / H;
  const norm = (x, name) => rmsNorm(x, p[`${name}.weight`].data, eps);

  // One position's part of a layer: its key and value are kept, and its query asks all that are kept.
  function look(x, name, place, { keys, values }) {
    const heads = (first, count) => affine(x, p[`${name}.W_qkv.weight`], null, first * size, count * size);
    const turned = (vector) => rotated(vector, place, base, size);
    keys.push(turned(heads(H, kvHeads)));
    values.push(heads(H + kvHeads, kvHeads));
    const { context, weights } = attend(turned(heads(0, H)), keys, values, H, kvHeads);
    return { out: affine(context, p[`${name}.W_o.weight`]), weights };
  }

  return {
    start: () => range(N).map(() => ({ keys: [], values: [] })), // the cache
    step(id, cache) {
      let x = rowOf(p["embedding.weight"], id);
      const place = cache[0].keys.length;
      const weights = cache.map((kept, i) => {
        const layer = `layers.${i}`;
        const looked = look(norm(x, `${layer}.around_attention.norm`), `${layer}.attention`, place, kept);
        x = plus(x, looked.out);
        const [first, gate, last] = ["1", "g", "2"].map((part) => p[`${layer}.feed_forward.W_${part}.weight`]);
        x = plus(x, gated(norm(x, `${layer}.around_feed_forward.norm`), first, gate, last));
        return range(place + 1).map((j) => mean(looked.weights.map((head) => head[j])));
      });
      return { x, weights };
    },
    logits: (x) => affine(norm(x, "norm"), p["embedding.weight"]),
  };
}

// Where the window of `most` tokens begins when `now` tokens are there, of which `begun` were given: once it is full,
// it goes on from its last half, as attnbook.language.continue_tokens does.
export function windowStart(begun, now, most) {
  let start = Math.max(0, begun - most);
  for (let n = begun; n <= now; n++) if (n - start > most) start = n - Math.max(1, Math.floor(most / 2));
  return start;
}

export function makeWriter({ about, names, weight }) {
  const { format, config, vocabulary, characters, test } = about;
  if (format !== FORMAT) throw new Error(say`the model’s file is “${format}”, not “${FORMAT}”; build the book again`);
  const decoder = makeDecoder(Object.fromEntries(names.map((name) => [name, weight(name)])), config);
  const most = config.max_positions;
  const familiar = new Set(characters);
  let [read, cache] = [[], decoder.start()]; // what the cache has read

  function after(ids, begun) {
    const start = windowStart(begun, ids.length, most);
    const wanted = ids.slice(start);
    const differs = wanted.findIndex((id, i) => id !== read[i]);
    const same = Math.min(differs < 0 ? wanted.length : differs, wanted.length - 1); // the last is read again
    cache.forEach(({ keys, values }) => [keys, values].forEach((list) => list.splice(same)));
    const steps = wanted.slice(same).map((id) => decoder.step(id, cache));
    read = wanted;
    const { x, weights } = steps.at(-1);
    return { logProbs: logSoftmax(decoder.logits(x)), weights, start };
  }
  return {
    after,
    most,
    test,
    pieces: makeBytePieces(vocabulary),
    unfamiliar: (text) => [...new Set(text)].filter((character) => !familiar.has(character)),
  };
}
