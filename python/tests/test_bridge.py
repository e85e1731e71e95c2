"""What environments give arrives in C++ as they meant it, or the error says what is wrong."""

import json
import pickle
import struct
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
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
    (None, ValueError, r"an observation of .* has shape \(\), but"),
    ("text", ValueError, None),
    ([1, [2, 3], 4, 5], ValueError, "is no array of one shape"),
    (np.zeros(4, complex), ValueError, "is of type complex128, but its observation_space says float32"),
    (np.zeros(4, "M8[s]"), ValueError, r"is of type datetime64\[s\]"),
    (list("1234"), ValueError, "is of type <U1"),
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
    ((NUMBERS, "much", False, False, {}), r"lambda\(\): reward must be a number, and is 'much'"),
    ((NUMBERS, None, False, False, {}), "reward must be a number, and is None"),
    ((NUMBERS, np.ones(2), False, False, {}), r"reward must be a number, and is array\(\[1., 1.\]\)"),
    ((NUMBERS, 1j, False, False, {}), "reward must be a number, and is 1j"),
    ((NUMBERS, "x" * 200, False, False, {}), "and is a value of type str"),
    ((NUMBERS, float("inf"), False, False, {}), "reward that is not finite"),
    ((NUMBERS, 0.0, None, False, {}), "terminated must be true or false, and is None"),
    ((NUMBERS, 0.0, False, "no", {}), "truncated must be true or false, and is 'no'"),
    ((NUMBERS, False, 1.0, False, {}), "terminated must be true or false, and is 1.0"),  # in another order
    ((NUMBERS, 0.0, True, False, {"episode": {"r": "?"}}), r"info\['episode'\]\['r'\] must be a number"),
    ((NUMBERS, float("nan"), False, False, {}), "reward that is not finite"),
    ((NUMBERS, 0.0, np.array([True, False]), False, {}), r"terminated must be true or false, and is array"),
]


@pytest.mark.parametrize(("answer", "message"), ANSWERS)
def test_answers_that_are_no_step(answer, message):
    with pytest.raises((TypeError, ValueError, tarl.NonFiniteError), match=message):
        shown(BOX, NUMBERS, answer=answer)


@pytest.mark.parametrize("info", [None, [], {"episode": 7}, {"episode": {}}, {"episode": None}])
@pytest.mark.parametrize("over", [True, np.True_, 1, np.array([True])])
def test_answers_that_are_one(over, info):
    assert shown(BOX, NUMBERS, answer=(NUMBERS, np.float32(1), over, False, info)) == NUMBERS.tobytes()


def test_a_first_observation_that_is_not_finite():
    with pytest.raises(tarl.NonFiniteError, match="step 1: .* gave a first observation that is not finite"):
        shown(BOX, np.array([0, np.nan, 0, 0]), answer=(NUMBERS, 0.0, False, False, {}))


PARTS = spaces.Dict(a=spaces.Tuple([spaces.Discrete(3)]), b=BOX)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": (1,)}, "lacks the part 'b'"),
        ({"a": (), "b": NUMBERS}, "lacks the part 0"),
        (NUMBERS, "lacks the part 'a'"),
        (None, "lacks the part 'a'"),
        ({"a": (1.5,), "b": NUMBERS}, r"observation\['a'\]\[0\] of .* is of type float64"),
        ({"a": (3,), "b": NUMBERS}, "the observation 3 of .* is not in its observation_space"),
    ],
)
def test_observations_that_lack_a_part(value, message):
    with pytest.raises(ValueError, match=message):
        shown(PARTS, value)


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
        (BOX, spaces.Box(-3e38, 3e38, (1,)), "bounded Box"),
        (BOX, spaces.Box(-1e300, 1e300, (1,), np.float64), "bounded Box"),
        (spaces.Dict(), None, "nothing to learn from"),
        (spaces.Tuple([]), None, "nothing to learn from"),
        (spaces.Box(0, 1, (0,)), None, "no number to learn from"),
        ("none", None, r"observation_space is a space of gymnasium.spaces, and Shows has one of builtins"),
    ],
)
def test_spaces_that_nobody_learns_say_what_to_do(space, actions, advice):
    with pytest.raises(TypeError, match=advice):
        tarl.DQN(lambda: Shows(space, None, actions))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: None, r"lambda\(\) made no gymnasium.Env but None; does it lack a return"),
        (lambda: "CartPole-v1", "made no gymnasium.Env but str"),
        (gym.Env, "observation_space is a space of gymnasium.spaces, and Env has none"),
        (3, "env is an id, an environment or a function that makes one, not int"),
    ],
)
def test_what_makes_no_environment(make, message):
    with pytest.raises(TypeError, match=message):
        tarl.DQN(make)
    with pytest.raises(TypeError, match="eval_env is an id, .* not int"):
        tarl.DQN("CartPole-v1", eval_env=3)


class Duck:
    """No gymnasium.Env, and has nothing to close."""

    observation_space, action_space = BOX, spaces.Discrete(2)

    def reset(self, **kwargs):
        return NUMBERS, {}

    def step(self, action):
        return NUMBERS, 1.0, False, False, {}


