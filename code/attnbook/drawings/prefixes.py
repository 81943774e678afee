"""Drawings of prefixes that compete: where the likeliest word leads, and what a beam keeps."""

import heapq

from attnbook.drawings.sheet import PALE, Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, VIOLET

# What may follow a word, with its probability: the translator of three words.
FOLLOWS = {
    "<bos>": {"il": 0.6, "elle": 0.4},
    "il": {"dort": 0.35, "elle": 0.33, "<eos>": 0.32},
    "elle": {"dort": 0.9, "<eos>": 0.1},
    "dort": {"<eos>": 1.0},
}
BELOW = "under each word: its prefix's probability"


@drawing(
    "A tree of prefixes. The first word is il with 0.6 or elle with 0.4. After il come dort with 0.35, elle with 0.33 "
    "and the end with 0.32; after elle come dort with 0.9 and the end with 0.1. Bars show the products. Greedy "
    "decoding takes the likeliest word each time and arrives at il dort, 0.21. The likeliest of all is elle dort, "
    "0.36, whose first word was only second best. Dots mark where the sentence goes on; after dort it ends."
)
def where_greedy_loses(sheet: Sheet) -> None:
    """A tree in which the likeliest first word leads away from the likeliest sentence."""
    if sheet.narrow:
        columns, wide, high, bars, scale = (10, 75, 196), 58, 58, 234, 160
        heads = "1st word", "2nd word", "both together"
    else:
        columns, wide, high, bars, scale = (30, 178, 340), 64, 48, 546, 300
        heads = "first word", "second word", "probability of both"
    products = {(first, word): p * q for first, p in FOLLOWS["<bos>"].items() for word, q in FOLLOWS[first].items()}
    greedy = ["<bos>"]
    while len(greedy) < 3:
        greedy.append(max(FOLLOWS[greedy[-1]], key=FOLLOWS[greedy[-1]].get))
    likeliest = max(products, key=products.get)

    rows = {pair: 56 + high * number + (14 if pair[0] == "elle" else 0) for number, pair in enumerate(products)}
    for first in FOLLOWS["<bos>"]:
        ends = [y for pair, y in rows.items() if pair[0] == first]
        rows[first,] = sum(ends) / len(ends)
    rows[()] = (rows["il",] + rows["elle",]) / 2

    def color_of(*prefix: str) -> str | None:
        if prefix == tuple(greedy[1 : len(prefix) + 1]):
            return KEY
        return VIOLET if prefix == likeliest[: len(prefix)] else None

    for prefix, y in rows.items():
        if not prefix:
            sheet.dot(columns[0], y, 9)
            continue
        end, before = columns[len(prefix)] - wide / 2, rows[prefix[:-1]]
        start = columns[len(prefix) - 1] + (wide / 2 if prefix[:-1] else 9)
        middle, color = (start + end) / 2, color_of(*prefix)
        p = FOLLOWS[("<bos>", *prefix)[-2]][prefix[-1]]
        way = (start, before), (middle, before), (middle, y), (end, y)
        sheet.line(*way, color=color or PALE, width=1 + 7 * p, curved=True)
        away = (12 if sheet.narrow else 10) + 3.5 * p
        label = y - away if y <= before else y + away + 8
        sheet.text(end - ((16 if y == before else 19) if sheet.narrow else 22), label, f"{p}", size=13)
        look = {"color": color or GREY, "ink": INK, "line": 2.5 if color else 1.5}
        goes_on = prefix[-1] != "<eos>"
        sheet.box(end, y - 15, wide, 30, prefix[-1] + " …" * goes_on, size=14, **look)

    for x, words in zip((*columns[1:], bars), heads, strict=True):
        at = "middle" if x < bars else "start"
        aside = 14 if sheet.narrow and x == bars else 0  # not too near the head before it
        sheet.text(x + aside, 15, words, size=13, color=GREY, anchor=at)
    for pair, product in products.items():
        y, color, long = rows[pair], color_of(*pair), product * scale
        sheet.bar(bars, y - 9, long, 18, fill=color or PALE)
        number = f"{product:.3f}".rstrip("0")
        bold = bool(color)
        sheet.text(bars + long + 6, y + 5, number, anchor="start", size=14, bold=bold)
        if not sheet.narrow:
            sum_ = f"{FOLLOWS['<bos>'][pair[0]]} · {FOLLOWS[pair[0]][pair[1]]} ="
            sheet.text(bars - 9, y + 5, sum_, anchor="end", size=13, color=GREY)
    y = rows[tuple(greedy[1:])] + 25
    sheet.text(bars, y, "greedy's choice", anchor="start", size=13, color=KEY)
    y = rows[likeliest] + 25
    sheet.text(bars, y, "the likeliest", anchor="start", size=13, color=VIOLET)
    said, low = "… = the sentence goes on; after dort it ends", max(rows.values()) + 46
    sheet.text(columns[0] - 9, low, said, anchor="start", size=13, color=GREY)


