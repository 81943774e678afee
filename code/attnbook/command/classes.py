"""`attnbook grade`: the submissions of a class, a CSV and a sheet."""

import sys
import tempfile


def grade(options, rest) -> int:
    """Judge every submission and write `grades.csv` and `grades.html`."""
    from attnbook import grading
    from attnbook.files import make_folder

    names = grading.chosen(options.exercises, options.chapters)
    found = grading.submissions(options.folder)
    out = options.out.resolve()
    if out.is_relative_to(options.folder.resolve()):
        raise ValueError(
            f"{options.out} lies among the submissions; name a folder outside of them with --out"
        )
    make_folder(out)
    limits = grading.Limits(options.seconds, options.total, options.memory)
    results = []
    for result in grading.grade(found, names, limits, options.jobs):
        results.append(result)
        print(
            f"{len(results)} of {len(found)}  {result.student}: {result.summary()}",
            file=sys.stderr,
            flush=True,
        )
    columns, status = names if options.exercises or options.chapters else None, 0
    try:
        paths = grading.write(results, columns, out)
    except OSError as error:  # a full disk, or a spreadsheet that holds the old file
        elsewhere = tempfile.mkdtemp(prefix="grades-")
        paths, status = grading.write(results, columns, elsewhere), 2
        print(f"attnbook grade: {error}; the grades are here instead:", file=sys.stderr)
    for path in paths:
        print(path)
    return status
