"""Translation: recurrent models and the Transformer, how they are trained, how they decode, how they are scored."""

from attnbook.translation.alignment_scores import make_alignment
from attnbook.translation.bigram import BigramDraft
from attnbook.translation.bootstrap import bootstrap_band
from attnbook.translation.config import RecurrentConfig
from attnbook.translation.decoding import (
    LENGTH_PENALTY,
    Decoded,
    beam_search,
    begin,
    greedy,
    length_penalty_factor,
    next_word_log_probs,
    one_by_one,
)
from attnbook.translation.early_stopping import EarlyStopping, development_loss
from attnbook.translation.fitting import Fitted, fit, rows_of, translation_loss
from attnbook.translation.losses import masked_cross_entropy
from attnbook.translation.metrics import (
    bleu,
    brevity_penalty,
    chrf,
    closest_length,
    d2l_bleu,
    matched_ngrams,
    named_bleu,
    ngram_precision,
    ngrams,
    sentence_bleu,
)
from attnbook.translation.models import (
    RecurrentTranslator,
    TransformerState,
    TransformerTranslator,
)
from attnbook.translation.page_models import (
    export_page_model,
    load_page_model,
    page_model_file,
    page_model_header,
    quantised,
)
from attnbook.translation.page_sentences import page_sentences, sentence_key
from attnbook.translation.page_training import (
    PAGE_SETTINGS,
    PageSetting,
    train_page_model,
)
from attnbook.translation.recipes import RECIPES, Recipe, prepare, untrained
from attnbook.translation.recurrent import (
    AttentionDecoder,
    AttentionState,
    GRUDecoder,
    GRUEncoder,
    RecurrentState,
)
from attnbook.translation.sampling import (
    SpeculativeResult,
    filter_logits,
    sample,
    speculative,
)
from attnbook.translation.translator import Languages, Translator, evaluate
from attnbook.translation.word_alignment import alignment_error_rate, hard_alignment

__all__ = [
    "GRUEncoder",
    "GRUDecoder",
    "AttentionDecoder",
    "RecurrentState",
    "AttentionState",
    "make_alignment",
    "RecurrentConfig",
    "RecurrentTranslator",
    "TransformerTranslator",
    "TransformerState",
    "Recipe",
    "RECIPES",
    "Translator",
    "Languages",
    "untrained",
    "prepare",
    "evaluate",
    "Decoded",
    "next_word_log_probs",
    "begin",
    "one_by_one",
    "greedy",
    "LENGTH_PENALTY",
    "length_penalty_factor",
    "beam_search",
    "SpeculativeResult",
    "filter_logits",
    "sample",
    "speculative",
    "BigramDraft",
    "translation_loss",
    "rows_of",
    "development_loss",
    "EarlyStopping",
    "Fitted",
    "fit",
    "masked_cross_entropy",
    "ngrams",
    "matched_ngrams",
    "closest_length",
    "ngram_precision",
    "brevity_penalty",
    "bleu",
    "named_bleu",
    "sentence_bleu",
    "d2l_bleu",
    "chrf",
    "bootstrap_band",
    "hard_alignment",
    "alignment_error_rate",
    "load_page_model",
    "page_model_header",
    "quantised",
    "page_model_file",
    "export_page_model",
    "sentence_key",
    "page_sentences",
    "PageSetting",
    "PAGE_SETTINGS",
    "train_page_model",
]
