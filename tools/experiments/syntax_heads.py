"""Do single heads of a real encoder know which words belong together?

Question: for how many of 16 relations does one of the 72 heads of all-MiniLM-L6-v2 put its largest weight on the right
    word more often than rules that know no grammar, and does a head chosen on one half of the sentences keep its lead
    on the other?
Varies: the relation (determiner and noun, subject and verb, ...) and who asks, the dependent or its head; the head.
Equal: 2000 sentences of the book's grammar for each seed, of 6 to 16 words, each word one piece, whose structure is
    known since they were made from it. A head answers with the word of its largest weight, among the other words; [CLS]
    and [SEP] do not count (Clark et al. 2019, section 4.2). Heads and rules are chosen on the first half of the
    sentences and measured on the second.
Control: the best fixed distance (Clark's baseline); the nearest word of the right class on the better side, which is
    told the classes that a head must find out; the best of 72 heads of a BERT of the same shape that has learned
    nothing. A head is better than a rule if it is right more often in more sentences of the second half than in fewer:
    a sign test over sentences, Holm's correction over all heads, relations and rules, at 0.05. How often the chosen
    head is right where a rule is wrong is stored, too.
Seeds: 5, each with sentences and untrained weights of its own. The words are about 165 in all seeds, and model and
    grammar are the same: that seeds agree says nothing about other models or texts.
Turned round by: chosen heads that are no better than the fixed distance on the second half, or an untrained BERT whose
    best head does as well. If heads beat the distance but not the nearest word of the class, they may know classes of
    words and no more.
Added after the first results: (1) Where the nearest word is wrong, a head is also chosen on such questions of the first
    half only and measured on those of the second. (2) Later still, the best distance is chosen there in the same way,
    and the two are compared by the same test: one test for each relation that has such questions, Holm's correction
    over these; there, a head does more than both rules only if it leads over that distance in all seeds. (3) The chosen
    heads alone. They are fixed before the second half is looked at, so what is tested there is one head for each
    relation and rule, and Holm's correction over these 32 is valid for them; that over all heads is needed for what is
    said of any of the 72. Both are stored, and the chapter reports the 32.

About five minutes on one core. After Clark et al. (2019), arXiv:1906.04341.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import torch

from attnbook.data import ParsedSentence, parsed_sentences
from attnbook.interop import load_minilm
from attnbook.studies import by_nearest, by_offset, holm, most_attended, sign_test, syntax_questions, untrained_bert
from tools.experiments.stored import share

OPTIONS = {"seeds": 5, "sentences": 2000}
FAMILIES = "distance", "nearest"  # of rules
HARD = "chosen where nearest fails"
FAR = 15  # the longest sentence has 16 words


def answers_of(model, tokenizer, sentences: list[ParsedSentence]) -> list[torch.Tensor]:
    """Each sentence's (L · H, W): where each head's largest weight lies."""
    found: list = [None] * len(sentences)
    by_length = defaultdict(list)
    for number, sentence in enumerate(sentences):
        by_length[len(sentence.words)].append(number)
    for numbers in by_length.values():
        for batch in (numbers[at : at + 32] for at in range(0, len(numbers), 32)):
            rows = [tokenizer.encode(sentences[n].words, is_pretokenized=True).ids for n in batch]
            for number, answer in zip(batch, most_attended(model, torch.tensor(rows)), strict=True):
                found[number] = answer
    return found


def rights(answers: list[torch.Tensor], questions) -> torch.Tensor:
    """Which head (N, L · H) answers which question rightly."""
    return torch.stack([torch.isin(answers[q.sentence][:, q.at], torch.tensor(list(q.answers))) for q in questions])


def chances_of_lead(heads: torch.Tensor, rule: torch.Tensor, sentences: list[int]) -> list[float]:
    """For each head the chance of its lead over a rule, the sentences of the questions being tossed like coins."""
    lead = torch.zeros(max(sentences) + 1, heads.shape[1]).index_add_(
        0, torch.tensor(sentences), heads.float() - rule.float()[:, None]
    )
    return [sign_test(int(m), int(f)) for m, f in zip((lead > 0).sum(0), (lead < 0).sum(0), strict=True)]


def rules_for(kind: str) -> dict[tuple[str, int], Callable]:
    """Rules that know no grammar: (family, how) → whether it answers a question rightly."""
    steps = [step for step in range(-FAR, FAR + 1) if step]
    distances = {("distance", step): lambda q, kinds, step=step: by_offset(q, step) for step in steps}
    sides = {("nearest", side): lambda q, kinds, side=side: by_nearest(q, kinds, kind, side) for side in (-1, 1)}
    return distances | sides


class Halves(NamedTuple):
    """Which questions of either half of the sentences are answered rightly: (N,), or (N, L · H) by all heads."""

    first: torch.Tensor
    second: torch.Tensor


class Relation(NamedTuple):
    """Who answers the questions about one relation rightly.

    Attributes:
        sentences: of each question of the second half.
        rules: (family, how) → `Halves` (N,).
        heads: model → `Halves` (N, L · H).
    """

    sentences: list[int]
    rules: dict[tuple[str, int], Halves]
    heads: dict[str, Halves]

    def best_rule(self, family: str, where: torch.Tensor | slice = slice(None)) -> tuple[str, int]:
        """The rule of a family that is right most often on the first half, or on these of its questions."""
        rules = (rule for rule in self.rules if rule[0] == family)
        return max(rules, key=lambda rule: self.rules[rule].first[where].sum())


def ask(questions: list, drawn: list[ParsedSentence], answers: dict[str, list[torch.Tensor]]) -> Relation:
    """Put the questions about one relation to all rules and to the heads of all models."""
    halves = [[q for q in questions if (q.sentence < len(drawn) // 2) == early] for early in (True, False)]
    (kind,) = {drawn[q.sentence].kinds[answer] for q in questions for answer in q.answers}
    rules = {
        rule: Halves(*(torch.tensor([follow(q, drawn[q.sentence].kinds) for q in half]) for half in halves))
        for rule, follow in rules_for(kind).items()
    }
    heads = {model: Halves(*(rights(of_model, half) for half in halves)) for model, of_model in answers.items()}
    return Relation([q.sentence for q in halves[1]], rules, heads)


def measure(relation: Relation) -> tuple[dict, dict[str, list[list[float]]]]:
    """Choose rules and heads on the first half and measure them on the second.

    Returns:
        What is stored of the relation, without Holm's correction; for each model the chances of its heads' lead over
        the best distance, and over the nearest word.
    """
    best = {family: relation.best_rule(family) for family in FAMILIES}
    rules = {family: relation.rules[rule] for family, rule in best.items()}
    row: dict = {"n": [len(half) for half in rules["nearest"]]}
    for family, rule in rules.items():
        row[family] = {"at": best[family][1], "second": share(rule.second), "wrong": int((~rule.second).sum())}
    failing = Halves(*(~right for right in rules["nearest"]))
    hard = bool(failing.first.any() and failing.second.any())
    if hard:
        rival = relation.best_rule("distance", failing.first)
        distance = relation.rules[rival].second[failing.second]
        row["distance"] |= {HARD: {"at": rival[1], "second": share(distance)}}
        sentences = [sentence for sentence, fails in zip(relation.sentences, failing.second, strict=True) if fails]
    for model, heads in relation.heads.items():
        row[model] = measured_heads(heads, rules)
        if hard:
            entry = row[model][HARD]
            head = heads.second[failing.second][:, [entry["head"]]]
            (entry["chance"],) = chances_of_lead(head, distance, sentences)
    chances = {
        model: [chances_of_lead(heads.second, rule.second, relation.sentences) for rule in rules.values()]
        for model, heads in relation.heads.items()
    }
    return row, chances


def measured_heads(heads: Halves, rules: dict[str, Halves]) -> dict:
    """On the second half: the head that is best on the first, and the one that is best there where a rule fails."""
    best = int(heads.first.sum(0).argmax())
    row = {"head": best, "first": share(heads.first[:, best]), "second": share(heads.second[:, best])}
    for family, rule in rules.items():
        row[f"where {family} fails"] = share(heads.second[~rule.second, best])
        if not rule.first.all():
            rival = int(heads.first[~rule.first].sum(0).argmax())  # may be another
            row[f"chosen where {family} fails"] = {"head": rival, "second": share(heads.second[~rule.second, rival])}
    return row


def correct(rows: list[dict], chances: list[list[list[float]]]) -> None:
    """Add to the rows of one model which of its heads lead by Holm's correction, from the chances of `measure`."""
    alone = [of_heads[row["head"]] for row, pair in zip(rows, chances, strict=True) for of_heads in pair]
    leading = holm(alone)
    for number, row in enumerate(rows):
        row["alone"] = {
            family: {"chance": alone[place], "leads": leading[place]}
            for place, family in enumerate(FAMILIES, 2 * number)
        }
    among_all = holm(chance for pair in chances for of_heads in pair for chance in of_heads)
    for row, (distance, nearest) in zip(rows, torch.tensor(among_all).view(len(rows), 2, -1), strict=True):
        both = distance & nearest
        row |= {"beat distance": int(distance.sum()), "beat both": int(both.sum())}
        row |= {"leads": bool(distance[row["head"]]), "leads both": bool(both[row["head"]])}
    entries = [row[HARD] for row in rows if "chance" in row.get(HARD, ())]
    for entry, leads in zip(entries, holm(entry["chance"] for entry in entries), strict=True):
        entry["leads"] = leads


def run(seed: int, sentences: int) -> dict:
    """All relations, asked of the trained and of an untrained model."""
    drawn = parsed_sentences(sentences, seed=seed)
    minilm = load_minilm()
    models = {"trained": minilm.model, "untrained": untrained_bert(minilm.model.config, seed)}
    answers = {name: answers_of(model, minilm.tokenizer, drawn) for name, model in models.items()}
    rows, chances = [], []
    for (kind, up), questions in syntax_questions(drawn).items():
        row, of_relation = measure(ask(questions, drawn, answers))
        rows.append({"relation": kind, "asks": "dependent" if up else "head"} | row)
        chances.append(of_relation)
    for name in models:
        correct([row[name] for row in rows], [of_relation[name] for of_relation in chances])
    return {"seed": seed, "relations": rows}


def summary(results: list[dict], options) -> dict:
    """Every relation of every seed."""
    return {"rows": results}
