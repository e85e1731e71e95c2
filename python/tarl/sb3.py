"""Target-aligned DQN, DDQN, SAC and TD3 for Stable-Baselines3: its classes with one more argument.

`margin` is the number of extra candidates that an update draws, in batch sizes; it learns from the `batch_size` best
aligned ones. Only `train()` differs from SB3's, and with `margin=0` not even that. `save()` and `load()` keep the
margin; the mean alignment is logged with SB3's own values.

>>> from tarl.sb3 import TADQN
>>> model = TADQN("MlpPolicy", "CartPole-v1", margin=1.0, learning_starts=100).learn(120)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeAlias

try:
    import numpy as np
    import torch as th
    from stable_baselines3 import DQN, SAC, TD3
    from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
    from stable_baselines3.common.utils import polyak_update
    from torch.nn import functional as F
except ModuleNotFoundError as _error:
    _hint = f"tarl.sb3 needs Stable-Baselines3 2.7 or later, and {_error.name} is missing: pip install 'tarl[sb3]'"
    raise ModuleNotFoundError(_hint, name=_error.name) from _error

from tarl import align

__all__ = ["TADDQN", "TADQN", "TASAC", "TATD3"]

_Logs: TypeAlias = defaultdict[str, list[th.Tensor]]


def _rows(data: Any, kept: th.Tensor) -> Any:
    """These rows of a replay buffer's sample; observations may be dictionaries."""

    def take(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: take(value) for key, value in part.items()}
        return part[kept] if isinstance(part, th.Tensor) else part

    return type(data)(*map(take, data))


