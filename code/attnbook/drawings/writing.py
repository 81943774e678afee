"""Drawings of decoders: how they are trained, and how they choose what to write."""

import functools

import torch

from attnbook.drawings.sheet import Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET
from attnbook.text import BOS
from attnbook.translation import filter_logits, load_page_model, next_word_log_probs

SENTENCE = ("notre", "belle", "fleur", "blanche")


@drawing(
    "The target notre belle fleur blanche in two decoders that are being trained, so that all its words are known. "
    "Both read bos, notre, belle, fleur and predict notre, belle, fleur, blanche. The recurrent decoder has its four "
    "positions one after another, drawn as a staircase: each state waits for the one before. The Transformer's decoder "
    "has all four in one row: each is joined by lines to the words before it, and none waits for another. When it "
    "writes, they come one after another, too."
)
def four_steps_or_one(sheet: Sheet) -> None:
    """A known target in a recurrent decoder and in a Transformer's."""
    if sheet.narrow:
        sheet.text(sheet.width / 2, 15, "In training all words are known:", size=14)
        sheet.text(sheet.width / 2, 35, "grey is read, boxed is predicted.", size=14)
        _recurrent(sheet, 18, 76)
        _parallel(sheet, 18, 410)
    else:
        sheet.text(sheet.width / 2, 15, "In training all words of the target are known.", size=14)
        _recurrent(sheet, 50, 54)
        _parallel(sheet, 380, 54)


def _decoder(sheet: Sheet, left: float, top: float, title: str, stairs: int) -> None:
    """The words that are read, and below them those to be written."""
    sheet.text(left + 160, top, title, bold=True)
    for t, word in enumerate(SENTENCE):
        read = SENTENCE[t - 1] if t else "<bos>"
        sheet.text(left + 40 + 80 * t, top + 30, read, size=14, color=GREY)
        x, y = left + 6 + 80 * t, top + 90 + stairs * t
        sheet.box(x, y, 68, 30, word, color=INK, fill=shade(0.2), size=14)


def _recurrent(sheet: Sheet, left: float, top: float) -> None:
    _decoder(sheet, left, top, "recurrent decoder", 46)
    first, last = top + 90, top + 90 + 3 * 46
    if not sheet.narrow:
        sheet.text(2, top + 30, "read", anchor="start", size=13, color=GREY)
        sheet.text(2, first + 20, "predict", anchor="start", size=13)
    for t in range(4):
        x, y = left + 40 + 80 * t, first + 46 * t
        sheet.line((x, top + 38), (x, y - 3), color=GREY, width=1, arrow=True)
        if t:
            corner = (x - 80, y + 15)
            sheet.line((x - 80, y - 16), corner, (x - 37, y + 15), width=2, arrow=True)
            sheet.text(x - 80, y + 33, "state", size=13)
    sheet.line((left, first + 52), (left, last + 30), color=GREY, arrow=True)
    sheet.text(left + 7, last + 28, "time", anchor="start", size=13, color=GREY)
    sheet.text(left + 160, last + 60, "4 positions, each after the one before", size=14)


def _parallel(sheet: Sheet, left: float, top: float) -> None:
    _decoder(sheet, left, top, "Transformer decoder", 0)
    for t in range(4):
        for read in range(t + 1):
            above = left + 40 + 80 * read, top + 38
            below = left + 40 + 80 * t + 6 * (read - t), top + 88
            sheet.line(above, below, color=VIOLET, width=1.2)
    sheet.text(left + 160, top + 150, "4 positions at once: none waits for another", size=14)
    looks = "Each looks at the words before it."
    sheet.text(left + 160, top + 174, looks, size=14, color=VIOLET)
    sheet.text(left + 160, top + 198, "When it writes: one after another, too.", size=14, color=GREY)


