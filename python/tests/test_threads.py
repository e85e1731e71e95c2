"""Threads of Python's: each has its own models and environments, and none changes what another computes."""

import threading

import numpy as np
import pytest
from support import SMALL, differing_files, digest, small

import tarl
from tarl.envs import NativeVectorEnv


def together(*calls):
    """What each returns, from threads that begin at the same time. What one raises is raised here."""
    ready = threading.Barrier(len(calls))
    results, problems = [None] * len(calls), []

    def call(i):
        try:
            ready.wait()
            results[i] = calls[i]()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=call, args=[i]) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return results


@pytest.mark.parametrize("kinds", [("native", "gymnasium"), ("continuous", "lanes"), ("function", "function")])
@pytest.mark.parametrize("threads", [1, 2])
def test_two_models_learn_in_two_threads(kinds, threads):
    def learn(kind, threads=1):
        return digest(small(kind, threads=threads).learn(250))

    alone = [learn(kind) for kind in kinds]
    assert together(*(lambda kind=kind: learn(kind, threads) for kind in kinds)) == alone


def test_two_runs_with_folders_in_two_threads(tmp_path):
    def learn(folder, kind):
        small(kind, run_dir=folder).learn(200, n_evaluations=2)
        tarl.resume(folder).learn(200)

    kinds = ("native", "gymnasium")
    for kind in kinds:
        learn(tmp_path / f"{kind} alone", kind)
    together(*(lambda kind=kind: learn(tmp_path / kind, kind) for kind in kinds))
    assert [differing_files(tmp_path / kind, tmp_path / f"{kind} alone") for kind in kinds] == [[], []]


@pytest.mark.parametrize("kind", SMALL)
def test_policies_act_in_threads_while_their_model_learns(kind):
    model = small(kind).learn(120)
    policy, over = model.policy(), threading.Event()
    obs = np.stack([model.observation_space.sample() for _ in range(9)])
    chosen, _ = policy.predict(obs, deterministic=True)

    def learn():
        try:
            return digest(model.learn(200))
        finally:
            over.set()

    def act():
        while True:
            last = over.is_set()  # at least once
            np.testing.assert_array_equal(policy.predict(obs, deterministic=True)[0], chosen)
            policy.predict(obs[0])
            if last:
                return

    learned, _, _ = together(learn, act, act)
    assert learned == digest(small(kind).learn(120).learn(200))


def test_a_thread_stops_models_that_learn():
    models = [small(kind) for kind in ("native", "gymnasium")]
    begun = [threading.Event() for _ in models]

    def learn(model, begun):
        model.learn(10**9, callback=lambda model, step: begun.set())
        return model.num_timesteps

    def stop():
        for one in begun:
            one.wait()
        for model in models:
            model.stop()

    learned = together(stop, *(lambda pair=pair: learn(*pair) for pair in zip(models, begun, strict=True)))
    assert all(1000 <= steps < 10**9 for steps in learned[1:])


def played(threads):
    """Rewards and last observations of a hundred steps of environments that step without the GIL."""
    envs = NativeVectorEnv("minatar/breakout", 16, threads=threads)
    envs.reset(seed=1)
    steps = [envs.step(np.full(16, step % 3)) for step in range(100)]
    return np.stack([step[1] for step in steps]).tobytes() + steps[-1][0].tobytes()


def test_vectors_of_native_environments_step_in_threads():
    alone = played(1)
    assert together(*[lambda: played(2)] * 3) == [alone] * 3


CALLS = {
    "step": lambda envs: envs.step(np.zeros(256, int)),
    "reset": lambda envs: envs.reset(),
    "get_state": lambda envs: envs.get_state(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_vector_of_native_environments_is_one_threads_at_a_time(name):
    """Both threads call until one is refused, which comes in the middle of a call of the other's."""
    envs = NativeVectorEnv("minatar/breakout", 256)
    envs.reset(seed=0)
    refused = threading.Event()

    def play(call):
        try:
            while not refused.is_set():
                call(envs)
        except RuntimeError as problem:
            assert "in use in another thread; give each thread its own" in str(problem)
        finally:
            refused.set()

    together(lambda: play(CALLS["step"]), lambda: play(CALLS[name]))
    obs, _ = envs.reset(seed=0)
    np.testing.assert_array_equal(obs, NativeVectorEnv("minatar/breakout", 256).reset(seed=0)[0])
