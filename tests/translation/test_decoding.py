"""Decoding against exhaustive search, against counting, and against itself; and what it refuses."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.text import BOS, EOS, PAD, UNK
from attnbook.translation import (
    BigramDraft,
    beam_search,
    filter_logits,
    greedy,
    length_penalty_factor,
    next_word_log_probs,
    sample,
    speculative,
)
from small_translators import KINDS, TARGET_SIZE, source_batch, translator
from tensors import PROPERTY, close, says

WORDS = [word for word in range(TARGET_SIZE) if word not in (PAD, BOS, UNK)]


def one_source():
    source, lens = source_batch()
    return source[:1], lens[:1]


def all_sentences(max_len):
    """Everything that can be written: ended by <eos>, or cut off."""
    open_words = [word for word in WORDS if word != EOS]
    for length in range(max_len):
        for words in itertools.product(open_words, repeat=length):
            yield [*words, EOS]
    yield from map(list, itertools.product(open_words, repeat=max_len))


def log_prob(model, source, lens, ids):
    target_in = torch.tensor([[BOS, *ids[:-1]]])
    scores = next_word_log_probs(model(source, target_in, lens))[0]
    return float(scores[range(len(ids)), ids].sum())


def test_pad_bos_and_unk_are_never_next():
    log_probs = next_word_log_probs(torch.zeros(2, TARGET_SIZE))
    assert (log_probs[:, [PAD, BOS, UNK]] == -math.inf).all()
    close(log_probs[:, WORDS].exp(), torch.full((2, 4), 0.25), 1e-6)
    log_probs = next_word_log_probs(torch.zeros(2, TARGET_SIZE), unknown=True)
    assert (log_probs[:, [PAD, BOS]] == -math.inf).all()
    close(log_probs[:, [*WORDS, UNK]].exp(), torch.full((2, 5), 0.2), 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_word_is_written_by_a_model_that_may(kind):
    """Every way of decoding: a model that wants <unk> most takes the next best, unless it `writes_unknown`."""
    model = translator(kind)
    head = model.decoder.head
    with torch.no_grad():  # <unk> is what it would say first, and then next to nothing else
        head.bias = torch.nn.Parameter(100.0 * (torch.arange(TARGET_SIZE) == UNK).double())
    source, lens = one_source()
    dice = torch.Generator().manual_seed(0)
    ways = [
        lambda: greedy(model, source, lens, max_len=4)[0],
        lambda: beam_search(model, source, lens, width=1, max_len=4)[0],
        lambda: sample(model, source, lens, max_len=4, generator=dice)[0],
        lambda: speculative(model, translator(kind, 1), source, lens, max_len=4, generator=dice),
    ]
    for way in ways:
        model.writes_unknown = False
        assert UNK not in way().ids
        model.writes_unknown = True
        assert way().ids == [UNK] * 4


# --- greedy


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_takes_the_likeliest_word_every_time(kind):
    model = translator(kind)
    source, lens = source_batch()
    found = greedy(model, source, lens, max_len=9)
    for i, decoded in enumerate(found):
        target, total = [BOS], 0.0
        for _ in range(9):
            logits = model(source[i : i + 1], torch.tensor([target]), lens[i : i + 1])
            scores = next_word_log_probs(logits)[0, -1]
            target.append(int(scores.argmax()))
            total += scores.max().item()
            if target[-1] == EOS:
                break
        assert decoded.ids == target[1:]
        assert decoded.log_prob == pytest.approx(total, abs=1e-5)
        assert decoded.weights is None


def test_one_sentence_that_ends_early_does_not_disturb_the_others():
    model = translator("additive", seed=2)
    source, lens = source_batch()
    together = greedy(model, source, lens, max_len=12, need_weights=True)
    assert len({len(decoded.ids) for decoded in together}) > 1  # or it shows nothing
    for i, decoded in enumerate(together):
        alone = greedy(model, source[i : i + 1], lens[i : i + 1], max_len=12, need_weights=True)[0]
        assert decoded.ids == alone.ids
        close(decoded.weights, alone.weights)
        assert decoded.weights.shape == (len(decoded.ids), 5)


def test_nothing_comes_after_eos_and_the_length_is_kept():
    for seed in range(5):
        for decoded in greedy(translator("additive", seed), *source_batch(), max_len=7):
            assert len(decoded.ids) <= 7
            assert EOS not in decoded.ids[:-1]
            assert not {PAD, BOS, UNK} & {*decoded.ids}


# --- beam search


@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_of_one_is_greedy(kind):
    for seed in range(3):
        model = translator(kind, seed)
        source, lens = source_batch()
        for i, decoded in enumerate(greedy(model, source, lens, max_len=8)):
            beam = beam_search(model, source[i : i + 1], lens[i : i + 1], width=1, max_len=8)
            assert beam[0].ids == decoded.ids
            assert beam[0].log_prob == pytest.approx(decoded.log_prob, abs=1e-5)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
@pytest.mark.parametrize("kind", ["additive", "transformer"])
def test_a_beam_wide_enough_for_everything_finds_the_best(kind, alpha):
    model, (source, lens) = translator(kind, 1), one_source()
    sentences = {tuple(ids) for ids in all_sentences(3)}
    ended = [ids for ids in sentences if ids[-1] == EOS]
    ranked = sorted(
        ended, key=lambda ids: log_prob(model, source, lens, ids) / length_penalty_factor(len(ids), alpha), reverse=True
    )
    found = beam_search(model, source, lens, width=len(sentences), length_penalty=alpha, max_len=3, n_best=6)
    assert [tuple(decoded.ids) for decoded in found] == ranked[:6]
    for decoded in found:
        expected = log_prob(model, source, lens, decoded.ids)
        assert decoded.log_prob == pytest.approx(expected, abs=1e-6)


def test_what_the_length_cut_off_comes_after_what_ended():
    model, (source, lens) = translator("additive", 1), one_source()
    found = beam_search(model, source, lens, width=100, length_penalty=0.0, max_len=2, n_best=100)
    ended = [decoded.ids[-1] == EOS for decoded in found]
    assert True in ended and False in ended
    assert ended == sorted(ended, reverse=True)


def test_a_wider_beam_finds_likelier_sentences():
    """Not a law for one sentence, but what the search is for: over many models the total grows."""
    totals = {1: 0.0, 8: 0.0}
    for seed in range(30):
        model = translator("additive", seed)
        best = {w: beam_search(model, *one_source(), width=w, length_penalty=0.0, max_len=6)[0] for w in totals}
        if best[1].ids[-1] == EOS:  # else the narrow beam has found nothing to compare
            for width, decoded in best.items():
                totals[width] += decoded.log_prob
    assert totals[8] > totals[1] + 1


def test_the_length_penalty():
    assert length_penalty_factor(1, 0.7) == 1.0
    assert length_penalty_factor(7, 1.0) == 2.0
    assert length_penalty_factor(7, 0.0) == 1.0
    assert length_penalty_factor(13, 2.0) == 9.0


def test_a_strong_penalty_favours_longer_sentences():
    lengths = {
        alpha: [
            len(beam_search(translator("additive", s), *one_source(), width=8, length_penalty=alpha, max_len=8)[0].ids)
            for s in range(6)
        ]
        for alpha in (0.0, 3.0)
    }
    assert sum(lengths[3.0]) > sum(lengths[0.0])


# --- sampling


def test_temperature_divides_the_logits():
    logits = torch.tensor([1.0, 2.0, 4.0])
    close(filter_logits(logits, temperature=2.0), torch.tensor([0.5, 1.0, 2.0]))


def test_top_k_and_top_p_by_hand():
    logits = torch.tensor([0.1, 0.5, 0.15, 0.25]).log()
    kept = {k: filter_logits(logits, top_k=k).isfinite().tolist() for k in (1, 2, 9)}
    assert kept[1] == [False, True, False, False]
    assert kept[2] == [False, True, False, True]
    assert kept[9] == [True] * 4
    for p, places in ((0.3, [1]), (0.6, [1, 3]), (0.8, [1, 2, 3]), (1.0, [0, 1, 2, 3])):
        kept = filter_logits(logits, top_p=p).isfinite().nonzero()[:, 0].tolist()
        assert kept == places


@PROPERTY
@given(st.lists(st.floats(-3, 3), min_size=2, max_size=9, unique=True), st.floats(0.05, 1))
def test_top_p_keeps_the_fewest_words_that_reach_p(numbers, p):
    logits = torch.tensor(numbers, dtype=torch.float64)
    shares = logits.softmax(-1)
    kept = filter_logits(logits, top_p=p).isfinite()
    mass = float(shares[kept].sum())
    assert mass >= p - 1e-9
    assert mass - float(shares[kept].min()) < p + 1e-9
    if not kept.all():
        assert shares[kept].min() >= shares[~kept].max()


def test_the_filters_refuse_what_they_cannot_do():
    logits = torch.zeros(4)
    with pytest.raises(ValueError, match="temperature"):
        filter_logits(logits, temperature=0.0)
    for odd, low in ((logits, 1e-300), (logits + 20, 1e-38), (logits - 20, 1e-45)):  # 0/0, inf, and -inf everywhere
        with pytest.raises(ValueError, match=says(str(low), "float32", "take a higher one, or top_k=1")):
            filter_logits(odd, temperature=low)
    with pytest.raises(ValueError, match="top_k"):
        filter_logits(logits, top_k=0)
    for p in (0.0, 1.1):
        with pytest.raises(ValueError, match=says("(0, 1]", str(p))):
            filter_logits(logits, top_p=p)


def chi_square(counts, expected):
    return sum((counts.get(k, 0) - e) ** 2 / e for k, e in expected.items())


def distribution(model, source, lens, max_len=2, temperature=1.0):
    """The exact probability of everything that can be written, at temperature 1."""
    return {tuple(ids): math.exp(log_prob(model, source, lens, ids)) for ids in all_sentences(max_len)}


def pooled(counts, shares, draws):
    """Cells with an expectation below 5 go together, as the test wants it."""
    expected, found, rest = {}, {}, [0.0, 0]
    for ids, share in shares.items():
        if share * draws >= 5:
            expected[ids], found[ids] = share * draws, counts.get(ids, 0)
        else:
            rest[0] += share * draws
            rest[1] += counts.get(ids, 0)
    if rest[0] >= 5:
        expected["rest"], found["rest"] = rest
    return found, expected


def p_value(found, expected):
    from scipy.stats import chi2

    return chi2.sf(chi_square(found, expected), len(expected) - 1)


def test_samples_follow_the_models_distribution():
    model, (source, lens) = translator("additive", 1), one_source()
    draws, counts = 20_000, {}
    generator = torch.Generator().manual_seed(0)
    many = source.repeat(draws, 1), lens.repeat(draws)
    for decoded in sample(model, *many, generator=generator, max_len=2):
        ids = tuple(decoded.ids)
        counts[ids] = counts.get(ids, 0) + 1
    shares = distribution(model, source, lens)
    assert sum(shares.values()) == pytest.approx(1.0)
    found, expected = pooled(counts, shares, draws)
    assert len(expected) > 10
    assert p_value(found, expected) > 1e-3


def test_a_low_temperature_and_a_beam_of_few_words_are_greedy():
    model, (source, lens) = translator("additive", 1), source_batch()
    expected = [decoded.ids for decoded in greedy(model, source, lens, max_len=6)]
    for options in ({"temperature": 1e-4}, {"top_k": 1}, {"top_p": 1e-6}):
        found = sample(model, source, lens, max_len=6, **options)
        assert [decoded.ids for decoded in found] == expected


def test_the_same_generator_draws_the_same_words():
    model, batch = translator("additive"), source_batch()
    runs = [[d.ids for d in sample(model, *batch, generator=torch.Generator().manual_seed(s))] for s in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]


# --- speculative decoding


@pytest.mark.parametrize(
    ("target", "draft", "lookahead"),
    [("additive", "none", 1), ("transformer", "additive", 3), ("none", "transformer", 2)],
)
def test_speculative_decoding_has_the_target_models_distribution(target, draft, lookahead):
    large, small = translator(target, 1), translator(draft, 2)
    source, lens = one_source()
    generator, draws, counts = torch.Generator().manual_seed(0), 700, {}
    proposed = accepted = 0
    for _ in range(draws):
        result = speculative(large, small, source, lens, generator=generator, lookahead=lookahead, max_len=2)
        counts[tuple(result.ids)] = counts.get(tuple(result.ids), 0) + 1
        proposed, accepted = proposed + result.proposed, accepted + result.accepted
    assert 0.05 < accepted / proposed < 0.95  # the models disagree, or it shows nothing
    found, expected = pooled(counts, distribution(large, source, lens), draws)
    assert p_value(found, expected) > 1e-3
    # the draft's own distribution would have been noticed
    wrong, other = pooled(counts, distribution(small, source, lens), draws)
    assert p_value(wrong, other) < 1e-6


def test_a_draft_equal_to_the_target_is_always_accepted():
    model, (source, lens) = translator("transformer", 1), one_source()
    generator = torch.Generator().manual_seed(0)
    result = speculative(model, model, source, lens, generator=generator, lookahead=4, max_len=20)
    assert result.accepted == result.proposed > 0
    assert result.target_calls <= -(-len(result.ids) // 5) + 1


def test_speculative_sentences_are_well_formed():
    large, small = translator("transformer", 1), translator("none", 2)
    generator = torch.Generator().manual_seed(0)
    for lookahead in (1, 2, 5):
        for max_len in (1, 2, 6):
            for _ in range(8):
                result = speculative(
                    large, small, *one_source(), generator=generator, lookahead=lookahead, max_len=max_len
                )
                assert 1 <= len(result.ids) <= max_len
                assert EOS not in result.ids[:-1]
                assert not {PAD, BOS, UNK} & {*result.ids}
                assert result.accepted <= result.proposed
                assert result.target_calls <= len(result.ids)


# --- refusals


def test_a_model_in_training_mode_is_refused():
    model = translator("additive").train()
    for decode in (greedy, sample):
        with pytest.raises(ValueError, match=says("call model.eval()")):
            decode(model, *source_batch())
    with pytest.raises(ValueError, match=says("call model.eval()")):
        beam_search(model, *one_source())


def test_one_sentence_at_a_time():
    model = translator("additive")
    with pytest.raises(ValueError, match=says("one sentence", "(3, 5)")):
        beam_search(model, *source_batch())
    with pytest.raises(ValueError, match=says("one sentence", "(3, 5)")):
        speculative(model, model, *source_batch())


def test_sizes_that_make_no_sense():
    model = translator("additive")
    with pytest.raises(ValueError, match="n_best 5 is more than the beam's width 4"):
        beam_search(model, *one_source(), width=4, n_best=5)
    with pytest.raises(ValueError, match="width"):
        beam_search(model, *one_source(), width=0)
    with pytest.raises(ValueError, match="length_penalty"):
        beam_search(model, *one_source(), length_penalty=-1)
    with pytest.raises(ValueError, match="max_len"):
        greedy(model, *source_batch(), max_len=0)
    other = translator("additive", target_size=9)
    with pytest.raises(ValueError, match=says("share a vocabulary", "7", "9")):
        speculative(model, other, *one_source())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [torch.nan, torch.inf])
@pytest.mark.parametrize("where", ["everywhere", "one word"])
def test_scores_without_a_number_are_not_taken_for_a_result(kind, number, where):
    """As after a training that diverged, or from a damaged file."""
    model = translator(kind)
    head = model.decoder.head
    with torch.no_grad():
        (head.weight if where == "everywhere" else head.weight[4]).fill_(number)
    source, lens = source_batch()
    one = source[:1], lens[:1]
    calls = [
        lambda: greedy(model, source, lens),
        lambda: greedy(model, source, lens, need_weights=True),
        lambda: beam_search(model, *one, width=4),
        lambda: beam_search(model, *one, width=1),
        lambda: sample(model, source, lens, top_k=3, top_p=0.9),
        lambda: speculative(model, translator(kind, seed=1), *one),
        lambda: speculative(translator(kind, seed=1), model, *one),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="the model's scores are NaN: its training"):
            call()


def test_a_table_of_words_knows_its_vocabulary():
    config = translator("transformer").config
    for beyond in (-1, TARGET_SIZE):
        with pytest.raises(ValueError, match=f"targets holds the id {beyond}"):
            BigramDraft([[4, beyond, EOS]], config)
        draft = BigramDraft([[4, 5, EOS]], config)
        with pytest.raises(ValueError, match=f"ids holds the id {beyond}"):
            draft.extend(torch.tensor([[4, beyond]]), draft.start(*one_source()))
