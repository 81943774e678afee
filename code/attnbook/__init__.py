"""Paying Attention: the code of the book, one room a topic.

Import from the rooms (`from attnbook.attention import masked_softmax`): this file
imports nothing, so that `import attnbook` costs nothing and the floors stay visible.
"""

__version__ = "0.1.0"
