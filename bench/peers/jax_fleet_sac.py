"""Peer anchor: a fleet of SAC or TA-SAC agents in pure JAX, vmapped over agents, on one device.

The natural implementation for one GPU: the whole loop (act, store, draw, score, keep, update, Polyak) is one scan,
jitted, vmapped over agents, with donated state; the replay is on the device, the critics are one batched network.
Observations are noise and no simulator is stepped, as in bench_control_fleet. Prints one JSON line: updates/s of all
agents together, the best of --rounds, and how long the first scan took with compilation.

usage: jax_fleet_sac.py --obs 11 --actions 3 --algo ta-sac --agents 60 --precision tf32
"""

import argparse
import json
import math
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp

BATCH, UNITS, CRITICS = 256, 256, 2
GAMMA, TAU, RATE = 0.99, 0.005, 3e-4
DECAYS, EPSILON = (0.9, 0.999), 1e-8
# f32 everywhere; products of operands rounded to tf32 by the device; or of operands rounded to bf16, summed in f32.
PRECISIONS = {"f32": "float32", "tf32": "tensorfloat32", "bf16": "bfloat16"}


class Sizes(NamedTuple):
    obs: int
    actions: int
    candidates: int  # drawn for an update
    buffer: int
    rounded: bool  # operands to bf16


class Learned(NamedTuple):
    """The parameters of one Adam optimiser, with its moments."""

    values: object
    first: object
    second: object


class Agent(NamedTuple):
    key: jax.Array
    step: jax.Array
    obs: jax.Array
    rows: jax.Array  # the replay: observation, action, reward, discount, next observation
    actor: Learned
    critics: Learned
    temperature: Learned
    target: object


def new_net(key, sizes):
    layers = []
    for one, (wide, out) in zip(jax.random.split(key, len(sizes) - 1), zip(sizes, sizes[1:])):
        bound = 1 / math.sqrt(wide)
        weights, biases = jax.random.split(one)
        layers.append(
            (
                jax.random.uniform(weights, (wide, out), minval=-bound, maxval=bound),
                jax.random.uniform(biases, (out,), minval=-bound, maxval=bound),
            )
        )
    return layers


def learned(values):
    zeros = jax.tree.map(jnp.zeros_like, values)
    return Learned(values, zeros, zeros)


def adam(own, gradient, count):
    def moment(decay, before, now):
        return jax.tree.map(lambda m, g: decay * m + (1 - decay) * g, before, now)

    first = moment(DECAYS[0], own.first, gradient)
    second = moment(DECAYS[1], own.second, jax.tree.map(jnp.square, gradient))
    less = [1 - decay**count for decay in DECAYS]
    values = jax.tree.map(
        lambda v, m, s: v - RATE * (m / less[0]) / (jnp.sqrt(s / less[1]) + EPSILON), own.values, first, second
    )
    return Learned(values, first, second)


def forward(net, x, rounded):
    for i, (weights, biases) in enumerate(net):
        if rounded:
            x, weights = x.astype(jnp.bfloat16), weights.astype(jnp.bfloat16)
        x = jnp.matmul(x, weights, preferred_element_type=jnp.float32) + biases
        x = jax.nn.relu(x) if i + 1 < len(net) else x
    return x


def policy(net, obs, noise, rounded):
    """Actions and their log probabilities."""
    mean, log_std = jnp.split(forward(net, obs, rounded), 2, axis=-1)
    log_std = jnp.clip(log_std, -20, 2)
    action = jnp.tanh(mean + jnp.exp(log_std) * noise)
    normal = -0.5 * noise**2 - log_std - 0.5 * math.log(2 * math.pi)
    return action, jnp.sum(normal - jnp.log(1 - action**2 + 1e-6), axis=-1)


def all_q(nets, obs, action, rounded):
    x = jnp.concatenate([obs, action], axis=-1)
    return jax.vmap(lambda net: forward(net, x, rounded)[:, 0])(nets)


def alignment(q, online, offline):
    """The alignment of online and offline errors: the minimum over the critics."""
    now, then = online - q, offline - q
    supported = (now * then > 0) & (jnp.abs(now) >= jnp.abs(then))
    share = jnp.abs(now) / (jnp.abs(now) + jnp.abs(now - then) + 1e-8)
    return jnp.min(jnp.where(supported, 1.0, share), axis=0)


def columns(rows, sizes):
    ends = [sizes.obs, sizes.obs + sizes.actions, sizes.obs + sizes.actions + 1, sizes.obs + sizes.actions + 2]
    obs, action, reward, discount, following = jnp.split(rows, ends, axis=-1)
    return obs, action, reward[..., 0], discount[..., 0], following


def play(agent, keys, sizes):
    """Acts, and stores the transition to an observation of noise."""
    noise = jax.random.normal(keys[0], (1, sizes.actions))
    action, _ = policy(agent.actor.values, agent.obs[None], noise, sizes.rounded)
    following = jax.random.normal(keys[1], (sizes.obs,))
    row = jnp.concatenate([agent.obs, action[0], following[:1], jnp.full(1, GAMMA), following])
    return agent._replace(obs=following, rows=agent.rows.at[agent.step % sizes.buffer].set(row))


