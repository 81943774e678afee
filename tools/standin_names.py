"""List what PyTorch offers and the stand-in lacks: a page that meets one of these names says that it lacks it.

python -m tools.standin_names          into `attnbook/standin/torch/names.txt`
"""

import argparse
import sys

from tools.standin import STANDIN

NAMES = STANDIN / "torch" / "names.txt"
MODULES = (
    "nn", "nn.functional", "nn.init", "nn.utils", "autograd", "linalg", "optim", "random", "special", "utils", "nested"
)  # fmt: skip


def missing_names() -> str:
    """The names, a line for each module and one for the methods of a tensor."""
    import torch

    from attnbook.standin import torch as page

    owners = {"": (torch, page), "Tensor.": (torch.Tensor, page.Tensor)}
    for module in MODULES:
        parts = [torch, page]
        for name in module.split("."):
            parts = [vars(part).get(name) for part in parts]
        owners[f"{module}."] = parts
    owners["nn.Module."] = torch.nn.Module(), page.nn.Module()
    lines = []
    for owner, (pytorch, standin) in owners.items():
        known = set(dir(standin)) if standin is not None else set()
        public = [name for name in dir(pytorch) if name[0] != "_" and (name[0].islower() or owner in ("nn.", "optim."))]
        lines.append(f"{owner}: {' '.join(name for name in public if name not in known)}")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the list."""
    argparse.ArgumentParser(prog="python -m tools.standin_names", description=__doc__.splitlines()[0]).parse_args(
        arguments
    )
    NAMES.write_text(missing_names(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
