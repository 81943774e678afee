"""GRU encoder and decoders: PyTorch's own GRU, d2l's published mathematics, and one step at a time."""

import pytest
import torch
from torch.nn.utils import prune

from attnbook.attention import (
    AdditiveAttention,
    DotProductAttention,
    MultiplicativeAttention,
    additive_score,
    multiplicative_score,
    scaled_dot_score,
)
from attnbook.interop import PublishedDecoder
from attnbook.translation import AttentionDecoder, GRUDecoder, GRUEncoder, greedy, make_alignment
from attnbook.translation.alignment_scores import ALIGNMENTS
from small_translators import KINDS, TARGET_SIZE, source_batch, target_batch, translator
from tensors import close, says

B, S, T, E, D, DK, V, L = 3, 5, 6, 7, 11, 13, 17, 2


def numbers(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def lengths():
    return torch.tensor([5, 2, 4])


# --- the scores


@pytest.mark.parametrize("name", ["additive", "scaled dot", "multiplicative"])
def test_each_alignment_is_the_score_of_chapter_five(name):
    key_size = D if name == "scaled dot" else DK
    layer = make_alignment(name, D, key_size).double()
    state, memory = numbers(B, D), numbers(B, S, key_size, seed=1)
    found = layer.scores(state[:, None], layer.project_key(memory))[:, 0]
    if name == "additive":
        weights = (layer.W_q.weight, layer.W_k.weight, layer.w_v.weight[0])
        expected = additive_score(state[:, None], memory, *weights)
    elif name == "scaled dot":
        expected = scaled_dot_score(state[:, None], memory)
    else:
        expected = multiplicative_score(state[:, None], memory, layer.weight)
    close(found, expected[:, 0])


def test_the_kinds_of_alignment():
    kinds = [type(make_alignment(n, 4, 4)) for n in ALIGNMENTS]
    assert kinds == [AdditiveAttention, DotProductAttention, MultiplicativeAttention]
    assert not list(make_alignment("scaled dot", 4, 4).state_dict())
    with pytest.raises(ValueError, match="additive, scaled dot, multiplicative, got 'cosine'"):
        make_alignment("cosine", 4, 4)
    with pytest.raises(ValueError, match=says("decoder's has 4", "encoder's 8")):
        make_alignment("scaled dot", 4, 8)


# --- the encoder


@pytest.mark.parametrize("bidirectional", [False, True])
def test_the_encoder_reads_each_sentence_as_if_it_were_alone(bidirectional):
    torch.manual_seed(0)
    encoder = GRUEncoder(11, E, D, L, bidirectional=bidirectional).double()
    ids, lens = source_batch()
    states, last = encoder(ids, lens)
    assert states.shape == (3, 5, D * (1 + bidirectional)) and last.shape == (L, 3, D)
    for i, length in enumerate(lens.tolist()):
        alone, alone_last = encoder(ids[i : i + 1, :length], lens[i : i + 1])
        close(states[i : i + 1, :length], alone)
        close(last[:, i : i + 1], alone_last)
        assert (states[i, length:] == 0).all()


def test_one_way_the_last_state_is_the_state_at_the_last_word():
    encoder = GRUEncoder(11, E, D, L).double()
    ids, lens = source_batch()
    states, last = encoder(ids, lens)
    close(last[-1], states[torch.arange(3), lens - 1])


def test_what_stands_in_the_padding_does_not_matter():
    for kind in KINDS:
        model = translator(kind)
        (ids, lens), target = source_batch(), target_batch()
        other = ids.clone()
        for i, length in enumerate(lens.tolist()):
            other[i, length:] = 9
        close(model(other, target, lens), model(ids, target, lens))


def test_the_encoder_turns_down_what_it_cannot_read():
    encoder = GRUEncoder(11, E, D)
    ids = torch.ones(2, 3, dtype=torch.long)
    with pytest.raises(ValueError, match="empty; each needs at least its <eos>"):
        encoder(ids, torch.tensor([3, 0]))
    with pytest.raises(ValueError, match=says("between 0 and", "3; got 4")):
        encoder(ids, torch.tensor([3, 4]))


LENGTHS = {
    "a list": (lambda lens: lens.tolist(), TypeError),
    "floats": (lambda lens: lens.double(), TypeError),
    "bools": (lambda lens: lens > 2, TypeError),
    "a column": (lambda lens: lens[:, None], ValueError),
    "one for all": (lambda lens: lens[:1], ValueError),
    "one too few": (lambda lens: lens[:2], ValueError),
    "a number": (lambda lens: lens[0], ValueError),
    "negative": (lambda lens: -lens, ValueError),
    "too long": (lambda lens: lens + 4, ValueError),
}


@pytest.mark.parametrize("wrong", LENGTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_lengths_are_refused_by_every_door(kind, wrong):
    model, (source, lens), target = translator(kind), source_batch(), target_batch()
    change, error = LENGTHS[wrong]
    doors = [
        lambda lens: model(source, target, lens),
        lambda lens: model.start(source, lens),
        lambda lens: greedy(model, source, lens),
        lambda lens: model.encoder(source, lens),
    ]
    if isinstance(model.decoder, AttentionDecoder):
        states, last = model.encoder(source, lens)
        doors.append(lambda lens: model.decoder.start(states, last, lens))
    for door in doors:
        with pytest.raises(error, match="valid_lens must"):
            door(change(lens))


WORDS = {
    "floats": (lambda ids: ids.double(), TypeError, "(ids|target) must be a tensor of token ids"),
    "other sentences": (
        lambda ids: ids[:2],
        ValueError,
        "2 sequences, memory holds 3|keys of 3 sequences, the new ones have 2",
    ),
    "beyond": (lambda ids: ids + 99, ValueError, "beyond the vocabulary of 7"),
    "negative": (lambda ids: -ids, ValueError, "beyond the vocabulary of 7"),
}


@pytest.mark.parametrize("wrong", WORDS)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_words_are_refused_and_the_state_stays(kind, wrong):
    model, (source, lens), words = translator(kind), source_batch(), target_batch()
    change, error, message = WORDS[wrong]
    state, untouched = (model.start(source, lens) for _ in range(2))
    for refuse in (lambda: model.step(change(words[:, 0]), state), lambda: model.extend(change(words), state)):
        with pytest.raises(error, match=message):
            refuse()
    close(model.extend(words, state), model.extend(words, untouched))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "transformer"])