@drawing(
    "Two rounds of speculative decoding. In each, a draft model writes four words, each from its probabilities q and "
    "read back in before the next; then one pass of the expensive model over the last word and these four gives its "
    "probabilities p at each place. Labels name the rows: the words read, those proposed to follow, with their p and "
    "q, and those written. Round 1, with an empty cache: after bos notre (p 0.7, q 0.6) stays with 100 %, after notre "
    "belle (0.4, 0.5) with 80 %, and both stay; after belle fille (0.2, 0.6), whose chance is 33 %, is rejected and "
    "replaced by fleur, drawn from max(0, p − q); est and the last two places, whose p are not used, are thrown away: "
    "3 words. An arrow leads from fleur to the beginning of round 2, which has bos notre belle in the cache; blanche "
    "(0.6, 0.4; 100 %), est (0.9, 0.8; 100 %), dans (0.3, 0.5; 60 %) and le (0.7, 0.7; 100 %) all stay, and jardin, "
    "drawn from the p after them, is for free: 5 words."
)
def two_rounds_of_drafts(sheet: Sheet) -> None:
    """What becomes of drafted words: one is rejected, or all of them stay."""
    again = "drawn from", "max(0, p − q)"
    rounds = (
        ("round 1: 3 words", "nothing", "<bos>", "notre belle fille est",
         (0.6, 0.5, 0.6, 0.5), (0.7, 0.4, 0.2), "fleur", again),
        ("round 2: 5 words", "<bos> notre belle", "fleur", "blanche est dans le",
         (0.4, 0.8, 0.5, 0.7), (0.6, 0.9, 0.3, 0.7), "jardin", ("for free:", "drawn from p")),
    )  # fmt: skip
    cell, cols = (62 if sheet.narrow else 60), range(5)
    half = cell / 2 - 2  # of a word's box
    for number, (title, cached, before, draft, q, p, last, said) in enumerate(rounds):
        left, top = (26, 36 + 348 * number) if sheet.narrow else (68 + 330 * number, 36)
        drafted, mid = draft.split(), [left + cell * (t + 0.5) for t in cols]
        kept = 2 if number == 0 else 4
        sheet.text(left + 2.5 * cell, top - 20, title, bold=True)
        sheet.text(left + 2.5 * cell, top, f"in the cache: {cached}", size=13, color=GREY)
        look = {"color": GREY, "fill": tint(GREY), "ink": INK, "size": 13}
        sheet.box(left + cell / 2 + 6, top + 14, 4.5 * cell - 6, 26, "draft model: q, one word at a time", **look)
        look = {"color": QUERY, "fill": tint(QUERY), "size": 13}
        sheet.box(left, top + 120, 5 * cell, 28, "one pass of the model: p at every place", **look)
        for t, word in enumerate((before, *drafted)):
            struck = t > kept
            if t:
                sheet.line((mid[t] - 12, top + 40), (mid[t] - 12, top + 65), color=GREY, arrow=True)
            if t < 4:
                sheet.line((mid[t] + 12, top + 68), (mid[t] + 12, top + 43), color=GREY, arrow=True)
            look = {"color": GREY, "ink": GREY if struck else INK, "dashed": struck, "size": 13}
            sheet.box(mid[t] - half, top + 68, 2 * half, 28, word, fill="none" if t else "#f0f0f0", **look)
            sheet.line((mid[t], top + 96), (mid[t], top + 117), color=GREY, arrow=True)
        for t in cols:
            y, used = top + 241, t <= kept
            sheet.line((mid[t], top + 148), (mid[t], top + 163), color=QUERY if used else GREY, arrow=True)
            if t < len(p):
                sheet.text(mid[t], top + 179, drafted[t], size=13)
                sheet.text(mid[t], top + 196, f"p = {p[t]}", size=13, color=QUERY)
                sheet.text(mid[t], top + 213, f"q = {q[t]}", size=13, color=GREY)
                chance = f"{min(1, p[t] / q[t]):.0%}".replace("%", " %")
                if t < kept:
                    sheet.text(mid[t], top + 231, chance, size=13)
                else:
                    sheet.text(mid[t] - 15, top + 231, f"{chance}: rejected", anchor="start", size=13)
            elif used:
                sheet.text(mid[t], top + 196, "p", size=13, color=QUERY)
            look = {"fill": shade(0.2)} if t < kept else {"color": QUERY, "ink": INK, "line": 2.5}
            if used:
                sheet.box(mid[t] - half, y, 2 * half, 28, (*drafted[:kept], last)[t], size=13, **look)
        if kept < 3:  # the model's places after the rejected word
            left_over = mid[kept + 1] - half, top + 241, (4 - kept) * cell - 4, 28
            sheet.box(*left_over, "thrown away", color=GREY, dashed=True, size=13)
            sheet.text((mid[kept + 1] + mid[4]) / 2, top + 196, "p not used", size=13, color=GREY)
        sheet.text(left + cell * kept / 2, top + 287, "kept", size=13)
        at = (mid[2] - 12, "start") if kept < 4 else (left + 5 * cell, "end")
        for line, words in enumerate(said):
            sheet.text(at[0], top + 287 + 17 * line, words, anchor=at[1], size=13, color=QUERY)
        for label, y, turned in (("read", 82, 82), ("proposed", 190, 198), ("written", 255, 258)):
            if sheet.narrow:
                sheet.text(left - 10, top + turned, label, turn=-90, size=13, color=GREY)
            elif number == 0:
                sheet.text(left - 6, top + y + 5, label, anchor="end", size=13, color=GREY)
    x, y = mid[2] - half + 10 - (0 if sheet.narrow else 330), 36 + 269
    way = (
        ((x, y), (x, y + 44), (40, y + 44), (40, 36 + 348 + 65))
        if sheet.narrow
        else ((x, y), (x, y + 46), (383, y + 46), (383, 118), (397, 118))
    )
    sheet.line(*way, color=QUERY, width=2, arrow=True)
    low = 36 + (348 if sheet.narrow else 0) + 335
    sheet.text(10, low, "min(1, p/q) in %: the chance that a word stays", anchor="start", size=13, color=GREY)


