/* The trained translators of the book, computed in the browser: the same numbers as PyTorch's, up to rounding.
 * Vectors are Float32Arrays, a matrix W is {rows, cols, data}; sums are accumulated in double precision.
 *
 *   const translator = makeTranslator(file)           file: a page model, from readWeights
 *   const source = translator.read("I'm home.")       {tokens, ids, unknown}, all with <eos> at the end
 *   translateIds(translator, source.ids)              [{id, word, logProb, weights, logProbs}], ending in <eos>
 *   translator.write(["va", "!"])                     "Va !"
 */

import { mean, range, say, softmax } from "./kit.js";
import { makeWriting, readable, SPECIALS, tokenise } from "./text.js";
import { layerNorm, logSoftmax, plus, sinusoid } from "./vectors.js";

export const [BOS, EOS, UNK] = [1, 2, 3];
export const MAX_WORDS = 60;
const FORMAT = "attnbook page model 2";

// ---- building blocks -----------------------------------------------------------------------------

// W x + b, for rows first … first + count of W; all of them if not given. (Of many x at once real_sentence/encoder.js
// makes it eight times as fast.)
export function affine(W, x, bias, first = 0, count = W.rows - first) {
  const { cols, data } = W;
  if (x.length !== cols) throw new Error(`a matrix of ${cols} columns got a vector of ${x.length}`);
  const out = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    let total = bias ? bias.data[first + i] : 0;
    const start = (first + i) * cols;
    let [other, k] = [0, 0];
    for (; k + 1 < cols; k += 2) {
      // two sums at a time keep the processor busy
      total += data[start + k] * x[k];
      other += data[start + k + 1] * x[k + 1];
    }
    if (k < cols) total += data[start + k] * x[k];
    out[i] = total + other;
  }
  return out;
}

export const rowOf = (W, i) => W.data.subarray(i * W.cols, (i + 1) * W.cols);
const joined = (a, b) => {
  const out = new Float32Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
};
const sigmoid = (v) => 1 / (1 + Math.exp(-v));

function nextWordLogProbs(scores, unknown) {
  // <pad> and <bos> are never next words, and <unk> is not for most models
  return logSoftmax(scores.map((v, id) => (id < EOS || (id === UNK && !unknown) ? -Infinity : v)));
}

export function weighted(weights, vectors) {
  // Σ_j α_j v_j
  const out = new Float32Array(vectors[0].length);
  weights.forEach((a, j) => {
    for (let f = 0; f < out.length; f++) out[f] += a * vectors[j][f];
  });
  return out;
}

// The next state of a GRU, gates in PyTorch's order: reset, update, new.
function gruState(p, prefix, x, h) {
  const [name, at] = prefix;
  const own = affine(p[`${name}.weight_hh_${at}`], h, p[`${name}.bias_hh_${at}`]);
  const given = affine(p[`${name}.weight_ih_${at}`], x, p[`${name}.bias_ih_${at}`]);
  const size = h.length;
  return h.map((old, i) => {
    const reset = sigmoid(given[i] + own[i]);
    const update = sigmoid(given[size + i] + own[size + i]);
    const fresh = Math.tanh(given[2 * size + i] + reset * own[2 * size + i]);
    return (1 - update) * fresh + update * old;
  });
}

// ---- GRU encoder and decoder, with additive attention or without ---------------------------------

