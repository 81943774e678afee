"""A causal model of next words, small enough to be looked through: trained, measured head by head, and stored."""

from copy import deepcopy
from pathlib import Path
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import ablate_head, causal_mask, sinusoidal_encoding
from attnbook.checks import check_count, check_ids
from attnbook.reproducible import device_of
from attnbook.studies.sentences import CLASSES, VOCABULARY, Sentence, sentences, to_ids
from attnbook.training import TrainConfig, train
from attnbook.transformer import EncoderLayer
from attnbook.weights import FOLDER, read_weights, rebuilt, settings

STORED = Path(__file__).with_suffix(".json")
STORED_MODEL = FOLDER / "next_words.safetensors"
JOBS = ("before", "itself", "start", "subject", "adjective", "noun")


class NextWordModel(nn.Module):
    """Pre-LN layers with a causal mask and one table for reading and writing: GPT's shape, far smaller.

    Args:
        d_model, num_heads, d_ff, num_layers: the sizes.
        vocab_size: V.

    Raises:
        TypeError, ValueError: sizes that are not counts, or do not fit each other.

    Source:
        Radford et al. (2018), §4.1, with sinusoids, ReLU and pre-LN in place of learned positions, GELU and post-LN.
    """

    def __init__(
        self,
        d_model: int = 48,
        num_heads: int = 4,
        d_ff: int = 64,
        num_layers: int = 2,
        vocab_size: int = len(VOCABULARY),
    ):
        super().__init__()
        check_count("num_layers", num_layers)
        self.sizes = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "num_layers": num_layers,
        }
        self.words = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, norm_first=True)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model)
        nn.init.normal_(self.words.weight, std=d_model**-0.5)

    def forward(
        self, ids: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Score every next word.

        Args:
            ids: (B, T) integers below V.
            need_weights: return all attention weights too.

        Returns:
            logits (B, T, V); position t scores the word after ids[:, :t + 1]. And weights (B, L, H, T, T), or None.

        Raises:
            TypeError, ValueError: ids that do not fit.
        """
        check_ids("ids", ids, self.words.num_embeddings)
        (length, size), all_weights = (ids.shape[1], self.words.embedding_dim), []
        x = self.words(ids) * size**0.5 + sinusoidal_encoding(length, size).to(
            self.words.weight
        )
        mask = causal_mask(length, device=ids.device)
        for layer in self.layers:
            x, weights = layer(x, mask=mask, need_weights=need_weights)
            all_weights.append(weights)
        logits = self.norm(x) @ self.words.weight.T
        return logits, torch.stack(all_weights, dim=1) if need_weights else None


def sentence_loss(model: NextWordModel, batch: tuple[Tensor, Tensor]) -> Tensor:
    """The usual loss of next words, and once more that of the one word which can be known.

    Most words of the small language are drawn by lot; the second term makes up for that.

    Args:
        model: the model.
        batch: ids (B, T), −1 where there is no word; the places of the answers (B,).

    Returns:
        A mean over all words plus a mean over the answers, in nats.
    """
    ids, answer = batch
    logits, _ = model(ids[:, :-1].clamp(min=0))
    rows = torch.arange(len(ids), device=ids.device)
    of_answers = F.cross_entropy(logits[rows, answer - 1], ids[rows, answer])
    return (
        F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=-1)
        + of_answers
    )


def fit_sentences(
    seed: int = 0, steps: int = 2500, **sizes: int
) -> tuple[NextWordModel, list[float]]:
    """Train a model on sentences that are not held out.

    Args:
        seed: for the weights and the sentences.
        steps: updates, with 64 sentences each.
        sizes: of the model.

    Returns:
        The model, and the loss of every step.

    Raises:
        TypeError, ValueError: numbers that are not counts.
    """
    torch.manual_seed(seed)
    model = NextWordModel(**sizes)

    def batches(epoch: int) -> list[tuple[Tensor, Tensor]]:
        some = sentences(6400, seed=1000 * (seed + 1) + epoch)
        answers = torch.tensor([sentence.answer for sentence in some])
        return list(zip(to_ids(some).split(64), answers.split(64), strict=True))

    plan = TrainConfig(
        steps,
        lr=7e-3,
        seed=seed,
        schedule="warmup-cosine",
        warmup_fraction=0.1,
        weight_decay=0.01,
    )
    losses = train(model, sentence_loss, batches, plan)
    return model.eval(), losses


def without_head(model: NextWordModel, layer: int, head: int) -> NextWordModel:
    """The same model with one head silenced: it looks as before, but what it has found is not passed on.

    Args:
        model: the model; it stays as it is.
        layer: 1, 2, …
        head: 1, 2, …

    Returns:
        A copy in which the columns of W_o that read this head are 0.

    Raises:
        ValueError: there is no such head.
    """
    layers, heads = model.sizes["num_layers"], model.sizes["num_heads"]
    if not (1 <= layer <= layers and 1 <= head <= heads):
        raise ValueError(
            f"there are layers 1 to {layers} and heads 1 to {heads}; got layer {layer}, head {head}"
        )
    model = deepcopy(model)
    ablate_head(cast(EncoderLayer, model.layers[layer - 1]).attention, head - 1)
    return model


@torch.no_grad()
def answer_accuracy(model: NextWordModel, some: list[Sentence]) -> float:
    """How often the answer is right.

    A verb is right if the verbs of its number have more probability together than those of the other. A noun is right
    if no word is more probable.

    Args:
        model: the model.
        some: sentences.

    Returns:
        The fraction of sentences.
    """
    logits, _ = model(to_ids(some, padding=0).to(device_of(model)))
    answer = torch.tensor([sentence.answer for sentence in some])
    next_word = logits.cpu()[torch.arange(len(some)), answer - 1].softmax(-1)  # (N, V)
    right = []
    for probs, sentence in zip(next_word, some, strict=True):
        word = sentence.words[sentence.answer]
        if sentence.kind == "noun":
            right.append(VOCABULARY[int(probs.argmax())] == word)
            continue
        one, many = (
            probs[[VOCABULARY.index(verb) for verb in CLASSES[name]]].sum()
            for name in ("verb, singular", "verb, plural")
        )
        right.append(bool(one > many) == (word in CLASSES["verb, singular"]))
    return sum(right) / len(right)


@torch.no_grad()
def measure_heads(model: NextWordModel, some: list[Sentence]) -> Tensor:
    """What each head does on average, in six numbers.

    Args:
        model: the model.
        some: sentences of both kinds.

    Returns:
        (L, H, 6) mean weights, one for each of `JOBS`: of any word on the word before it, on itself and on <bos>; of
        the last word before a verb on the verb's subject, if something stands between them; of a noun on its
        adjective; of a repeated adjective on the noun that it stood before.

    Raises:
        ValueError: sentences of one kind are missing.
    """
    ids = to_ids(some, padding=0).to(device_of(model))
    weights = model(ids, need_weights=True)[1].cpu()  # (N, L, H, T, T)
    measured: dict[str, list[Tensor]] = {job: [] for job in JOBS}
    for of_sentence, sentence in zip(weights, some, strict=True):
        places = range(2, len(sentence.words))
        measured["before"] += [of_sentence[..., t, t - 1] for t in places]
        measured["itself"] += [of_sentence[..., t, t] for t in places]
        measured["start"] += [of_sentence[..., t, 0] for t in places]
        due, source = sentence.answer - 1, sentence.source
        if sentence.kind == "noun":
            measured["noun"].append(of_sentence[..., due, source])
            measured["adjective"].append(of_sentence[..., source, source - 1])
        elif sentence.far:
            measured["subject"].append(of_sentence[..., due, source])
    missing = [job for job in JOBS if not measured[job]]
    if missing:
        raise ValueError(
            f"nothing to measure {', '.join(missing)} on: pass sentences of both kinds, some with a verb far from its "
            "subject"
        )
    return torch.stack([torch.stack(measured[job]).mean(0) for job in JOBS], dim=-1)


def stored_model(path: str | Path = STORED_MODEL) -> NextWordModel:
    """The trained model that comes with the book (and with its interactive figure).

    Args:
        path: a file of weights as `tools/experiments/next_words.py` writes it.

    Returns:
        The model, ready to be asked.

    Raises:
        ValueError: the file belongs to another vocabulary, or its weights do not fit its sizes.
    """
    weights, about = read_weights(path)
    if about.get("vocabulary") != VOCABULARY:
        raise ValueError(
            f"{path} was made with a vocabulary other than that of attnbook.studies; "
            "run python -m tools.experiments next_words"
        )
    try:
        sizes = settings(NextWordModel, about["config"], weights)
        return rebuilt(lambda: NextWordModel(**sizes), weights).eval()
    except (LookupError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(
            f"{path} holds weights that do not fit the sizes it states: {error}"
        ) from error
