"""Traits that say clearly what they take when they are set to something else."""

import traitlets


def number_between(default, low, high, what, whole=False):
    """A trait for a number within limits, which says so clearly when it is set to something else.

    Args:
        default: value at the start.
        low, high: the limits, both allowed.
        what: the quantity in words, with its unit, for the message.
        whole: whether only whole numbers will do.

    Returns:
        A traitlets trait, synchronised with the browser. Setting it to something that is not a number
        raises TypeError, to a number outside the limits ValueError.
    """
    return NumberBetween(default, low, high, what, whole).tag(sync=True)


def one_of(default, choices, what):
    """A trait for one of several values, which names them when it is set to something else (ValueError).

    Args:
        default: value at the start.
        choices: the values allowed.
        what: the quantity in words, for the message.

    Returns:
        A traitlets trait, synchronised with the browser.
    """
    return OneOf(default, choices, what).tag(sync=True)


def yes_or_no(default, what):
    """A trait that is True or False, which says so when it is set to something else (TypeError).

    Args:
        default: value at the start.
        what: the quantity in words, for the message.

    Returns:
        A traitlets trait, synchronised with the browser.
    """
    return YesOrNo(default, what).tag(sync=True)


class NumberBetween(traitlets.TraitType):
    """A number within limits; see `number_between`."""

    def __init__(self, default, low, high, what, whole):
        super().__init__(default)
        self.low, self.high, self.what, self.whole = low, high, what, whole

    def validate(self, obj, value):
        kind = "a whole number" if self.whole else "a number"
        wanted = f"{type(obj).__name__}.{self.name} is {self.what}: {kind} from {self.low} to {self.high}"
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise TypeError(f"{wanted}; got {value!r}")
        number = float(value)
        if not self.low <= number <= self.high or (
            self.whole and number != int(number)
        ):
            raise ValueError(f"{wanted}; got {value!r}")
        return int(number) if self.whole else number


class OneOf(traitlets.TraitType):
    """One of several values; see `one_of`."""

    def __init__(self, default, choices, what):
        super().__init__(default)
        self.choices, self.what = list(choices), what

    def validate(self, obj, value):
        for choice in self.choices:
            if type(choice) is not bool and type(value) is not bool and choice == value:
                return choice
        names = ", ".join(repr(c) for c in self.choices)
        raise ValueError(
            f"{type(obj).__name__}.{self.name} is {self.what}: one of {names}; got {value!r}"
        )


class YesOrNo(traitlets.TraitType):
    """True or False; see `yes_or_no`."""

    def __init__(self, default, what):
        super().__init__(default)
        self.what = what

    def validate(self, obj, value):
        if value is True or value is False:
            return value
        raise TypeError(
            f"{type(obj).__name__}.{self.name} is {self.what}: True or False; got {value!r}"
        )
