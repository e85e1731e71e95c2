"""Exported policies beside tarl's own: ONNX in onnxruntime and the compiled header choose what `tarl eval` did."""

import doctest
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import pytest
import tarl.envs
import tarl.export
from safetensors.numpy import load_file

onnx = pytest.importorskip("onnx", reason="pip install onnx to check what is exported")
onnxruntime = pytest.importorskip("onnxruntime", reason="pip install onnxruntime to run what is exported")

Array = npt.NDArray[Any]

PROGRAM = Path(tarl.envs.__file__).parent / "bin" / "tarl"
PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text()
COMPILER = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fno-exceptions"]
ROWS = 300  # compared of each family
CLOSE = 1e-5
LEARN = ["learning_starts=100", "eval.count=1", "eval.episodes=1", "checkpoint.every=0"]

# Algorithm, environment, steps, settings, episodes to compare on.
FAMILIES = {
    "vectors": ("dqn", "classic/cartpole", 400, ["policy.net_arch=[32]"], 30),
    "normalised": ("ddqn", "classic/acrobot", 400, ["policy.net_arch=[24, 16, 8]", "normalize.obs=true"], 2),
    "dueling": ("dqn", "classic/mountain_car", 400, ["policy.net_arch=[16, 16]", "dueling=true"], 2),
    "bits": ("dqn", "minatar/breakout", 800, [], 40),
    "dueling-bits": ("ta-dqn+per", "minatar/seaquest", 400, ["policy.net_arch=[16]", "dueling=true"], 2),
    "sac": ("sac", "classic/pendulum", 160, ["policy.net_arch=[32, 16]"], 2),
    "td3": ("ta-td3", "classic/mountain_car_continuous", 160, ["policy.net_arch=[16]", "normalize.obs=true"], 1),
    "ddpg": ("ddpg", "classic/pendulum", 160, ["policy.net_arch=[16, 8]"], 2),
    "several-actions": ("td3", "mujoco/hopper", 140, ["policy.net_arch=[16]"], 20),
    "pixels": ("dqn", "atari/pong", 140, ["policy.net_arch=[32]", "buffer_size=200", "batch_size=4"], 1),
}


def program(*words: object) -> str:
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The run of a family, trained a little, with what `tarl eval` saw and did in steps.npz."""
    root = tmp_path_factory.mktemp("runs")

    def make(family: str) -> Path:
        algo, env, steps, settings, episodes = FAMILIES[family]
        if env not in tarl.envs.names():
            pytest.skip(f"{env} is not in this build")
        run = root / family
        if not run.exists():
            sets = [f"--set={one}" for one in LEARN + settings]
            program("train", "--algo", algo, "--env", env, "--steps", steps, "--out", run, "--quiet", *sets)
            greedy = [] if "action_low" in model_metadata(run) else ["--epsilon", 0]
            program("eval", run, "--episodes", episodes, "--trace", run / "steps.npz", *greedy)
        return run

    return make


def model_metadata(run: Path) -> dict[str, str]:
    data = (run / "model.safetensors").read_bytes()
    header: dict[str, dict[str, str]] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return header["__metadata__"]


def seen_and_done(run: Path) -> tuple[Array, Array]:
    """Observations as the environment gives them, and the actions that tarl's own policy chose."""
    steps, about = np.load(run / "steps.npz"), model_metadata(run)
    rows = np.linspace(0, len(steps["actions"]) - 1, ROWS).astype(int)
    assert len(steps["actions"]) >= ROWS
    obs, actions = steps["observations"][rows], steps["actions"][rows]
    if about["observation"] == "bits":
        obs = np.ascontiguousarray(obs.transpose(0, 2, 3, 1)).astype(bool)
    if "action_low" in about:
        low, high = np.array(json.loads(about["action_low"])), np.array(json.loads(about["action_high"]))
        actions = low + 0.5 * (actions + 1) * (high - low)
    return obs, actions


def outputs_of_header(header: Path, obs: Array, discrete: bool, width: int) -> Array:
    """What a program with the header computes, row by row: the action, and the Q values behind a discrete one."""
    kind = "float" if obs.dtype == np.float32 else "std::uint8_t"
    compute = "p::act(obs, out);"
    if discrete:
        compute = "out[0] = static_cast<float>(p::act(obs)); p::q_values(obs, out + 1);"
    source, binary = header.with_suffix(".cpp"), header.with_suffix("")
    source.write_text(f"""#include <cstdio>
#include "{header.name}"
namespace p = mine::policy;
int main() {{
  {kind} obs[p::kObsSize];
  float out[{width + discrete}];
  while (std::fread(obs, sizeof obs, 1, stdin) == 1) {{
    {compute}
    std::fwrite(out, sizeof out, 1, stdout);
  }}
}}
""")
    subprocess.run([*COMPILER, source, "-o", binary], check=True)
    done = subprocess.run([binary], input=obs.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout, np.float32).reshape(len(obs), -1)


