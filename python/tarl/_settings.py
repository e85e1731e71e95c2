"""Keyword arguments of models: settings of their algorithms. Written by scripts/python_settings.py."""

from __future__ import annotations

from typing import Literal

from tarl._options import ModelOptions


class DQNOptions(ModelOptions, total=False):
    """Of dqn and its kin."""

    batch_size: int
    buffer_size: int
    double_q: bool
    dueling: bool
    exploration_final_eps: float
    exploration_fraction: float
    exploration_initial_eps: float
    gamma: float
    gradient_steps: int
    label: str
    learning_rate: float | str
    learning_rate_schedule: Literal["constant", "linear"]
    learning_starts: int
    loss: Literal["huber", "mse"]
    max_grad_norm: float
    n_steps: int
    on_nan: Literal["stop", "skip"]
    optimizer: Literal["rmsprop", "adam"]
    stats_window_size: int
    target_update_interval: int
    tau: float
    train_freq: int


class SACOptions(ModelOptions, total=False):
    """Of sac and its kin."""

    batch_size: int
    buffer_size: int
    ent_coef: float | str
    gamma: float
    gradient_steps: int
    label: str
    learning_rate: float | str
    learning_rate_schedule: Literal["constant", "linear"]
    learning_starts: int
    n_steps: int
    on_nan: Literal["stop", "skip"]
    stats_window_size: int
    target_entropy: float | Literal["auto"]
    target_update_interval: int
    tau: float
    train_freq: int


class TD3Options(ModelOptions, total=False):
    """Of td3 and its kin."""

    action_noise: float
    batch_size: int
    buffer_size: int
    gamma: float
    gradient_steps: int
    label: str
    learning_rate: float | str
    learning_rate_schedule: Literal["constant", "linear"]
    learning_starts: int
    n_steps: int
    on_nan: Literal["stop", "skip"]
    policy_delay: int
    stats_window_size: int
    target_noise_clip: float
    target_policy_noise: float
    target_update_interval: int
    tau: float
    train_freq: int