@drawing(
    "Three words, one stacked bar each: the draft's probabilities q are 0.1, 0.2 and 0.7, the expensive model's p are "
    "0.5, 0.3 and 0.2. What the two have in common, 0.1, 0.2 and 0.2, is filled: drafted and kept. The draft's excess "
    "of 0.5 at the third word is hatched: rejected. Two arrows lead from it, one to the gap of 0.4 at the first word "
    "and one to the gap of 0.1 at the second: there it is drawn again."
)
def rejected_words_fill_the_gaps(sheet: Sheet) -> None:
    """Two distributions over three words: what they share, and where the rest goes."""
    wanted = torch.tensor([0.5, 0.3, 0.2])
    drafted = torch.tensor([0.1, 0.2, 0.7])
    kept = torch.minimum(wanted, drafted)
    scale, low = 250, 212
    left, step, wide = (24, 106, 88) if sheet.narrow else (200, 150, 100)
    for word in range(3):
        x = left + step * word
        p, q, both = (row[word].item() for row in (wanted, drafted, kept))
        look = {"color": INK, "fill": shade(0.4), "radius": 0, "size": 13}
        said = f"{both:.1f} kept"
        sheet.box(x, low - both * scale, wide, both * scale, said, **look)
        high = abs(p - q) * scale
        top = low - both * scale - high
        if p > q:
            look = {"color": QUERY, "dashed": True, "radius": 0, "line": 2, "size": 13}
            sheet.box(x, top, wide, high, f"{p - q:.1f} missing", **look)
            sheet.text(x + wide / 2, top - 8, f"p = {p:.1f}", size=13, color=QUERY)
            end = left + 2 * step - 3, top + min(high, 46) / 2
            sheet.line(end, (x + wide + 3, end[1]), color=QUERY, width=2, arrow=True)
        else:
            sheet.hatch(x, top, wide, high)
            sheet.box(x, top, wide, high, color=GREY, radius=0)
            sheet.text(x + wide / 2, top - 8, f"{q - p:.1f} rejected", size=13)
        sheet.text(x + wide / 2, low + 20, f"word {word + 1}", size=14)
        rows = (68, 112) if sheet.narrow else (44, 66)
        for y, number, color in zip(rows, (q, p), (GREY, QUERY), strict=True):
            sheet.text(x + wide / 2, low + y, f"{number:.1f}", size=14, color=color)
    for number, (name, color) in enumerate((("draft q", GREY), ("model p", QUERY))):
        if sheet.narrow:
            sheet.text(4, low + 48 + 44 * number, f"{name}:", anchor="start", size=13, color=color)
        else:
            sheet.text(left - 20, low + 44 + 22 * number, name, anchor="end", size=14, color=color)


