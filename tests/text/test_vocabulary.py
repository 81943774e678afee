"""Spelling, tokens, and both vocabularies: by hand, and as properties of any text."""

import copy
import json
import os
import pickle
import subprocess
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.text import (
    BOS,
    EOS,
    PAD,
    SPECIALS,
    UNK,
    SubwordVocabulary,
    WordVocabulary,
    normalise,
    tokenise,
    vocabulary_from_dict,
)
from spellings import SPELLINGS
from tensors import PROPERTY, says

SENTENCES = ["Go.", "I'm home!", "Am I home?", "I’m home.", "Where is my home?"]
KINDS = [WordVocabulary, lambda sentences: SubwordVocabulary(sentences, size=60)]
MADE = {make: make(SENTENCES) for make in KINDS}
BOTH = pytest.mark.parametrize("make", KINDS, ids=["words", "subwords"])


# --- spelling -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("written", "spelled"), SPELLINGS.items())
def test_spelling_by_hand(written, spelled):
    assert normalise(written) == spelled
    assert tokenise(written) == spelled.split()


@PROPERTY
@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_more(written):
    once = normalise(written)
    assert normalise(once) == once
    assert tokenise(written) == tokenise(once)
    assert " ".join(tokenise(written)) == once


# letters that grow, shrink or join when they become small
@pytest.mark.parametrize("letter", "İıſKÅΩΣςßẞΐﬁǅᾳHJ")
@pytest.mark.parametrize("frame", ["{}", "a{}", "{}a", "A{}.", "A{}.A", "{}\u0301", "{}\u030c", "{}\u0331"])
def test_difficult_letters_too(letter, frame):
    once = normalise(frame.format(letter))
    assert normalise(once) == once


@pytest.mark.parametrize("wrong", [None, 3, b"go", ["go"]])
@pytest.mark.parametrize("function", [normalise, tokenise])
def test_only_a_str_is_a_sentence(function, wrong):
    with pytest.raises(TypeError, match=says("must be a str", type(wrong).__name__)):
        function(wrong)


# --- words ----------------------------------------------------------------------------------------------------


def test_special_tokens():
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert SPECIALS == ("<pad>", "<bos>", "<eos>", "<unk>")
    for make in KINDS:
        assert make(SENTENCES).tokens(range(4)) == list(SPECIALS)


def test_the_most_frequent_word_comes_first_and_the_alphabet_decides_ties():
    vocabulary = WordVocabulary(["b a c", "a c", "c d"])
    assert vocabulary.tokens(range(4, 8)) == ["c", "a", "b", "d"]
    assert vocabulary.encode("d c b a x") == [7, 4, 6, 5, UNK]
    assert vocabulary.encode("") == []
    assert WordVocabulary(["c d", "a c", "b a c"]) == vocabulary


def test_rare_words_and_words_beyond_the_size_are_unknown():
    sentences = ["b a c", "a c", "c d"]
    assert WordVocabulary(sentences, min_count=2).encode("a b c d") == [5, 3, 4, 3]
    assert WordVocabulary(sentences, max_size=7).encode("a b c d") == [5, 6, 4, 3]
    assert [len(WordVocabulary(sentences, max_size=n)) for n in (4, 5, 99)] == [4, 5, 8]


@PROPERTY
@given(st.lists(st.text("abéÀ'!.’ \u202f", max_size=12), min_size=1, max_size=6), st.integers(1, 3), st.integers(4, 12))
def test_a_vocabulary_counts_as_one_would_by_hand(sentences, min_count, max_size):
    vocabulary = WordVocabulary(sentences, min_count, max_size)
    tokens = [token for sentence in sentences for token in normalise(sentence).split()]
    known = vocabulary.tokens(range(4, len(vocabulary)))
    assert len(set(known)) == len(known) <= max_size - 4
    assert all(tokens.count(word) >= min_count for word in known)
    order = [(-tokens.count(word), word) for word in known]
    assert order == sorted(order)
    missing = {t for t in tokens if tokens.count(t) >= min_count} - set(known)
    if missing:  # only for want of room, and then the rarest
        assert len(vocabulary) == max_size
        assert min((-tokens.count(t), t) for t in missing) > max(order, default=(-99, ""))


