"""The measurements as text, and as a file that the performance appendix reads."""

import json
import re
import statistics
from pathlib import Path

import torch

from attnbook.files import write_atomically
from tools import ROOT
from tools.benchmarks.family import PASS_KINDS, Case, Family
from tools.benchmarks.measure import clock
from tools.benchmarks.verdicts import HOLDS, time_ratio
from tools.surroundings import machine, versions

BENCH_RESULT = ROOT / "chapters" / "results" / "bench.json"
MIB = 2**20


def _mib(size: int) -> str:
    return f"{size / MIB:8.1f} MiB"


def table(family: Family, result: dict) -> str:
    """One result as text: median milliseconds with their ratio to the family's reference, and peaks."""
    rows = {row["layer"]: row for row in result["layers"]}
    base = rows[family.reference]["seconds"]
    head = "".join(f"{kind:>20}" for kind in family.kinds)
    if all(row["peak"] is not None for row in rows.values()):
        head += "".join(f"{f'peak, {kind}':>16}" for kind in family.kinds)
    lines = [f"{family.name}: {Case(**result['case'])}", f"  {'':32}{head}"]
    for name, row in rows.items():
        line = f"  {name:32}"
        for kind in family.kinds:
            times = row["seconds"][kind]
            median, share = statistics.median(times), time_ratio(times, base[kind])
            line += f"{1e3 * median:9.2f} ms {share:5.2f} ×"
        for kind in family.kinds:
            line += "" if row["peak"] is None else f"{_mib(row['peak'][kind]):>16}"
        lines.append(line)
    return "\n".join(lines)


def sweep_table(family: Family, results: list[dict], kind: str = "both") -> str:
    """Peaks by length, one line per layer."""
    lengths = "".join(f"{result['case']['length']:>14}" for result in results)
    lines = [f"{family.name}: peak ({kind}) by length", f"  {'':32}{lengths}"]
    for number, row in enumerate(results[0]["layers"]):
        peaks = [result["layers"][number]["peak"] for result in results]
        cells = ("" if peak is None else _mib(peak[kind]) for peak in peaks)
        lines.append(f"  {row['layer']:32}" + "".join(f"{cell:>14}" for cell in cells))
    return "\n".join(lines)


def bar_line(bar: dict, where: bool = False) -> str:
    """A judged bar as a line of text, with its case if asked."""
    value = "     " if bar["value"] is None else f"{bar['value']:5.2f}"
    limit = f"at most {bar['limit']:.2f}"
    if bar["noise"]:
        limit += f" + {bar['noise']:.0%}"
    if bar["measure"] == "slope":
        what = f"the power of the length by which {bar['ours']}'s peak grows"
    else:
        what = f"{bar['measure']} of {bar['ours']} / {bar['theirs']}"
    place = f" [{Case(**bar['case'])}]" if where and bar["case"] else ""
    return f"  {bar['verdict']:12} {value}  {limit:18} {what}, {bar['kind']}{place}"


def summary(bars: list[dict]) -> str:
    """How many bars hold, and every one that does not."""
    others = [bar for bar in bars if bar["verdict"] != HOLDS]
    lines = [f"{len(bars) - len(others)} of {len(bars)} bars hold"]
    return "\n".join(lines + [bar_line(bar, where=True) for bar in others])


def merged(before: dict, measured: dict, families: list[str]) -> dict:
    """A stored record in which some families are measured anew; what is stored of the others stays as it is.

    Args:
        before: of `record`, what is stored.
        measured: of `record`, a run of these families only.
        families: their names.

    Returns:
        A new record, families in the order in which they came. Its `later` says how those were measured that are not
        of the run that the record began with: command, versions, machine, rounds.
    """
    how = {key: measured[key] for key in ("command", "versions", "machine", "rounds")}
    later = before.get("later", {}) | dict.fromkeys(families, how)
    parts = [*before["results"], *measured["results"]]
    order = list(dict.fromkeys(part["family"] for part in parts))
    both = {**before, "kinds": measured["kinds"]}
    for key in ("results", "sweep", "bars"):
        kept = [part for part in before[key] if part["family"] not in families]
        both[key] = sorted(kept + measured[key], key=lambda part: order.index(part["family"]))
    return {**both, "later": later}


def record(
    command: str,
    rounds: int,
    device: str,
    threads: int,
    cores: int,
    results: list[dict],
    swept: list[dict],
    bars: list[dict],
) -> dict:
    """Everything that is stored: what was found, and how; nothing that names a machine."""
    name = "CPU" if device == "cpu" else torch.cuda.get_device_name()
    return {
        "command": command,
        "versions": versions("d2l", "transformers"),
        "machine": machine(device=name, cores=cores, threads=threads, clock=clock(device, threads)[0]),
        "rounds": rounds,
        "dtype": "float32",
        "kinds": PASS_KINDS,
        "results": results,
        "sweep": swept,
        "bars": bars,
    }


def store(path: Path, content: dict) -> None:
    """Write a record; a file that is there is replaced only as a whole."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    numbers = r"\[\s+([-+.\de]+(?:,\s+[-+.\de]+)*)\s+\]"  # a list of them takes one line
    text = re.sub(numbers, lambda m: f"[{' '.join(m[1].split())}]", text)
    write_atomically(path, text + "\n")