@functools.cache
def _first_words() -> tuple[list[str], dict[str, tuple[list[float], int]]]:
    """The likeliest first words of a translation, and under each filter their probabilities and how many are left."""
    translator = load_page_model("transformer")
    state = translator.model.start(*translator.encode(["tell me the truth ."]))
    with torch.no_grad():
        logits, _, _ = translator.model.step(torch.tensor([BOS]), state)
    log_probs = next_word_log_probs(logits, unknown=translator.model.writes_unknown)[0]
    first = log_probs.topk(6).indices
    filters: dict[str, dict] = {
        "as it is": {}, "temp. 0.5": {"temperature": 0.5}, "temp. 2": {"temperature": 2.0},
        "top-k 3": {"top_k": 3}, "top-p 0.9": {"top_p": 0.9},
    }  # fmt: skip
    found = {}
    for name, options in filters.items():
        left = filter_logits(log_probs, **options)
        found[name] = left.softmax(-1)[first].tolist(), int(left.isfinite().sum())
    return translator.target_vocab.tokens(first.tolist()), found


@drawing(
    "The first word of a translation of tell me the truth, unchanged and under temperature 0.5, temperature 2, top-k "
    "3 and top-p 0.9; for each a bar for the six likeliest words and one for all others together. As it is: dis-moi "
    "0.21, dites-moi 0.19, dites-lui 0.17, dis-lui 0.12, and "
    "0.21 for the others. Temperature 0.5: dis-moi 0.34, the others 0.01. Temperature 2: no word above 0.03, the "
    "others 0.84. Top-k 3: the first three words only. Top-p 0.9: 40 words are left, the others of them have 0.13."
)
def a_tail_and_five_filters(sheet: Sheet) -> None:
    """What temperature, top-k and top-p make of the first word's distribution."""
    words, found = _first_words()
    words = [*words, "all others"]
    said = "the first word for: Tell me the truth."
    said += "" if sheet.narrow else " (probabilities of the page's Transformer)"
    sheet.text(8, 16, said, anchor="start", size=14)
    if sheet.narrow:  # numbers above their bars, so that all five stand side by side; the third has the longest
        sheet.text(8, 36, "numbers and bars: probabilities", anchor="start", size=13, color=GREY)
        edge, head, scale, high, thick = 88, 86, 66, 36, 9
        lefts = 0, 50, 97, 164, 209
        sheet.text(edge - 8, head + 36 + high * len(words), "words left", anchor="end", size=13, color=GREY)
    else:
        edge, head, scale, high, thick = 92, 48, 105, 25, 17
        lefts = 0, 124, 248, 372, 496
    for row, word in enumerate(words):
        sheet.text(edge - 8, head + 28 + high * row, word, anchor="end", size=13)
    for number, (name, (probs, left)) in enumerate(found.items()):
        probs = [*probs, max(round(1 - sum(probs), 4), 0.0)]
        x, title = edge + lefts[number], [name]
        if sheet.narrow:
            title = name.split() if number else [name, ""]
        type_ = {"size": 13} if sheet.narrow else {"size": 14, "bold": True}
        for line, part in enumerate(reversed(title)):
            sheet.text(x, head - 18 * line, part, anchor="start", **type_)
        for row, p in enumerate(probs):
            top, long = head + 15 + high * row, max(p * scale, 1)
            said = f"{p:.2f}".lstrip("0") if p else "–"
            sheet.text(x + (3 if sheet.narrow else p * scale + 5), top + 13, said, anchor="start", size=13)
            top += 17 if sheet.narrow else 0
            if row == len(probs) - 1 and p > 0:
                sheet.hatch(x, top, long, thick)
            elif p > 0:
                sheet.bar(x, top, long, thick, fill=VIOLET)
        sheet.line((x, head + 12), (x, head + 15 + high * len(probs)), color=GREY, width=1)
        said, low = (f"{left}", x + 3) if sheet.narrow else (f"{left} words", x)
        sheet.text(low, head + 36 + high * len(probs), said, anchor="start", size=13, color=GREY)


