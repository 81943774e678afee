"""The bilingual grammar's Chinese: sentences that a native reader has passed, links, and rules checked from outside."""

import re
from collections import Counter

import pytest

from attnbook.data import BilingualGrammar
from attnbook.data.grammar.chinese import CHINESE_ADJECTIVES, CHINESE_NOUNS
from attnbook.data.grammar.lexicon import ADJECTIVES, NOUNS
from attnbook.text import tokenise
from tensors import says

# drawn from the grammar, read by a native reader, and kept word by word: each shows another rule
READ = {
    "a flower is black .": "一朵花是黑色的。",
    "we are happy .": "我们很高兴。",
    "marie's small child is not big behind our white dog .": "玛丽的小孩子在我们的白狗后面不大。",
    "we liked a small letter near the two cows .": "我们喜欢那两头牛附近的一封小信。",
    "the two brothers and marie were happy yesterday .": "那两个哥哥和玛丽昨天很高兴。",
    "marc wants to see this cow .": "马克想看到这头牛。",
    "his happy brother behind marc looked for a big child .": "他那个在马克后面的快乐的哥哥找了一个大孩子。",
    "she talked to marie .": "她跟玛丽说话了。",
    "you came today because a woman slept .": "你今天来了，因为一个女人睡觉了。",
    "all the men are beautiful .": "所有的男人都很漂亮。",
    "the two dogs are always old .": "那两只狗总是很老。",
    "every famous village and their garden were in front of paul .": "每个有名的村子和他们的花园都在保罗前面。",
    "we want to look for them in marc's house .": "我们想在马克的房子里找他们。",
    "anna's green hats are very old when he is beautiful today .": "他今天很漂亮的时候，安娜的绿帽子非常旧。",
    "you are beautiful because all the children do not want to sleep .": "你很漂亮，因为所有的孩子都不想睡觉。",
    "they waited for paul behind a beautiful man .": "他们在一个漂亮的男人后面等了保罗。",
    "an old girl did not see marie .": "一个老女孩没看到玛丽。",
    "i saw his white book .": "我看到了他的白书。",
    "the young girls in front of their cats always see a brother .": "他们的猫前面的年轻女孩总是看到一个哥哥。",
}


@pytest.fixture(scope="module")
def corpus():
    return BilingualGrammar(seed=7, target="chinese").sample(3000)


def test_what_a_native_reader_has_passed():
    drawn = {p.pair.source: p.pair.target for p in BilingualGrammar(1, "chinese").sample(60, 4, 14)}
    assert {english: drawn[english] for english in READ} == READ


def test_the_english_is_that_of_the_french_grammar(corpus):
    assert [p.source for p in BilingualGrammar(7).sample(3000)] == [p.source for p in corpus]


def test_another_target_is_refused():
    with pytest.raises(ValueError, match=says("target must be one of french, chinese, got 'german'")):
        BilingualGrammar(0, "german")


def test_links_and_spelling(corpus):
    for pair in corpus:
        assert {i for i, _ in pair.alignment} == set(range(len(pair.source))), pair.pair
        assert {j for _, j in pair.alignment} == set(range(len(pair.target)))
        assert pair.sure <= pair.alignment
        assert sorted(j for _, j in pair.sure) == list(range(len(pair.target)))
        assert tokenise(pair.pair.target) == list(pair.target)
        assert pair.pair.target == "".join(pair.target)
        assert pair.target[-1] == "。" and "。" not in pair.target[:-1]


def test_words_are_all_used_and_few(corpus):
    text = "\n".join(pair.pair.target for pair in corpus)
    assert {noun.english[0] for noun in NOUNS} == CHINESE_NOUNS.keys()
    assert {adjective.english for adjective in ADJECTIVES} == CHINESE_ADJECTIVES.keys()
    assert all(noun.text in text and noun.measure in text for noun in CHINESE_NOUNS.values())
    assert all(a.before in text and a.alone in text for a in CHINESE_ADJECTIVES.values())
    assert 120 <= len(set(text)) <= 160


