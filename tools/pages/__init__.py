"""What becomes of the pages while the book is built: Sphinx extensions, and what makes the built pages light and whole.

Only `tools.book`, `tools.languages` and this folder make pages; `book.MADE_FROM` names them.
"""