# --- both kinds -----------------------------------------------------------------------------------------------


@BOTH
@PROPERTY
@given(data=st.data())
def test_known_words_survive_the_round_trip(make, data):
    vocabulary = MADE[make]
    words = sorted({token for sentence in SENTENCES for token in tokenise(sentence)})
    sentence = " ".join(data.draw(st.lists(st.sampled_from(words), max_size=9)))
    ids = vocabulary.encode(sentence)
    assert UNK not in ids and all(4 <= i < len(vocabulary) for i in ids)
    assert vocabulary.decode(ids) == sentence
    assert vocabulary.encode(sentence.split()) == ids
    assert vocabulary.encode(tuple(sentence.split())) == ids
    assert vocabulary.encode(sentence.upper().replace("'", "’")) == ids


@BOTH
@PROPERTY
@given(sentence=st.text(max_size=30))
def test_any_text_gives_ids_of_the_vocabulary_and_never_a_mark_of_control(make, sentence):
    vocabulary = MADE[make]
    ids = vocabulary.encode(sentence)
    assert all(UNK <= i < len(vocabulary) for i in ids)
    assert len(vocabulary.tokens(ids)) == len(ids)
    assert vocabulary.encode(sentence) == ids
    assert "<eos>" not in vocabulary.decode(ids)


@BOTH
def test_a_special_token_in_a_text_is_only_text(make):
    vocabulary = make([*SENTENCES, "<eos> <pad> <bos> <unk>"])
    ids = vocabulary.encode("<bos> home <eos> home <pad>")
    ids += vocabulary.encode(["<bos>", "home", "<eos>"])  # whole, as no text is cut
    assert not {PAD, BOS, EOS} & set(ids)
    assert vocabulary.tokens(range(len(vocabulary))).count("<eos>") == 1


@BOTH
def test_decoding_stops_at_the_end_and_leaves_out_padding(make):
    vocabulary = make(SENTENCES)
    home, go = vocabulary.encode("home"), vocabulary.encode("go .")
    ids = [BOS, *home, PAD, *go, EOS, *home, EOS, PAD]
    assert vocabulary.decode(ids) == "home go ."
    assert vocabulary.decode([*home, UNK]).replace(" ", "") == "home<unk>"
    assert vocabulary.decode([EOS, *home]) == vocabulary.decode([]) == ""
    assert vocabulary.tokens([EOS, PAD, UNK]) == ["<eos>", "<pad>", "<unk>"]
    assert vocabulary.decode(torch.tensor(ids)) == "home go ."
    assert vocabulary.decode(iter(ids)) == "home go ."


@BOTH
def test_a_vocabulary_survives_json_pickle_and_copy(make):
    vocabulary = make(SENTENCES)
    odd = "Home, <eos> 中国?"
    for twin in (
        vocabulary_from_dict(json.loads(json.dumps(vocabulary.to_dict()))),
        type(vocabulary).from_dict(vocabulary.to_dict()),
        pickle.loads(pickle.dumps(vocabulary)),
        copy.deepcopy(vocabulary),
    ):
        assert twin == vocabulary and len(twin) == len(vocabulary)
        assert twin.encode(odd) == vocabulary.encode(odd)
        assert twin.to_dict() == vocabulary.to_dict()
    assert vocabulary != make([*SENTENCES, "Some other words."])
    assert WordVocabulary(SENTENCES) != SubwordVocabulary(SENTENCES, 60)
    assert repr(vocabulary) == f"{type(vocabulary).__name__}({len(vocabulary)} entries)"


