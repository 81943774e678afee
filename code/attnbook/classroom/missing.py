"""What a cell gets in the page where a notebook has more: a stand-in that says so when it is used."""

from typing import NoReturn


class NotHere:
    """Stands for a name that cannot be imported in the page: a plot, a figure, a model that is trained."""

    def __init__(self, name: str, why: str = ""):
        self.__dict__.update(_name=name, _why=why)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise NotInThePage(self._name, self._why)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # Python's own questions
            raise AttributeError(name)
        self._refuse()


OPERATIONS = (
    "repr call setattr getitem setitem iter len float int bool enter neg invert lt le gt ge "
    "add radd sub rsub mul rmul truediv rtruediv matmul rmatmul pow rpow and rand or ror"
)
for _operation in OPERATIONS.split():
    setattr(NotHere, f"__{_operation}__", NotHere._refuse)


class NotInThePage(AttributeError):
    """Raised where a cell uses what only a notebook has."""

    def __init__(self, name: str, why: str = ""):
        because = f"the cell above that makes it ends with {why}" if why else "Python has no such package here"
        super().__init__(f"{name} is not available in the page: {because}. In the notebook it is.")
