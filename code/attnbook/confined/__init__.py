"""A process that reads what it needs, changes nothing but one folder, and has no network, as far as the system helps.

On Linux things of the kernel are used, each where it works: Landlock (`landlock.py`), and namespaces with a root of
their own (`namespaces.py`). `arrangement` finds out by a trial which of them hold here and what they leave open.
Besides, the process gives up the rights of root, and some calls of the system (`calls.py`). Other systems have nothing
of this kind that a process may do to itself.

This package needs nothing but Python's standard library: the process is confined before it loads anything else.
"""

from attnbook.confined.means import Arrangement, arrangement
from attnbook.confined.surroundings import environment, readable

__all__ = ["Arrangement", "arrangement", "environment", "readable"]