def same_choice(q: Array, chosen: Array) -> None:
    """Sums are rounded in another order elsewhere: another action may win only where values nearly tie."""
    behind = q.max(axis=1) - q[np.arange(len(q)), chosen]
    assert (behind <= CLOSE * np.maximum(1, np.abs(q).max(axis=1))).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_choose_as_tarl_does(family: str, run_of: Callable[[str], Path]) -> None:
    run = run_of(family)
    model, header = run / "policy.onnx", run / "policy.h"
    program("export", run, "--onnx", model, "--header", header, "--namespace", "mine::policy")
    onnx.checker.check_model(onnx.load(model), full_check=True)
    obs, actions = seen_and_done(run)
    session = onnxruntime.InferenceSession(model)
    given = dict(zip([one.name for one in session.get_outputs()], session.run(None, {"obs": obs}), strict=True))
    one = session.run(["action"], {"obs": obs[:1]})[0]
    assert np.abs(one[0] - given["action"][0]).max() <= CLOSE
    if "q_values" in given:
        q = given["q_values"]
        assert np.ptp(q, axis=0).max() > 100 * CLOSE  # it looks at what it is given
        assert (given["action"] == q.argmax(axis=1)).all()
        same_choice(q, actions)
        compiled = outputs_of_header(header, obs, True, q.shape[1])
        assert np.abs(compiled[:, 1:] - q).max() <= CLOSE * max(1, np.abs(q).max())
        assert (compiled[:, 0] == compiled[:, 1:].argmax(axis=1)).all()
        same_choice(q, compiled[:, 0].astype(int))
    else:
        assert actions.std() > 100 * CLOSE
        assert np.abs(given["action"] - actions).max() <= CLOSE
        assert np.abs(outputs_of_header(header, obs, False, actions.shape[1]) - actions).max() <= CLOSE


def test_a_sampling_policy_gives_what_sampling_takes(run_of: Callable[[str], Path]) -> None:
    run = run_of("sac")
    tarl.export_onnx(run, run / "sampling.onnx")
    obs, actions = seen_and_done(run)
    session = onnxruntime.InferenceSession(run / "sampling.onnx")
    mean, log_std = session.run(["mean", "log_std"], {"obs": obs})
    assert np.abs(2 * np.tanh(mean) - actions).max() <= CLOSE
    weights = load_file(run / "model.safetensors")
    x = obs
    for layer in ("fc1", "fc2"):
        x = np.maximum(x @ weights[f"actor.{layer}.weight"].T + weights[f"actor.{layer}.bias"], 0)
    expected = x @ weights["actor.log_std.weight"].T + weights["actor.log_std.bias"]
    assert np.abs(log_std - np.clip(expected, -20, 2)).max() <= CLOSE


def test_a_file_says_what_it_is(run_of: Callable[[str], Path]) -> None:
    run = run_of("sac")
    tarl.export_onnx(run / "model.safetensors", run / "about.onnx")
    about = onnxruntime.InferenceSession(run / "about.onnx").get_modelmeta().custom_metadata_map
    told = {"algo": "sac", "env": "classic/pendulum", "steps": "160", "action_low": "[-2]", "action_high": "[2]"}
    assert told.items() <= about.items()
    assert about["tarl_version"] in program("--version")


def test_the_best_model_is_another(run_of: Callable[[str], Path]) -> None:
    run = run_of("vectors")
    tarl.export_onnx(run, run / "best.onnx", best=True)
    about = onnxruntime.InferenceSession(run / "best.onnx").get_modelmeta().custom_metadata_map
    assert float(about["mean_return"]) > 0


class Pictures(gym.Env[Array, np.int64]):
    """Pictures with the channels last, and actions that count from 5."""

    observation_space = gym.spaces.Box(0, 255, (40, 36, 2), np.uint8)
    action_space = gym.spaces.Discrete(3, start=np.int64(5))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        return self.np_random.integers(0, 256, (40, 36, 2), np.uint8), {}

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        return self.np_random.integers(0, 256, (40, 36, 2), np.uint8), float(action), False, True, {}


def test_a_model_of_pictures_exports_what_it_predicts(tmp_path: Path) -> None:
    few = {"buffer_size": 100, "learning_starts": 10, "batch_size": 4, "policy_kwargs": {"net_arch": [16]}}
    model = tarl.DQN(Pictures, **few).learn(40)
    model.export_onnx(tmp_path / "policy.onnx")
    obs = np.random.default_rng(0).integers(0, 256, (64, 40, 36, 2), np.uint8)
    predicted, _ = model.predict(obs, deterministic=True)
    rows = np.ascontiguousarray(obs.transpose(0, 3, 1, 2))
    (q,) = onnxruntime.InferenceSession(tmp_path / "policy.onnx").run(["q_values"], {"obs": rows})
    assert np.ptp(q, axis=0).max() > 100 * CLOSE
    same_choice(q, predicted - 5)
    model.export_header(tmp_path / "policy.h", namespace="mine::policy")
    compiled = outputs_of_header(tmp_path / "policy.h", rows, True, 3)
    assert np.abs(compiled[:, 1:] - q).max() <= CLOSE * max(1, np.abs(q).max())


