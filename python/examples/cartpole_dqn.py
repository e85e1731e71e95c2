"""DQN on CartPole in one file of plain PyTorch. Lines marked TA make it target-aligned; `--margin 0` is DQN.

    python cartpole_dqn.py --margin 1.0 --seed 0

A comment `TA, for: ...` holds the line of DQN that it stands for.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from tarl import align  # TA


class Replay:
    """The last `size` transitions."""

    def __init__(self, size: int, obs_size: int) -> None:
        self.obs, self.next_obs = np.zeros((2, size, obs_size), np.float32)
        self.action = np.zeros(size, np.int64)
        self.reward, self.terminated = np.zeros((2, size), np.float32)
        self.added = 0

    def add(self, *transition: object) -> None:
        for column, value in zip(self.columns(), transition, strict=True):
            column[self.added % len(column)] = value
        self.added += 1

    def sample(self, rng: np.random.Generator, count: int) -> list[torch.Tensor]:
        rows = rng.integers(min(self.added, len(self.obs)), size=count)
        return [torch.from_numpy(column[rows]) for column in self.columns()]

    def columns(self) -> tuple[np.ndarray, ...]:
        return self.obs, self.action, self.reward, self.next_obs, self.terminated


def make_network(obs_size: int, actions: int, width: int = 128) -> nn.Module:
    return nn.Sequential(
        nn.Linear(obs_size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, actions)
    )


def train(args: argparse.Namespace) -> list[float]:
    """The return of each episode."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.make("CartPole-v1")
    obs_size, actions = 4, 2
    q_net, target_net = make_network(obs_size, actions), make_network(obs_size, actions)
    target_net.load_state_dict(q_net.state_dict())
    optimizer = torch.optim.Adam(q_net.parameters(), lr=args.learning_rate)
    replay = Replay(args.buffer_size, obs_size)

    returns, episode_return = [], 0.0
    obs, _ = env.reset(seed=args.seed)
    for step in range(args.steps):
        epsilon = max(0.05, 1 - step / (args.exploration_fraction * args.steps))
        if rng.random() < epsilon:
            action = int(rng.integers(actions))
        else:
            with torch.no_grad():
                action = int(q_net(torch.from_numpy(obs)).argmax())
        next_obs, reward, terminated, truncated, _ = env.step(action)
        replay.add(obs, action, reward, next_obs, terminated)
        obs, episode_return = next_obs, episode_return + float(reward)
        if terminated or truncated:
            returns.append(episode_return)
            obs, episode_return = env.reset()[0], 0.0

        if step >= args.learning_starts and step % args.train_every == 0:
            m = args.batch_size
            b = align.oversampling(args.margin, m)  # TA
            batch = replay.sample(rng, m + b)  # TA, for: batch = replay.sample(rng, m)
            batch_obs, batch_action, batch_reward, batch_next_obs, batch_terminated = batch
            with torch.no_grad():
                discount = args.gamma * (1 - batch_terminated)
                y_offline = batch_reward + discount * target_net(batch_next_obs).amax(1)
                y_online = batch_reward + discount * q_net(batch_next_obs).amax(1)  # TA
            q = q_net(batch_obs).gather(1, batch_action[:, None])[:, 0]
            kept = align.keep_best(align.score(q, y_online, y_offline), m).sort().values  # TA
            loss = F.mse_loss(q[kept], y_offline[kept])  # TA, for: loss = F.mse_loss(q, y_offline)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % args.target_update_interval == 0:
            target_net.load_state_dict(q_net.state_dict())
    return returns


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--margin", type=float, default=1.0, help="candidates drawn besides, in batch sizes")  # TA
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--buffer-size", type=int, default=20_000)
    parser.add_argument("--learning-starts", type=int, default=1000)
    parser.add_argument("--train-every", type=int, default=2)
    parser.add_argument("--target-update-interval", type=int, default=500)
    parser.add_argument("--exploration-fraction", type=float, default=0.3)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    returns = train(parse())
    print(f"{len(returns)} episodes; mean return of the last 20: {np.mean(returns[-20:]):.1f}")
