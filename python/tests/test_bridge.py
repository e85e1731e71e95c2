"""What environments give arrives in C++ as they meant it, or the error says what is wrong."""

import json
import struct

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from killed import Remembers
from support import cartpole, digest, small

import tarl


class Shows(gym.Env):
    """Gives one observation for ever, and keeps the actions."""

    def __init__(self, space, value, actions=None, answer=None):
        self.observation_space = space
        self.action_space = actions or spaces.Discrete(2)
        self.value = value
        self.answer = answer
        self.actions = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.value, {}

    def step(self, action):
        self.actions.append(action)
        return (self.value, 1.0, False, False, {}) if self.answer is None else self.answer


def shown(*args, kind=tarl.DQN, **more):
    """The last observation as the program keeps it, of a model that has played a few steps."""
    model = kind(lambda: Shows(*args, **more), learning_starts=5, buffer_size=100, batch_size=2)
    model.learn(12)
    file = model._file(full=True).encode()
    (size,) = struct.unpack("<Q", file[:8])
    tensors = json.loads(file[8 : 8 + size])
    (name,) = [name for name in tensors if name.endswith("/obs") and name.removesuffix("obs") + "way" in tensors]
    begin, end = tensors[name]["data_offsets"]
    return file[8 + size + begin : 8 + size + end]


NUMBERS = np.array([1.5, -2.0, 0.0, 7.0], np.float32)
BOX = spaces.Box(-10, 10, (4,))
FORMS = {
    "float32": NUMBERS,
    "float64": NUMBERS.astype(np.float64),
    "float16": NUMBERS.astype(np.float16),
    "big_endian": NUMBERS.astype(">f4"),
    "list": NUMBERS.tolist(),
    "tuple": tuple(NUMBERS),
    "every_other": np.repeat(NUMBERS, 2)[::2],
    "backwards": NUMBERS[::-1].copy()[::-1],
}
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.bool_]


@pytest.mark.parametrize("form", FORMS)
def test_vectors_of_every_form(form):
    assert shown(BOX, FORMS[form]) == NUMBERS.tobytes()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_whole_numbers_become_floats(dtype):
    space = spaces.Box(0, 1 if dtype is np.bool_ else 100, (3,), dtype)
    assert shown(space, np.array([1, 0, 1], dtype)) == np.array([1, 0, 1], np.float32).tobytes()


def test_read_only_and_two_dimensional_arrays():
    table = np.arange(6, dtype=np.float64).reshape(2, 3)
    table.setflags(write=False)
    assert shown(spaces.Box(0, 9, (2, 3), np.float64), table) == np.arange(6, dtype=np.float32).tobytes()
    assert shown(spaces.Box(0, 9, (2, 3)), np.asfortranarray(table)) == np.arange(6, dtype=np.float32).tobytes()


PIXELS = np.random.default_rng(0).integers(0, 256, (3, 40, 44), np.uint8)  # channels first


@pytest.mark.parametrize("form", ["first", "last", "transposed", "grey"])
def test_images_with_channels_first_and_last(form):
    value, right = {
        "first": (PIXELS, PIXELS),
        "last": (np.ascontiguousarray(PIXELS.transpose(1, 2, 0)), PIXELS),
        "transposed": (PIXELS.transpose(1, 2, 0), PIXELS),  # strides as they come
        "grey": (PIXELS[0], PIXELS[:1]),
    }[form]
    assert shown(spaces.Box(0, 255, value.shape, np.uint8), value) == right.tobytes()


def test_choices_are_one_hot_from_their_start():
    assert shown(spaces.Discrete(3, start=5), 6) == np.array([0, 1, 0], np.float32).tobytes()
    several = spaces.MultiDiscrete([2, 3], start=[1, 0])
    assert shown(several, np.array([2, 0])) == np.array([0, 1, 1, 0, 0], np.float32).tobytes()


def test_parts_are_put_together_as_gymnasium_flattens_them():
    space = spaces.Dict(b=BOX, a=spaces.Tuple([spaces.Discrete(3), spaces.MultiBinary(2)]))
    value = {"a": (2, np.array([0, 1], np.int8)), "b": NUMBERS}
    assert shown(space, value) == spaces.flatten(space, value).astype(np.float32).tobytes()


@pytest.mark.parametrize(
    ("kind", "actions"),
    [
        (tarl.DQN, spaces.Discrete(3, start=5)),
        (tarl.SAC, spaces.Box(-1, 2, (2, 1))),
        (tarl.TD3, spaces.Box(np.array([-1.0, 5.0]), np.array([0.0, 7.0]), dtype=np.float64)),
    ],
)
def test_actions_are_those_of_the_space(kind, actions):
    env = Shows(BOX, NUMBERS, actions)
    model = kind(lambda: env, learning_starts=20, batch_size=4, policy_kwargs={"net_arch": [8]})
    model.learn(60)
    assert len(env.actions) == 60 and all(action in actions for action in env.actions)
    assert len({np.asarray(action).tobytes() for action in env.actions}) > 2
    assert model.predict(NUMBERS)[0] in actions


