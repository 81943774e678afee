"""The exercises on translation: the package's functions, true texts, and results that are no single tensor."""

import math

import pytest
import torch
from verdicts import answer_called, every_argument, same

from attnbook import attention
from attnbook.attention import masks
from attnbook.exercises.answers import Number, WholeNumbers
from attnbook.exercises.arguments import Listed, draw
from attnbook.exercises.bank import SHELF, beam_search, key_value_cache
from attnbook.exercises.calls import copies
from attnbook.exercises.checker import judge
from attnbook.exercises.wording import in_words, inputs
from attnbook.translation import losses
from tools.experiments import exact_search

NAMES = [
    "masked-loss", "bleu", "bahdanau-step", "alignment-error", "label-smoothing",
    "beam-search", "top-p", "accept-draft", "key-value-cache",
]  # fmt: skip
LOSS, BLEU, STEP, ALIGNMENT, SMOOTHING, BEAM, TOP_P, DRAFT, CACHE = EXERCISES = [SHELF.get(name) for name in NAMES]
t = torch.tensor


# --- the solutions are the package's functions ----------------------------------------------------------------


def test_the_chapters_are_theirs():
    chapters = [exercise.chapter for exercise in EXERCISES]
    assert chapters == [11, 11, 12, 12, 13, 14, 14, 14, 14]


def test_smoothing_is_the_packages():
    for logits, target, epsilon in every_argument(SMOOTHING):
        size = logits.shape[1]
        # spread over all words, of which the right one gets a part back
        over_all = epsilon * size / (size - 1)
        if over_all < 1:
            ours = losses.masked_cross_entropy(logits[None], target[None], label_smoothing=over_all, ignore=-1)
            asked = torch.full((size,), epsilon / (size - 1), dtype=torch.float64)
            asked[0] = 1 - epsilon
            same(SMOOTHING.solution(logits, target, epsilon), ours - torch.special.entr(asked).sum())


