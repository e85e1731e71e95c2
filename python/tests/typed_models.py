"""What type checkers see of models, environments, callbacks and results; scripts/verify_python.sh has mypy read it."""

from pathlib import Path
from typing import Any, assert_type

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import tarl
from tarl.callbacks import Callback, Checkpoint, EvalCallback, StopOnReturn
from tarl.models import Evaluation, Evaluations, Model, Policy, Setting, Settings


def make() -> gym.Env[Any, Any]:
    return gym.make("CartPole-v1")


class Counts(Callback):
    every = 100
    steps = 0

    def on_step(self, model: Model, step: int) -> bool | None:
        self.steps = step
        return None


model = tarl.TADQN("CartPole-v1", margin=1.0, seed=0, learning_rate=1e-3, policy_kwargs={"net_arch": [64]}, run_dir="r")
assert_type(model.learn(1e4, callback=[Counts(), lambda model, step: step < 5], progress_bar=True), tarl.TADQN)
assert_type(tarl.SAC(make, n_envs=2, ent_coef="auto").learn(100, callback=StopOnReturn(475)), tarl.SAC)
assert_type(tarl.TD3(gym.make("Pendulum-v1"), policy_delay=2, action_noise=0.1), tarl.TD3)
assert_type(model.evaluate(5, env=make).returns, npt.NDArray[Any])
assert_type(model.evaluate(), Evaluation)
assert_type(model.evaluations, Evaluations)
assert_type(model.policy(), Policy)
assert_type(model.settings, Settings)
assert_type(model.settings["gamma"], Setting)
assert_type(model.get_parameters(), dict[str, npt.NDArray[Any]])
assert_type(tarl.DQN.load("model.safetensors"), tarl.DQN)
assert_type(tarl.load(Path("model.safetensors"), make), Model)
assert_type(tarl.resume("runs/first", threads=2, env_state="restart").num_timesteps, int)
assert_type(tarl.settings("sac", "Pendulum-v1"), Settings)
assert_type(EvalCallback(make, every=100, best_model_path="best").best, float)
model.set_parameters({"q.out.bias": np.zeros(2)})
model.save("model.safetensors", full=True)
model.export("policy.onnx")
model.export(Path("policy.h"), namespace="mine", force=True)
model.export_onnx("policy.onnx")
model.export_header(Path("policy.h"), namespace="mine")
model.learn(10, callback=Checkpoint(100, "models"))

native = tarl.envs.NativeEnv("minatar/breakout", render_mode="rgb_array", sticky_actions=0.1)
assert_type(native.get_state(), bytes)
assert_type(native.step(0)[1], float)
several = tarl.envs.NativeVectorEnv("minatar/breakout", 4, threads=2)
assert_type(several.reset(seed=1)[0], npt.NDArray[Any])
assert_type(tarl.envs.check_env(make, episodes=1), tarl.envs.EnvReport)

runs = tarl.load_runs(["runs/old", "runs/new"], labels=["old", "new"])
assert_type(runs[0], tarl.Run)
assert_type(runs.report("page.html"), tarl.Report)
assert_type(tarl.Study.grid(["dqn"], ["CartPole-v1"], seeds=2).run("runs/study"), tarl.Runs)
tarl.export_onnx("runs/first", "policy.onnx", best=True)

tarl.DQN("CartPole-v1", learning_rat=1e-3)  # type: ignore[call-arg]
tarl.DQN("CartPole-v1", ent_coef=0.1)  # type: ignore[call-arg]
tarl.DQN("CartPole-v1", loss="l1")  # type: ignore[arg-type]
tarl.resume("runs/first", env_state="guess")  # type: ignore[arg-type]
model.learn("many")  # type: ignore[arg-type]
