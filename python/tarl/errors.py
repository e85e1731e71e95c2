"""The kinds of errors. Each is also the builtin exception that a caller may expect."""


class Error(RuntimeError):
    """A problem outside the program: a damaged file, a folder in use, a missing simulator.

    >>> try:
    ...     tarl.resume("nowhere")
    ... except tarl.Error as problem:
    ...     print(problem)
    no run to resume in nowhere: it has no config.toml
    """


class UsageError(Error, ValueError):
    """An invalid request: an unknown setting, spaces that do not fit.

    >>> try:
    ...     tarl.DQN("CartPole-v1", gamma=2)
    ... except tarl.UsageError as problem:
    ...     print(problem)
    tarl.DQN: gamma = 2 is not a number from 0 to 1 (discount)
    """


class NonFiniteError(Error, ArithmeticError):
    """A NaN or Inf in an observation, a reward or a parameter.

    >>> def spoilt():
    ...     return gym.wrappers.TransformReward(gym.make("CartPole-v1"), lambda reward: float("nan"))
    >>> try:
    ...     tarl.DQN(spoilt).learn(1_000)
    ... except tarl.NonFiniteError as problem:
    ...     print(problem)
    step 1: gym/spoilt() gave a reward that is not finite (environment 0)
    """
