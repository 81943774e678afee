"""`attnbook grade`: the submissions of a class, a CSV and a sheet."""

import sys


def grade(options, rest) -> int:
    """Judge every submission and write `grades.csv` and `grades.html`."""
    from attnbook import grading

    names = grading.chosen(options.exercises, options.chapters)
    found = grading.submissions(options.folder)
    out = options.out.resolve()
    if out.is_relative_to(options.folder.resolve()):
        raise ValueError(
            f"{options.out} lies among the submissions; name a folder outside of them with --out"
        )
    if out.exists() and not out.is_dir():
        raise ValueError(
            f"--out takes a folder, and {options.out} is a file; name another"
        )
    limits = grading.Limits(options.seconds, options.total, options.memory)
    results = []
    for result in grading.grade(found, names, limits, options.jobs):
        results.append(result)
        print(
            f"{len(results)} of {len(found)}  {result.student}: {result.summary()}",
            file=sys.stderr,
            flush=True,
        )
    for path in grading.write(
        results, names if options.exercises or options.chapters else None, out
    ):
        print(path)
    return 0
