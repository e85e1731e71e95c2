"""Logs a run to Weights & Biases: settings, every row of the log, evaluations."""

import tarl

model = tarl.TADQN("CartPole-v1", learning_rate=1e-3, learning_starts=200)
model.learn(2_000, n_evaluations=4, callback=tarl.callbacks.Wandb("cartpole", tags=["example"]))
