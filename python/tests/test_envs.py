"""Native environments as Gymnasium's: beside its own vector environments, its checker, pickle and states."""

import copy
import pickle
import subprocess
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics

import tarl.envs
from tarl.envs import NativeEnv, NativeVectorEnv, gym_id

NAMES = [name for name in tarl.envs.names() if not name.startswith("atari/")]  # those need ROMs
BREAKOUT = "minatar/breakout"
PENDULUM = "classic/pendulum"
LANES = 4
# Small tasks whose episodes are longer than a test.
LONG = {"classic/acrobot", "classic/mountain_car_continuous", "minatar/freeway", "minatar/freeway-v0"}


def make(name, **settings):
    return gym.make(gym_id(name), **settings).unwrapped


def random_actions(env, rng, count=None):
    space = env.action_space if count is None else env.single_action_space
    shape = () if count is None else (count,)
    if isinstance(space, gym.spaces.Discrete):
        return rng.integers(space.n, size=shape)
    return rng.uniform(1.2 * space.low, 1.2 * space.high, (*shape, *space.shape)).astype(np.float32)


def play(env, steps, rng):
    """What an environment gives from here on."""
    given = []
    for _ in range(steps):
        given.append(env.step(random_actions(env, rng)))
        if given[-1][2] or given[-1][3]:
            given.append(env.reset())
    return given


@pytest.mark.parametrize("name", NAMES)
def test_passes_gymnasiums_checker(name):
    env = gym.make(gym_id(name), render_mode="rgb_array")
    assert env.unwrapped is env  # no wrapper to pay for
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=r"(?s).*(infinity|symmetric and normalized).*")
        check_env(env.unwrapped)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", NAMES)
def test_vector_environments_are_single_ones_side_by_side(name, mode):
    """On any number of threads; one of them is pickled in mid-run, another goes on from a state."""
    is_small = name.startswith(("classic/", "minatar/"))
    steps = 260 if is_small else 40
    make_ours = lambda threads: gym.make_vec(  # noqa: E731
        gym_id(name), num_envs=LANES, threads=threads, autoreset_mode=mode
    )
    ours = [make_ours(threads) for threads in (1, 2, 4)]
    theirs = SyncVectorEnv([lambda: make(name)] * LANES, autoreset_mode=mode)
    for env in ours:
        assert env.observation_space == theirs.observation_space and env.action_space == theirs.action_space

    def agree(given, expected):
        return all(data_equivalence(one, expected, exact=True) for one in given)

    assert agree([env.reset(seed=11) for env in ours], theirs.reset(seed=11))
    rng = np.random.default_rng(0)
    ends = 0
    for step in range(steps):
        actions = random_actions(theirs, rng, LANES)
        expected = theirs.step(actions)
        assert agree([env.step(actions) for env in ours], expected), step
        over = expected[2] | expected[3]
        ends += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            options = {"reset_mask": over}
            assert agree([env.reset(options=options) for env in ours], theirs.reset(options=dict(options)))
        if step == steps // 2:
            ours[0] = pickle.loads(pickle.dumps(ours[0]))
            state = ours[1].get_state()
            ours[1] = make_ours(2)
            ours[1].set_state(state)
    assert ends > 0 or not is_small or name in LONG


@pytest.mark.parametrize("name", NAMES)
def test_goes_on_to_the_bit_from_a_pickle_a_copy_and_a_state(name):
    env = make(name)
    env.reset(seed=3)
    play(env, 30, np.random.default_rng(1))
    others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), make(name)]
    others[2].set_state(env.get_state())
    expected = play(env, 60, np.random.default_rng(2))
    for other in others:
        assert data_equivalence(play(other, 60, np.random.default_rng(2)), expected, exact=True)
        assert other.get_state() == env.get_state()


@pytest.mark.parametrize("name", NAMES)
def test_goes_on_from_before_the_first_reset(name):
    env = make(name)
    other = pickle.loads(pickle.dumps(env))
    assert data_equivalence(env.reset(), other.reset(), exact=True)


def test_seeds_are_gymnasiums():
    envs = NativeVectorEnv(BREAKOUT, 4, autoreset_mode="Disabled")
    starts = envs.reset(seed=20)[0]
    assert envs.np_random_seed == (20, 21, 22, 23)
    single = make(BREAKOUT)
    for lane in range(4):
        assert (single.reset(seed=20 + lane)[0] == starts[lane]).all()
    assert (envs.reset(seed=[23, None, 21, 20])[0][[0, 2, 3]] == starts[[3, 1, 0]]).all()
    mask = np.array([True, False, False, True])
    before = envs.step(np.zeros(4, np.int64))[0]
    after = envs.reset(seed=20, options={"reset_mask": mask})[0]
    assert (after[mask] == starts[mask]).all() and (after[~mask] == before[~mask]).all()


