# SPDX-License-Identifier: MIT
"""R17: tarl serve under attack: answers nothing outside its folder, stays small, disturbs no run."""
import contextlib
import multiprocessing
import os
import random
import re
import resource
import signal
import socket
import subprocess

from lib import SMALL, differences

SECRET = b"nobody may read this"
SLOWER = 2.0  # percent


def rss_kb(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def talk(port, data, is_whole=True):
    """The response to those bytes until the server closes, as it does after an answer.

    For the rest of a request that is not whole it would wait.
    """
    with socket.create_connection(("127.0.0.1", port)) as link:
        got = b""
        try:
            link.sendall(data)
            if not is_whole:
                link.shutdown(socket.SHUT_WR)
            while piece := link.recv(65536):
                got += piece
        except ConnectionError:
            pass
        return got


def ask(port, data):
    """The answer to a request; the server closes where we are slow to ask, and is asked again."""
    while not (answer := talk(port, data)):
        pass
    return answer


def get(path, host="127.0.0.1", extra=b""):
    return b"GET " + path + b" HTTP/1.1\r\nHost: " + host.encode() + b"\r\n" + extra + b"\r\n"


def status(answer):
    match = re.match(rb"HTTP/1.1 (\d+) ", answer)
    return int(match[1]) if match else 0


def is_open(link):
    """Whether the server has not closed it."""
    link.setblocking(False)
    try:
        return link.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def slow_sockets(c, port, count):
    """Half-open requests must not block a good one: it is answered while they wait."""
    good, waiting = 200, 0
    while good == 200 and waiting == 0:
        links = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
        with contextlib.suppress(ConnectionError):
            for link in links:
                link.send(b"GET / HT")
        good = status(ask(port, get(b"/")))
        waiting = sum(map(is_open, links))
        for link in links:
            link.close()
    c.figure(f"{count} half-open requests", f"a good one beside {waiting} is answered {good}",
             good == 200)


def traversals(c, port, count):
    parts = [b"..", b"%2e%2e", b"..%2f", b"%2e%2e%2f", b"....//", b"..\\", b"%c0%ae%c0%ae", b"..;"]
    leaked = odd = 0
    for _ in range(count):
        depth = c.rng.randrange(1, 9)
        path = b"/" + b"/".join(c.rng.choice(parts) for _ in range(depth)) + b"/secret"
        answer = ask(port, get(path))
        leaked += SECRET in answer
        odd += status(answer) not in (400, 404, 414)
    c.figure(f"{count} path traversals", f"{leaked} leaks, {odd} odd answers", leaked + odd == 0)


def odd_requests(c, port):
    """Each with the answers that are right."""
    body = get(b"/")[:-2]
    cases = {
        "1 MB of headers": (get(b"/", extra=b"X: " + b"a" * (1 << 20) + b"\r\n"), (431,)),
        "a chunked body": (body + b"Transfer-Encoding: chunked\r\n\r\n" + b"5\r\nhello\r\n" * 1000,
                           (413,)),
        "a chunk of size -2": (body + b"Transfer-Encoding: chunked\r\n\r\n-2\r\n", (413,)),
        "pipelined junk": (get(b"/") + bytes(range(256)) * 50, (200,)),
        "a NUL in the path": (get(b"/\0"), (400,)),
        "bad UTF-8": (get(b"/\xff\xfe\xc3"), (400,)),
        "another Host": (get(b"/", host="evil.example"), (421,)),
        "no Host": (b"GET / HTTP/1.1\r\n\r\n", (400,)),
        "a long path": (get(b"/" + b"a" * 5000), (414,)),
        "POST": (b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
                 (405, 413)),
    }
    for name, (data, right) in cases.items():
        answer = status(talk(port, data))
        # A reset before the answer could be read is a refusal, too.
        c.figure(name, f"answered {answer or 'by closing'}", answer in (*right, 0))


def malformed(c, port, count):
    """Random bytes and random edits of a good request."""
    good = get(b"/report.html")
    leaked = 0
    for _ in range(count):
        data = bytearray(good if c.rng.random() < 0.7 else c.rng.randbytes(c.rng.randrange(200)))
        for _ in range(c.rng.randrange(1, 6)):
            if data:
                data[c.rng.randrange(len(data))] = c.rng.randrange(256)
        leaked += SECRET in talk(port, bytes(data) + b"\r\n\r\n", is_whole=False)
    c.figure(f"{count} malformed requests", f"{leaked} leaks", leaked == 0)


def only_loopback(c, port):
    """The port is bound to 127.0.0.1 alone."""
    wanted = f":{port:04X}"
    with open("/proc/net/tcp") as table:
        bound = {line.split()[1] for line in table if line.split()[1].endswith(wanted) and
                 line.split()[3] == "0A"}
    c.figure("bound to", ", ".join(sorted(bound)), bound == {f"0100007F{wanted}"})


def attack(port, seed):
    """Half-open, malformed and refused requests, as fast as one processor sends them."""
    rng = random.Random(seed)
    while True:
        half_open = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        for link in half_open:
            link.send(b"GET / HT")
        for _ in range(200):
            talk(port, rng.randbytes(rng.randrange(1, 200)) + b"\r\n\r\n", is_whole=False)
            talk(port, get(b"/../secret"))
            talk(port, get(b"/report.html"))
        for link in half_open:
            link.close()


def children_seconds():
    """Processor time of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed_run(c, folder, args, cpu):
    """Processor seconds of a run that has one processor for itself."""
    before = children_seconds()
    child = c.start(["train", *args, "--out", folder, "--quiet"], stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    if child.wait() != 0:
        c.fail("a run beside the attack failed")
    return children_seconds() - before


def slowdown(c, port, folder, pairs, cpu):
    """Runs below the served folder, alternately alone and during an attack on the other
    processors."""
    args = SMALL[:5] + ["300000"] + SMALL[6:]
    best = {}
    for number in range(pairs):
        for attacked in (False, True):
            attacker = multiprocessing.Process(target=attack, args=(port, c.seed + number))
            if attacked:
                attacker.start()
            took = timed_run(c, folder / f"{number}-{attacked}", args, cpu)
            if attacked:
                if not attacker.is_alive():
                    c.fail("the attack ended before the run")
                attacker.kill()
                attacker.join()
            best[attacked] = min(took, best.get(attacked, took))
    more = 100 * (best[True] / best[False] - 1)
    c.figure("a run beside the attack, processor time",
             f"{more:+.1f} % ({best[True]:.2f} s, alone {best[False]:.2f} s, best of {pairs})",
             more <= SLOWER)


def measure_slowdown(c):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("  SKIP how much slower a run is: needs two processors")
        return
    folder = c.folder("raced")
    folder.mkdir()
    os.sched_setaffinity(0, cpus[:-1])  # server and attackers
    server = c.start(["serve", folder, "--port", "0"], stdout=subprocess.PIPE,
                     stderr=subprocess.DEVNULL)
    try:
        port = int(re.search(rb":(\d+)/", server.stdout.readline())[1])
        slowdown(c, port, folder, 7, cpus[-1])
    finally:
        os.sched_setaffinity(0, cpus)
        server.send_signal(signal.SIGTERM)
        server.wait()


def main(c):
    folder = c.folder("served")
    folder.mkdir()
    (c.work / "secret").write_bytes(SECRET)
    (folder / "secret").write_bytes(SECRET)
    reference, _ = c.reference()
    server = c.start(["serve", folder, "--port", "0"], stdout=subprocess.PIPE,
                     stderr=subprocess.DEVNULL)
    port = int(re.search(rb":(\d+)/", server.stdout.readline())[1])
    try:
        talk(port, get(b"/"))
        before = rss_kb(server.pid)
        many = 5 if c.long else 1
        only_loopback(c, port)
        slow_sockets(c, port, 500 if c.long else 150)
        traversals(c, port, 1000 if c.long else 200)
        odd_requests(c, port)
        code, _, _ = c.train(folder / "run")
        malformed(c, port, 10000 if c.long else 400)
        grown = (rss_kb(server.pid) - before) / 1024
        # A sanitizer keeps freed memory for a while.
        c.figure("memory grown by", f"{grown:.1f} MB", grown <= 32 or c.sanitizer is not None)
        c.figure("a run below the folder", "same bits" if not differences(reference, folder / "run")
                 else "differs", code == 0 and not differences(reference, folder / "run"))
        good = [status(ask(port, get(b"/"))) for _ in range(many)]
        c.figure("afterwards", f"answers {good[0]}", set(good) == {200})
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait()
    c.figure("ends with", code, code == 0)
    if c.long and not c.sanitizer:
        measure_slowdown(c)
