#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The run browser in headless Chromium: browser_test.py [path of tarl] [--screenshots DIR].

A table of 500 made-up runs, filtered, chosen from and compared; the page of a run that another
process works on grows while it is open. Exit 77, said aloud, if there is no Chromium.
"""
import math
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "report"))
from chromium import Chromium  # noqa: E402
import browser_test as made_up  # noqa: E402  the report's, for its runs

WIDTHS = (390, 1280, 1920)
SKIP = 77
RUNS = 500
LONG = made_up.WORD + "/" + made_up.LONG.replace(" ", "-")  # names of sixty letters in its path

# Texts that leave the box they are in, and a page wider than its window.
OVERFLOW = r"""(() => {
  const found = [], scrolls = e => e.closest('.scroll, nav div');
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push('the page is ' + document.documentElement.scrollWidth + ' wide');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode, holder = node.parentElement;
    if (!node.data.trim() || holder.closest('script, style, select, [hidden], details:not([open]) > :not(summary), #tip')) continue;
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (!text.width) continue;
    const box = holder.closest('svg, td, th, a, button, label, li, dd, dt, p, h1, h2, h3, figcaption, section, header, nav, footer, body').getBoundingClientRect();
    const slack = holder.closest('svg') ? 3 : 1;
    if (text.left < box.left - slack || text.right > box.right + slack || text.bottom > box.bottom + 3) found.push('"' + node.data.trim().slice(0, 40) + '" leaves its ' + holder.tagName);
    if (!scrolls(holder) && text.right > innerWidth + 1) found.push('"' + node.data.trim().slice(0, 40) + '" leaves the window');
  }
  const bar = document.getElementById('tarl-live');
  if (bar) {
    const mine = bar.getBoundingClientRect();
    for (const other of bar.parentElement.children) {
      const box = other.getBoundingClientRect();
      if (other !== bar && box.width && mine.left < box.right - 1 && box.left < mine.right - 1 && mine.top < box.bottom - 1 && box.top < mine.bottom - 1 && !other.matches('header, main, footer, nav, script, style'))
        found.push('the bar covers ' + other.textContent);
    }
  }
  return found;
})()"""


def hold(folder):
    """Makes this process the one that works on a run, as store/run_lock writes it."""
    stat = Path("/proc/self/stat").read_text()
    started = int(stat[stat.rindex(")") + 1:].split()[19])
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    (folder / "lock").write_text(
        f'{{"pid": {os.getpid()}, "host": "{socket.gethostname()}", "boot": "{boot}", '
        f'"started": {started}}}\n')


def write_running(folder, evaluations):
    """A run that has come to this evaluation of 50; called again, it has come further."""
    new = not folder.exists()
    scratch = folder.parent / (folder.name + ".new")
    made_up.write_run(scratch, "minatar/breakout", "ta-dqn", 77, 1.0, 50, 6)
    steps = [2_000_000 * (t + 1) // 50 for t in range(evaluations)]
    rng = random.Random("running")
    returns = [10 * (1 - math.exp(-t / 9e5)) * rng.gauss(1, 0.2) for t in steps for _ in range(5)]
    with zipfile.ZipFile(scratch / "evaluations.npz", "w") as archive:
        archive.writestr("timesteps.npy", made_up.npy((evaluations,), steps, "q"))
        archive.writestr("results.npy", made_up.npy((evaluations, 5), returns, "d"))
        archive.writestr("ep_lengths.npy", made_up.npy((evaluations, 5), [10] * len(returns), "q"))
    columns = ["time/total_timesteps", "rollout/exploration_rate", "eval/mean_ep_length",
               "train/loss", "train/grad_norm", "train/q_mean", "tarl/alignment_mean",
               "tarl/alignment_mean_all", "tarl/alignment_min", "tarl/alignment_min_all",
               "tarl/scenario_perfect", "tarl/scenario_undershoot", "tarl/scenario_overshoot",
               "tarl/scenario_misaligned", "tarl/discarded_frac", "tarl/target_lag"]
    lines = [",".join(columns)]
    for i, t in enumerate(steps):
        wave = rng.random()
        row = [t, max(0.01, 1 - t / 1e5), 20 + i, 0.05 / (1 + i) + 0.004 * wave, 1 + wave, i / 9,
               0.9 + wave / 20, 0.7 + wave / 20, 0.5, 0.01, 0.02, 0.48, 0.2 + wave / 10,
               0.3 - wave / 10, 0.5, 499]
        lines.append(",".join(map(str, row)))
    (scratch / "progress.csv").write_text("\n".join(lines) + "\n")
    episodes = [f"{max(0.0, rng.gauss(t / 2e5, 2)):.1f},{rng.randint(9, 90)},{t}"
                for t in range(500, steps[-1], 500)]
    (scratch / "monitor.csv").write_text(
        '#{"t_start": 0.0, "env_id": "minatar/breakout"}\nr,l,t\n' + "\n".join(episodes) + "\n")
    (scratch / "run.json").write_text(
        '{"version": "0.1.0", "commit": "abc", "status": "running", "training_seconds": 300, '
        '"command": ["tarl", "train", "--algo", "ta-dqn"], "cpu": "a processor", '
        '"started": "2026-01-31T12:00:00Z", "updated": "2026-01-31T12:05:00Z"}\n')
    if new:
        scratch.rename(folder)
        hold(folder)
    else:  # replaced one by one, as a run does
        for file in ("progress.csv", "monitor.csv", "evaluations.npz"):
            os.replace(scratch / file, folder / file)
        shutil.rmtree(scratch)


def write_runs(root):
    games = ["minatar/asterix", "minatar/breakout", "minatar/freeway", "minatar/seaquest",
             "minatar/space_invaders"]
    algos = [(base + replay, margin) for base, margin in (("dqn", 0.0), ("ta-dqn", 1.0))
             for replay in ("", "+per", "+reaper")]
    made_up.write_run(root / LONG, games[0], "ta-dqn", 500, 1.0, 20, 6)
    with (root / LONG / "config.toml").open("r+") as config:
        rest = config.read()
        config.seek(0)
        config.write(f'label = "{made_up.LONG}"\n{rest}')
    made = 1
    for seed in range(RUNS):
        for env in games:
            for algo, margin in algos:
                if made < RUNS:
                    made_up.write_run(root / env / algo / f"seed{seed}", env, algo, seed, margin,
                                      20, 6 + 3 * margin)
                    made += 1


class Test:
    def __init__(self, url, browser, shots):
        self.url, self.browser, self.shots, self.problems = url, browser, shots, []

    def check(self, what, good):
        print(("ok    " if good else "FAIL  ") + what)
        if not good:
            self.problems.append(what)

    def check_layout(self, name):
        for width in WIDTHS:
            self.browser.size(width, 900)
            self.browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 200)))")
            found = self.browser.run(OVERFLOW)
            self.check(f"{name} at {width}: no text leaves its box {found[:4]}", not found)
            if self.shots:
                self.browser.screenshot(self.shots / f"{name}_{width}.png")
                if width != 390:
                    height = min(9000, self.browser.run("document.documentElement.scrollHeight"))
                    self.browser.size(width, height)
                    self.browser.run("new Promise(done => setTimeout(done, 300))")
                    self.browser.screenshot(self.shots / f"{name}_{width}_all.png")
        self.browser.size(1280, 900)

    def rows(self):
        return self.browser.run("document.querySelectorAll('#body tr').length")

    def table(self):
        browser = self.browser
        browser.size(1280, 900)
        browser.open(self.url + "/")
        browser.wait_until(f"document.querySelectorAll('#body tr').length === {RUNS + 1}")
        took = browser.run("performance.now()")
        print(f"a table of {RUNS + 1} runs is complete {took:.0f} ms after it was asked for, "
              "the first reading of the runs included")
        browser.open(self.url + "/")
        browser.wait_until(f"document.querySelectorAll('#body tr').length === {RUNS + 1}")
        print(f"and again: {browser.run('performance.now()'):.0f} ms")
        self.check_layout("table")
        self.check("its longest names are in it", browser.run(
            f"document.querySelector('#body').textContent.includes('{LONG}')"))
        browser.size(390, 900)
        self.check("on a phone a name has the width of its row", browser.run(
            "(() => { const name = document.querySelector('#body td.run'); return name.clientWidth > "
            ".8 * name.parentElement.clientWidth; })()"))
        browser.size(1280, 900)
        browser.run("document.querySelector('#text').focus()")
        browser.type("asterix ta-dqn+per")
        browser.wait_until("document.querySelectorAll('#body tr').length < 30")
        texts = browser.run("[...document.querySelectorAll('#body tr')].map(r => r.textContent)")
        self.check(f"words filter ({len(texts)} rows)",
                   texts and all("asterix" in t and "ta-dqn+per" in t for t in texts))
        browser.run("document.querySelector('#text').select()")
        browser.type("")
        browser.key("Escape")
        browser.wait_until(f"document.querySelectorAll('#body tr').length === {RUNS + 1}")
        browser.run("""(() => { const s = document.querySelector('#status'); s.value = 'running';
                        s.dispatchEvent(new Event('input')); })()""")
        self.check("one run is running", self.rows() == 1)
        browser.run("""(() => { const s = document.querySelector('#status'); s.value = '';
                        s.dispatchEvent(new Event('input')); })()""")
        for column in range(10):
            browser.run(f"document.querySelectorAll('#head button')[{column}].click()")
        browser.run("document.querySelectorAll('#head button')[6].click()")
        last = browser.run("[...document.querySelectorAll('#body tr')].map(r => "
                           "+r.children[7].textContent.replace('−', '-')).filter(isFinite)")
        self.check("best of the last evaluations first", last == sorted(last, reverse=True))
        self.check("and said so", browser.run(
            "document.querySelectorAll('#head th')[7].getAttribute('aria-sort')") == "descending")
        browser.run("document.querySelectorAll('#head button')[0].click()")

    def compare(self):
        browser = self.browser
        browser.run("document.querySelectorAll('#body input')[0].click()")
        browser.run("document.querySelectorAll('#body input')[110].focus()")
        browser.key(" ", text=" ", code="Space")
        self.check("two are chosen, one by mouse, one by key",
                   browser.run("document.querySelector('#compare').textContent") == "Compare 2")
        browser.run("document.body.focus(); document.activeElement.blur()")
        browser.key("ArrowDown")
        self.check("arrows walk the rows", browser.run(
            "document.activeElement === document.querySelector('#body a')"))
        browser._events.clear()
        browser.run("setTimeout(() => document.querySelector('#compare').click())")
        browser.wait_for("Page.loadEventFired")
        self.check("two runs are compared", browser.run("location.pathname").startswith("/compare/"))
        self.check("by curves", browser.run("document.querySelectorAll('svg[data-plot]').length") > 0)
        browser.wait_until("document.querySelector('#tarl-live span').textContent === "
                           f"'{RUNS} of {RUNS + 1} done, 1 running'")
        self.check_layout("compare")
        browser.open(self.url + "/")
        browser.wait_until("document.querySelectorAll('#body tr.chosen').length === 2")

    def running(self, folder):
        browser = self.browser
        run = browser.run("fetch('/runs.json').then(r => r.json()).then(t => "
                          "t.runs.find(r => r.status === 'running').id)")
        browser.open(f"{self.url}/run/{run}")
        points = "document.querySelectorAll('svg[data-at=\"0\"] .line')[2].getAttribute('d').split('L').length"
        self.check("a curve as far as the run has come", browser.run(points) == 20)
        self.check_layout("run")
        browser.run("document.querySelector('details').open = true")
        browser.run("document.querySelector('[data-set=smooth] button[value=\"10\"]').click()")
        browser.run("getSelection().selectAllChildren(document.querySelector('#learning h2'))")
        browser.run("scrollTo(0, 700)")
        browser.run("window.here = true")
        write_running(folder, 30)
        browser.wait_until(f"{points} === 30")
        self.check("the curve has grown while the page was open", True)
        self.check("training episodes, too", browser.run(
            "document.querySelector('#overview').textContent.includes('2399 episode') || "
            "document.querySelector('#overview').textContent.includes('of 2399')"))
        self.check("it is the same page", browser.run("window.here === true"))
        self.check("where the reader was", browser.run("scrollY") == 700)
        self.check("what was marked is marked", browser.run("getSelection().toString()") == "Learning")
        self.check("what was opened is open", browser.run("document.querySelector('details').open"))
        self.check("what was pressed is pressed", browser.run(
            "document.querySelector('[data-set=smooth] button[value=\"10\"]').getAttribute('aria-pressed')") == "true")
        self.check("nothing but numbers in its curves", browser.run(
            "!/NaN|undefined|Infinity/.test(document.querySelector('main').innerHTML)"))

    def long_names(self):
        long, other = self.browser.run(
            "fetch('/runs.json').then(r => r.json()).then(t => { const at = t.runs.findIndex(r => "
            f"r.path === '{LONG}'); return [t.runs[at].id, t.runs[(at + 1) % t.runs.length].id]; }})")
        for name, path in ("long_run", f"/run/{long}"), ("long_compare", f"/compare/{long}+{other}"):
            self.browser.open(self.url + path)
            self.check_layout(name)

    def end(self):
        browser = self.browser
        elsewhere = [r for r in browser.requests
                     if not r.startswith(self.url + "/") and not r.startswith("about:")]
        self.check(f"no requests elsewhere {elsewhere[:3]}", not elsewhere)
        self.check(f"no errors on the console {browser.errors[:3]}", not browser.errors)


def main():
    arguments = sys.argv[1:]
    shots = None
    if "--screenshots" in arguments:
        at = arguments.index("--screenshots")
        shots = Path(arguments[at + 1])
        shots.mkdir(parents=True, exist_ok=True)
        del arguments[at:at + 2]
    tarl = arguments[0] if arguments else "build/tarl"
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        print("SKIP: no chromium here; install it to test the run browser")
        return SKIP
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "runs"
        running = root / "live"
        root.mkdir()
        write_runs(root)
        write_running(running, 20)
        server = subprocess.Popen([tarl, "serve", root, "--port", "0"], stdout=subprocess.PIPE,
                                  text=True)
        browser = None
        try:
            url = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline()).group(0)
            browser = Chromium(Path(scratch) / "profile")
            test = Test(url, browser, shots)
            test.table()
            test.compare()
            test.running(running)
            test.long_names()
            test.end()
        finally:
            if browser:
                browser.close()
            server.terminate()
            server.wait()
    return 1 if test.problems else 0


if __name__ == "__main__":
    sys.exit(main())
