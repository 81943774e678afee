"""Exercise leak-free-split: no sentence may be both trained on and tested on."""

import string  # noqa: F401  (some of the mistakes use it)

from ..answers import WholeNumbers
from ..arguments import Listed
from ..exercise import Exercise, Mistake


def my_test_pairs(sources, every):
    """Choose the pairs of the test set so that no sentence is on both sides.

    sources: the English sentence of each pair, as typed
    every: the sentences with the numbers 0, every, 2 every, … are tested on
    → list of the indices of the test pairs, ascending
    """
    numbers, test = {}, []
    for place, source in enumerate(sources):
        sentence = source.lower().rstrip(" .!?")
        number = numbers.setdefault(sentence, len(numbers))
        if number % every == 0:
            test.append(place)
    return test


def pairs(*sources: str, every: int = 2):
    """What makes a call's arguments."""
    return lambda: (Listed(sources, lambda lines: ["Listen!", *lines]), every)


example = pairs("Go.", "I lost.", "go !", "Come in.", "I lost.")
question = pairs("Go.", "Go?", "I lost.", every=2)
spaced = pairs("Go !", "I lost.", "Go!", every=2)
three = pairs("Go.", "I lost.", "Come in.", "He ran.", every=3)
translations = pairs("Are you calm?", "Are you calm?", "Go.")
late = pairs("We're late.", "Were late.", "Go.")
apart = pairs("Go.", "I lost.", "Go.")
leading = pairs("Go.", "... go.", "I lost.")
inside = pairs("Oh! No.", "Oh no.", "Go.")
comma = pairs("Go.", "Go,", "I lost.")
no_comma = pairs("Well, yes.", "Well yes.", "Go.")
tab = pairs("Go.", "Go\t", "I lost.")
sharp = pairs("Strasse.", "Straße.", "I lost.")
mixed = pairs("Go ?!. ?!.", "Go.", "I lost.")

# fmt: off
PROBES = (
    example, question, spaced, three, translations, late, apart, no_comma,
    pairs("Go.", "Go!", "Go on!", "GO ON.", "I'm home.", "I'm home!", "Is he calm?", "He is calm.", "he is calm", "Go",
          "Im home.", "I won.", every=3),
    pairs("You ran.", "He ran.", "you ran!", "I ran.", "We ran.", "he ran", "WE RAN.", "You ran?", "I ran.", every=4),
    pairs("Wait!", "Zip it.", "Ask him.", "wait", "Ask him!", "Call me.", "Be fair.", "zip it", "Ask me.", every=2),
)
EDGES = (
    leading, inside, mixed, comma, tab, sharp, pairs(every=3), pairs("Go."), pairs("Go.", "go!", "I won.", every=1),
    pairs("A", "b", "a!", "B", every=5),
)