def test_what_walks_like_an_environment_is_one(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    model = tarl.DQN(Duck, learning_starts=5).learn(20)
    assert model.num_timesteps == 20
    del model
    assert told == []


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
        with pytest.raises(ValueError, match=r"an observation of CartPole-v1 has shape \(3,\), but"):
            predict(np.zeros(3))
        for odd in (np.nan, np.inf):
            with pytest.raises(tarl.NonFiniteError, match=r"predict\(\) got an observation that is not finite"):
                predict(np.full(4, odd))
            with pytest.raises(tarl.NonFiniteError, match="not finite"):
                predict(np.full((2, 4), odd))
        with pytest.raises(TypeError, match="wants an observation, not None"):
            predict(None)
        with pytest.raises(TypeError, match=r"reset\(\) returns \(observation, info\)"):
            predict(cartpole().reset())


def test_predict_refuses_what_is_no_state_of_stacked_frames():
    model = tarl.DQN(lambda: Shows(spaces.Box(0, 255, (40, 44), np.uint8), PIXELS[0]), frame_stack=2, buffer_size=50)
    state = model.predict(PIXELS[0])[1]
    assert model.predict(PIXELS[0], state)[1].shape == state.shape
    for wrong in ("text", state[:, 1:], np.stack([state[0]] * 2), state.astype(float)):
        with pytest.raises(ValueError, match="state is what predict.. returned"):
            model.predict(PIXELS[0], wrong)
    with pytest.raises(ValueError, match="episode_start has a value for each observation"):
        model.predict(PIXELS, None, [True])
    with pytest.raises(TypeError, match="pickle its model"):
        pickle.dumps(model.policy())


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


class Several(VectorEnv):
    """Two of them, which give one answer for ever."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
    num_envs = 2
    single_observation_space, single_action_space = BOX, spaces.Discrete(2)

    def __init__(self, answer, first=None):
        self.answer, self.first = answer, first

    def reset(self, *, seed=None, options=None):
        return (TWO, {}) if self.first is None else self.first

    def step(self, actions):
        return self.answer


TWO, NO, ENDS = np.zeros((2, 4), np.float32), np.zeros(2, bool), np.array([True, False])
REWARDS = np.ones(2)


def learned(answer, first=None):
    return tarl.DQN(lambda: Several(answer, first), learning_starts=5).learn(12).num_timesteps


@pytest.mark.parametrize(
    "answer",
    [
        (TWO, REWARDS, NO, NO, {}),
        (TWO, [1, 2], [False, False], NO.astype(int), None),
        (TWO.tolist(), REWARDS.astype(np.float32), NO, NO, []),
        (TWO, REWARDS, ENDS, NO, {"final_obs": [NUMBERS, None], "episode": 7}),
        (TWO, REWARDS, ENDS, NO, {"final_obs": [NUMBERS, None], "final_info": {"episode": {"l": 3}}}),
    ],
)
def test_what_a_vector_may_answer(answer):
    assert learned(answer) == 12


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((TWO, REWARDS, NO, {}), r"step\(\) must return \(observations, rewards, terminations, truncations, infos\)"),
        ((TWO[:1], REWARDS, NO, NO, {}), "observations of .* must be 2, one for each environment, and are 1"),
        ((np.zeros((3, 4)), REWARDS, NO, NO, {}), "must be 2, one for each environment, and are 3"),
        ((None, REWARDS, NO, NO, {}), "must be 2, one for each environment, and are no sequence"),
        ((np.zeros((2, 3)), REWARDS, NO, NO, {}), r"has shape \(3,\)"),
        ((TWO * np.nan, REWARDS, NO, NO, {}), "observation that is not finite"),
        ((TWO, None, NO, NO, {}), r"rewards must be 2 numbers, one for each environment, and are object of shape \(\)"),
        ((TWO, np.ones(3), NO, NO, {}), r"rewards must be 2 .* float64 of shape \(3,\)"),
        ((TWO, np.ones((2, 1)), NO, NO, {}), r"rewards must be 2 .* of shape \(2, 1\)"),
        ((TWO, REWARDS, REWARDS, NO, {}), "terminations must be 2 truth values, one for each .* are float64"),
        ((TWO, REWARDS, NO, None, {}), "truncations must be 2 truth values"),
        ((TWO, REWARDS * np.nan, NO, NO, {}), "reward that is not finite"),
        ((TWO, REWARDS, ENDS, NO, {}), r"ended an episode without infos\['final_obs'\]"),
        ((TWO, REWARDS, ENDS, NO, {"final_obs": None}), "without infos"),
        ((TWO, REWARDS, ENDS, NO, None), "without infos"),
        ((TWO, REWARDS, ENDS, NO, {"final_obs": [NUMBERS]}), r"infos\['final_obs'\] has 1 of 2"),
        ((TWO, REWARDS, ENDS, NO, {"final_obs": [None, None]}), r"has shape \(\)"),
    ],
)
def test_what_a_vector_may_not_answer(answer, message):
    with pytest.raises((TypeError, ValueError, tarl.NonFiniteError), match=message):
        learned(answer)


@pytest.mark.parametrize(("first", "message"), [(TWO, r"reset\(\) must return"), ((TWO * np.nan, {}), "first observation")])
def test_how_a_vector_may_not_begin(first, message):
    with pytest.raises((TypeError, ValueError, tarl.NonFiniteError), match=message):
        learned((TWO, REWARDS, NO, NO, {}), first)