def _branch(
    sheet: Sheet, start: tuple[float, float], end: tuple[float, float], wide: float, word: str, *, stays: bool
) -> None:
    """A prefix's last word, and the way to it from the prefix before."""
    middle = (start[0] + end[0]) / 2
    way = start, (middle, start[1]), (middle, end[1]), end
    sheet.line(*way, color=VIOLET if stays else PALE, width=2.5 if stays else 1.5, curved=True)
    look = {"color": VIOLET, "fill": shade(0.2), "line": 2.5} if stays else {"color": GREY, "dashed": True}
    goes_on = " …" * (word != "<eos>")
    sheet.box(end[0], end[1] - 15, wide, 30, word + goes_on, ink=INK if stays else GREY, size=14, **look)


@drawing(
    "A beam of two in the same tree, from left to right. Step 1 keeps both words, il 0.6 and elle 0.4. Step 2 "
    "continues both, which gives five prefixes; the two likeliest of all are kept, il dort 0.21 and elle dort 0.36, "
    "and the other three are dropped, dashed: il elle 0.198, il and the end 0.192, elle and the end 0.04. In step 3 "
    "the two that were kept end; elle dort, with 0.36, is the best."
)
def a_beam_keeps_two(sheet: Sheet) -> None:
    """Three steps of beam search: every prefix that was looked at, and which two stayed at each step."""
    columns, wide = ((74, 182, 290), 62) if sheet.narrow else ((170, 370, 570), 76)
    beams, rows, root = {(): 1.0}, {}, (10, 167) if sheet.narrow else (50, 167)
    happens = "step 1", "step 2: of all five, the two likeliest stay", "step 3: both end"
    if sheet.narrow:
        happens = "step 1", "2 of 5 stay", "both end"
    for step, x in enumerate(columns, 1):
        sheet.text(x, 15, happens[step - 1], size=13, color=GREY)
        found = {
            (*prefix, word): p * q
            for prefix, p in beams.items()
            for word, q in FOLLOWS[prefix[-1] if prefix else "<bos>"].items()
        }
        kept = sorted(found, key=found.get, reverse=True)[:2]
        if step == 1:
            rows |= {("il",): 100, ("elle",): 234, (): root[1]}
        elif step == 2:
            rows |= {prefix: 52 + 48 * n + 14 * (prefix[0] == "elle") for n, prefix in enumerate(found)}
        else:
            rows |= {prefix: rows[prefix[:-1]] for prefix in found}
        for prefix, p in found.items():
            y, stays = rows[prefix], prefix in kept
            start = columns[step - 2] + wide / 2 if step > 1 else root[0] + 9
            end, before = x - wide / 2, rows[prefix[:-1]]
            _branch(sheet, (start, before), (end, y), wide, prefix[-1], stays=stays)
            said = f"{p:.3f}".rstrip("0") + ": best" * (step == 3 and prefix == kept[0])
            sheet.text(x, y + 28, said, size=13, bold=stays, color=INK if stays else GREY)
        beams = {prefix: found[prefix] for prefix in kept}
    for line, key in enumerate((BELOW, "dashed: dropped")):
        sheet.text(root[0] - 9, 318 + 18 * line, key, anchor="start", size=13, color=GREY)
    sheet.dot(*root, 9)