def one_block(sources, every):
    return list(range(len(sources) // every))


def by_neighbours(sources, every):
    """A new number wherever the sentence differs from the one before."""
    number, before, test = -1, None, []
    for place, source in enumerate(sources):
        sentence = source.lower().rstrip(" .!?")
        number += sentence != before
        before = sentence
        if number % every == 0:
            test.append(place)
    return test


TYPED = ("Go", "go", "GO", "Go on", "No. 5", "no 5", "Well, yes", "Well yes", "I'm", "Im", "Été", "été", "-go", "a\tb")
ENDS = "", ".", "!", "?", " .", " ?! ", "...", ",", "\t", "…", ";", "\n"


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    words = pick.some(*TYPED, most=12)
    ends = pick.some(*ENDS, least=len(words), most=len(words))
    return pairs(*map(str.__add__, words, ends), every=pick.of(1, 2, 3))()


# edits that are used several times
KEY, NUMBER = 'source.lower().rstrip(" .!?")', "numbers.setdefault(sentence, len(numbers))"
CHOSEN, PLACE = "number % every == 0", "test.append(place)"
BOTH = "Your test pairs are {got}; the right ones are {expected}."
SAME = "Which of the sentences in the example does the task call one and the same?"
FIRST = "Which number does the first sentence have, and is it divisible by `every`?"

MISTAKES = (
    Mistake("split-by-pair", (NUMBER, "place"),
        "pairs are chosen, not sentences. Pair 2 is tested on, or trained on, regardless of pair 0, which has the "
        "same English: the model meets in training what it is tested on. " + BOTH,
        "Which pairs must go wherever pair 0 goes?"),
    Mistake("tested-by-place", (CHOSEN,
        "any(i % every == 0 and s.lower().rstrip(' .!?') == sentence for i, s in enumerate(sources))"),
        "a sentence is tested if one of its *pairs* has an index divisible by `every`. What counts is the number of "
        "the sentence. " + BOTH, "Which number does *Come in* have?"),
    Mistake("one-block", one_block,
        "the first pairs of the list make the test set. " + BOTH,
        "How many different sentences are there, and which of them are to be tested on?"),
    Mistake("first-translation-only",
        (CHOSEN, "number % every == 0 and sentence not in [s.lower().rstrip(' .!?') for s in sources[:place]]"),
        "only the first pair of a sentence goes to the test set; its other translations stay in the training set. "
        + BOTH,
        "Where do the other translations of a tested sentence go?"),
    Mistake("as-typed", (KEY, "source"),
        "sentences are compared as they are typed: *Go.* and *go !* count as two. " + BOTH,
        "In how many ways can one sentence be typed?"),
    Mistake("capitals-differ", (KEY, 'source.rstrip(" .!?")'),
        "capitals tell two sentences apart, such as *Go* and *go*. " + BOTH,
        "What should be done to a sentence before it is compared?"),
    Mistake("casefolded", (KEY, 'source.casefold().rstrip(" .!?")'),
        "`casefold` is used for lower-casing. It does more: *Straße* and *Strasse* count as one sentence. " + BOTH,
        "Which method changes capitals and nothing else?", sharp),
    Mistake("marks-differ", (KEY, "source.lower()"),
        "the mark at the end tells two sentences apart, such as *go.* and *go !*. " + BOTH, SAME),
    Mistake("full-stop-only", (KEY, 'source.lower().rstrip(" .")'),
        "only full stops are taken off, so that *Go.* and *Go?* count as two sentences. " + BOTH,
        "Which three marks does the task name?", question),
    Mistake("space-before-the-mark", (KEY, 'source.lower().rstrip(".!?")'),
        "the space before a mark stays, so that *Go !* and *Go.* count as two sentences. " + BOTH,
        "What is left of `go !` when the mark is gone?"),
    Mistake("strips-the-beginning", (KEY, 'source.lower().strip(" .!?")'),
        "marks are taken off the beginning as well, so that *... go* and *go* count as one sentence. " + BOTH,
        "At which end of a sentence are the marks to be removed?", leading),
    Mistake("marks-anywhere", (KEY, '"".join(c for c in source.lower() if c not in " .!?")'),
        "marks and spaces are taken out wherever they are, so that *Oh! No* and *Oh no* count as one sentence. " + BOTH,
        "Where in a sentence are the marks to be removed?", inside),
    Mistake("one-mark-after-another", (KEY, 'source.lower().rstrip(".").rstrip("!").rstrip("?").rstrip()'),
        "the four characters are taken off one after the other, each once, so that *Go ?!. ?!.* keeps some. " + BOTH,
        "Which method takes off all the characters of a set, in whatever order they come?", mixed,
        also=((KEY, 'source.lower().rstrip(".").rstrip("!").rstrip("?").rstrip(" ")'),)),
    Mistake("apostrophe-gone", (KEY, 'source.lower().replace("\'", "").rstrip(" .!?")'),
        "apostrophes are taken out too, so that *We're late* and *Were late* count as one sentence. " + BOTH,
        "Where in a sentence are marks to be ignored, and which?", late),
    Mistake("letters-only", (KEY, '"".join(filter(str.isalnum, source.lower()))'),
        "only letters and digits are kept, so that *Well, yes* and *Well yes* count as one sentence. " + BOTH,
        "Where in a sentence are marks to be removed, and which?", no_comma,
        also=((KEY, '"".join(c for c in source.lower() if c.isalnum() or c == " ").strip()'),)),
    Mistake("other-marks", (KEY, "source.lower().rstrip(string.punctuation + ' ')"),
        "marks that the task does not name are taken off the end too, so that *Go,* and *Go* count as one sentence. "
        + BOTH, "Which four characters does the task name?", comma,
        also=((KEY, "source.lower().rstrip(string.punctuation + string.whitespace)"),
              (KEY, "source.lower().strip().rstrip(string.punctuation + ' ')"))),
    Mistake("all-white-space", (KEY, "source.lower().rstrip('.!?' + string.whitespace)"),
        "tabs and line breaks are taken off the end as well. The task names a single white character, the space. "
        + BOTH, "What do `strip` without arguments, `split` and `\\s` take for white space?", tab,
        also=((KEY, "source.lower().strip().rstrip(' .!?')"), (KEY, "source.lower().rstrip().rstrip(' .!?')"))),
    Mistake("the-training-set", (CHOSEN, "number % every != 0"),
        "you return the training set. " + BOTH, "Which of the two parts is asked for?"),
    Mistake("counted-from-one", (CHOSEN, "(number + 1) % every == 0"),
        "the first sentence has the number 1. The task counts from 0. " + BOTH, FIRST),
    Mistake("off-by-one", (CHOSEN, "number % every == 1"),
        "the sentences whose number leaves a remainder of 1 are taken. " + BOTH, FIRST, three),
    Mistake("neighbours-only", by_neighbours,
        "a sentence is compared with the one just before it. When it comes again later, it gets a new number, and "
        "perhaps another side. " + BOTH, "How can you look up a sentence seen long ago?"),
    Mistake("alphabetical", (NUMBER, "sorted({s.lower().rstrip(' .!?') for s in sources}).index(sentence)"),
        "the sentences are numbered in the order of the alphabet. The task numbers them as they appear. " + BOTH,
        "Which sentence of the example has the number 1?"),
    Mistake("numbered-by-place", (NUMBER, "numbers.setdefault(sentence, place)"),
        "a sentence's number is the index of its first pair. Numbers are then left out after every repetition. " + BOTH,
        "How many different sentences come before *Come in*?"),
    Mistake("sentence-numbers", (PLACE, "test.append(number)"),
        "you return the sentences' numbers, not the indices of their pairs. " + BOTH,
        "How will you find the French of these pairs?"),
)

EXERCISE = Exercise(
    name="leak-free-split", title="A split that does not leak", chapter=11, solution=my_test_pairs,
    shapes={"sources": "a list", "every": "a number"}, returns="N", answer=WholeNumbers(), example=example,
    probes=lambda: [make() for make in PROBES], edges=lambda: [make() for make in EDGES], mistakes=MISTAKES,
    steps={"numbers": "the sentences and their numbers"},
    space=space,
    hints=(
        "In the example, which of the five pairs must not be separated?",
        "Give every *sentence* a number, and let all its pairs follow that number. A dictionary from the "
        "sentence to its number remembers what has been seen; compare sentences in one spelling.",
        "`lower` and `rstrip` bring a sentence into one spelling (`rstrip` takes several characters at once). "
        "`setdefault` looks a key up and enters it if it is new; how large is the dictionary at that moment?",
    ),
    why="Most other data sets are split by shuffling the pairs and cutting. The code runs, and the scores are good, "
    "better even. That is the trouble: a sentence with five translations is in the training set "
    "with four of them when the fifth is tested, and the test measures memory.",
)
