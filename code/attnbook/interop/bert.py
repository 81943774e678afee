"""Hugging Face's BERT into the book's, out of memory or out of a folder."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import torch
from torch import nn

from attnbook.interop.copying import check_kind, check_parts, copy_into, stack_into
from attnbook.transformer import BertConfig, BertEncoder, EncoderLayer

#: A sentence and its ids under bert-base-uncased, as a batch of one, without [CLS] and [SEP].
TIME_FLIES = ("time flies like an arrow", ((2051, 10029, 2066, 2019, 8612),))
# model_type: the class that computes what ours does
BERTS = {
    "bert": "BertModel",
    "roberta": "RobertaModel",
    "xlm-roberta": "XLMRobertaModel",
    "camembert": "CamembertModel",
    "data2vec-text": "Data2VecTextModel",
}


def _check_bert(model: Any) -> None:
    model_type = getattr(getattr(model, "config", None), "model_type", None)
    if model_type not in BERTS:
        kind = "" if model_type is None else f" of model_type {model_type!r}"
        raise TypeError(
            f"expected a model of transformers, {', '.join(BERTS.values())}; got {type(model).__name__}{kind}"
        )
    import transformers

    kind = getattr(transformers, BERTS[model_type])
    prefix = getattr(model, "base_model_prefix", "")
    inner = prefix and isinstance(getattr(model, prefix, None), kind)
    advice = f"; pass its .{prefix}" if inner else ""
    check_kind(model, kind, f"transformers.{BERTS[model_type]}", advice)
    check_parts(model, kind, len(model.encoder.layer))


@torch.no_grad()
def from_huggingface_bert(model: nn.Module) -> BertEncoder:
    """The book's BERT with the weights of a Hugging Face `BertModel`, or of a kin that computes the same.

    Args:
        model: a `BertModel` of `transformers` with absolute positions, or a `RobertaModel`, `XLMRobertaModel`,
            `CamembertModel` or `Data2VecTextModel`.

    Returns:
        A new `BertEncoder`; the pooler, which only sentence pairs need, is left out. Positions count all tokens from
        the first on, so padding must stand at the end, as it does with `valid_lens`; the kin of RoBERTa would count
        without padding wherever it stands.

    Raises:
        TypeError: another kind of model, or parts of it that are, such as adapters or another activation.
        ValueError: a configuration that ours does not have: another activation, a decoder, relative positions.
    """
    _check_bert(model)
    bert: Any = model
    theirs = bert.config
    positions = getattr(theirs, "position_embedding_type", "absolute") or "absolute"
    if theirs.is_decoder or positions != "absolute":
        kind = "a decoder" if theirs.is_decoder else f"{positions} positions"
        raise ValueError(
            f"this BERT has {kind}; the book's is an encoder with absolute positions"
        )
    # RoBERTa and its kin number positions from one after the padding's id on
    first = 0 if theirs.model_type == "bert" else bert.embeddings.padding_idx + 1
    ours = BertEncoder(
        BertConfig(
            vocab_size=theirs.vocab_size,
            d_model=theirs.hidden_size,
            num_heads=theirs.num_attention_heads,
            d_ff=theirs.intermediate_size,
            num_layers=len(bert.encoder.layer),
            max_positions=theirs.max_position_embeddings - first,
            num_segments=theirs.type_vocab_size,
            dropout=theirs.hidden_dropout_prob,
            activation=theirs.hidden_act,
            eps=theirs.layer_norm_eps,
        )
    ).to(bert.embeddings.word_embeddings.weight)
    copy_into(ours.embeddings.word, bert.embeddings.word_embeddings)
    positions = bert.embeddings.position_embeddings.weight[first:]
    ours.embeddings.position.load_state_dict({"weight": positions})
    copy_into(ours.embeddings.segment, bert.embeddings.token_type_embeddings)
    copy_into(ours.embeddings.norm, bert.embeddings.LayerNorm)
    layers = cast(Iterable[EncoderLayer], ours.layers)
    for mine, layer in zip(layers, bert.encoder.layer, strict=True):
        attention = layer.attention.self
        mine.attention.dropout.p = attention.dropout.p
        maps = (attention.query, attention.key, attention.value)
        stack_into(mine.attention.W_qkv, maps)
        copy_into(mine.attention.W_o, layer.attention.output.dense)
        copy_into(mine.around_attention.norm, layer.attention.output.LayerNorm)
        copy_into(mine.feed_forward.W_1, layer.intermediate.dense)
        copy_into(mine.feed_forward.W_2, layer.output.dense)
        copy_into(mine.around_feed_forward.norm, layer.output.LayerNorm)
    return ours.train(model.training)


@contextmanager
def _quiet(logging: ModuleType) -> Iterator[None]:
    """Without the progress bar and the report of transformers: what matters of it becomes an error."""
    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()


def load_bert(folder: str | Path) -> BertEncoder:
    """The book's BERT with pretrained weights from a local folder; nothing is downloaded.

    Args:
        folder: config.json and the weights, as `save_pretrained` writes them, or a cached snapshot; of a model that
            `from_huggingface_bert` takes.

    Returns:
        A `BertEncoder` in eval mode.

    Raises:
        ImportError: `transformers` is not installed.
        FileNotFoundError: no such folder, or no config.json in it.
        ValueError: the files are damaged or belong to another kind of model.
    """
    folder = Path(folder).expanduser()
    if not (folder / "config.json").is_file():
        raise FileNotFoundError(
            f"{folder} holds no config.json; pass the folder that BertModel.save_pretrained wrote, "
            "or use BertEncoder() with random weights and the built-in ids TIME_FLIES"
        )
    try:
        from transformers import AutoModel
        from transformers.utils import logging
    except ImportError as error:
        raise ImportError(
            "loading a pretrained BERT needs transformers; pip install -r requirements.txt"
        ) from error
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        if config.get("model_type") not in BERTS:
            raise ValueError(
                f"a model of type {config.get('model_type')}, not {', '.join(BERTS)}"
            )
        with _quiet(logging):
            # transformers does not say that a pair comes back
            pair: Any = AutoModel.from_pretrained(
                folder, local_files_only=True, output_loading_info=True
            )
            model, report = pair
        absent = sorted(k for k in report["missing_keys"] if not k.startswith("pooler"))
        if absent:  # they were filled with random numbers
            raise ValueError(f"{len(absent)} weights are missing, {absent[0]} first")
    except Exception as error:  # of json, safetensors, pickle, or sizes that differ
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(
            f"the BERT in {folder} cannot be read ({reason}); copy it again"
        ) from error
    return from_huggingface_bert(model.eval())
