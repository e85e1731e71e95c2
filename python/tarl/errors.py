"""What goes wrong, by kind. Each is also the builtin that a caller may expect."""


class Error(RuntimeError):
    """Something outside of the program: a damaged file, a folder in use, a missing simulator."""


class UsageError(Error, ValueError):
    """A request that cannot be met: an unknown setting, spaces that do not fit."""


class NonFiniteError(Error, ArithmeticError):
    """A NaN or an infinity in an observation, a reward or a parameter."""