def test_a_decoder_alone_refuses_words_of_other_sentences(kind):
    decoder, state, words = translator(kind).decoder, translator(kind).start(*source_batch()), target_batch()
    for wrong in (words[:1], torch.cat([words, words])):
        with pytest.raises(ValueError, match=f"ids holds {len(wrong)} sequences, memory holds 3"):
            decoder(wrong, state)
    with pytest.raises(ValueError, match="beyond the vocabulary of 7"):
        decoder(words + 99, state)
    if isinstance(decoder, AttentionDecoder):
        with pytest.raises(ValueError, match="word holds 1 sequences, memory holds 3"):
            decoder.step(decoder.embedding(words[:1, 0]), state)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "transformer"])
def test_shapes_can_be_found_on_the_meta_device(kind):
    model = translator(kind).to("meta")
    source, lens = (x.to("meta") for x in source_batch())
    assert model(source, target_batch().to("meta"), lens).shape == (3, 6, TARGET_SIZE)


# --- the decoders


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("score", ["additive", "scaled dot", "multiplicative"])
def test_all_steps_at_once_are_the_steps_one_by_one(score, layers):
    torch.manual_seed(0)
    memory_size = D if score == "scaled dot" else DK
    decoder = AttentionDecoder(V, E, D, layers, 0.0, memory_size, score).double()
    ids = torch.randint(V, (B, T))
    memory, last = numbers(B, S, memory_size), numbers(layers, B, D, seed=1)
    state = decoder.start(memory, last, lengths())
    logits, weights = decoder(ids, state)
    one = decoder.start(memory, last, lengths())
    words = decoder.embedding(ids)
    steps = [decoder.step(words[:, t], one) for t in range(T)]
    close(logits, decoder.head(torch.stack([step[0] for step in steps], 1)))
    close(weights, torch.stack([step[1] for step in steps], 1))
    close(state.hidden, one.hidden)
    close(weights.sum(-1), torch.ones(B, T).double())
    assert (weights[1, :, 2:] == 0).all() and (weights[1, :, :2] > 0).all()


def test_the_step_is_the_one_that_translation_runs(monkeypatch):
    calls = []
    whole = AttentionDecoder.step

    def step(self, word, state):
        calls.append(word.shape)
        return whole(self, word, state)

    monkeypatch.setattr(AttentionDecoder, "step", step)
    model = translator("additive")
    greedy(model, *source_batch(), max_len=4)
    model(source_batch()[0], target_batch(6), source_batch()[1])
    assert calls[-6:] == [(3, 5)] * 6 and len(calls) > 6


def test_the_mask_is_bool_and_true_where_there_are_words():
    decoder = AttentionDecoder(V, E, D, L)
    state = decoder.start(numbers(B, S, D).float(), torch.zeros(L, B, D), lengths())
    assert state.mask.dtype == torch.bool
    assert state.mask.sum(1).tolist() == lengths().tolist() and state.mask[1, :2].all()