def test_a_split_without_leaks_has_no_sentence_twice():
    split = SHELF.get("leak-free-split")
    for sources, every in every_argument(split):
        test = set(split.solution(sources, every))
        sides = [
            {s.lower().rstrip(" .!?") for i, s in enumerate(sources) if (i in test) == side} for side in (True, False)
        ]
        assert not sides[0] & sides[1]
        assert len(sides[0]) == -(-len(sides[0] | sides[1]) // every)


def test_rounds_of_accepting_and_drawing_follow_the_checking_model():
    """Averaged over the draft's words and the luck, what is written first has the distribution p."""
    _, p, q, _ = DRAFT.example()
    written = torch.zeros(3, dtype=torch.float64)
    for word in range(3):
        for k in range(1000):  # evenly spaced luck
            luck = t([(k + 0.5) / 1000])
            after = DRAFT.solution(t([word]), p, q, luck)
            stays = after.equal(p[-1])
            first = torch.eye(3, dtype=torch.float64)[word] if stays else after
            written += q[0, word] / 1000 * first
    torch.testing.assert_close(written, p[0], atol=1e-3, rtol=0)


class Writer(torch.nn.Module):
    """A translator that speaks one of the exercise's languages; its words are shifted past <pad> and <bos>."""

    writes_unknown = True  # the exercise's languages have no <unk>, so the number stands for a word

    def __init__(self, language, eos):
        super().__init__()
        self.language, self.eos = language, eos

    def out(self, word):
        """The exercise's number of a word of the package, whose <eos> is 2."""
        others = [v for v in range(len(self.language(()))) if v != self.eos]
        return self.eos if word == 2 else others[word - 3]

    def start(self, source, source_lens):
        return State()

    def step(self, words, state, need_weights=False):
        if state.rows is None:
            state.rows = [()]
        else:
            state.rows = [(*row, self.out(word)) for row, word in zip(state.rows, words.tolist(), strict=True)]
        logits = []
        for row in state.rows:
            log_probs = self.language(row)
            others = [v for v in range(len(log_probs)) if v != self.eos]
            logits.append(torch.cat([torch.zeros(2).double(), log_probs[[self.eos, *others]]]))
        return torch.stack(logits), None, state


class State:
    rows = None

    def reorder(self, order):
        self.rows = [self.rows[i] for i in order.tolist()]


def test_the_beam_is_the_one_whose_result_the_chapter_states(monkeypatch):
    for language, eos, width, max_len, alpha in [BEAM.example(), *BEAM.probes()]:
        monkeypatch.setattr(exact_search, "MAX_LEN", max_len)
        writer = Writer(language, eos).eval()
        words = exact_search.filled_again(writer, t([[5, 2]]), t([2]), alpha, width)
        assert [writer.out(word) for word in words] == BEAM.solution(language, eos, width, max_len, alpha)


def test_the_cache_continues_what_one_pass_computes():
    """The whole sequence at once, or in two calls: the same outputs."""
    q, k, v = (draw(2, 3, 7, 4, seed=seed) for seed in (1, 2, 3))
    rotate, empty = attention.rotate, torch.zeros(2, 3, 0, 4, dtype=torch.float64)
    whole, keys, values = CACHE.solution(q, k, v, empty, empty, rotate)
    everywhere = torch.arange(7)
    e = rotate(q, everywhere) @ rotate(k, everywhere).mT / 2
    same(whole, masks.masked_softmax(e, mask=masks.causal_mask(7, 7)) @ v)
    for cut in (1, 5):
        first = CACHE.solution(q[:, :, :cut], k[:, :, :cut], v[:, :, :cut], empty, empty, rotate)
        second = CACHE.solution(q[:, :, cut:], k[:, :, cut:], v[:, :, cut:], *first[1:], rotate)
        same(torch.cat([first[0], second[0]], dim=2), whole)
        same(second[1], keys)
        same(second[2], values)


# --- what the texts say ---------------------------------------------------------------------------------------


def test_the_statements_tell_the_truth():
    assert BLEU.solution(["the", "cat"], [["the", "cat", "sat"]], 2) == pytest.approx(math.exp(-0.5), abs=1e-12)
    same(TOP_P.solution(*TOP_P.example()), t([0, 2 / 3, 0, 1 / 3], dtype=torch.float64))
    assert BEAM.solution(*BEAM.example()) == [2, 0]
    same(DRAFT.solution(*DRAFT.example()), t([0.8, 0.2, 0.0], dtype=torch.float64))


def test_greedy_search_misses_the_likeliest_sentence_of_the_example():
    language, eos, _, max_len, alpha = BEAM.example()
    assert BEAM.solution(language, eos, 1, max_len, alpha) == [1, 0]


def test_the_quarter_turns_are_exact():
    x = t([[1.0, 0], [1, 0], [1, 0], [1, 0]]).double()
    turned = key_value_cache.QUARTERS(x, torch.arange(4))
    assert turned.tolist() == [[1, 0], [0, 1], [-1, 0], [0, -1]]


def test_the_rotation_of_the_probes_keeps_lengths_and_distances():
    x, y = (draw(5, 4, seed=seed) for seed in (8, 9))
    turn = key_value_cache.ROTARY
    places = t([3, 0, 4, 1, 2])
    same(turn(x, places).norm(dim=1), x.norm(dim=1))
    same((turn(x, places) * turn(y, places + 2)).sum(1), (turn(x, places + 7) * turn(y, places + 9)).sum(1))


# --- languages ------------------------------------------------------------------------------------------------


def test_a_language_is_a_distribution_that_depends_on_all_words():
    language = beam_search._at_random(5, 7)
    for prefix in ((), (1,), (2, 1), (3, 1)):
        same(language(prefix).exp().sum(), t(1.0).double())
        same(language(prefix), language(list(prefix)))
    assert not torch.allclose(language((2, 1)), language((3, 1)))


@pytest.mark.parametrize("prefix", [3, t([1, 2]), "12", (1.0,), [t(1)]])
def test_a_beginning_that_is_none_is_refused(prefix):
    with pytest.raises(TypeError, match="wants a tuple of word numbers"):
        beam_search._at_random(5, 7)(prefix)


@pytest.mark.parametrize("number", range(5))
def test_every_argument_of_the_search_matters(number):
    """Else the checker could not tell an argument that is ignored from one that is used."""
    found = []
    for arguments in BEAM.probes() + BEAM.edges():
        other = list(arguments)
        other[number] = 1.3 * other[number] if number == 0 else other[number] + 1
        found.append(BEAM.solution(*arguments) != BEAM.solution(*other))
    assert any(found)


def test_the_product_of_the_endless_sentence_underflows():
    language, eos, width, max_len, alpha = beam_search.endless()
    words = BEAM.solution(language, eos, width, max_len, alpha)
    assert len(words) == max_len
    product = math.prod(float(language(tuple(words[:i]))[word].exp()) for i, word in enumerate(words))
    assert product == 0.0


# --- results and arguments that are no tensors ----------------------------------------------------------------


def test_lists_are_shown_as_on_paper_and_stay_lists():
    hypothesis, references, max_n = BLEU.example()
    told = inputs(BLEU.parameters, (hypothesis, references, max_n))
    assert "hypothesis “the cat the cat on the mat”" in told and "max_n 2" in told
    assert in_words([(-1.8, 1), (0.5, 2)]) == "((−1.8, 1), (0.5, 2))"
    assert Listed(range(99)).described == "a list of 99"
    copied = copies((hypothesis,))[0]
    assert copied == hypothesis == list(hypothesis) and copied is not hypothesis
    assert 2 * Listed([1, 2]) == [1, 2, 1, 2]
    assert 1.3 * hypothesis != hypothesis
    with pytest.raises(AttributeError, match="'list' object"):
        hypothesis.split()


@pytest.mark.parametrize("number", [0.5, 1, t(0.5), t([0.5]), torch.nn.Parameter(t(0.25))])
def test_what_stands_for_one_number(number):
    assert Number("one number").read((), number).dtype == torch.float64


@pytest.mark.parametrize("thing", [None, True, "0.5", [0.5], t([1.0, 2.0]), 1 + 0j, {}])
def test_what_stands_for_no_number(thing):
    with pytest.raises((TypeError, ValueError)):
        Number("one number").read((), thing)


@pytest.mark.parametrize("words", [[1, 2], (1, 2), t([1, 2]), [t(1), t(2)], t([1, 2]).numpy(), []])
def test_what_stands_for_a_list_of_words(words):
    assert WholeNumbers().read((), words).dim() == 1


@pytest.mark.parametrize("thing", [None, 3, [1.0], ["1"], [True], t([1.0]), t([[1]]), {1: 2}, "12", [[1]]])
def test_what_stands_for_no_list_of_words(thing):
    with pytest.raises(TypeError):
        WholeNumbers().read((), thing)


def test_a_list_that_is_sorted_in_place_is_told():
    def sorts(hypothesis, references, max_n):
        answer = BLEU.solution(hypothesis, references, max_n)
        hypothesis.sort()
        return answer

    verdict = judge(BLEU, sorts)
    assert verdict.diagnosis == "writes-into-argument"
    assert "`hypothesis`" in verdict.says


def test_references_are_looked_after_inside_as_well():
    def drops_a_word(hypothesis, references, max_n):
        answer = BLEU.solution(hypothesis, references, max_n)
        references[0].pop()
        return answer

    assert judge(BLEU, drops_a_word).diagnosis == "writes-into-argument"


@pytest.mark.parametrize(("exercise", "number"), [(STEP, 0), (STEP, 3), (STEP, 4), (STEP, 5), (CACHE, 0), (CACHE, 2)])
def test_gradients_of_results_in_parts_are_looked_at(exercise, number):
    def cut(*arguments):
        return exercise.solution(*(a.detach() if i == number else a for i, a in enumerate(arguments)))

    verdict = judge(exercise, cut)
    assert verdict.diagnosis == "gradient-cut"
    assert f"`{exercise.parameters[number]}`" in verdict.says


@pytest.mark.parametrize("exercise", [STEP, CACHE], ids=lambda e: e.name)
@pytest.mark.parametrize(
    ("diagnosis", "spoil"),
    [
        ("changes-dtype", lambda parts: [part.double() for part in parts]),
        ("one-thing-only", lambda parts: parts[0]),
        ("one-thing-only", lambda parts: parts[-1]),
        ("returns-another-kind", lambda parts: [*parts, None]),
        ("returns-a-dict", lambda parts: dict(enumerate(parts))),
        ("returns-numpy", lambda parts: [part.detach().numpy() for part in parts]),
        ("not-tensors", lambda parts: [part.tolist() for part in parts]),
        ("returns-none", lambda parts: None),
        ("prints", lambda parts: print(parts[0])),
        ("wrong-shape", lambda parts: [parts[0][None], *parts[1:]]),
        ("wrong-shape", lambda parts: [*parts[:-1], parts[-1].flatten()]),
        ("not-repeatable", lambda parts: [parts[0] + torch.rand(()), *parts[1:]]),
    ],
)
def test_conduct_of_results_in_parts_is_looked_at(exercise, diagnosis, spoil):
    torch.manual_seed(0)
    verdict = judge(exercise, lambda *arguments: spoil(exercise.solution(*arguments)))
    assert verdict.diagnosis == diagnosis, verdict


def test_a_wrong_part_is_named_and_the_right_ones_too():
    def other_context(*arguments):
        context, weights = STEP.solution(*arguments)
        return context + weights[:, :1], weights

    verdict = judge(STEP, other_context)
    assert verdict.diagnosis == "unknown"
    assert verdict.about == "the context" and "Right: weights." in verdict.says


def test_padding_that_is_heard_a_little_is_measured():
    answer = answer_called("bahdanau-step", "bahdanau_fills_a_little")
    verdict = judge(STEP, answer)
    assert verdict.diagnosis == "padding-heard" and "0.000" in verdict.says


@pytest.mark.parametrize(
    ("answer", "diagnosis"),
    [
        (lambda ask, eos, width, max_len, alpha: [], "always-the-same"),
        (lambda *a: [*BEAM.solution(*a)[:-1], len(a[0](()))], "no-such-word"),
        (lambda ask, eos, *others: [eos, *BEAM.solution(ask, eos, *others)], "goes-on-after-the-end"),
        (lambda *a: BEAM.solution(*a)[:1] * (a[3] + 1), "too-long"),
        (lambda ask, eos, width, *others: BEAM.solution(ask, eos, 2 * width, *others), "another-sentence"),
        (lambda *arguments: [*BEAM.solution(*arguments)[:-1], int(arguments[1] == 0)], "unfinished"),
    ],
)
def test_another_sentence_is_described_by_what_can_be_seen(answer, diagnosis):
    assert judge(BEAM, answer).diagnosis == diagnosis
