"""`torch.nested`: not here."""

from ._missing import missing_from

__getattr__ = missing_from("torch.nested", globals())