def test_a_step_is_bahdanaus_formulas():
    torch.manual_seed(0)
    decoder = AttentionDecoder(V, E, D, L, memory_size=DK).double()
    memory, last = numbers(B, S, DK), numbers(L, B, D, seed=1)
    state = decoder.start(memory, last, lengths())
    attention = AdditiveAttention(D, DK, D).double()
    attention.load_state_dict(decoder.alignment.state_dict())
    context, weights = attention(last[-1][:, None], memory, memory, lengths(), need_weights=True)
    found, seen = decoder.attend(state)
    close(found, context[:, 0])
    close(seen, weights[:, 0])


def test_the_decoder_equals_the_published_one_in_outputs_and_gradients():
    torch.manual_seed(0)
    ours, theirs = AttentionDecoder(V, E, D, L), PublishedDecoder(V, E, D, L)
    memory, last = numbers(B, S, D).float(), numbers(L, B, D, seed=1).float()
    ids = torch.randint(V, (B, T))
    theirs(ids, (memory, last, lengths()))  # d2l's layers learn their sizes from a call
    for name in ("embedding", "rnn", "head"):
        getattr(theirs, name).load_state_dict(getattr(ours, name).state_dict())
    theirs.attention.load_state_dict(ours.alignment.state_dict())
    found = ours(ids, ours.start(memory, last, lengths()))[0]
    expected = theirs(ids, (memory, last, lengths()))[0]
    close(found, expected, 1e-5)
    upstream = numbers(B, T, V, seed=2).float()
    (found * upstream).sum().backward()
    (expected * upstream).sum().backward()
    mine, other = dict(ours.named_parameters()), dict(theirs.named_parameters())
    for name, weight in mine.items():
        close(weight.grad, other[name.replace("alignment", "attention")].grad, 1e-5)


def test_without_attention_all_goes_through_one_vector():
    torch.manual_seed(0)
    decoder = GRUDecoder(V, E, D, L).double()
    memory, last = numbers(B, S, D), numbers(L, B, D, seed=1)
    ids = torch.randint(V, (B, T))
    logits, weights = decoder(ids, decoder.start(memory, last, lengths()))
    assert weights is None
    other, _ = decoder(ids, decoder.start(memory + 1, last, lengths()))
    assert torch.equal(logits, other)  # the states of the words are never looked at
    context = last[-1][:, None].expand(-1, T, -1)
    inputs = torch.cat([context, decoder.embedding(ids)], -1)
    close(logits, decoder.head(decoder.rnn(inputs, last)[0]))


def test_dropout_acts_while_training_only():
    torch.manual_seed(0)
    decoder = AttentionDecoder(V, E, D, L, dropout=0.5)
    memory, last = numbers(B, S, D).float(), numbers(L, B, D, seed=1).float()
    ids = torch.randint(V, (B, T))

    def run():
        return decoder(ids, decoder.start(memory, last, lengths()))

    one, other = run()[0], run()[0]
    assert not torch.equal(one, other)
    decoder.eval()
    assert torch.equal(run()[0], run()[0])
    for bad in (1.0, -0.1):
        with pytest.raises(ValueError, match="dropout"):
            AttentionDecoder(V, E, D, L, dropout=bad)


def test_the_weights_that_are_returned_are_those_before_dropout():
    torch.manual_seed(0)
    decoder = AttentionDecoder(V, E, D, 1, dropout=0.5)
    memory, last = numbers(B, S, D).float(), numbers(1, B, D, seed=1).float()
    first = torch.ones(B, 1, dtype=torch.long)
    _, weights = decoder(first, decoder.start(memory, last, lengths()))
    close(weights.sum(-1), torch.ones(B, 1), 1e-6)


def test_states_are_reordered_and_copied():
    torch.manual_seed(0)
    decoder = AttentionDecoder(V, E, D, L).double()
    memory, last = numbers(B, S, D), numbers(L, B, D, seed=1)
    state = decoder.start(memory, last, lengths())
    twin = state.copy()
    order = torch.tensor([2, 0, 0, 1])
    state.reorder(order)
    expected = decoder.start(memory[order], last[:, order], lengths()[order])
    ids = torch.randint(V, (4, T))
    close(decoder(ids, state)[0], decoder(ids, expected)[0])
    close(twin.hidden, last)  # the copy has stayed where it was


def test_a_score_whose_weights_a_hook_would_make_is_refused():
    """The decoder takes the score's two steps itself, so that no hook of the layer is called."""
    decoder = AttentionDecoder(V, E, D, score="multiplicative")
    memory, last = numbers(B, S, D).float(), numbers(1, B, D).float()
    prune.l1_unstructured(decoder.alignment, "weight", amount=0.3)
    with pytest.raises(TypeError, match=r"^weight of the alignment is made anew before each call"):
        decoder.start(memory, last, lengths())
    prune.remove(decoder.alignment, "weight")
    assert decoder.start(memory, last, lengths()).keys.shape == (B, S, D)