def test_starts_without_a_seed_differ():
    starts = [make(PENDULUM).reset()[0] for _ in range(3)] + list(NativeVectorEnv(PENDULUM, 3).reset()[0])
    assert len({tuple(start) for start in starts}) == 6
    env = make(PENDULUM)
    first, second = env.reset()[0], env.reset()[0]
    assert (env.reset(seed=env.np_random_seed)[0] == first).all() and (env.reset()[0] == second).all()


def test_what_is_given_is_not_written_again():
    env = make(BREAKOUT)
    given = [env.reset(seed=1)[0]] + [env.step(0)[0] for _ in range(3)]
    kept = [obs.copy() for obs in given]
    env.step(1)
    assert all((one == other).all() for one, other in zip(given, kept, strict=True))
    envs = NativeVectorEnv(BREAKOUT, 2)
    first = envs.reset(seed=1)[0]
    kept_first = first.copy()
    second = envs.step([1, 1])[0]
    assert (first == kept_first).all() and first is not second
    reusing = NativeVectorEnv(BREAKOUT, 2, copy=False)
    assert reusing.reset(seed=1)[0] is reusing.step([1, 1])[0]


def test_settings_reach_the_environment():
    def episode(**settings):
        env = make(BREAKOUT, **settings)
        env.reset(seed=5)
        return play(env, 200, np.random.default_rng(3))

    plain = episode()
    assert data_equivalence(episode(sticky_actions=0.1), plain, exact=True)  # the game's own
    assert not data_equivalence(episode(sticky_actions=0.9), plain, exact=True)
    env = pickle.loads(pickle.dumps(make(BREAKOUT, sticky_actions=0.9)))
    env.reset(seed=5)
    assert data_equivalence(
        play(env, 200, np.random.default_rng(3)), episode(sticky_actions=0.9), exact=True
    )
    assert make("minatar/asterix", ramping=False).reset(seed=1)