function recurrent(p, config) {
  const { hidden_size: D, num_layers: L, bidirectional, attention } = config;
  if (attention !== "additive" && attention !== "none") throw new Error(`no page model has the attention ${attention}`);

  function encode(ids) {
    let states = ids.map((id) => rowOf(p["encoder.embedding.weight"], id));
    const last = [];
    for (let layer = 0; layer < L; layer++) {
      const run = (order, at) => {
        let h = new Float32Array(D);
        const out = [];
        for (const j of order) out[j] = h = gruState(p, ["encoder.rnn", at], states[j], h);
        return { out, h };
      };
      const there = run(range(ids.length), `l${layer}`);
      if (!bidirectional) {
        states = there.out;
        last.push(there.h);
        continue;
      }
      const back = run(range(ids.length).reverse(), `l${layer}_reverse`);
      states = there.out.map((h, j) => joined(h, back.out[j]));
      last.push(affine(p["encoder.bridge.weight"], joined(there.h, back.h), p["encoder.bridge.bias"]).map(Math.tanh));
    }
    return { states, last };
  }

  return {
    start(ids) {
      const { states, last } = encode(ids);
      const keys = attention === "none" ? null : states.map((h) => affine(p["decoder.alignment.W_k.weight"], h));
      return { states, keys, hidden: last, vector: last[L - 1] };
    },
    copy: (state) => ({ ...state }), // a step replaces what it changes
    step(id, state) {
      let [context, weights] = [state.vector, null];
      if (state.keys) {
        const query = affine(p["decoder.alignment.W_q.weight"], state.hidden[L - 1]);
        const w = p["decoder.alignment.w_v.weight"].data;
        weights = softmax(
          state.keys.map((key) => w.reduce((score, v, i) => score + v * Math.tanh(query[i] + key[i]), 0)),
        );
        context = weighted(weights, state.states);
      }
      let x = joined(context, rowOf(p["decoder.embedding.weight"], id));
      state.hidden = state.hidden.map((h, layer) => (x = gruState(p, ["decoder.rnn", `l${layer}`], x, h)));
      return { logits: affine(p["decoder.head.weight"], x, p["decoder.head.bias"]), weights };
    },
  };
}

// ---- the Transformer, pre-LN, step by step with a cache of keys and values ------------------------

function transformer(p, config) {
  const { d_model: D, num_heads: H, norm_first, activation, positions, tie_output } = config;
  if (!norm_first || activation !== "relu" || positions !== "sinusoidal" || !tie_output) {
    throw new Error("a Transformer of the page is pre-LN with ReLU, sinusoidal positions and a tied output map");
  }
  const size = D / H;
  const embedded = (side, id, place) =>
    rowOf(p[`${side}.embedding.weight`], id).map((v, f) => v * Math.sqrt(D) + sinusoid(place, f, D));
  const norm = (name, x) => layerNorm(x, p[`${name}.weight`].data, p[`${name}.bias`].data);
  const part = (name, which, x) => affine(p[`${name}.W_qkv.weight`], x, p[`${name}.W_qkv.bias`], which * D, D);
  const store = (name, xs) => ({ keys: xs.map((x) => part(name, 1, x)), values: xs.map((x) => part(name, 2, x)) });

  // One query to all stored keys, every head for itself; gives the output and each head's weights.
  function attend(name, x, { keys, values }) {
    const query = part(name, 0, x);
    const heads = [];
    const mixed = new Float32Array(D);
    for (let h = 0; h < H; h++) {
      const cut = (v) => v.subarray(h * size, (h + 1) * size);
      const q = cut(query);
      heads.push(softmax(keys.map((key) => cut(key).reduce((total, v, f) => total + v * q[f], 0) / Math.sqrt(size))));
      mixed.set(weighted(heads[h], values.map(cut)), h * size);
    }
    return { out: affine(p[`${name}.W_o.weight`], mixed, p[`${name}.W_o.bias`]), heads };
  }
  function feedForward(layer, x) {
    const name = `${layer}.feed_forward`;
    const hidden = affine(p[`${name}.W_1.weight`], norm(`${layer}.around_feed_forward.norm`, x), p[`${name}.W_1.bias`]);
    return plus(
      x,
      affine(
        p[`${name}.W_2.weight`],
        hidden.map((v) => Math.max(0, v)),
        p[`${name}.W_2.bias`],
      ),
    );
  }

  return {
    start(ids) {
      let xs = ids.map((id, j) => embedded("encoder", id, j));
      for (let i = 0; i < config.num_encoder_layers; i++) {
        const layer = `encoder.layers.${i}`;
        const normed = xs.map((x) => norm(`${layer}.around_attention.norm`, x));
        const kept = store(`${layer}.attention`, normed);
        xs = xs.map((x, j) => feedForward(layer, plus(x, attend(`${layer}.attention`, normed[j], kept).out)));
      }
      const memory = xs.map((x) => norm("encoder.norm", x));
      const layers = range(config.num_decoder_layers).map((i) => `decoder.layers.${i}`);
      return {
        place: 0,
        own: layers.map(() => ({ keys: [], values: [] })),
        across: layers.map((layer) => store(`${layer}.cross_attention`, memory)),
      };
    },
    copy: (state) => ({
      ...state,
      own: state.own.map(({ keys, values }) => ({ keys: [...keys], values: [...values] })),
    }),
    step(id, state) {
      let x = embedded("decoder", id, state.place);
      let heads = [];
      state.place += 1;
      for (let i = 0; i < config.num_decoder_layers; i++) {
        const layer = `decoder.layers.${i}`;
        const self = norm(`${layer}.around_self_attention.norm`, x);
        const fresh = store(`${layer}.self_attention`, [self]);
        state.own[i].keys.push(...fresh.keys);
        state.own[i].values.push(...fresh.values);
        x = plus(x, attend(`${layer}.self_attention`, self, state.own[i]).out);
        const looked = attend(
          `${layer}.cross_attention`,
          norm(`${layer}.around_cross_attention.norm`, x),
          state.across[i],
        );
        heads = looked.heads; // of the last layer, in the end
        x = feedForward(layer, plus(x, looked.out));
      }
      const weights = heads[0].map((_, j) => mean(heads.map((head) => head[j])));
      return { logits: affine(p["decoder.embedding.weight"], norm("decoder.norm", x)), weights };
    },
  };
}