@drawing(
    "The same tree, as an exact search reads it; under each word stands its prefix's probability. Circles give the "
    "order of reading: first the empty prefix, second il with 0.6, "
    "third elle with 0.4, fourth elle dort with 0.36. Its end, also 0.36, is then the likeliest of all prefixes, and "
    "the search stops. Four prefixes wait and are never read, dashed: il dort 0.21, il elle 0.198, il and the end "
    "0.192, elle and the end 0.04."
)
def a_search_reads_four(sheet: Sheet) -> None:
    """The order in which an exact search reads prefixes, until a finished sentence is the likeliest of all."""
    columns, wide = ((74, 182, 290), 62) if sheet.narrow else ((170, 370, 570), 76)
    high, top = 53, 58  # of a row
    il, elle = top + high, top + 3.5 * high + 14
    root = (12 if sheet.narrow else 50), (il + elle) / 2
    rows: dict[tuple[str, ...], float] = {(): root[1]}
    heap: list[tuple[float, tuple[str, ...]]] = [(-1.0, ())]
    order: list[tuple[str, ...]] = []
    chances = {}
    while not (order and order[-1][-1:] == ("<eos>",)):
        minus_p, prefix = heapq.heappop(heap)
        order.append(prefix)
        if prefix[-1:] != ("<eos>",):
            for word, q in FOLLOWS[prefix[-1] if prefix else "<bos>"].items():
                chances[*prefix, word] = -minus_p * q
                heapq.heappush(heap, (minus_p * q, (*prefix, word)))
    second = [prefix for prefix in chances if len(prefix) == 2]
    for number, prefix in enumerate(sorted(second, key=lambda one: one[0] == "elle")):
        rows[prefix] = top + high * number + 14 * (prefix[0] == "elle")
    rows |= {("il",): il, ("elle",): elle, order[-1]: rows[order[-1][:-1]]}

    for prefix, p in sorted(chances.items(), key=lambda one: len(one[0])):
        x, y, read = columns[len(prefix) - 1], rows[prefix], prefix in order
        start = columns[len(prefix) - 2] + wide / 2 if len(prefix) > 1 else root[0] + 11
        end, before = x - wide / 2, rows[prefix[:-1]]
        _branch(sheet, (start, before), (end, y), wide, prefix[-1], stays=read)
        said = f"{p:.3f}".rstrip("0") + ("" if read else " waits") + ": stop" * (prefix == order[-1])
        sheet.text(x, y + 28, said, size=13, bold=read, color=INK if read else GREY)
    numbers = ("1st", "2nd", "3rd") if sheet.narrow else ("first", "second", "third")
    for x, head in zip(columns, (f"{number} word" for number in numbers), strict=True):
        sheet.text(x, 15, head, size=13, color=GREY)
    for line, key in enumerate((BELOW, "circles: order of reading · dashed: never read")):
        sheet.text(root[0] - 11, top + 4 * high + 72 + 18 * line, key, anchor="start", size=13, color=GREY)
    sheet.dot(*root, 11, fill=shade(0.2), color=VIOLET)
    sheet.text(root[0], root[1] + 5, "1", size=13, bold=True)
    for number, prefix in enumerate(order[1:-1], 2):
        x, y = columns[len(prefix) - 1] - wide / 2, rows[prefix] - 15
        sheet.dot(x, y, 10, fill="#ffffff", color=VIOLET)
        sheet.text(x, y + 5, str(number), size=13, bold=True)