def test_a_model_of_vectors_exports_what_it_predicts(tmp_path: Path) -> None:
    model = tarl.SAC("Pendulum-v1", batch_size=16, policy_kwargs={"net_arch": [16]}).learn(150)
    model.export_onnx(tmp_path / "policy.onnx")
    obs = np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32)
    predicted, _ = model.predict(obs, deterministic=True)
    (action,) = onnxruntime.InferenceSession(tmp_path / "policy.onnx").run(["action"], {"obs": obs})
    assert predicted.std() > 100 * CLOSE and np.abs(action - predicted).max() <= CLOSE


def test_the_ending_of_a_name_says_what_is_exported(tmp_path: Path) -> None:
    model = tarl.DQN("classic/cartpole", learning_starts=10).learn(20)
    model.export_onnx(tmp_path / "named.onnx")
    model.export_header(tmp_path / "named.h", namespace="mine")
    model.export_header(tmp_path / "plain.h")
    model.export(tmp_path / "policy.onnx")
    model.export(str(tmp_path / "policy.hpp"), namespace="mine")
    model.export(tmp_path / "policy.h")
    for name, same in {"policy.onnx": "named.onnx", "policy.hpp": "named.h", "policy.h": "plain.h"}.items():
        assert (tmp_path / name).read_bytes() == (tmp_path / same).read_bytes()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(tarl.UsageError, match=r"policy\.txt ends neither in \.onnx nor in \.h"):
        model.export(tmp_path / "policy.txt")
    with pytest.raises(tarl.UsageError, match=r"for a header; leave them out for .*other\.onnx"):
        model.export(tmp_path / "other.onnx", namespace="mine")
    with pytest.raises(tarl.UsageError, match="for a header"):
        model.export(tmp_path / "other.onnx", force=True)
    with pytest.raises(ValueError, match="cannot name a namespace"):
        model.export(tmp_path / "other.h", namespace="")
    assert sorted(tmp_path.iterdir()) == before


def test_what_cannot_be_written_is_refused(run_of: Callable[[str], Path], tmp_path: Path) -> None:
    run = run_of("vectors")
    model = (run / "model.safetensors").read_bytes()
    with pytest.raises(tarl.UsageError, match="no name for an ONNX file"):
        tarl.export_onnx(run, run / "model.safetensors")
    assert (run / "model.safetensors").read_bytes() == model
    with pytest.raises(ValueError, match="cannot name a namespace"):
        tarl.export_header(run, tmp_path / "policy.h", namespace="2")
    with pytest.raises(tarl.Error, match="cannot create .*nowhere"):
        tarl.export_onnx(run, tmp_path / "nowhere" / "policy.onnx")
    with pytest.raises(tarl.Error, match="no run in"):
        tarl.export_onnx(tmp_path, tmp_path / "policy.onnx")
    assert not list(tmp_path.iterdir())


def test_a_large_header_needs_force(tmp_path: Path) -> None:
    sets = ["--set=policy.net_arch=[1500, 1400]", "--set=eval.count=0"]
    program("train", "--algo", "dqn", "--env", "classic/cartpole", "--steps", 10, "--out", tmp_path / "run", *sets)
    with pytest.raises(tarl.UsageError, match=r"2\d{6} parameters.*force=True"):
        tarl.export_header(tmp_path / "run", tmp_path / "policy.h")
    assert not (tmp_path / "policy.h").exists()
    tarl.export_header(tmp_path / "run", tmp_path / "policy.h", force=True)
    assert (tmp_path / "policy.h").stat().st_size > 20e6


def code_of_page(language: str) -> str:
    codes: list[str] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)
    assert len(codes) == 1
    return codes[0]


def test_the_lines_of_the_page_work(run_of: Callable[[str], Path]) -> None:
    run = run_of("vectors")
    tarl.export_onnx(run, run / "policy.onnx")
    tarl.export_header(run, run / "policy.h")
    subprocess.run([sys.executable, "-c", code_of_page("python")], cwd=run, check=True)
    (run / "page.cpp").write_text(code_of_page("cpp"))
    subprocess.run([*COMPILER, run / "page.cpp", "-o", run / "page"], check=True)
    said = subprocess.run([run / "page"], capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"action [01] of 2\n", said)


def test_the_examples_work(run_of: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "first").symlink_to(run_of("vectors"))
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(tarl.export, extraglobs={"tarl": tarl})
    assert results.failed == 0 and results.attempted == 2
    assert (tmp_path / "policy.onnx").exists() and "namespace mine::policy {" in (tmp_path / "policy.h").read_text()
