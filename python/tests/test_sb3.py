"""tarl.sb3: updates beside the reference's, with SB3's own networks; margin 0 beside SB3; save and load; learning."""

import io
import itertools
import json
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import reference_cases
from heavy import need

torch = need("torch")
need("stable_baselines3")
pytestmark = pytest.mark.verify

import stable_baselines3 as sb3  # noqa: E402
from stable_baselines3.common import policies  # noqa: E402
from stable_baselines3.common.buffers import ReplayBufferSamples  # noqa: E402
from stable_baselines3.common.callbacks import EvalCallback, StopTrainingOnRewardThreshold  # noqa: E402
from stable_baselines3.common.logger import configure  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.her import HerReplayBuffer  # noqa: E402
import tarl.sb3  # noqa: E402
from tarl import align  # noqa: E402
from tarl.sb3 import TADDQN, TADQN, TASAC, TATD3  # noqa: E402

torch.set_num_threads(1)  # small networks

# |actual - expected| <= absolute + relative · largest expected, as in the reference's README.
TOLERANCES = {
    torch.float32: {"alignment": (1e-4, 0), "loss": (1e-5, 1e-4), "parameters": (2e-5, 0)},
    torch.float64: {"alignment": (1e-8, 0), "loss": (1e-12, 1e-8), "parameters": (1e-7, 0)},
}
Q_NET = {"q_net.0": "fc1", "q_net.2": "fc2", "q_net.4": "out"}
SAC_ACTOR = {"latent_pi.0": "fc1", "latent_pi.2": "fc2", "mu": "mu", "log_std": "log_std"}
TD3_ACTOR = {"mu.0": "fc1", "mu.2": "fc2", "mu.4": "mu"}
CRITICS = {f"qf{i}.{2 * k}": f"q{i + 1}.{layer}" for i in range(2) for k, layer in enumerate(("fc1", "fc2", "out"))}
OPTIMIZERS = {
    "adam": (torch.optim.Adam, {"eps": 1e-8}),
    "rmsprop": (torch.optim.RMSprop, {"alpha": 0.99, "eps": 1e-8}),
    "rmsprop_95": (torch.optim.RMSprop, {"alpha": 0.95, "eps": 0.01}),
    "rmsprop_centered": (torch.optim.RMSprop, {"alpha": 0.95, "eps": 0.01, "centered": True}),
}


@pytest.fixture(params=[torch.float32, torch.float64], ids=["float32", "float64"])
def dtype(request, monkeypatch):
    torch.set_default_dtype(request.param)
    monkeypatch.setattr(policies, "preprocess_obs", lambda obs, *_, **__: obs.to(request.param))
    yield request.param
    torch.set_default_dtype(torch.float32)


class Spaces(gym.Env):
    """Spaces alone."""

    def __init__(self, observations, actions):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (observations,), np.float32)
        self.action_space = actions

    def reset(self, *, seed=None, options=None):
        return np.zeros(self.observation_space.shape, np.float32), {}