def update(agent, keys, sizes):
    drawn = jax.random.randint(keys[2], (sizes.candidates,), 0, sizes.buffer)
    obs, action, reward, discount, following = columns(agent.rows[drawn], sizes)
    weight = jnp.exp(agent.temperature.values)
    noise = jax.random.normal(keys[3], (sizes.candidates, sizes.actions))
    next_action, next_log_prob = policy(agent.actor.values, following, noise, sizes.rounded)

    def target_of(nets):
        q = jnp.min(all_q(nets, following, next_action, sizes.rounded), axis=0)
        return reward + discount * (q - weight * next_log_prob)

    target = target_of(agent.target)
    if sizes.candidates > BATCH:
        q = all_q(agent.critics.values, obs, action, sizes.rounded)
        kept = jax.lax.top_k(alignment(q, target_of(agent.critics.values), target), BATCH)[1]
        obs, action, target = obs[kept], action[kept], target[kept]
    target = jax.lax.stop_gradient(target)

    def critics_loss(nets):
        return 0.5 * jnp.sum(jnp.mean((all_q(nets, obs, action, sizes.rounded) - target) ** 2, axis=1))

    count = agent.step + 1.0
    critics = adam(agent.critics, jax.grad(critics_loss)(agent.critics.values), count)
    noise = jax.random.normal(keys[4], (BATCH, sizes.actions))

    def actor_loss(net):
        own, log_prob = policy(net, obs, noise, sizes.rounded)
        q = jnp.min(all_q(critics.values, obs, own, sizes.rounded), axis=0)
        return jnp.mean(weight * log_prob - q), log_prob

    gradient, log_prob = jax.grad(actor_loss, has_aux=True)(agent.actor.values)
    entropy_gap = jnp.mean(log_prob) - sizes.actions
    return agent._replace(
        actor=adam(agent.actor, gradient, count),
        critics=critics,
        temperature=adam(agent.temperature, -entropy_gap, count),
        target=jax.tree.map(lambda old, new: old + TAU * (new - old), agent.target, critics.values),
    )


def step(agent, sizes):
    key, *keys = jax.random.split(agent.key, 6)
    agent = update(play(agent, keys, sizes), keys, sizes)
    return agent._replace(key=key, step=agent.step + 1), agent.temperature.values


def new_agent(key, sizes):
    keys = jax.random.split(key, 4)
    inputs = sizes.obs + sizes.actions
    critics = jax.vmap(lambda one: new_net(one, [inputs, UNITS, UNITS, 1]))(jax.random.split(keys[0], CRITICS))
    actor = new_net(keys[1], [sizes.obs, UNITS, UNITS, 2 * sizes.actions])
    rows = jax.random.uniform(keys[2], (sizes.buffer, 2 * sizes.obs + sizes.actions + 2), minval=-1)
    return Agent(
        key=keys[3],
        step=jnp.zeros((), jnp.int32),
        obs=jnp.zeros(sizes.obs),
        rows=rows.at[:, inputs + 1].set(GAMMA),
        actor=learned(actor),
        critics=learned(critics),
        temperature=learned(jnp.zeros(())),
        target=jax.tree.map(jnp.copy, critics),
    )


def measure(sizes, agents, steps, rounds):
    run = jax.jit(
        jax.vmap(lambda agent: jax.lax.scan(lambda one, _: step(one, sizes), agent, None, length=steps)),
        donate_argnums=0,
    )
    fleet = jax.jit(jax.vmap(lambda key: new_agent(key, sizes)))(jax.random.split(jax.random.key(0), agents))
    # Equal arrays may share a buffer, and each buffer is donated.
    fleet = jax.tree.map(jnp.copy, fleet)
    seconds = []
    for _ in range(rounds + 1):
        begin = time.perf_counter()
        fleet, temperatures = run(fleet)
        jax.block_until_ready(temperatures)
        seconds.append(time.perf_counter() - begin)
    finite = all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves((fleet.actor, fleet.critics)))
    return agents * steps / min(seconds[1:]), seconds[0], finite


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs", type=int, required=True)
    parser.add_argument("--actions", type=int, required=True)
    parser.add_argument("--algo", choices=["sac", "ta-sac"], default="sac")
    parser.add_argument("--agents", type=int, default=60)
    parser.add_argument("--precision", choices=PRECISIONS, default="tf32")
    parser.add_argument("--steps", type=int, default=300, help="updates per agent in one scan")
    parser.add_argument("--buffer", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    candidates = 2 * BATCH if args.algo == "ta-sac" else BATCH
    sizes = Sizes(args.obs, args.actions, candidates, args.buffer, args.precision == "bf16")
    with jax.default_matmul_precision(PRECISIONS[args.precision]):
        rate, first, finite = measure(sizes, args.agents, args.steps, args.rounds)
    print(
        json.dumps(
            dict(
                library="jax-fleet-sac",
                jax=jax.__version__,
                device=str(jax.devices()[0]),
                **vars(args),
                updates_per_s=rate,
                first_s=first,
                finite=finite,
            )
        )
    )


if __name__ == "__main__":
    main()
