"""Tunes a learning rate with Optuna: every trial is two seeds, trained side by side, and pruned on the first."""

from concurrent.futures import ThreadPoolExecutor

import optuna
import tarl


def objective(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("learning_rate", 1e-4, 1e-2, log=True)

    def score(seed: int) -> float:
        pruner = tarl.callbacks.OptunaPruner(trial) if seed == 0 else None
        model = tarl.TADQN("CartPole-v1", seed=seed, learning_rate=rate, learning_starts=200)
        return model.learn(2_000, n_evaluations=4, callback=pruner).evaluate(5).mean

    with ThreadPoolExecutor() as threads:
        return sum(threads.map(score, range(2))) / 2


study = optuna.create_study(direction="maximize")
study.optimize(objective, n_trials=4)
print(study.best_params, study.best_value)