@PROPERTY
@given(st.lists(st.text("abé'. ", max_size=9), min_size=1, max_size=5))
def test_a_described_vocabulary_equals_the_one_that_described_itself(sentences):
    vocabulary = WordVocabulary(sentences)
    assert vocabulary_from_dict(vocabulary.to_dict()) == vocabulary


# --- pieces of words ------------------------------------------------------------------------------------------


def bytepairs_by_hand(words: list[str], merges: int) -> list[tuple[str, str]]:
    """Sennrich's algorithm 1 by loops: which neighbours are joined, while one pair is the most frequent."""
    split = [["▁", *word] for word in words]
    done = []
    for _ in range(merges):
        pairs = [pair for word in split for pair in zip(word, word[1:], strict=False)]
        counts = sorted(((pairs.count(p), p) for p in set(pairs)), reverse=True)
        if len(counts) > 1 and counts[0][0] == counts[1][0]:
            break  # a tie: which of them comes first is nobody's rule
        best = counts[0][1]
        done.append(best)
        for word in split:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == best:
                    word[i : i + 2] = [word[i] + word[i + 1]]
                i += 1
    return done


def test_frequent_neighbours_are_joined_as_in_the_loop():
    words = ["ab"] * 9 + ["abc"] * 5 + ["bc"] * 3 + ["a"] * 4
    expected = bytepairs_by_hand(words, 4)
    assert expected == [("▁", "a"), ("▁a", "b"), ("▁ab", "c")]
    characters = len(set("".join(words))) + 1
    size = 4 + characters + len(expected)
    made = SubwordVocabulary(words, size)
    joined = made.tokens(range(4 + characters, size))
    assert joined == [a + b for a, b in expected]


def test_a_bigger_vocabulary_has_longer_pieces():
    lengths = []
    for size in (25, 31, 38):
        made = SubwordVocabulary(SENTENCES, size)
        assert len(made) <= size
        lengths.append(sum(len(made.encode(s)) for s in SENTENCES))
    assert lengths[0] > lengths[1] > lengths[2]


def test_unknown_characters_and_unknown_words():
    made = SubwordVocabulary(SENTENCES, 60)
    assert made.decode(made.encode("home zoo")) == "home <unk>oo"
    assert made.decode(made.encode("hearse")) == "hearse"  # a new word of known letters
    assert made.encode("é中国").count(UNK) == 3


def test_characters_of_scripts_without_spaces_stay_by_themselves():
    made = SubwordVocabulary(["我们走吧。他们走 OK 吧。"] * 9 + ["แมวอยู่"] * 9, 60)
    joined = "".join(made.tokens(range(4, len(made))))
    assert "▁我" not in joined and "走吧" not in joined and "▁ok" in joined
    tokens = made.tokens(made.encode("他走吧。 ok!"))
    assert tokens[:5] == ["他", "走", "吧", "▁。", "▁ok"]
    assert made.decode(made.encode("他 走吧。OK แมว")) == "他 走 吧 。 ok แ ม ว"
    assert made.decode(made.encode("อยู่")) == "อ ยู่"  # its marks stay with their letter


def test_a_size_too_small_for_the_characters_grows():
    assert len(SubwordVocabulary(["我们走吧。猫在睡觉。"], 12)) == 4 + 10  # ▁, and 。 once
    latin = SubwordVocabulary(["abc de"], 9)
    assert latin.tokens(range(4, 10)) == ["a", "b", "c", "d", "e", "▁"] and len(latin) == 10
    # more characters than 700: those that occur once are unknown, and there is room to join
    many = [chr(0x4E00 + i) for i in range(900)]
    words = [f"w{i:03}" for i in range(500)]
    made = SubwordVocabulary(["".join(many), "".join(many[:800]), *words], 100)
    assert UNK not in made.encode(many[799]) and made.encode(many[800]) == [UNK]
    assert 1000 < len(made) <= 4 + 800 + 12 + 700


