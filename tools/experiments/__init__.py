"""Runs that take longer than a page should: `python -m tools.experiments.NAME`, one module each, results in files.

A result holds the command that repeats it, the versions it was made with, and the seeds.
"""
