"""Which chapter does a paragraph come from? From how few labelled ones can one tell?

Question: with few labelled paragraphs for each of the book's first 18 chapters, do frozen sentence vectors of
    all-MiniLM-L6-v2 tell the chapter of a new paragraph better than counted words, and does the lead last as labels are
    added?
Varies: labelled paragraphs per chapter, 1 to 20; what the classifier reads: vectors, tf-idf, or both side by side.
Equal: the paragraphs (prose of 25 to 150 words, formulas, code, references and names of roles taken out), the split,
    logistic regression as the classifier, four strengths of its penalty to choose from: for each kind of input the
    best with 10 labels on three draws that are not reported. The vocabulary and document counts of tf-idf come from the
    labelled paragraphs.
Control: tf-idf; guessing is right in 1 of 18. No encoder is tuned or trained from scratch here.
Seeds: 10 draws of 8 test paragraphs per chapter and of the labelled ones, out of those that are left. Paragraphs of one
    section may fall on both sides, and help both inputs alike.
Turned round by: tf-idf that is level with the vectors at 1 to 5 labels.

A run also keeps a paragraph of each chapter, for the search by meaning. The texts are those of the day of the run.
About four minutes on one core, of which reading the book takes one.
"""

import functools
import re
from collections import defaultdict
from importlib.metadata import version
from random import Random

import numpy as np

from attnbook.interop import load_minilm
from tools import ROOT

OPTIONS = {"seeds": 10, "labels": [1, 2, 5, 10, 20]}
TEST, CHAPTERS = 8, 18
PENALTIES = (1.0, 10.0, 100.0, 1000.0)
CHOICE = (1000, 1001, 1002)  # seeds by which the penalty is chosen
INPUTS = ("vectors", "words", "both")


def plain_paragraphs(text: str) -> list[str]:
    """The plain paragraphs of a chapter's text, without what a reader of words alone could not read."""
    text = text.partition("\n---\n")[2].partition("\n## What we found")[0]
    fenced, lines = False, []
    for line in text.splitlines():
        fence = line.startswith("```")
        fenced ^= fence
        lines.append("" if fenced or fence or line.startswith((":", "#", "|", ">", "- ", "(")) else line)
    plain = re.sub(r"\$\$.*?\$\$", "", "\n".join(lines), flags=re.DOTALL)
    plain = re.sub(r"\{(?:ref|doc|eq|cite\S*?)\}`[^`]*`", "", re.sub(r"\$[^$]*\$", "", plain))
    plain = re.sub(r"\{\w+\}`([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", plain)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", re.sub(r"[`*_]", "", plain)))
    return [part for part in paragraphs if 25 <= len(part.split()) <= 150]


@functools.cache
def read() -> tuple[dict[int, list[int]], list[str], np.ndarray]:
    """The book's paragraphs: which belong to which chapter, their texts, and their vectors (N, D)."""
    places, texts = defaultdict(list), []
    for path in sorted((ROOT / "chapters/text").glob("[0-9]*.md"))[:CHAPTERS]:
        for paragraph in plain_paragraphs(path.read_text("utf-8")):
            places[int(path.name[:2])].append(len(texts))
            texts.append(paragraph)
    minilm = load_minilm()
    vectors = [minilm.vectors(texts[at : at + 16]).numpy() for at in range(0, len(texts), 16)]
    return dict(places), texts, np.concatenate(vectors)


def right(seed: int, labels: int, penalty: dict[str, float]) -> dict[str, float]:
    """The share of test paragraphs whose chapter each kind of input tells."""
    # these take seconds to import, and the list of experiments imports this module
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    places, texts, vectors = read()
    train, test = [], []
    for chapter, of_chapter in places.items():
        drawn = Random(f"{seed} {chapter}").sample(of_chapter, len(of_chapter))
        test += drawn[:TEST]
        train += drawn[TEST : TEST + labels]
    chapter_of = {place: chapter for chapter, of_chapter in places.items() for place in of_chapter}
    goal, truth = ([chapter_of[place] for place in part] for part in (train, test))
    counter = TfidfVectorizer(sublinear_tf=True).fit([texts[p] for p in train])
    shares = {}
    for name in INPUTS:
        if name not in penalty:
            continue
        sides = []
        for part in (train, test):
            dense, counted = csr_matrix(vectors[part]), counter.transform([texts[p] for p in part])
            sides.append({"vectors": dense, "words": counted, "both": hstack([dense, counted]).tocsr()}[name])
        model = LogisticRegression(C=penalty[name], max_iter=2000).fit(sides[0], goal)
        shares[name] = round(float((model.predict(sides[1]) == truth).mean()), 4)
    return shares


@functools.cache
def chosen(name: str) -> float:
    """The penalty that does best with 10 labels on draws that are not reported."""

    def mean(penalty: float) -> float:
        return sum(right(seed, 10, {name: penalty})[name] for seed in CHOICE)

    return max(PENALTIES, key=mean)


def run(seed: int, labels: list[int]) -> dict:
    """One draw, with all numbers of labels; and a paragraph of each chapter."""
    places, texts, _ = read()
    penalty = {name: chosen(name) for name in INPUTS}
    shares = [{"labels": n} | right(seed, n, penalty) for n in labels]
    kept = [
        [chapter, texts[Random(f"kept {chapter}").sample(of_chapter, len(of_chapter))[seed % len(of_chapter)]]]
        for chapter, of_chapter in places.items()
    ]
    return {"seed": seed, "labels": labels, "penalty": penalty, "shares": shares, "paragraphs": kept}


def summary(results: list[dict], options) -> dict:
    """All draws."""
    return {"versions": {"scikit-learn": version("scikit-learn")}, "test": TEST, "rows": results}
