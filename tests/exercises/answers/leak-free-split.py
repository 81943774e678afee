"""Answers to leak-free-split, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import itertools
import re

import torch


def clean(text):
    return text.lower().rstrip(" .!?")


# === right
def split_with_list(sources, every):
    seen = []
    out = []
    for i, s in enumerate(sources):
        s = clean(s)
        if s not in seen:
            seen.append(s)
        if seen.index(s) % every == 0:
            out.append(i)
    return out


# === right
def split_with_dict_fromkeys(sources, every):
    keys = [clean(s) for s in sources]
    chosen = set(list(dict.fromkeys(keys))[::every])
    return [i for i, key in enumerate(keys) if key in chosen]


# === right
def split_with_regex(sources, every):
    keys = [re.sub(r"[ .!?]+$", "", s.lower()) for s in sources]
    number = {}
    for key in keys:
        if key not in number:
            number[key] = len(number)
    return [i for i in range(len(keys)) if number[keys[i]] % every == 0]


# === right
def split_with_groups(sources, every):
    groups = {}
    for i, s in enumerate(sources):
        groups.setdefault(clean(s), []).append(i)
    test = []
    for number, members in enumerate(groups.values()):
        if number % every == 0:
            test += members
    return sorted(test)


# === right
def split_with_while(sources, every):
    keys = []
    for s in sources:
        s = s.lower()
        while s and s[-1] in " .!?":
            s = s[:-1]
        keys.append(s)
    order = sorted(set(keys), key=keys.index)
    test_sentences = order[0 : len(order) : every]
    return [i for i, k in enumerate(keys) if k in test_sentences]


# === wrong casefolded
def split_by_counting(sources, every):
    number, count = {}, 0
    test = []
    for i in range(len(sources)):
        k = sources[i].casefold().rstrip(". !?")
        if k not in number:
            number[k] = count
            count = count + 1
        if not number[k] % every:
            test.append(i)
    return test


# === right
def split_by_counting_lowered(sources, every):
    number, count = {}, 0
    test = []
    for i in range(len(sources)):
        k = sources[i].lower().rstrip(". !?")
        if k not in number:
            number[k] = count
            count = count + 1
        if not number[k] % every:
            test.append(i)
    return test


# === wrong split-by-pair
def every_nth_pair(sources, every):
    return list(range(0, len(sources), every))


# === wrong split-by-pair
def every_nth_pair_with_loop(sources, every):
    test = []
    for i, source in enumerate(sources):
        if i % every == 0:
            test.append(i)
    return test


# === wrong one-block
def first_part(sources, every):
    size = len(sources) // every
    return [i for i in range(size)]


# === wrong first-translation-only
def new_ones_only(sources, every):
    seen, test = [], []
    for i, s in enumerate(sources):
        s = clean(s)
        if s in seen:
            continue
        if len(seen) % every == 0:
            test.append(i)
        seen.append(s)
    return test


# === wrong first-translation-only
def by_index_of_first(sources, every):
    keys = [clean(s) for s in sources]
    distinct = list(dict.fromkeys(keys))
    return [keys.index(k) for k in distinct[::every]]


# === wrong capitals-differ
def no_lower(sources, every):
    keys = [s.rstrip(" .!?") for s in sources]
    distinct = list(dict.fromkeys(keys))[::every]
    return [i for i, k in enumerate(keys) if k in distinct]


# === wrong marks-differ
def lower_and_strip_only(sources, every):
    keys = [s.lower().strip() for s in sources]
    distinct = list(dict.fromkeys(keys))[::every]
    return [i for i, k in enumerate(keys) if k in distinct]


# === wrong as-typed
def as_typed(sources, every):
    distinct = list(dict.fromkeys(sources))[::every]
    return [i for i, k in enumerate(sources) if k in distinct]


# === wrong full-stop-only
def only_dots(sources, every):
    keys = [s.lower().rstrip(" .") for s in sources]
    distinct = list(dict.fromkeys(keys))[::every]
    return [i for i, k in enumerate(keys) if k in distinct]


# === wrong space-before-the-mark
def marks_without_space(sources, every):
    keys = [s.lower().rstrip(".!?") for s in sources]
    distinct = list(dict.fromkeys(keys))[::every]
    return [i for i, k in enumerate(keys) if k in distinct]


# === wrong space-before-the-mark
def last_char_off(sources, every):
    keys = [s.lower()[:-1] if s[-1:] in ".!?" else s.lower() for s in sources]
    numbers = {}
    return [i for i, k in enumerate(keys) if numbers.setdefault(k, len(numbers)) % every == 0]


# === wrong letters-only
def letters_only(sources, every):
    keys = ["".join(c for c in s.lower() if c.isalpha() or c == " ").strip() for s in sources]
    numbers = {}
    return [i for i, k in enumerate(keys) if numbers.setdefault(k, len(numbers)) % every == 0]


# === wrong letters-only
def no_punctuation(sources, every):
    keys = [re.sub(r"[^\w\s]", "", s).lower().strip() for s in sources]
    distinct = list(dict.fromkeys(keys))[::every]
    return [i for i, k in enumerate(keys) if k in distinct]


# === wrong the-training-set
def gives_train(sources, every):
    keys = [clean(s) for s in sources]
    held_out = list(dict.fromkeys(keys))[::every]
    return [i for i, k in enumerate(keys) if k not in held_out]


# === wrong counted-from-one
def from_one(sources, every):
    numbers, test = {}, []
    for i, s in enumerate(sources):
        s = clean(s)
        if s not in numbers:
            numbers[s] = len(numbers) + 1
        if numbers[s] % every == 0:
            test.append(i)
    return test


# === wrong off-by-one
def slice_from_one(sources, every):
    keys = [clean(s) for s in sources]
    distinct = list(dict.fromkeys(keys))[1::every]
    return [i for i, k in enumerate(keys) if k in distinct]


# === wrong neighbours-only
def with_groupby(sources, every):
    test = []
    groups = itertools.groupby(enumerate(sources), key=lambda p: clean(p[1]))
    for n, (_, group) in enumerate(groups):
        if n % every == 0:
            test += [i for i, _ in group]
    return test


# === wrong alphabetical
def with_sorted_set(sources, every):
    keys = [clean(s) for s in sources]
    held_out = sorted(set(keys))[::every]
    return [i for i, k in enumerate(keys) if k in held_out]


# === wrong numbered-by-place
def number_is_first_place(sources, every):
    keys = [clean(s) for s in sources]
    return [i for i, k in enumerate(keys) if keys.index(k) % every == 0]


# === wrong sentence-numbers
def appends_number(sources, every):
    numbers, test = {}, []
    for s in sources:
        n = numbers.setdefault(clean(s), len(numbers))
        if n % every == 0:
            test.append(n)
    return test


# === wrong returns-another-kind
def gives_sentences(sources, every):
    keys = [clean(s) for s in sources]
    held_out = list(dict.fromkeys(keys))[::every]
    return [s for s, k in zip(sources, keys) if k in held_out]


# === wrong returns-a-tuple
def gives_both_parts(sources, every):
    keys = [clean(s) for s in sources]
    held_out = list(dict.fromkeys(keys))[::every]
    train = [i for i, k in enumerate(keys) if k not in held_out]
    test = [i for i, k in enumerate(keys) if k in held_out]
    return train, test


# === wrong a-tensor
def gives_tensor(sources, every):
    keys = [clean(s) for s in sources]
    held_out = list(dict.fromkeys(keys))[::every]
    return torch.tensor([i for i, k in enumerate(keys) if k in held_out]).long()


# === wrong writes-into-argument
def cleans_in_place(sources, every):
    for i in range(len(sources)):
        sources[i] = clean(sources[i])
    held_out = list(dict.fromkeys(sources))[::every]
    return [i for i, k in enumerate(sources) if k in held_out]


# === wrong not-repeatable
def drawn_at_random(sources, every):
    distinct = list(dict.fromkeys(clean(s) for s in sources))
    size = -(-len(distinct) // every)
    chosen = {distinct[i] for i in torch.randperm(len(distinct))[:size]}
    return [i for i, s in enumerate(sources) if clean(s) in chosen]


# === wrong strips-the-beginning
def leak_free_split_strips_both_unseen_1(sources, every):
    seen = {}
    return [i for i, s in enumerate(sources) if seen.setdefault(s.lower().strip(".!? "), len(seen)) % every == 0]


# === wrong always-the-same
def leak_free_split_empty_unseen_3(sources, every):
    return []


# === wrong marks-anywhere
def leak_free_split_replaces_everywhere_unseen_5(sources, every):
    seen = {}
    out = []
    for i, s in enumerate(sources):
        for c in ".!? ":
            s = s.replace(c, "")
        if seen.setdefault(s.lower(), len(seen)) % every == 0:
            out.append(i)
    return out


# === wrong one-mark-after-another
def leak_free_split_once_each_unseen_6(sources, every):
    out = []
    for c in ".!? ":
        sources = [s.lower().rstrip(c) for s in sources]
    seen = {}
    return [i for i, s in enumerate(sources) if seen.setdefault(s, len(seen)) % every == 0]


# === wrong tested-by-place
def split_by_places_then_by_sentences(sources, every):
    keys = [s.lower().rstrip(".!? ") for s in sources]
    test = {k for i, k in enumerate(keys) if i % every == 0}
    return [i for i, k in enumerate(keys) if k in test]


# === wrong letters-only
def fresh_strip_all(sources, every):
    import re

    seen = {}
    return [
        i
        for i, s in enumerate(sources)
        if seen.setdefault(re.sub(r"[^\w ]", "", s.lower()).strip(), len(seen)) % every == 0
    ]


# === wrong all-white-space
def fresh_rstrip_ws(sources, every):
    import re

    seen = {}
    return [
        i for i, s in enumerate(sources) if seen.setdefault(re.sub(r"[.!?\s]+$", "", s.lower()), len(seen)) % every == 0
    ]


# === right
def fresh_while(sources, every):
    seen, out = [], []
    for i, s in enumerate(sources):
        s = s.lower()
        while s and s[-1] in ".!? ":
            s = s[:-1]
        if s not in seen:
            seen.append(s)
        if seen.index(s) % every == 0:
            out.append(i)
    return out


# === wrong casefolded
def blind_b8(sources, every):
    keys = [s.casefold().rstrip(".!? ") for s in sources]
    test = set(list(dict.fromkeys(keys))[::every])
    return [i for i, k in enumerate(keys) if k in test]
