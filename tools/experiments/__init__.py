"""Experiments that take longer than a page should, one module each: `python -m tools.experiments NAME`, or `--list`.

What an experiment trains lives in `attnbook.studies`, where chapters find it too; a module here says what is compared:
    its docstring                 the design, written before the run (see `DESIGN` in stored.py)
    RESULT                        where the result goes; chapters/results/NAME.json if not given
    OPTIONS                       what can be asked for on the command line, with the numbers of the stored result as
                                  defaults; `seeds` is how many, without it one; if it stores weights, `weights`:
                                  where to, with None for the book's own
    MAY_DIFFER                    the options with other values of which the book's own result is made, too
    CHOICES                       option → the values that it can have, where these are few
    variants(options)             what is varied, seeds aside: every variant is run with every seed, and with the
                                  options of which it says nothing; if not given, there is one
    SEED_BY_SEED                  True if all variants are run with one seed, then with the next, and not all seeds of
                                  one variant, then of the next
    settings(options)             the arguments of every run, in order, where it is not every variant with every seed
    check(options)                raises a ValueError or an OSError where these options cannot be run; asked first
    check_own(options)            the same, of what only the book's own result must keep to
    run(seed, …) → dict           one run
    summary(results, options)     what is stored of all runs, beside the command and the versions; if not given, the
                                  runs as `rows`, and as `measured` what MEASURED says of their numbers
"""
