"""There is no NumPy in the page: only the types that the checker asks about, and a clear word for everything else."""


class generic:
    """No array and no number is one of these, here."""


ndarray = integer = bool_ = generic


class _Random:
    """`numpy.random`: it can be seeded, and nothing draws from it."""

    seed = staticmethod(lambda seed=None: None)

    def __getattr__(self, name):
        return __getattr__(f"random.{name}")


random = _Random()


def __getattr__(name):
    raise AttributeError(
        f"numpy.{name} is not available in the page: there is no NumPy here. Can PyTorch do it, torch.{name} perhaps? "
        "In a notebook the same line works."
    )
