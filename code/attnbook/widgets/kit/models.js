/* The trained translators of the book, computed in the browser: the same numbers as PyTorch's, up to rounding.
 *
 *   const translator = makeTranslator(file)           file: a page model, from readWeights
 *   const source = translator.read("I'm home.")       {tokens, ids, unknown}, all with <eos> at the end
 *   translateIds(translator, source.ids)              [{id, word, logProb, weights, logProbs}], ending in <eos>
 *   translator.write(["va", "!"])                     "Va !"
 */

import { mean, range, say, softmax } from "./kit.js";
import {
  affine, attend, attention, joined, layersOf, logSoftmax, plus, relu, rowOf, rowsOf, sinusoid,
} from "./layers.js";
import { makeWriting, readable, SPECIALS, tokenise } from "./text.js";

export const [BOS, EOS, UNK] = [1, 2, 3];
export const MAX_WORDS = 60;
const FORMAT = "attnbook page model 2";

// ---- building blocks -----------------------------------------------------------------------------

const sigmoid = (v) => 1 / (1 + Math.exp(-v));

function nextWordLogProbs(scores, unknown) {
  // <pad> and <bos> are never next words, and <unk> is not for most models
  return logSoftmax(scores.map((v, id) => (id < EOS || (id === UNK && !unknown) ? -Infinity : v)));
}

// ---- GRU encoder and decoder, with additive attention or without ---------------------------------

function recurrent(p, config) {
  const { hidden_size: D, num_layers: L, bidirectional, attention } = config;
  if (attention !== "additive" && attention !== "none") throw new Error(`no page model has the attention ${attention}`);
  const { through } = layersOf(p);

  // The next state of a GRU, gates in PyTorch's order: reset, update, new.
  function gruState(name, at, x, h) {
    const own = affine(h, p[`${name}.weight_hh_${at}`], p[`${name}.bias_hh_${at}`]);
    const given = affine(x, p[`${name}.weight_ih_${at}`], p[`${name}.bias_ih_${at}`]);
    return h.map((old, i) => {
      const reset = sigmoid(given[i] + own[i]);
      const update = sigmoid(given[D + i] + own[D + i]);
      const fresh = Math.tanh(given[2 * D + i] + reset * own[2 * D + i]);
      return (1 - update) * fresh + update * old;
    });
  }

  function encode(ids) {
    let states = ids.map((id) => rowOf(p["encoder.embedding.weight"], id));
    const last = [];
    for (let layer = 0; layer < L; layer++) {
      const run = (order, at) => {
        let h = new Float32Array(D);
        const out = [];
        for (const j of order) out[j] = h = gruState("encoder.rnn", at, states[j], h);
        return { out, h };
      };
      const there = run(range(ids.length), `l${layer}`);
      if (!bidirectional) {
        states = there.out;
        last.push(there.h);
        continue;
      }
      const back = run(range(ids.length).reverse(), `l${layer}_reverse`);
      states = there.out.map((h, j) => joined([h, back.out[j]]));
      last.push(through(joined([there.h, back.h]), "encoder.bridge").map(Math.tanh));
    }
    return { states, last };
  }

  return {
    start(ids) {
      const { states, last } = encode(ids);
      const keys = attention === "none" ? null : states.map((h) => through(h, "decoder.alignment.W_k"));
      return { states, keys, hidden: last, vector: last[L - 1] };
    },
    copy: (state) => ({ ...state }), // a step replaces what it changes
    step(id, state) {
      let [context, weights] = [state.vector, null];
      if (state.keys) {
        const query = through(state.hidden[L - 1], "decoder.alignment.W_q");
        const w = p["decoder.alignment.w_v.weight"].data;
        weights = softmax(
          state.keys.map((key) => w.reduce((score, v, i) => score + v * Math.tanh(query[i] + key[i]), 0)),
        );
        context = state.states[0].map((_, f) => weights.reduce((total, a, j) => total + a * state.states[j][f], 0));
      }
      let x = joined([context, rowOf(p["decoder.embedding.weight"], id)]);
      state.hidden = state.hidden.map((h, layer) => (x = gruState("decoder.rnn", `l${layer}`, x, h)));
      return { logits: through(x, "decoder.head"), weights };
    },
  };
}

// ---- the Transformer, pre-LN, step by step with a cache of keys and values ------------------------

function transformer(p, config) {
  const { d_model: D, num_heads: H, norm_first, activation, positions, tie_output } = config;
  if (!norm_first || activation !== "relu" || positions !== "sinusoidal" || !tie_output) {
    throw new Error("a Transformer of the page is pre-LN with ReLU, sinusoidal positions and a tied output map");
  }
  const { through, norm, feedForward } = layersOf(p);
  const embedded = (side, id, place) =>
    rowOf(p[`${side}.embedding.weight`], id).map((v, f) => v * Math.sqrt(D) + sinusoid(place, f, D));
  const part = (x, name, which) => through(x, `${name}.W_qkv`, which * D, D);
  const store = (x, name) => ({ keys: rowsOf(part(x, name, 1), D), values: rowsOf(part(x, name, 2), D) });
  const fedForward = (x, layer) => {
    const normed = norm(x, `${layer}.around_feed_forward.norm`);
    return plus(x, feedForward(normed, `${layer}.feed_forward.W_1`, `${layer}.feed_forward.W_2`, relu));
  };

  return {
    start(ids) {
      let x = joined(ids.map((id, j) => embedded("encoder", id, j)));
      for (let i = 0; i < config.num_encoder_layers; i++) {
        const layer = `encoder.layers.${i}`;
        const normed = norm(x, `${layer}.around_attention.norm`);
        const parts = range(3).map((which) => part(normed, `${layer}.attention`, which));
        const { context } = attention(...parts, D, H);
        x = fedForward(plus(x, through(context, `${layer}.attention.W_o`)), layer);
      }
      const memory = norm(x, "encoder.norm");
      const layers = range(config.num_decoder_layers).map((i) => `decoder.layers.${i}`);
      return {
        place: 0,
        own: layers.map(() => ({ keys: [], values: [] })),
        across: layers.map((layer) => store(memory, `${layer}.cross_attention`)),
      };
    },
    copy: (state) => ({
      ...state,
      own: state.own.map(({ keys, values }) => ({ keys: [...keys], values: [...values] })),
    }),
    step(id, state) {
      let x = embedded("decoder", id, state.place);
      let heads = []; // of the last layer, in the end
      state.place += 1;
      const look = (kind, layer, { keys, values }) => {
        const normed = norm(x, `${layer}.around_${kind}.norm`);
        if (kind === "self_attention") {
          const fresh = store(normed, `${layer}.${kind}`);
          keys.push(...fresh.keys);
          values.push(...fresh.values);
        }
        const { context, weights } = attend(part(normed, `${layer}.${kind}`, 0), keys, values, H);
        x = plus(x, through(context, `${layer}.${kind}.W_o`));
        heads = weights;
      };
      for (let i = 0; i < config.num_decoder_layers; i++) {
        const layer = `decoder.layers.${i}`;
        look("self_attention", layer, state.own[i]);
        look("cross_attention", layer, state.across[i]);
        x = fedForward(x, layer);
      }
      const weights = heads[0].map((_, j) => mean(heads.map((head) => head[j])));
      return { logits: affine(norm(x, "decoder.norm"), p["decoder.embedding.weight"]), weights };
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
      const own = tokens.map((token) => ids.get(token) ?? UNK);
      return { tokens: [...tokens, "<eos>"], ids: [...own, EOS], unknown: [...own.map((id) => id === UNK), false] };
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