PROGRAM = """
import hashlib, json, sys
from attnbook.text import SubwordVocabulary
sentences = [f"{a}{b} {b}{a}{c}." for a in "abcd" for b in "efgh" for c in "ijkl"]
made = SubwordVocabulary(sentences, 80)
print(hashlib.sha256(json.dumps(made.to_dict()).encode()).hexdigest())
"""


def test_byte_pairs_are_the_same_in_every_process():
    def made(hash_seed):
        command = [sys.executable, "-c", PROGRAM]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": hash_seed}
        ).stdout

    assert made("1") == made("2") != ""


def test_a_vocabulary_of_words_costs_neither_torch_nor_tokenizers():
    program = (
        "import sys; from attnbook.text import WordVocabulary\n"
        "WordVocabulary(['Go.']).decode([4, 5])\n"
        "print([m for m in ('torch', 'tokenizers', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


# --- errors ---------------------------------------------------------------------------------------------------

WORDS = WordVocabulary(SENTENCES)
TOKENIZER = SubwordVocabulary(SENTENCES, 60).to_dict()["tokenizer"]
FOREIGN = json.loads(json.dumps(TOKENIZER).replace("<pad>", "<fill>"))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: WordVocabulary("Go."), TypeError, ("a list of sentences", "one str")),
        (lambda: SubwordVocabulary("Go."), TypeError, ("a list of sentences",)),
        (lambda: WordVocabulary([]), ValueError, ("no sentences",)),
        (lambda: SubwordVocabulary([]), ValueError, ("no sentences",)),
        (lambda: WordVocabulary([3]), TypeError, ("must be a str", "int")),
        (lambda: WordVocabulary([["a b"]]), ValueError, ("without spaces", "'a b'")),
        (lambda: WordVocabulary([[""]]), ValueError, ("without spaces", "''")),
        (lambda: WordVocabulary([["a", 3]]), ValueError, ("a token", "got 3")),
        (lambda: WordVocabulary(["a"], 0), ValueError, ("min_count", "at least 1")),
        (lambda: WordVocabulary(["a"], 1.5), TypeError, ("min_count", "integer")),
        (lambda: WordVocabulary(["a"], max_size=3), ValueError, ("max_size", "4")),
        (lambda: SubwordVocabulary(["a"], 4), ValueError, ("size", "at least 5")),
        (lambda: WORDS.encode(None), TypeError, ("must be a str", "NoneType")),
        (lambda: WORDS.decode([99]), ValueError, ("id 99", f"{len(WORDS)} entries")),
        (lambda: WORDS.tokens([-1]), ValueError, ("id -1",)),
        (lambda: WORDS.tokens([1.5]), TypeError, ("whole numbers",)),
        (lambda: WORDS.decode(5), TypeError, ("one row", "got 5")),
        (lambda: WORDS.decode(torch.ones(2, 3).long()), TypeError, ("one row",)),
        (lambda: vocabulary_from_dict({}), ValueError, ("'words' or 'subwords'",)),
        (lambda: vocabulary_from_dict([]), ValueError, ("'words' or 'subwords'",)),
        (lambda: vocabulary_from_dict({"kind": "words"}), ValueError, ("'words'",)),
        (lambda: WordVocabulary.from_dict({"kind": "subwords", "tokenizer": {}}),
         ValueError, ("kind 'words'",)),
        (lambda: WordVocabulary.from_dict({"kind": "words", "words": ["a", "a"]}),
         ValueError, ("without repeats",)),
        (lambda: WordVocabulary.from_dict({"kind": "words", "words": ["<eos>"]}),
         ValueError, ("without repeats",)),
        (lambda: WordVocabulary.from_dict({"kind": "words", "words": "ab"}),
         ValueError, ("list",)),
        (lambda: SubwordVocabulary.from_dict({"kind": "subwords", "tokenizer": {}}),
         ValueError, ("not a tokenizer's JSON",)),
        (lambda: SubwordVocabulary.from_dict({"kind": "subwords", "tokenizer": FOREIGN}),
         ValueError, ("first entries", "<pad>, <bos>, <eos>, <unk>")),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
