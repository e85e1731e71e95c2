# SPDX-License-Identifier: MIT
"""R8: the same seed twice gives the same files, for every algorithm, environment and replay."""
from lib import differences, last_line

FAST = ["learning_starts=60", "eval.count=2", "eval.episodes=1", "buffer_size=200", "batch_size=8",
        "policy.net_arch=[16]"]
ENVS = {"classic/cartpole": ["dqn", "ddqn"], "minatar/breakout": ["dqn", "ddqn"],
        "classic/pendulum": ["sac", "td3"]}
MORE = {"minatar/asterix": ["dqn"], "minatar/freeway": ["dqn"], "minatar/seaquest": ["dqn"],
        "minatar/space_invaders": ["ddqn"], "mujoco/hopper": ["sac"],
        "box2d/bipedal_walker": ["td3"]}


def main(c):
    known = c.run(["list", "envs"])[1]
    pairs = 0
    for env, bases in {**ENVS, **(MORE if c.long else {})}.items():
        if env.lower() not in known.lower():
            print(f"  SKIP {env}: not in this build")
            continue
        for base in bases:
            for algo in (f"{ta}{base}{replay}" for ta in ("", "ta-") for replay in
                         ("", "+per", "+reaper")):
                args = ["--algo", algo, "--env", env, "--steps", "300", "--seed", "11"]
                args += [word for setting in FAST for word in ("--set", setting)]
                folders = [c.folder("first"), c.folder("second")]
                for folder in folders:
                    code, said, _ = c.train(folder, args)
                    if code != 0:
                        c.fail(f"{algo} on {env}: exit {code}: {last_line(said)}")
                if differences(*folders):
                    c.fail(f"{algo} on {env}: {differences(*folders)} differ")
                pairs += 1
    c.figure("pairs of runs", pairs)
    c.figure("differences", len(c.failures), not c.failures)
