"""Train with JoeyNMT for so many seconds of processor time, then translate what comes in.

    python -P interrupted.py 60 config.yaml < sentences.txt > translations.txt

It does what `python -m joeynmt train` and `python -m joeynmt translate` do, one after the other, in one process and in
JoeyNMT's environment, which knows nothing of the book. The clock starts when JoeyNMT says that its first epoch begins,
so that its start and its reading of files do not count. What comes at the end of the time is what comes after Ctrl-C:
JoeyNMT says how many steps it has made and stores its weights. How long it took is said last, on standard error.
"""

import logging
import runpy
import signal
import sys
from time import process_time


def start_clock(record: logging.LogRecord) -> bool:
    """A filter that lets everything pass."""
    global began
    if record.getMessage() == "EPOCH 1":
        began = process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
    return True


def stop_in_time(*_: object) -> None:
    """The timer counts in ticks, and may be some hundredths early."""
    global taken
    taken = process_time() - began
    if taken >= seconds:
        raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_PROF, max(0.001, seconds - taken))


def joeynmt(*arguments: str) -> None:
    sys.argv[1:] = arguments
    runpy.run_module("joeynmt", run_name="__main__", alter_sys=True)


began = taken = 0.0
seconds, config = float(sys.argv[1]), sys.argv[2]
signal.signal(signal.SIGPROF, stop_in_time)
logging.getLogger("joeynmt.training").addFilter(start_clock)
joeynmt("train", config, "--skip-test")
joeynmt("translate", config)
print(f"interrupted after {taken:.3f} seconds", file=sys.stderr)
