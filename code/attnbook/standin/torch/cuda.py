"""`torch.cuda`: there is none."""

from ._missing import missing_from


def is_available():
    return False


def manual_seed_all(seed):
    """Changes nothing here."""


__getattr__ = missing_from("torch.cuda", globals())