@pytest.mark.parametrize(
    "wrong",
    [
        "的的",
        "了的",  # a relative clause needs no 了
        "不看到",  # but 看不到
        "没[^，。的]*了",
        "不[^，。的]*看到了",
        "都都",
        "一一",
        "在在",
        "是是",
        "喜欢了",
        "[两三每](?:些|的)",
        "的时候[^，]",
        "，，",
        "^，",
    ],
)
def test_what_nobody_says(wrong, corpus):
    for pair in corpus:
        assert not re.search(wrong, re.sub("太[^，。]*了", "太", pair.pair.target)), pair.pair


def test_the_measure_word_is_the_nouns(corpus):
    """After a number, 这 and 每 stands the measure word of the noun that its sure link leads to."""
    measures = {form: CHINESE_NOUNS[noun.english[0]].measure for noun in NOUNS for form in noun.english}
    every = {noun.measure for noun in CHINESE_NOUNS.values()}
    seen = Counter()
    for pair in corpus:
        sure = {j: pair.source[i] for i, j in pair.sure}
        for j, character in enumerate(pair.target[:-1]):
            if character in "一两三每" and pair.target[j + 1] not in "些起":
                measure = pair.target[j + 1]
                assert measure in every and measures[sure[j + 1]] == measure, pair.pair
                seen[measure] += 1
    assert seen.keys() == every and min(seen.values()) > 25, seen


def test_what_hangs_on_a_noun_stands_before_it(corpus):
    """The 的 of *who* and *that* leads to its noun, and the whole relative clause stands to the left of it."""
    nouns = {form for noun in NOUNS for form in noun.english}
    seen = 0
    for pair in corpus:
        where = {i: j for j, i in sorted((j, i) for i, j in pair.sure)}  # the last token of each English word
        for i, word in enumerate(pair.source):
            if word in ("who", "that") and pair.source[i - 1] in nouns and where.get(i) is not None:
                assert pair.target[where[i]] == "的" and where[i] < where[i - 1], pair.pair
                seen += 1
    assert seen > 500


def test_places_stand_before_the_verb(corpus):
    """At the end of an English sentence without a noun before them: *sleeps near …* is 在…附近睡觉."""
    seen = 0
    for pair in corpus:
        match = re.search(r"\b(sleeps?|works?|comes?) (near|behind) \w+ \.$", pair.pair.source)
        if match and pair.source[-3] == match.group(2):
            where = dict(pair.sure)
            verb, place = len(pair.source) - 4, len(pair.source) - 3
            assert where[place] < where[verb], pair.pair
            seen += 1
    assert seen > 3


def test_negations_and_the_past(corpus):
    seen = Counter()
    for pair in corpus:
        for i, word in enumerate(pair.source):
            if word in ("not", "never"):
                linked = "".join(pair.target[j] for j in sorted(j for ii, j in pair.alignment if ii == i))
                assert re.search("[不没]", linked), pair.pair
                if pair.source[i - 1] == "did" and pair.source[i + 1] != "like":
                    assert linked == "没", pair.pair
                seen[linked] += 1
        for i, word in enumerate(pair.source[:-1]):
            if word == "the" and pair.source[i + 1] not in ("two", "three") and pair.source[i - 1] != "all":
                assert all((i, j) not in pair.sure for j in range(len(pair.target))), pair.pair
    assert {"没", "不", "从来不", "从来没"} <= seen.keys(), seen


def test_chinese_changes_the_order_more_than_french(corpus):
    """Pairs of target tokens whose sure English words stand the other way round."""

    def crossed(pairs):
        places = [[i for _, i in sorted((j, i) for i, j in pair.sure)] for pair in pairs]
        pairs_of = [(a, b) for row in places for n, a in enumerate(row) for b in row[n + 1 :]]
        return sum(a > b for a, b in pairs_of) / len(pairs_of)

    assert crossed(corpus) > 4 * crossed(BilingualGrammar(7).sample(3000))
