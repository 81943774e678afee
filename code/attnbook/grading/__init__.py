"""Grading a class: each submission is checked in a process of its own, with limits; the results are a CSV and a sheet.

What a submission does by mistake harms neither the others nor the grader: it may loop, end Python, fill the memory or
the disk, print without end, start processes, delete or overwrite files.

One that means harm is confined on Linux, as far as the kernel helps (`attnbook.confined`; `confinement` says what holds
on this system): it reads Python's files and its own, writes into its working folder only, has no network, and nothing
that it has started outlives it. On macOS and Windows there are only Python's own checks (`limits.py`), which compiled
code is not asked by: there it can read, write and send what the user who grades can.

Nowhere is a verdict proof against its author, whose code runs in the same process as the checker: code that changes the
checker can pass. What it tells the grader is believed only as far as it can be true (`events.py`), and what cannot be
is a problem of that student.
"""

from attnbook.grading.asked import WEEKS, chosen, numbers
from attnbook.grading.lms import Upload, upload
from attnbook.grading.process import Limits
from attnbook.grading.report import Journal, Report
from attnbook.grading.running import confinement, grade
from attnbook.grading.submissions import Result, submissions

__all__ = [
    "WEEKS",
    "Journal",
    "Limits",
    "Report",
    "Result",
    "Upload",
    "chosen",
    "confinement",
    "grade",
    "numbers",
    "submissions",
    "upload",
]
