"""Grading a class: each submission is checked in a process of its own, with limits; the results are a CSV and a sheet.

What a submission does by mistake harms neither the others nor the grader: it may loop, end Python, fill the memory,
print without end, start processes, delete or overwrite files. This is no sandbox against an author who means harm:
code that works around Python's own checks can read, write and send what the user who grades can, and code that changes
the checker can pass. For such authors use an account, a container or a machine that has nothing to lose, and read what
they hand in.
"""

from attnbook.grading.asked import WEEKS, chosen, numbers
from attnbook.grading.lms import Upload, upload
from attnbook.grading.report import Journal, Report
from attnbook.grading.running import Limits, confinement, grade
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