def _descend(optimizer: th.optim.Optimizer, loss: th.Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()


def _least(critic: Any, observations: Any, actions: th.Tensor) -> th.Tensor:
    """The minimum over its networks, as a column."""
    return th.cat(critic(observations, actions), 1).amin(1, keepdim=True)


class _TargetAligned(OffPolicyAlgorithm):
    """Draws candidates by the margin and keeps the best."""

    margin: float

    def __init__(self, *args: Any, margin: float = 1.0, **kwargs: Any) -> None:
        align.oversampling(margin, 1)  # refuses invalid margins
        self.margin = margin
        super().__init__(*args, **kwargs)

    def _is_plain(self, batch_size: int) -> bool:
        return align.oversampling(self.margin, batch_size) == 0

    def _draw(self, batch_size: int) -> tuple[Any, th.Tensor]:
        """Candidates, and the discount of what each bootstraps from: 0 if the episode terminated."""
        assert self.replay_buffer is not None
        count = batch_size + align.oversampling(self.margin, batch_size)
        data = self.replay_buffer.sample(count, env=self._vec_normalize_env)
        return data, (1 - data.dones) * (self.gamma if data.discounts is None else data.discounts)

    def _choose(
        self, q: Sequence[th.Tensor], y_online: th.Tensor, y_offline: th.Tensor, batch_size: int, logs: _Logs
    ) -> th.Tensor:
        """The candidates to learn from, in the order drawn. All tensors are columns; q has one per
        critic."""
        predictions = th.stack([column[:, 0] for column in q])
        score = align.score(predictions, y_online[:, 0], y_offline[:, 0], critics=0)
        kept = align.keep_best(score, batch_size).sort().values
        logs["tarl/alignment_mean"].append(score[kept].mean())
        logs["tarl/alignment_mean_all"].append(score.mean())
        return kept

    def _record(self, logs: _Logs) -> None:
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        for name, values in logs.items():
            self.logger.record(name, np.mean([value.item() for value in values]))


class TADQN(_TargetAligned, DQN):
    """SB3's `DQN`, learning from the `batch_size` best aligned of (1 + `margin`) · `batch_size` draws.

    `double_q=True` chooses the next action by the online network, as double DQN does.

    >>> model = tarl.sb3.TADQN("MlpPolicy", "CartPole-v1", margin=0.5, learning_starts=100).learn(120)
    >>> model.margin
    0.5
    """

    double_q: bool

    def __init__(self, *args: Any, margin: float = 1.0, double_q: bool = False, **kwargs: Any) -> None:
        self.double_q = double_q
        super().__init__(*args, margin=margin, **kwargs)

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        if self._is_plain(batch_size) and not self.double_q:
            return super().train(gradient_steps, batch_size)
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        logs: _Logs = defaultdict(list)
        for _ in range(gradient_steps):
            data, discount = self._draw(batch_size)
            with th.no_grad():
                by_online, by_target = self.q_net(data.next_observations), self.q_net_target(data.next_observations)
                next_action = (by_online if self.double_q else by_target).argmax(1, keepdim=True)
                y_online = data.rewards + discount * by_online.amax(1, keepdim=True)
                y_offline = data.rewards + discount * by_target.gather(1, next_action)
            q = self.q_net(data.observations).gather(1, data.actions.long())
            kept = self._choose([q], y_online, y_offline, batch_size, logs)
            loss = F.smooth_l1_loss(q[kept], y_offline[kept])
            logs["train/loss"].append(loss.detach())
            self.policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            th.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
        self._n_updates += gradient_steps
        self._record(logs)


class TADDQN(TADQN):
    """Double DQN, which SB3 lacks, with a margin; `margin=0` is plain double DQN.

    >>> model = tarl.sb3.TADDQN("MlpPolicy", "CartPole-v1", learning_starts=100).learn(120)
    >>> model.double_q, model.margin
    (True, 1.0)
    """

    def __init__(self, *args: Any, margin: float = 1.0, **kwargs: Any) -> None:
        super().__init__(*args, margin=margin, double_q=True, **kwargs)


class TASAC(_TargetAligned, SAC):
    """SB3's `SAC`, whose critics, actor and entropy coefficient learn from the best aligned draws.

    >>> model = tarl.sb3.TASAC("MlpPolicy", "Pendulum-v1", margin=1.0, learning_starts=100, batch_size=32).learn(103)
    >>> sorted(name for name in model.logger.name_to_value if name.startswith("tarl/"))
    ['tarl/alignment_mean', 'tarl/alignment_mean_all']
    """

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        if self._is_plain(batch_size):
            return super().train(gradient_steps, batch_size)
        self.policy.set_training_mode(True)
        optimizers = [self.actor.optimizer, self.critic.optimizer]
        if self.ent_coef_optimizer is not None:
            optimizers.append(self.ent_coef_optimizer)
        self._update_learning_rate(optimizers)
        logs: _Logs = defaultdict(list)
        for step in range(gradient_steps):
            if self.use_sde:
                self.actor.reset_noise()
            data, discount = self._draw(batch_size)
            self._update(data, discount, batch_size, logs)
            if step % self.target_update_interval == 0:
                polyak_update(self.critic.parameters(), self.critic_target.parameters(), self.tau)
                polyak_update(self.batch_norm_stats, self.batch_norm_stats_target, 1.0)
        self._n_updates += gradient_steps
        self._record(logs)

    def _update(self, data: Any, discount: th.Tensor, batch_size: int, logs: _Logs) -> None:
        alpha = self.ent_coef_tensor if self.log_ent_coef is None else self.log_ent_coef.detach().exp()
        with th.no_grad():
            next_actions, next_log_prob = self.actor.action_log_prob(data.next_observations)
            entropy = alpha * next_log_prob.reshape(-1, 1)
            y_online, y_offline = (
                data.rewards + discount * (_least(critic, data.next_observations, next_actions) - entropy)
                for critic in (self.critic, self.critic_target)
            )
        q = self.critic(data.observations, data.actions)
        kept = self._choose(q, y_online, y_offline, batch_size, logs)
        data = _rows(data, kept)

        actions, log_prob = self.actor.action_log_prob(data.observations)
        log_prob = log_prob.reshape(-1, 1)
        if self.ent_coef_optimizer is not None and self.log_ent_coef is not None:
            ent_coef_loss = -(self.log_ent_coef * (log_prob + float(self.target_entropy)).detach()).mean()
            logs["train/ent_coef_loss"].append(ent_coef_loss.detach())
            _descend(self.ent_coef_optimizer, ent_coef_loss)
        critic_loss = th.stack([0.5 * F.mse_loss(column[kept], y_offline[kept]) for column in q]).sum()
        _descend(self.critic.optimizer, critic_loss)
        actor_loss = (alpha * log_prob - _least(self.critic, data.observations, actions)).mean()
        _descend(self.actor.optimizer, actor_loss)

        logs["train/ent_coef"].append(alpha)
        logs["train/actor_loss"].append(actor_loss.detach())
        logs["train/critic_loss"].append(critic_loss.detach())


class TATD3(_TargetAligned, TD3):
    """SB3's `TD3`, whose critics and actor learn from the best aligned draws.

    >>> model = tarl.sb3.TATD3("MlpPolicy", "Pendulum-v1", margin=1.0, learning_starts=100, batch_size=32).learn(103)
    >>> model.margin
    1.0
    """

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        if self._is_plain(batch_size):
            return super().train(gradient_steps, batch_size)
        self.policy.set_training_mode(True)
        self._update_learning_rate([self.actor.optimizer, self.critic.optimizer])
        logs: _Logs = defaultdict(list)
        for _ in range(gradient_steps):
            self._n_updates += 1
            data = self._update_critics(batch_size, logs)
            if self._n_updates % self.policy_delay == 0:
                self._update_actor(data, logs)
        self._record(logs)

    def _update_critics(self, batch_size: int, logs: _Logs) -> Any:
        """Returns the rows that they learn from."""
        data, discount = self._draw(batch_size)
        with th.no_grad():
            noise = data.actions.clone().normal_(0, self.target_policy_noise)
            noise = noise.clamp(-self.target_noise_clip, self.target_noise_clip)
            next_actions = (self.actor_target(data.next_observations) + noise).clamp(-1, 1)
            y_online, y_offline = (
                data.rewards + discount * _least(critic, data.next_observations, next_actions)
                for critic in (self.critic, self.critic_target)
            )
        q = self.critic(data.observations, data.actions)
        kept = self._choose(q, y_online, y_offline, batch_size, logs)
        loss = th.stack([F.mse_loss(column[kept], y_offline[kept]) for column in q]).sum()
        _descend(self.critic.optimizer, loss)
        logs["train/critic_loss"].append(loss.detach())
        return _rows(data, kept)

    def _update_actor(self, data: Any, logs: _Logs) -> None:
        loss = -self.critic.q1_forward(data.observations, self.actor(data.observations)).mean()
        _descend(self.actor.optimizer, loss)
        logs["train/actor_loss"].append(loss.detach())
        polyak_update(self.critic.parameters(), self.critic_target.parameters(), self.tau)
        polyak_update(self.actor.parameters(), self.actor_target.parameters(), self.tau)
        polyak_update(self.critic_batch_norm_stats, self.critic_batch_norm_stats_target, 1.0)
        polyak_update(self.actor_batch_norm_stats, self.actor_batch_norm_stats_target, 1.0)
