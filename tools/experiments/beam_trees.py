"""Two page models' next-word log-probabilities, for the figure "beam tree" of chapter 14.

No design: nothing is compared. The sentences are chosen by what a beam does to them (`kind_of`), from those that the
model was not trained on, and the figure says so.

For every sentence the file has each prefix that a search of width 1 to 5 asks the model about, and the likeliest words
after it. A search of width w takes at most w words from one prefix, so that these are all it needs, and the browser can
search by itself. The same bytes for the same versions and the same model.
"""

import torch

from attnbook.text import BOS, EOS, UNK, normalise
from attnbook.translation import beam_search, next_word_log_probs
from attnbook.weights import PAGE_MODELS, PAGE_TARGETS
from tools.experiments.stored import page_model

RESULT = "code/attnbook/widgets/beam_tree/data.json"
OPTIONS = {"model": "transformer", "targets": ["fr", "zh"]}
CHOICES = {"model": PAGE_MODELS, "targets": PAGE_TARGETS}
WIDTHS = range(1, 6)
LONGEST = 12  # tokens of a hypothesis, <eos> included
FITTING = 9  # words of the translations, so that their trees fit a page
SHOWN = 8  # words after each prefix; <eos> is there besides
UNIT = 1e-5  # of the stored log-probabilities
# how many sentences of each kind are taken, see `kind_of`
SENTENCES_OF_KIND = {"better": 3, "longer": 2, "worse": 1, "same": 1}


class Asked:
    """A model's answers, each prefix asked once."""

    def __init__(self, translator, sentence: str):
        self.model = translator.model
        ids, lens = translator.encode([sentence])
        # where the model stands after a prefix; for the empty one, at first, before it has read <bos>
        self.states = {(): self.model.start(ids, lens)}
        self.answers: dict[tuple[int, ...], list[float]] = {}

    def __call__(self, prefix: tuple[int, ...]) -> list[float]:
        """Log-probabilities of all next words after a prefix whose beginning has been asked before."""
        if prefix not in self.answers:
            state = self.states[prefix[:-1]].copy()
            word = torch.tensor([prefix[-1] if prefix else BOS])
            with torch.no_grad():
                logits, _, state = self.model.step(word, state)
            self.states[prefix] = state
            self.answers[prefix] = next_word_log_probs(logits, unknown=self.model.writes_unknown)[0].tolist()
        return self.answers[prefix]


def search(ask: Asked, width: int) -> None:
    """Ask about every prefix that `attnbook.translation.beam_search` of this width extends."""
    beams, room = [((), 0.0)], width
    for _ in range(LONGEST):
        grown = [
            (total + log_prob, (*prefix, word)) for prefix, total in beams for word, log_prob in enumerate(ask(prefix))
        ]
        best = sorted(grown, key=lambda beam: -beam[0])[:room]
        beams = [(prefix, total) for total, prefix in best if prefix[-1] != EOS]
        room -= len(best) - len(beams)
        if not beams:
            break


def tree(translator, sentence: str) -> list[list[list]]:
    """Every prefix's likeliest next words: [word, −log p in units, place of the longer prefix if there is one]."""
    ask = Asked(translator, sentence)
    for width in WIDTHS:
        search(ask, width)
    places = {prefix: place for place, prefix in enumerate(ask.answers)}
    nodes = []
    for prefix, log_probs in ask.answers.items():
        order = sorted(range(len(log_probs)), key=lambda word: -log_probs[word])
        words = order[:SHOWN] + [EOS] * (EOS not in order[:SHOWN])
        longer = ([places[(*prefix, word)]] if (*prefix, word) in places else [] for word in words)
        nodes.append(
            [
                [name, round(-log_probs[word] / UNIT), *place]
                for name, word, place in zip(translator.target_vocab.tokens(words), words, longer, strict=True)
            ]
        )
    return nodes


def kind_of(translator, sentence: str, wanted: list[str]) -> str | None:
    """What a beam does to a sentence, or None if it does not suit the figure.

    "better": a width of 3 finds a translation that a person has written, greedy decoding does not; "worse": the other
    way round; "longer": at a width of 5 the length penalty decides what is best; "same": all agree, and with a person.
    """
    ids, lens = translator.encode([sentence])
    vocab = translator.target_vocab
    written = [
        beam_search(translator.model, ids, lens, width=width, length_penalty=alpha, max_len=LONGEST)[0].ids
        for width, alpha in ((1, 0.6), (3, 0.6), (5, 0.0), (5, 2.0))
    ]
    if UNK in ids or any(UNK in words or len(words) > FITTING for words in written):
        return None
    right = [vocab.decode(words) in map(normalise, wanted) for words in written]
    if right[0] != right[1]:
        return "better" if right[1] else "worse"
    if written[2] != written[3]:
        return "longer"
    alike = written[0] == written[1] == written[2]
    return "same" if right[0] and alike else None


def choose(translator, held_out: dict[str, list[str]]) -> list[str]:
    """The first held-out sentences of each kind, the longest first."""
    taken: dict[str, list[str]] = {kind: [] for kind in SENTENCES_OF_KIND}
    for sentence in sorted(held_out, key=lambda text: (-len(text.split()), text)):
        if all(len(taken[kind]) == number for kind, number in SENTENCES_OF_KIND.items()):
            break
        kind = kind_of(translator, sentence, held_out[sentence])
        if kind and len(taken[kind]) < SENTENCES_OF_KIND[kind]:
            taken[kind].append(sentence)
    return [sentence for sentences in taken.values() for sentence in sentences]


def settings(options) -> list[dict]:
    """The chosen sentences."""
    return [
        {"seed": 0, "model": options.model, "target": target, "sentence": sentence}
        for target in options.targets
        for sentence in choose(*page_model(options.model, target)[:2])
    ]


def run(seed: int, model: str, target: str, sentence: str) -> dict:
    """Ask the model about one sentence."""
    translator, held_out, written, _ = page_model(model, target)
    nodes = tree(translator, sentence)
    return {"target": target, "text": written[sentence], "references": held_out[sentence], "nodes": nodes}


def summary(results: list[dict], options) -> dict:
    """All sentences, their words in numbers."""
    used = dict.fromkeys(word for row in results for node in row["nodes"] for word, *_ in node)
    number = {word: place for place, word in enumerate(used)}

    def numbered(node: list) -> list:
        return [[number[word], *rest] for word, *rest in node]

    rows = [row | {"nodes": list(map(numbered, row["nodes"]))} for row in results]
    models = [page_model(options.model, target)[3] for target in options.targets]
    return {"longest": LONGEST, "unit": UNIT, "models": models, "words": list(used), "sentences": rows}