// ---- a translator: text to text ------------------------------------------------------------------

export function makeTranslator(file) {
  const { format, name, kind, config, test, source_vocab, target_vocab, target_writing } = file.about;
  if (format !== FORMAT) throw new Error(say`the model’s file is “${format}”, not “${FORMAT}”; build the book again`);
  const p = Object.fromEntries(file.names.map((weight) => [weight, file.weight(weight)]));
  const words = [...SPECIALS, ...target_vocab.words];
  const ids = new Map(source_vocab.words.map((word, i) => [word, i + SPECIALS.length]));
  const model = (kind === "recurrent" ? recurrent : transformer)(p, config);
  return {
    ...model,
    name,
    words,
    ids,
    test,
    config,
    write: target_writing ? makeWriting(target_writing) : readable, // tokens, as people write them
    writesUnknown: file.about.writes_unknown ?? true, // as before files said it
    read(sentence) {
      const tokens = tokenise(sentence);
      const found = tokens.map((token) => ids.get(token) ?? UNK);
      return { tokens: [...tokens, "<eos>"], ids: [...found, EOS], unknown: [...found.map((id) => id === UNK), false] };
    },
  };
}

// What the model makes of all words as the next one after `id`; moves the state on.
export function nextStep(translator, id, state) {
  const { logits, weights } = translator.step(id, state);
  const logProbs = nextWordLogProbs(logits, translator.writesUnknown);
  const best = logProbs.reduce((top, v, i) => (v > logProbs[top] ? i : top), EOS);
  return { best, weights, logits, logProbs };
}

// That step, once one word is chosen.
export const taken = (step, translator, id, given) => ({
  ...step,
  id,
  given,
  word: translator.words[id],
  logProb: step.logProbs[id],
});

// The likeliest word at every step, after the words in `prefix`, which are taken as given.
export function translateIds(translator, source, prefix = [], maxWords = MAX_WORDS) {
  const state = translator.start(source);
  const steps = [];
  let id = BOS;
  while (id !== EOS && steps.length < maxWords) {
    const step = nextStep(translator, id, state);
    const given = steps.length < prefix.length;
    id = given ? prefix[steps.length] : step.best;
    steps.push(taken(step, translator, id, given));
  }
  return steps;
}

// The k likeliest words of a step.
export function likeliest(logProbs, k) {
  const order = Array.from(logProbs.keys()).sort((a, b) => logProbs[b] - logProbs[a] || a - b);
  return order.slice(0, k).map((id) => ({ id, prob: Math.exp(logProbs[id]) }));
}
