"""Language models: how they write."""

from attnbook.language.writing import continue_tokens

__all__ = ["continue_tokens"]
