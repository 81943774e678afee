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

import torch

from attnbook.data import ParsedSentence, parsed_sentences
from attnbook.interop import load_minilm
from attnbook.studies import by_nearest, by_offset, holm, most_attended, sign_test, syntax_questions, untrained_bert
from tools.experiments.stored import share

OPTIONS = {"seeds": 5, "sentences": 2000}
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


def compared(second: torch.Tensor, rule: torch.Tensor, places: list[int]) -> list[float]:
    """For each head the chance of its lead over a rule, sentences of the second half being tossed like coins."""
    sentence = torch.tensor(places)
    lead = torch.zeros(int(sentence.max()) + 1, second.shape[1]).index_add_(
        0, sentence, second.float() - rule.float()[:, None]
    )
    return [sign_test(int(m), int(f)) for m, f in zip((lead > 0).sum(0), (lead < 0).sum(0), strict=True)]


def rules_for(kind: str) -> dict:
    """Rules that know no grammar, in two families: (family, how) -> its answer to a question."""
    steps = [step for step in range(-FAR, FAR + 1) if step]
    distances = {("distance", step): lambda q, kinds, step=step: by_offset(q, step) for step in steps}
    sides = {("nearest", side): lambda q, kinds, side=side: by_nearest(q, kinds, kind, side) for side in (-1, 1)}
    return distances | sides


def run(seed: int, sentences: int) -> dict:
    """All relations, asked of the trained and of an untrained model."""
    drawn = parsed_sentences(sentences, seed=seed)
    minilm = load_minilm()
    models = {"trained": minilm.model, "untrained": untrained_bert(minilm.model.config, seed)}
    answers = {name: answers_of(model, minilm.tokenizer, drawn) for name, model in models.items()}
    rows, chances = [], {"trained": [], "untrained": []}
    for (kind, up), questions in syntax_questions(drawn).items():
        halves = [[q for q in questions if (q.sentence < sentences // 2) == early] for early in (True, False)]
        (wanted,) = {drawn[q.sentence].kinds[a] for q in questions for a in q.answers}
        row = {"relation": kind, "asks": "dependent" if up else "head", "n": [len(half) for half in halves]}
        right = {
            rule: [torch.tensor([follow(q, drawn[q.sentence].kinds) for q in half]) for half in halves]
            for rule, follow in rules_for(wanted).items()
        }
        chosen = {}
        for family in ("distance", "nearest"):
            best = max((rule for rule in right if rule[0] == family), key=lambda rule: right[rule][0].sum())
            chosen[family] = right[best]
            row[family] = {"at": best[1], "second": share(right[best][1]), "wrong": int((~right[best][1]).sum())}
        places = [q.sentence for q in halves[1]]
        early, by = chosen["nearest"]
        hard = bool((~early).any() and (~by).any())  # there are questions where the nearest word is wrong
        if hard:
            best = max((rule for rule in right if rule[0] == "distance"), key=lambda rule: right[rule][0][~early].sum())
            far = right[best][1][~by]
            row["distance"] |= {"chosen where nearest fails": {"at": best[1], "second": share(far)}}
            hard_places = [place for place, wrong in zip(places, ~by, strict=True) if wrong]
        for name, all_answers in answers.items():
            first, second = (rights(all_answers, half) for half in halves)
            head = int(first.sum(0).argmax())
            row[name] = {"head": head, "first": share(first[:, head]), "second": share(second[:, head])}
            for family, (early, by) in chosen.items():
                row[name][f"where {family} fails"] = share(second[~by, head])
                if not early.all():
                    rival = int(first[~early].sum(0).argmax())  # the best where the rule fails, which may be another
                    row[name][f"chosen where {family} fails"] = {"head": rival, "second": share(second[~by, rival])}
                chances[name].append(compared(second, by, places))
            if hard:
                entry = row[name]["chosen where nearest fails"]
                entry["chance"] = compared(second[~by][:, [entry["head"]]], far, hard_places)[0]
        rows.append(row)
    for name, tests in chances.items():
        alone = [tests[2 * at + by][row[name]["head"]] for at, row in enumerate(rows) for by in (0, 1)]
        leading = holm(alone)
        for at, row in enumerate(rows):
            row[name]["alone"] = {
                family: {"chance": alone[2 * at + by], "leads": leading[2 * at + by]}
                for by, family in enumerate(("distance", "nearest"))
            }
        kept = torch.tensor(holm(chance for heads in tests for chance in heads)).view(len(rows), 2, -1)
        for row, (distance, nearest) in zip(rows, kept, strict=True):
            both = distance & nearest
            row[name] |= {"beat distance": int(distance.sum()), "beat both": int(both.sum())}
            row[name] |= {"leads": bool(distance[row[name]["head"]]), "leads both": bool(both[row[name]["head"]])}
        entries = [row[name]["chosen where nearest fails"] for row in rows if "chosen where nearest fails" in row[name]]
        for entry, leads in zip(entries, holm(entry["chance"] for entry in entries), strict=True):
            entry["leads"] = leads
    return {"seed": seed, "relations": rows}


def summary(results: list[dict], options) -> dict:
    """Every relation of every seed."""
    return {"rows": results}