class Update:
    """One model that learns from a case's batches."""

    def __init__(self, case, model, dtype, monkeypatch):
        self.case, self.model, self.dtype = case, model, dtype
        self.chosen = None
        model.policy.to(dtype)
        model.set_logger(configure(None, []))
        model.replay_buffer = self
        score, keep_best = align.score, align.keep_best

        def kept(scores, m):
            self.chosen = scores, keep_best(scores, m)
            return self.chosen[1]

        monkeypatch.setattr(align, "keep_best", kept)

    def tensor(self, name, dtype=None):
        return torch.as_tensor(self.case[name]).to(dtype or self.dtype)

    def load(self, module, prefix, names):
        for ours, theirs in names.items():
            for part in ("weight", "bias"):
                getattr(module.get_submodule(ours), part).data.copy_(self.tensor(f"{prefix}.{theirs}.{part}"))

    def sample(self, count, env=None):
        """As a replay buffer."""
        actions = self.tensor(self.step + "action", torch.int64 if "A" in self.case.meta else None)
        assert len(actions) == count == self.case.whole("m") + self.case.whole("b")
        column = lambda name: self.tensor(self.step + name)[:, None]  # noqa: E731
        obs, next_obs = (self.tensor(self.step + name) for name in ("obs", "next_obs"))
        actions = actions[:, None] if actions.ndim == 1 else actions
        return ReplayBufferSamples(obs, actions, next_obs, column("terminated"), column("reward"))

    def close(self, kind, actual, expected):
        absolute, relative = TOLERANCES[self.dtype][kind]
        atol = absolute + relative * np.abs(expected).max()
        np.testing.assert_allclose(np.asarray(actual, np.float64), expected, rtol=0, atol=atol)

    def learn(self, k, losses):
        self.step, self.chosen = f"step{k}.", None
        self.model.train(1, self.case.whole("m"))
        if self.chosen is None:
            assert self.case.whole("b") == 0  # SB3's own update
        else:
            scores, kept = self.chosen
            assert set(kept.tolist()) == set(self.case[self.step + "kept"].tolist())
            self.close("alignment", scores, self.case[self.step + "alignment"])
        for ours, theirs in losses.items():
            if self.step + theirs in self.case:
                self.close("loss", self.model.logger.name_to_value[f"train/{ours}"], self.case[self.step + theirs])

    def check(self, module, prefix, names):
        for ours, theirs in names.items():
            for part in ("weight", "bias"):
                where, expected = self.case.expected(f"{prefix}.{theirs}.{part}")
                actual = getattr(module.get_submodule(ours), part).detach().numpy().reshape(-1)[where]
                self.close("parameters", actual, expected.reshape(-1))


def margin_of(case):
    return case.whole("b") / case.whole("m")


def by_case(family, wanted=lambda meta: True):
    return pytest.mark.parametrize("path", reference_cases.paths(family, wanted), ids=lambda path: path.stem)


# SB3 has no prioritised replay, so that no case with importance weights (all warm ones) is for it.
@by_case("updates_dqn", lambda meta: meta["net"] == "mlp" and meta["is"] == "0")
def test_dqn_updates(path, dtype, monkeypatch):
    case = reference_cases.Case(path)
    if case.meta["loss"] == "mse":
        for module in (tarl.sb3, sb3.dqn.dqn):
            monkeypatch.setattr(module.F, "smooth_l1_loss", torch.nn.functional.mse_loss)
    optimizer, hyper = OPTIMIZERS[case.meta["opt"]]
    model = (TADDQN if case.meta["alg"] == "ddqn" else TADQN)(
        "MlpPolicy",
        Spaces(json.loads(case.meta["obs"])[0], gym.spaces.Discrete(case.whole("A"))),
        margin=margin_of(case),
        learning_rate=case.number("lr"),
        gamma=case.number("gamma"),
        max_grad_norm=case.number("max_grad_norm") or 1e30,
        buffer_size=1,
        policy_kwargs={"net_arch": [64, 64], "optimizer_class": optimizer, "optimizer_kwargs": hyper},
        device="cpu",
    )
    update = Update(case, model, dtype, monkeypatch)
    update.load(model.q_net, "init.q", Q_NET)
    update.load(model.q_net_target, "init.target", Q_NET)
    for k in range(case.whole("steps")):
        update.learn(k, {"loss": "loss"})
        update.check(model.q_net, f"step{k}.param.q", Q_NET)


def actor_critic(cls, case, **settings):
    hidden = case.whole("hidden")
    return cls(
        "MlpPolicy",
        Spaces(case.whole("obs"), gym.spaces.Box(-1, 1, (case.whole("act"),), np.float32)),
        margin=margin_of(case),
        learning_rate=case.number("lr"),
        gamma=case.number("gamma"),
        tau=case.number("tau"),
        buffer_size=1,
        policy_kwargs={"net_arch": [hidden, hidden]},
        device="cpu",
        **settings,
    )