WRONG = [
    (np.zeros(5), ValueError, r"shape \(5,\).*says \(4,\)"),
    (np.zeros((1, 4)), ValueError, r"shape \(1, 4\).*says \(4,\)"),
    (None, (TypeError, ValueError), None),
    ("text", ValueError, None),
    (np.array([0, 0, np.nan, 0]), tarl.NonFiniteError, "observation that is not finite"),
    (np.array([0, 0, np.inf, 0]), tarl.NonFiniteError, "observation that is not finite"),
    (np.array([0, 0, 1e39, 0]), tarl.NonFiniteError, "observation that is not finite"),  # as a float
]


@pytest.mark.parametrize(("value", "error", "message"), WRONG)
def test_observations_that_are_not_of_the_space(value, error, message):
    answer = (value, 0.0, False, False, {})
    with pytest.raises(error, match=message):
        shown(BOX, NUMBERS, answer=answer)


ANSWERS = [
    ((NUMBERS, 0.0, False, {}), r"step\(\) must return \(observation, reward, terminated, truncated, info\)"),
    (NUMBERS, r"step\(\) must return"),
    ((NUMBERS, "much", False, False, {}), "real number"),
    ((NUMBERS, float("nan"), False, False, {}), "reward that is not finite"),
    ((NUMBERS, 0.0, np.array([True, False]), False, {}), "ambiguous"),
]


@pytest.mark.parametrize(("answer", "message"), ANSWERS)
def test_answers_that_are_no_step(answer, message):
    with pytest.raises((TypeError, ValueError, tarl.NonFiniteError), match=message):
        shown(BOX, NUMBERS, answer=answer)


def test_a_reset_without_info_and_images_of_another_type():
    class Old(Shows):
        def reset(self, **kwargs):
            return self.value

    with pytest.raises((TypeError, ValueError), match=r"reset\(\) must return \(observation, info\)"):
        tarl.DQN(lambda: Old(BOX, NUMBERS)).learn(5)
    with pytest.raises(ValueError, match="not in its observation_space"):
        shown(spaces.Discrete(3, start=5), 4)
    with pytest.raises(ValueError, match="of type float64, but its observation_space says uint8"):
        shown(spaces.Box(0, 255, (40, 44), np.uint8), PIXELS[0] / 255)


@pytest.mark.parametrize(
    ("space", "actions", "advice"),
    [
        (spaces.Box(0, 1, (2, 3, 4)), None, "FlattenObservation"),
        (spaces.Text(5), None, "TransformObservation"),
        (spaces.Box(0, 255, (8, 8), np.uint8), None, "ResizeObservation"),
        (BOX, spaces.MultiDiscrete([2, 2]), "TransformAction"),
        (BOX, spaces.Box(-np.inf, np.inf, (2,)), "bounded Box"),
    ],
)
def test_spaces_that_nobody_learns_say_what_to_do(space, actions, advice):
    with pytest.raises(TypeError, match=advice):
        tarl.DQN(lambda: Shows(space, None, actions))


def test_an_algorithm_for_other_actions_says_so():
    with pytest.raises(tarl.UsageError, match="action"):
        tarl.DQN("Pendulum-v1")
    with pytest.raises(tarl.UsageError, match="action"):
        tarl.SAC("CartPole-v1")


def test_predict_refuses_what_is_no_observation():
    model = small("gymnasium")
    for wrong in (np.zeros(3), np.zeros((2, 5)), "text"):
        with pytest.raises((TypeError, ValueError)):
            model.predict(wrong)
    for predict in (model.predict, model.policy().predict):
        with pytest.raises(TypeError, match="wants an observation, not None"):
            predict(None)
        with pytest.raises(TypeError, match=r"reset\(\) returns \(observation, info\)"):
            predict(cartpole().reset())


LANES = 3


def vectors(kind, mode, make):
    return lambda: kind([make] * LANES, autoreset_mode=mode)


def same_as_lanes(env, make):
    settings = {"learning_starts": 30, "seed": 3}
    several, lanes = tarl.TADQN(env, **settings), tarl.TADQN(make, n_envs=LANES, **settings)
    assert several.learn(600).num_timesteps == lanes.learn(600).num_timesteps
    assert several.n_updates > 100
    assert digest(several) == digest(lanes)


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_a_vector_that_leaves_resets_to_others_is_its_lanes(kind):
    same_as_lanes(vectors(kind, AutoresetMode.DISABLED, cartpole), cartpole)


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_a_vector_that_resets_in_the_same_step_is_its_lanes(kind):
    same_as_lanes(vectors(kind, AutoresetMode.SAME_STEP, Remembers), Remembers)


def test_vectors_of_our_own_are_the_same_in_processes():
    settings = {"n_envs": 2, "learning_starts": 30}
    one, other = (tarl.DQN("CartPole-v1", vec=vec, **settings).learn(300) for vec in ("sync", "async"))
    assert digest(one) == digest(other)


def test_vectors_that_cannot_be_trained_in():
    with pytest.raises(TypeError, match="spends a step on a reset.*SAME_STEP"):
        tarl.DQN(vectors(SyncVectorEnv, AutoresetMode.NEXT_STEP, cartpole))
    with pytest.raises(ValueError, match="n_envs = 2, but .* has 3 environments"):
        tarl.DQN(vectors(SyncVectorEnv, AutoresetMode.SAME_STEP, cartpole), n_envs=2)
    with pytest.raises(TypeError, match="give a function that makes the vector environment"):
        tarl.DQN(vectors(SyncVectorEnv, AutoresetMode.SAME_STEP, cartpole)())
