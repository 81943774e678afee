"""Drawings of memories of fixed size: a sum of outer products, the delta rule."""

import torch

from attnbook.attention import parallel_memory, recurrent_memory
from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, QUERY, VALUE, VIOLET

# Three measurements, and three prices in a tea room.
KEYS, VALUES = torch.tensor([0.0, 1.0, 3.0]), torch.tensor([1.0, 2.0, 4.0])
TEA_KEYS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
PRICES = torch.tensor([[10.0], [20.0], [50.0]])


@drawing(
    "Two ways to remember the values 1, 2, 4 at the keys 0, 1, 3, after one, two and three pairs and after a million. "
    "Attention keeps every pair, so its list grows from one pair to a million. Linear attention adds each pair to a "
    "matrix of four sums, of the values, values times keys, ones and keys: 1, 0, 1, 0, then 3, 2, 2, 1, then 7, 14, 3, "
    "4. It has four numbers at the end, too. The newest pair is grey. After three pairs both answer 3 at the query 1, "
    "with the kernel 1 + qk."
)
def a_list_or_a_matrix(sheet: Sheet) -> None:
    """A growing list of pairs, and a matrix of fixed size that takes each of them."""
    features = torch.stack([torch.ones(3), KEYS], dim=1)
    written = torch.stack([VALUES, torch.ones(3)], dim=1)
    sums = (written[:, :, None] * features[:, None]).cumsum(0)  # of outer products
    answer = sums[-1] @ torch.tensor([1.0, 1.0])
    from_sums = (answer[0] / answer[1]).item()
    kernel = 1 + KEYS
    from_list = (kernel @ VALUES / kernel.sum()).item()
    assert from_list == from_sums

    if sheet.narrow:
        columns, wide, high, upper, lower = (2, 90, 178, 268), 32, 27, 82, 262
        sheet.text(2, 16, "attention keeps every pair", anchor="start", bold=True)
        said = "one matrix takes every pair"
        sheet.text(2, lower - 26, said, anchor="start", bold=True)
    else:
        columns, wide, high, upper, lower = (176, 312, 448, 606), 38, 28, 62, 204
        for y, lines in (
            (upper, ("attention", "keeps every pair")),
            (lower, ("linear attention", "adds each pair", "to one matrix")),
        ):
            for number, line in enumerate(lines):
                at = {"anchor": "start", "bold": not number, "size": 14}
                sheet.text(2, y + 18 + 20 * number, line, **at)
    million = "a million" if sheet.narrow else "a million pairs"
    times = ("1 pair", "2 pairs", "3 pairs", million)
    for x, time in zip(columns, times, strict=True):
        sheet.text(x + wide, upper - 42, time, size=13, color=GREY)
        sheet.text(x + wide / 2, upper - 8, "key", size=13, color=KEY)
        sheet.text(x + 1.5 * wide, upper - 8, "value", size=13, color=VALUE)

    for number, x in enumerate(columns[:3]):
        for j in range(number + 1):
            y, new = upper + high * j, j == number
            _cell(sheet, x, y, wide, high, f"{KEYS[j]:.0f}", KEY, new)
            _cell(sheet, x + wide, y, wide, high, f"{VALUES[j]:.0f}", VALUE, new)
        y, middle = upper + high * (number + 1) + 6, x + wide
        if not sheet.narrow:
            sheet.line((middle, y), (middle, lower - 5), color=GREY, arrow=True)
        _matrix(sheet, x, lower, wide, high, sums[number].int().tolist())
        y = lower + high
        if number:
            start = columns[number - 1] + 2 * wide + 3
            sheet.line((start, y), (x - 3, y), color=GREY, arrow=True)
    x = columns[3]
    for j in range(3 * high // 6):
        y = upper + 6 * j
        sheet.box(x, y, wide, 6, color=KEY, radius=0, line=1)
        sheet.box(x + wide, y, wide, 6, color=VALUE, radius=0, line=1)
    for j in range(3):
        sheet.dot(x + wide, upper + 3 * high + 10 + 8 * j, 1.8, fill=GREY)
    _matrix(sheet, x, lower, wide, high, (("Σv", "Σvk"), ("Σ1", "Σk")))
    start = columns[2] + 2 * wide + 3
    middle = (start + x) / 2 - 2
    for j in (-1, 0, 1):
        sheet.dot(middle + 7 * j, lower + high, 1.8, fill=GREY)
    at = columns[0], lower + 2 * high + 28
    sheet.text(*at, f"At the query 1 both answer {from_list:.0f}.", anchor="start", size=14)
    sheet.text(
        at[0], at[1] + 20, "(sums for the kernel 1 + qk; grey: the newest pair)", anchor="start", size=13, color=GREY
    )
    at = x + wide, lower + 2 * high + 28
    said = "four sums" if sheet.narrow else "still four sums"
    sheet.text(*at, said, size=14, color=VIOLET)


def _matrix(sheet: Sheet, x: float, y: float, wide: float, high: float, rows) -> None:
    for i, row in enumerate(rows):
        for j, number in enumerate(row):
            at = x + j * wide, y + i * high
            _cell(sheet, *at, wide, high, str(number), VIOLET)


def _cell(sheet, x, y, wide, high, words, color, new=False) -> None:
    fill = "#f0f0f0" if new else "none"
    sheet.box(x, y, wide, high, words, color=color, ink=INK, fill=fill, radius=0)


@drawing(
    "A tea room: tea has the key (1, 0) and costs 10, cake has (0, 1) and costs 20, afternoon tea has (0.6, 0.8), "
    "which overlaps with both, and costs 50. First the keys as arrows; then what a plain sum of the pairs answers: 40, "
    "60 and 72, all too high by what the other keys have written, which is hatched; last, the delta rule, which writes "
    "only what is missing, 10, 20 and 28: it answers 26.8, 42.4 and 50."
)
def overlapping_keys(sheet: Sheet) -> None:
    """Interference in a sum of outer products, and what the delta rule leaves of it."""
    plain = parallel_memory(TEA_KEYS, TEA_KEYS, PRICES)[1]
    delta = recurrent_memory(TEA_KEYS, TEA_KEYS, PRICES, beta=torch.ones_like(PRICES[:, 0]))[1]
    written = torch.linalg.solve_triangular(
        (TEA_KEYS @ TEA_KEYS.T).tril(-1) + torch.eye(3, dtype=PRICES.dtype), PRICES, upper=False
    )
    if sheet.narrow:
        _keys(sheet, 90, 34, 130)
        _answers(sheet, 70, 250, "a sum of all pairs", plain, PRICES)
        _answers(sheet, 70, 500, "the delta rule", delta, written)
        entries, down = (20, 20, 180), (736, 762, 736)
    else:
        _keys(sheet, 12, 56, 140)
        _answers(sheet, 246, 38, "a sum of all pairs", plain, PRICES)
        _answers(sheet, 490, 38, "the delta rule", delta, written)
        entries, down = (250, 420, 594), (272, 272, 272)
    names = "from its own key", "from the other keys", "right price"
    for number, (x, y, name) in enumerate(zip(entries, down, names, strict=True)):
        if number == 0:
            sheet.bar(x, y - 11, 14, 14, fill=VALUE)
        elif number == 1:
            sheet.hatch(x, y - 11, 14, 14)
            sheet.box(x, y - 11, 14, 14, color=GREY, radius=0, line=1)
        else:
            sheet.line((x - 4, y - 4), (x + 16, y - 4), width=2.5)
        sheet.text(x + 22, y, name, anchor="start", size=13)


def _keys(sheet: Sheet, left: float, top: float, side: float) -> None:
    """The three keys as arrows."""
    low = top + side
    sheet.text(left + side / 2, 18, "three keys", bold=True)
    names = "tea, 10", "cake, 20", "afternoon tea, 50"
    for name, key in zip(names, TEA_KEYS.tolist(), strict=True):
        x, y = left + key[0] * side, low - key[1] * side
        sheet.line((left, low), (x, y), color=KEY, width=2.5, arrow=True)
        if name.startswith("tea"):
            sheet.text(x - 30, y + 20, name, size=13)
        elif name.startswith("cake"):
            sheet.text(x + 8, y + 6, name, size=13, anchor="start")
        else:
            sheet.text(x + 6, y + 2, "afternoon", size=13, anchor="start")
            sheet.text(x + 6, y + 18, "tea, 50", size=13, anchor="start")


def _answers(sheet: Sheet, left: float, top: float, title: str, memory, written) -> None:
    """What a memory answers for each key, and from which pair it comes."""
    scale, wide, step = 2.0, 38, 70
    low = top + 28 + 72 * scale
    sheet.text(left + 100, top - 20, title, bold=True)
    said = ", ".join(f"{number:g}" for number in memory[0].round(decimals=1).tolist())
    sheet.text(left + 100, top, f"S = ({said})", size=13, color=VIOLET)
    for i, name in enumerate(("tea", "cake", "afternoon tea")):
        x = left + step * i + 11
        read = (memory @ TEA_KEYS[i]).item()
        own, price = written[i].item(), PRICES[i].item()
        high = low - own * scale
        sheet.hatch(x, low - read * scale, wide, (read - own) * scale)
        sheet.box(x, low - read * scale, wide, (read - own) * scale, color=GREY, radius=0, line=1)
        sheet.bar(x, high, wide, own * scale, fill=VALUE)
        y = low - price * scale
        sheet.line((x - 8, y), (x + wide + 8, y), width=2.5)
        sheet.text(x + wide / 2, low - read * scale - 6, f"{read:.1f}".removesuffix(".0"), size=14)
        for number, line in enumerate(name.split()):
            sheet.text(x + wide / 2, low + 17 + 16 * number, line, size=13)


@drawing(
    "Weights of three keys, 0, 1 and 3, for the query 1. First, a Gaussian kernel of width 1: 0.35, 0.57, 0.08; "
    "the key 1 that is the query itself gets the most; the answer is 1.81. Then the kernel exp(qk): 0.04, 0.11, "
    "0.84. Last, the kernel 1 + qk: 0.14, 0.29, 0.57. In these two the largest key gets the most; the answers are 3.65 "
    "and 3."
)
def near_or_large(sheet: Sheet) -> None:
    """A kernel that looks for what is near, and two made of a dot product, which do not."""
    query = 1.0
    wide = 102 if sheet.narrow else 200
    gaussian = "Gaussian" if sheet.narrow else "Gaussian, width 1"
    for number, (title, kernel) in enumerate(
        (
            (gaussian, (-((query - KEYS) ** 2) / 2).exp()),
            ("exp(qk)", (query * KEYS).exp()),
            ("1 + qk", 1 + query * KEYS),
        )
    ):
        weights = kernel / kernel.sum()
        left = 4 + number * (wide + (13 if sheet.narrow else 42))
        middle, floor, tall = left + wide / 2, 190, 130
        sheet.text(middle, 18, title, bold=True)
        step = wide / 3
        for j, (key, weight) in enumerate(zip(KEYS.tolist(), weights.tolist(), strict=True)):
            x = left + step * (j + 0.5)
            high, half = tall * weight / 0.9, 13 if sheet.narrow else 20
            sheet.box(x - half, floor - high, 2 * half, high, color=VIOLET, fill=shade(weight), radius=0)
            sheet.text(x, floor - high - 7, f"{weight:.2f}", size=13)
            sheet.text(x, floor + 19, f"{key:.0f}" if sheet.narrow else f"key {key:.0f}", color=KEY, size=13)
        sheet.line((left, floor), (left + wide, floor))
        sheet.text(left, floor - tall - 22, "weight", anchor="start", color=VIOLET, size=13)
        at = left + step * 1.5
        sheet.line((at, floor + 44), (at, floor + 27), color=QUERY, arrow=True)
        sheet.text(at, floor + 60, "query 1", color=QUERY, size=13)
        answer = (weights @ VALUES).item()
        sheet.text(middle, floor + 84, f"answer {answer:.2f}".removesuffix(".00"), size=14)


@drawing(
    "What a sum of three prices answers, as bars made of parts. Tea: its own 10 and, hatched, 0.6 times 50 from "
    "afternoon tea, together 40. Cake: its own 20 and 0.8 times 50, together 60. Afternoon tea: its own 50, 0.6 times "
    "10 from tea and 0.8 times 20 from cake, together 72. The hatched parts are interference."
)
def interference_in_a_sum(sheet: Sheet) -> None:
    """Each answer of a sum of outer products, as its own value and what overlapping keys add."""
    overlaps = TEA_KEYS @ TEA_KEYS.T
    prices = PRICES.flatten()
    names = "tea", "cake", "afternoon tea"
    left, wide, row = (8, 3.6, 66) if sheet.narrow else (132, 6.6, 56)
    for i, name in enumerate(names):
        top = 30 + row * i
        if sheet.narrow:
            sheet.text(left, top - 6, name, anchor="start", size=14, color=KEY)
        else:
            sheet.text(left - 12, top + 19, name, anchor="end", size=14, color=KEY)
        order = [i, *(j for j in range(3) if j != i)]
        x = left
        for j in order:
            part = (overlaps[i, j] * prices[j]).item()
            if not part:
                continue
            long = part * wide
            if j == i:
                sheet.box(x, top, long, 30, f"{part:.0f}", color=INK, fill=VALUE, ink="#ffffff", radius=0, bold=True)
            else:
                sheet.hatch(x, top, long, 30)
                sheet.box(x, top, long, 30, color=GREY, radius=0)
                said = f"{overlaps[i, j]:.1f} · {prices[j]:.0f}"
                if long > 56:
                    sheet.bar(x + long / 2 - 26, top + 6, 52, 18, fill="#ffffff")
                    sheet.text(x + long / 2, top + 20, said, size=13)
                else:
                    sheet.text(x + long / 2 - (12 if part < 10 else 0), top + 46, said, size=13)
            x += long
        answer = (overlaps[i] @ prices).item()
        sheet.text(x + 10, top + 20, f"= {answer:.0f}", anchor="start", bold=True)
    low = 30 + row * 3 + 14
    sheet.bar(left, low, 16, 14, fill=VALUE)
    sheet.text(left + 22, low + 12, "its own price", anchor="start", size=13)
    sheet.hatch(left + 140, low, 16, 14)
    sheet.text(left + 162, low + 12, "interference", anchor="start", size=13)