@drawing(
    "The steps of a decoder that writes four words, one row per step. Without a cache step t computes the keys and "
    "values of all positions up to t again: 1, 2, 3 and 4 filled cells, 10 in all. With a cache each step computes "
    "one new position, 4 in all, and reads the others, in dashed frames, from the cache."
)
def what_a_cache_saves(sheet: Sheet) -> None:
    """Which positions a decoder computes at each step, without a cache and with one."""
    words, cell, high = ("<bos>", *SENTENCE), 66, 32
    for number, name in enumerate(("without a cache", "with a cache")):
        if sheet.narrow:
            left, top = 64, 18 + 222 * number
        else:
            left, top = 64 + 364 * number, 18
        sheet.text(left + 2 * cell, top, name, bold=True)
        at = {"anchor": "end", "size": 13, "color": GREY}
        for t in range(4):
            y = top + 18 + high * t
            sheet.text(left - 10, y + 21, f"step {t + 1}", **at)
            for j in range(t + 1):
                if number and j < t:
                    look = {"color": GREY, "dashed": True, "line": 1}
                else:
                    look = {"color": INK, "fill": shade(0.4)}
                x = left + cell * j + 1
                look |= {"radius": 0, "size": 13}
                sheet.box(x, y + 1, cell - 2, high - 2, words[j], **look)
        every = sum(range(1, 5))
        said = f"1 + 2 + 3 + 4 = {every} positions computed"
        if number:
            said = f"4 positions computed, {every - 4} read"
        sheet.text(left + 2 * cell - 24, top + 18 + 4 * high + 24, said, size=14)
    key = ("filled: keys and values computed now", "dashed: read from the cache")
    for line, said in enumerate(key if sheet.narrow else (" · ".join(key),)):
        sheet.text(sheet.width / 2, (436 if sheet.narrow else 216) + 20 * line, said, size=13, color=GREY)


@drawing(
    "Three tables of which words a decoder reads, across, while it is to write notre, belle, fleur and blanche, down. "
    "Shifted and masked: each row reads the words before its own, and its answer, one column to the right, is hatched; "
    "that of the last row has no column. Shifted, without the mask: three of the four rows can read their own answer, "
    "which is framed. Masked, without the shift: each row reads its own answer, on the diagonal."
)
def two_guards_of_the_answer(sheet: Sheet) -> None:
    """What a decoder reads with the shift and the causal mask, and without one of them."""
    cases = (
        ("shift and mask", 1, True, "no row reads its answer", "answer hidden"),
        ("no mask", 1, False, "!  reads its own answer", "!  answer read"),
        ("no shift", 0, True, "!  reads its own answer", "!  answer read"),
    )
    for number, (title, shift, masked, long, short) in enumerate(cases):
        if sheet.narrow:
            cell, left, top = 31, 66 + 146 * (number % 2), 18 + 280 * (number // 2)
            said = short
        else:
            cell, left, top = 40, 88 + 216 * number, 18
            said = long
        table, named = top + 92, number == 0 or sheet.narrow and number == 2
        sheet.text(left + 2 * cell, top, title, bold=True, size=14)
        if named:
            at = {"anchor": "end", "size": 13, "color": GREY}
            sheet.text(left - 8, table - 27, "reads →", **at)
            sheet.text(left - 8, table - 9, "writes ↓", **at)
        for t, word in enumerate(SENTENCE):
            x, y = left + cell * (t + 0.5) + 5, table + cell * t
            read = ("<bos>", *SENTENCE)[t + 1 - shift]
            look = {"anchor": "start", "turn": -90, "color": GREY}
            sheet.text(x, table - 8, read, size=14, **look)
            if named:
                at = left - 8, y + cell / 2 + 5
                sheet.text(*at, word, anchor="end", size=14)
            for j in range(4):
                x, hidden = left + cell * j, masked and j > t
                if hidden:
                    sheet.hatch(x, y, cell, cell)
                fill = "none" if hidden else shade(0.25)
                look = {"color": GREY, "fill": fill, "radius": 0, "line": 1}
                sheet.box(x, y, cell, cell, **look)
                if j == t + shift and not hidden:
                    look = {"color": KEY, "line": 3, "radius": 3, "bold": True}
                    sheet.box(x + 3, y + 3, cell - 6, cell - 6, "!", **look)
        color = KEY if said.startswith("!") else INK
        at = left + 2 * cell, table + 4 * cell + 24
        sheet.text(*at, said, size=14, color=color)
    lines = ("hatched:", "hidden by", "the mask") if sheet.narrow else ("hatched: hidden by the mask",)
    x, y = (222, 452) if sheet.narrow else (88, 320)
    for number, line in enumerate(lines):
        sheet.text(x, y + 20 * number, line, anchor="start", size=14, color=GREY)