@by_case("updates_sac")
def test_sac_updates(path, dtype, monkeypatch):
    case = reference_cases.Case(path)
    model = actor_critic(TASAC, case, target_entropy=case.number("target_entropy"))
    update = Update(case, model, dtype, monkeypatch)
    update.load(model.actor, "init.actor", SAC_ACTOR)
    update.load(model.critic, "init.critic", CRITICS)
    update.load(model.critic_target, "init.target.critic", CRITICS)
    model.log_ent_coef = update.tensor("init.log_alpha").reshape(1).clone().requires_grad_()
    model.ent_coef_optimizer = torch.optim.Adam([model.log_ent_coef], lr=case.number("lr"))

    # SB3 draws for the actor first; with a margin it is the next actions first, then those of the rows kept.
    order = itertools.cycle(["eps_next", "eps_pi"] if case.whole("b") else ["eps_pi", "eps_next"])

    def noise(shape, dtype, device):
        values = update.tensor(update.step + next(order))
        return values if update.chosen is None else values[update.chosen[1].sort().values]

    monkeypatch.setattr(torch.distributions.normal, "_standard_normal", noise)
    for k in range(case.whole("steps")):
        names = ("critic_loss", "critic_loss"), ("actor_loss", "actor_loss"), ("ent_coef_loss", "alpha_loss")
        update.learn(k, dict(names) | {"ent_coef": "alpha"})
    update.check(model.actor, "final.param.actor", SAC_ACTOR)
    update.check(model.critic, "final.param.critic", CRITICS)
    update.check(model.critic_target, "final.target.critic", CRITICS)
    update.close("parameters", model.log_ent_coef.detach(), case["final.param.log_alpha"])


@by_case("updates_td3")
def test_td3_updates(path, dtype, monkeypatch):
    case = reference_cases.Case(path)
    model = actor_critic(
        TATD3,
        case,
        policy_delay=case.whole("policy_delay"),
        target_policy_noise=case.number("policy_noise"),
        target_noise_clip=case.number("noise_clip"),
    )
    update = Update(case, model, dtype, monkeypatch)
    for ours, theirs in ((model.actor, "init.actor"), (model.actor_target, "init.target.actor")):
        update.load(ours, theirs, TD3_ACTOR)
    for ours, theirs in ((model.critic, "init.critic"), (model.critic_target, "init.target.critic")):
        update.load(ours, theirs, CRITICS)
    noise = lambda tensor, mean, scale: tensor.copy_(scale * update.tensor(update.step + "eps_next"))  # noqa: E731
    monkeypatch.setattr(torch.Tensor, "normal_", noise)
    for k in range(case.whole("steps")):
        update.learn(k, {"critic_loss": "critic_loss", "actor_loss": "actor_loss"})
    update.check(model.actor, "final.param.actor", TD3_ACTOR)
    update.check(model.actor_target, "final.target.actor", TD3_ACTOR)
    update.check(model.critic, "final.param.critic", CRITICS)
    update.check(model.critic_target, "final.target.critic", CRITICS)


OURS = {TADQN: (sb3.DQN, "CartPole-v1"), TASAC: (sb3.SAC, "Pendulum-v1"), TATD3: (sb3.TD3, "Pendulum-v1")}


def small(cls, env, policy="MlpPolicy", **settings):
    kwargs = {"net_arch": [32, 32]}  # SB3 writes into it
    return cls(policy, env, learning_starts=100, batch_size=32, seed=3, device="cpu", policy_kwargs=kwargs, **settings)


def parameters(model):
    return torch.cat([values.detach().flatten() for values in model.policy.state_dict().values()])


@pytest.mark.parametrize("cls", OURS)
def test_without_a_margin_it_is_sb3_to_the_bit(cls):
    theirs, env = OURS[cls]
    expected = small(theirs, env).learn(400)
    assert torch.equal(parameters(small(cls, env, margin=0).learn(400)), parameters(expected))
    assert not torch.equal(parameters(small(cls, env, margin=1.0).learn(400)), parameters(expected))