def test_pictures():
    env = gym.make(gym_id(BREAKOUT), render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape[2] == 3 and picture.max() > 0
    env.step(1)
    assert (env.render() != picture).any()
    envs = gym.make_vec(gym_id(BREAKOUT), num_envs=2, render_mode="rgb_array")
    envs.reset(seed=1)
    assert (envs.render()[0] == picture).all() and len(envs.render()) == 2
    with pytest.warns(UserWarning, match="render_mode"):
        assert make(BREAKOUT).render() is None
    assert make("classic/cartpole").metadata["render_fps"] == 50


@pytest.mark.parametrize(
    "wrong, kind, says",
    [
        (lambda: NativeEnv("minatar/brekout"), tarl.UsageError, "did you mean 'minatar/breakout'"),
        (lambda: NativeEnv(BREAKOUT, sticky=1), tarl.UsageError, "environment.sticky"),
        (lambda: NativeEnv(BREAKOUT, sticky_actions=2), tarl.UsageError, "from 0 to 1"),
        (lambda: NativeEnv(BREAKOUT, render_mode="ansi"), tarl.UsageError, "rgb_array"),
        (lambda: NativeVectorEnv(BREAKOUT, 0), tarl.UsageError, "at least 1"),
        (lambda: NativeVectorEnv(BREAKOUT, threads=0), tarl.UsageError, "at least 1"),
        (lambda: NativeVectorEnv(BREAKOUT, autoreset_mode="never"), ValueError, "never"),
        (lambda: make(BREAKOUT).step(0), ResetNeeded, "reset"),
        (lambda: NativeVectorEnv(BREAKOUT, 2).step([0, 0]), ResetNeeded, "reset"),
        (lambda: make(BREAKOUT).reset(seed=-1), gym.error.Error, "-1"),
        (lambda: make(BREAKOUT).reset(seed=2**64), tarl.UsageError, "below"),
        (lambda: NativeVectorEnv(BREAKOUT, 2).reset(seed=-1), tarl.UsageError, "-1"),
        (lambda: NativeVectorEnv(BREAKOUT, 2).reset(seed=[1]), tarl.UsageError, "1 seeds for 2"),
    ],
)
def test_wrong_requests_are_refused(wrong, kind, says):
    with pytest.raises(kind, match=says):
        wrong()


@pytest.mark.parametrize(
    "name, action, kind, says",
    [
        (BREAKOUT, 3, tarl.UsageError, r"3 is not in 0\.\.2"),
        (BREAKOUT, -1, tarl.UsageError, r"-1 is not in 0\.\.2"),
        (BREAKOUT, 0.5, TypeError, "float"),
        (BREAKOUT, [0], TypeError, "list"),
        (PENDULUM, [0, 0], tarl.UsageError, "1 numbers, not 2"),
        (PENDULUM, [[0]], tarl.UsageError, "one dimension"),
        (PENDULUM, [np.nan], tarl.UsageError, "not a number"),
        (PENDULUM, ["left"], ValueError, "left"),
    ],
)
def test_wrong_actions_change_nothing(name, action, kind, says):
    env = make(name)
    env.reset(seed=1)
    state = env.get_state()
    with pytest.raises(kind, match=says):
        env.step(action)
    assert env.get_state() == state


@pytest.mark.parametrize(
    "name, actions, says",
    [
        (BREAKOUT, [0, 3], "3 is not in"),
        (BREAKOUT, [0], "integers"),
        (BREAKOUT, [0.0, 1.0], "integers"),
        (PENDULUM, [0.0, 0.0], "numbers"),
        (PENDULUM, [[0.0], [np.nan]], "not a number"),
    ],
)
def test_wrong_actions_of_several_change_nothing(name, actions, says):
    envs = NativeVectorEnv(name, 2, threads=2)
    envs.reset(seed=1)
    state = envs.get_state()
    with pytest.raises(tarl.UsageError, match=says):
        envs.step(actions)
    assert envs.get_state() == state


@pytest.mark.parametrize("mask", [[True], [1, 0], np.zeros(2, bool)])
def test_wrong_masks_are_refused(mask):
    envs = NativeVectorEnv(BREAKOUT, 2)
    envs.reset(seed=1)
    with pytest.raises(tarl.UsageError, match="2 booleans"):
        envs.reset(options={"reset_mask": np.array(mask)})


def test_a_mask_does_not_start_what_it_leaves_out():
    with pytest.raises(ResetNeeded):
        NativeVectorEnv(BREAKOUT, 2).reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_an_episode_that_is_over_does_not_go_on(mode):
    env = make(PENDULUM)
    envs = NativeVectorEnv(PENDULUM, 1, autoreset_mode=mode)
    env.reset(seed=1)
    envs.reset(seed=1)
    for _ in range(200):
        env.step([0.0])
        envs.step([[0.0]])
    with pytest.raises(ResetNeeded, match="over"):
        env.step([0.0])
    if mode == "Disabled":
        with pytest.raises(ResetNeeded, match="over"):
            envs.step([[0.0]])


def test_actions_beyond_their_bounds_are_clipped():
    first, second = make(PENDULUM), make(PENDULUM)
    first.reset(seed=1)
    second.reset(seed=1)
    assert data_equivalence(first.step([np.inf]), second.step(np.array([2.0])), exact=True)


def test_foreign_and_damaged_states_are_refused():
    env = make(BREAKOUT)
    env.reset(seed=1)
    state = env.get_state()
    with pytest.raises(tarl.Error, match="1 x minatar/asterix"):
        make("minatar/asterix").set_state(state)
    with pytest.raises(tarl.Error, match="2 x minatar/breakout"):
        NativeVectorEnv(BREAKOUT, 2).set_state(state)
    for damaged in (b"", b"pickle", state[:-1], state[: len(state) // 2], state.replace(b"env", b"vne")):
        with pytest.raises(tarl.Error):
            env.set_state(damaged)


def test_other_vector_environments_and_wrappers_take_them():
    ours = gym.make_vec(gym_id(BREAKOUT), num_envs=2)
    theirs = AsyncVectorEnv([lambda: make(BREAKOUT)] * 2)
    try:
        assert data_equivalence(ours.reset(seed=4), theirs.reset(seed=4), exact=True)
        for _ in range(100):
            assert data_equivalence(ours.step(np.array([1, 2])), theirs.step(np.array([1, 2])), exact=True)
    finally:
        theirs.close()
    sync = gym.make_vec(gym_id(BREAKOUT), num_envs=2, vectorization_mode="sync")
    assert isinstance(sync, SyncVectorEnv)
    recorded = RecordEpisodeStatistics(gym.make(gym_id("classic/cartpole"), max_episode_steps=5))
    recorded.reset(seed=1)
    info = [recorded.step(0) for _ in range(5)][-1][4]
    assert info["episode"]["l"] == 5


def test_ids_are_there_for_every_environment():
    for name in tarl.envs.names():
        assert gym.spec(gym_id(name)).kwargs["name"] == name
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none is out of date beside another
        tarl.envs.register()
        for name in ("minatar/breakout-v0", "minatar/breakout"):
            assert make(name).spec.id == gym_id(name)
    assert make("minatar/breakout-v0").action_space.n == 6


def test_ids_need_no_import():
    code = "import gymnasium as gym; gym.make('tarl.envs:tarl/minatar-breakout-v1').reset(seed=1)"
    subprocess.run([sys.executable, "-c", code], check=True)
