"""JoeyNMT, as it comes, in an environment of its own: made, configured, trained for a time, asked for translations."""

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

from attnbook.data import cache_folder
from attnbook.translation import Recipe

VERSION = "2.3.0"
# what it imports; its own list asks for a protobuf that today's tensorboard does not take, and lacks the last one
NEEDS = ("tensorboard", "datasets", "sentencepiece", "subword-nmt", "sacremoses", "importlib_metadata")
WARM_UP = 0.1  # of the updates, as the book's recipes
NEVER = 10**9
LONGEST = 60  # tokens of a translation, as `Translator.translate`


class NotThere(Exception):
    """JoeyNMT cannot be had here; the message says why."""


def environment() -> Path:
    """The Python that runs JoeyNMT, in an environment in the book's cache folder, which is made if need be.

    It borrows from the book's environment what that has, PyTorch above all: both train with the same one.

    Returns:
        The program.

    Raises:
        NotThere: it could not be installed.
    """
    if sys.platform == "win32":
        raise NotThere("it is interrupted by a timer that Windows does not have")
    folder = cache_folder().absolute() / f"joeynmt-{VERSION}"
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.exists():
        print(f"making an environment for JoeyNMT in {folder}", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", folder])
        _borrow(folder)
        for wanted in (["--no-deps", f"joeynmt=={VERSION}"], NEEDS):
            _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])
        _run([python, "-m", "joeynmt", "--help"])
        complete.touch()
    _borrow(folder)  # the book may have moved since
    return python


def _borrow(folder: Path) -> None:
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "book.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")


def _run(command: list) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        *_, last = ["", *done.stderr.strip().splitlines()]
        raise NotThere(f"its environment could not be made ({last})")


def configuration(recipe: Recipe, learning_rate: float, updates: int, seed: int, folder: Path | str) -> dict:
    """JoeyNMT's configuration for a model and a training like ours.

    Args:
        recipe: ours; a Transformer.
        learning_rate: the highest.
        updates: about how many fit into the time; the warm-up is fitted to them.
        seed: of weights, order and dropout.
        folder: where the sentences are (see `write_sentences`), and where it may write.

    Returns:
        What its YAML file should hold.
    """
    folder, sizes = Path(folder), recipe.sizes
    half = {
        "type": "transformer",
        "num_heads": sizes["num_heads"],
        "embeddings": {"embedding_dim": sizes["d_model"], "scale": True},
        "hidden_size": sizes["d_model"],
        "ff_size": sizes["d_ff"],
        "dropout": sizes["dropout"],
        "layer_norm": "pre" if sizes["norm_first"] else "post",
    }
    side = {"level": "word", "lowercase": False, "normalize": False}
    return {
        "name": "beside",
        "joeynmt_version": VERSION,
        "model_dir": str(folder / "model"),
        "use_cuda": False,
        "random_seed": seed,
        "data": {
            "train": str(folder / "train"),
            "dev": str(folder / "dev"),
            "dataset_type": "plain",
            "src": {"lang": "source", "voc_file": str(folder / "source.txt"), **side},
            "trg": {"lang": "target", "voc_file": str(folder / "target.txt"), **side},
        },
        "testing": {"beam_size": 1, "batch_size": 64, "max_output_length": LONGEST},
        "training": {
            "optimizer": "adam",
            "adam_betas": list(recipe.training.betas),
            "clip_grad_norm": recipe.training.clip,
            "label_smoothing": recipe.label_smoothing,
            "normalization": "tokens",
            "batch_size": recipe.batch_size,
            "batch_type": "sentence",
            "scheduling": "warmupinversesquareroot",
            "learning_rate": learning_rate,
            "learning_rate_min": 0.0,
            "learning_rate_warmup": max(1, round(WARM_UP * updates)),
            "epochs": NEVER,
            "validation_freq": NEVER,
            "logging_freq": NEVER,
            "overwrite": True,
        },
        # the initial weights of its own example, transformer_small.yaml
        "model": {
            "initializer": "xavier_uniform",
            "bias_initializer": "zeros",
            "embed_initializer": "xavier_uniform",
            "tied_embeddings": False,
            "tied_softmax": True,
            "encoder": {"num_layers": sizes["num_encoder_layers"], **half},
            "decoder": {"num_layers": sizes["num_decoder_layers"], **half},
        },
    }


def write_sentences(folder: Path, parts: dict[str, list], vocabularies: dict[str, list[str]]) -> None:
    """Write what JoeyNMT reads.

    Args:
        folder: where to.
        parts: "train" and "dev": pairs of lists of tokens.
        vocabularies: "source" and "target": their tokens, without special ones.
    """
    for number, (side, tokens) in enumerate(vocabularies.items()):
        (folder / f"{side}.txt").write_text("\n".join(tokens) + "\n", "utf-8")
        for name, pairs in parts.items():
            lines = (" ".join(pair[number]) + "\n" for pair in pairs)
            (folder / f"{name}.{side}").write_text("".join(lines), "utf-8")


def train_and_translate(
    python: Path, config: dict, seconds: float, sentences: list[list[str]]
) -> tuple[int, float, list[list[str]]]:
    """Train for so many seconds of processor time, and translate, the likeliest token at a time.

    Args:
        python: of `environment`.
        config: of `configuration`.
        seconds: from the first epoch's beginning.
        sentences: their tokens.

    Returns:
        How many updates were made, the seconds that they took, and the translations' tokens.

    Raises:
        RuntimeError: JoeyNMT failed.
    """
    path = Path(config["model_dir"]).with_name("config.yaml")
    path.write_text(json.dumps(config), "utf-8")  # which is YAML, too
    command = [str(python), "-P", str(Path(__file__).with_name("interrupted.py")), str(seconds), str(path)]
    asked = "".join(" ".join(tokens) + "\n" for tokens in sentences)
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, input=asked, capture_output=True, text=True, env=one_thread)
    stopped = re.search(
        r"(?s)Interrupt at epoch \d+, step (\d+).*^interrupted after ([\d.]+) seconds", done.stderr, re.M
    )
    written = done.stdout.splitlines()[-len(sentences) :]
    if done.returncode or stopped is None or len(written) < len(sentences):
        raise RuntimeError(f"JoeyNMT failed, with exit code {done.returncode}:\n{done.stderr[-2000:]}")
    return int(stopped[1]), float(stopped[2]), [line.split() for line in written]
