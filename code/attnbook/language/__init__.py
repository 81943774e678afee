"""Language models: texts to learn from, how they are trained and measured, and how they write."""

from attnbook.language.corpora import TextSplit, read_text, split_book, split_text
from attnbook.language.fitting import (
    LANGUAGE_RECIPES,
    FittedLanguageModel,
    LanguageRecipe,
    described_loss,
    fit_language_model,
    measured,
    random_pieces,
)
from attnbook.language.ngrams import kneser_ney_loss, ngram_loss
from attnbook.language.page_model import (
    BOOK_RECIPE,
    book_model_file,
    book_model_header,
    load_book_model,
    rounded,
)
from attnbook.language.prose import chapter_prose
from attnbook.language.text_model import (
    TextModel,
    held_out_loss,
    kind_of_file,
    next_token_loss,
)
from attnbook.language.writing import continue_tokens

__all__ = [
    "TextSplit",
    "read_text",
    "split_text",
    "split_book",
    "chapter_prose",
    "LanguageRecipe",
    "LANGUAGE_RECIPES",
    "random_pieces",
    "fit_language_model",
    "FittedLanguageModel",
    "next_token_loss",
    "held_out_loss",
    "measured",
    "described_loss",
    "ngram_loss",
    "kneser_ney_loss",
    "continue_tokens",
    "TextModel",
    "BOOK_RECIPE",
    "rounded",
    "book_model_file",
    "load_book_model",
    "book_model_header",
    "kind_of_file",
]