def test_double_q_without_a_margin_is_not_plain():
    ddqn, dqn = (
        small(TADQN, "CartPole-v1", margin=0, double_q=on).learn(400) for on in (True, False)
    )
    assert not torch.equal(parameters(ddqn), parameters(dqn))
    same = small(TADDQN, "CartPole-v1", margin=0).learn(400)
    assert torch.equal(parameters(ddqn), parameters(same))


@pytest.mark.parametrize("cls", [*OURS, TADDQN])
def test_save_and_load_keep_everything(cls):
    env = OURS.get(cls, OURS[TADQN])[1]
    model = small(cls, env, margin=0.5).learn(200)
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    loaded = cls.load(file, env=gym.make(env), device="cpu")
    assert loaded.margin == 0.5 and getattr(loaded, "double_q", False) == (cls is TADDQN)
    assert torch.equal(parameters(loaded), parameters(model))
    loaded.learn(200)


def test_what_is_logged():
    """As the run's own columns are called, and between 0 and 1."""
    names = (Path(__file__).resolve().parents[2] / "src/tarl/rl/metrics.h").read_text()
    for cls, (_, env) in OURS.items():
        model = small(cls, env).learn(300)
        logged = model.logger.name_to_value
        assert 0 <= logged["tarl/alignment_mean_all"] <= logged["tarl/alignment_mean"] <= 1
        assert all(f'"{name}"' in names for name in logged if name.startswith("tarl/"))


@pytest.mark.parametrize("margin", [-1, float("nan")])
def test_a_margin_that_is_none_is_refused(margin):
    with pytest.raises(tarl.UsageError, match="margin is"):
        TADQN("MlpPolicy", "CartPole-v1", margin=margin)


class Goals(gym.Env):
    """A point that goes to a goal, with dictionaries as observations."""

    def __init__(self):
        box = gym.spaces.Box(-10, 10, (1,), np.float32)
        self.observation_space = gym.spaces.Dict(observation=box, achieved_goal=box, desired_goal=box)
        self.action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def _seen(self):
        return {"observation": self.at, "achieved_goal": self.at, "desired_goal": np.ones(1, np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.steps = np.zeros(1, np.float32), 0
        return self._seen(), {}

    def step(self, action):
        self.at, self.steps = np.clip(self.at + action, -10, 10).astype(np.float32), self.steps + 1
        reward = float(self.compute_reward(self.at, np.ones(1), {}))
        return self._seen(), reward, False, self.steps == 20, {}

    def compute_reward(self, achieved, desired, info):
        return -(np.abs(achieved - desired) > 0.5).astype(np.float32).max(-1)


@pytest.mark.parametrize("settings", [{"n_steps": 3}, {"use_sde": True}, {"ent_coef": 0.1}], ids=str)
def test_other_ways_of_sac(settings):
    model = small(TASAC, "Pendulum-v1", **settings).learn(150)
    assert torch.isfinite(parameters(model)).all()


@pytest.mark.parametrize("cls", [TASAC, TATD3])
def test_dictionaries_of_hindsight_replay(cls):
    model = small(cls, Goals(), policy="MultiInputPolicy", replay_buffer_class=HerReplayBuffer).learn(150)
    assert model._n_updates > 0 and torch.isfinite(parameters(model)).all()


def test_cartpole_is_solved():
    """With rl_zoo3's settings. Training ends with the first evaluation that solves it."""
    stop = StopTrainingOnRewardThreshold(475)
    evaluate = EvalCallback(Monitor(gym.make("CartPole-v1")), stop, n_eval_episodes=5, eval_freq=1024, verbose=0)
    model = TADQN(
        "MlpPolicy", "CartPole-v1", learning_rate=2.3e-3, batch_size=64, learning_starts=1000, train_freq=256,
        gradient_steps=128, target_update_interval=10, exploration_fraction=0.16, exploration_final_eps=0.04,
        policy_kwargs={"net_arch": [256, 256]}, seed=1, device="cpu",
    )  # fmt: skip
    model.learn(50_000, callback=evaluate)
    assert evaluate.best_mean_reward >= 475
