# SPDX-License-Identifier: MIT
"""What a disk may hold after a power cut, from a trace of file calls (shim/, trace=FILE).

The model is the strict reading of POSIX: a file's bytes are safe once the file was synced, its
name once the folder was. At the cut every unsynced write may be there, missing or torn, and of the
unsynced changes of a folder any first few have happened.
"""


class File:
    def __init__(self):
        self.safe = b""
        self.pending = []  # (offset, bytes), or (length, None) for a cut

    def sync(self):
        self.safe = apply(self.safe, self.pending)
        self.pending = []


class Folder:
    def __init__(self):
        self.safe = {}
        self.now = {}
        self.pending = []  # lists of (name, node or None): what happens together

    def change(self, *entries):
        for name, node in entries:
            if node is None:
                self.now.pop(name, None)
            else:
                self.now[name] = node
        self.pending.append(entries)

    def sync(self):
        self.safe = dict(self.now)
        self.pending = []


def apply(content, changes):
    data = bytearray(content)
    for offset, piece in changes:
        if piece is None:
            del data[offset:]
            data.extend(bytes(offset - len(data)))
        else:
            data.extend(bytes(max(0, offset - len(data))))
            data[offset:offset + len(piece)] = piece
    return bytes(data)


def read_trace(path):
    """The records: (verb, words, bytes of a write)."""
    data = path.read_bytes()
    at, records = 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        verb, _, rest = data[at:end].decode().partition(" ")
        at, piece = end + 1, b""
        if verb == "write":
            size = int(rest.split()[2])
            piece = data[at:at + size]
            at += size + 1
        records.append((verb, rest, piece))
    return records


class Disk:
    """The folder `root` as the calls so far left it, in memory and on the platter."""

    def __init__(self, root):
        self.root = str(root)
        self.top = Folder()  # the parent of root
        self.nodes = {}      # by number of open()

    def parent(self, path):
        node = self.top
        parts = ["root"] + [part for part in path[len(self.root):].split("/") if part]
        for part in parts[:-1]:
            node = node.now[part]
        return node, parts[-1]

    def find(self, path):
        folder, name = self.parent(path)
        return folder.now.get(name)

    def play(self, record):
        verb, rest, piece = record
        if verb == "open":
            number, creates, empties, path = rest.split(" ", 3)
            node = self.find(path)
            if node is None and int(creates):
                folder, name = self.parent(path)
                node = File()
                folder.change((name, node))
            elif int(empties) and isinstance(node, File):
                node.pending.append((0, None))
            self.nodes[number] = node
        elif verb == "write":
            number, offset, _ = rest.split()
            self.nodes[number].pending.append((int(offset), piece))
        elif verb == "cut":
            number, length = rest.split()
            self.nodes[number].pending.append((int(length), None))
        elif verb == "sync":
            self.nodes[rest].sync()
        elif verb == "mkdir":
            folder, name = self.parent(rest)
            folder.change((name, Folder()))
        elif verb == "remove":
            folder, name = self.parent(rest)
            folder.change((name, None))
        elif verb == "rename":
            before, after = rest.split("\t")
            source, old = self.parent(before)
            target, new = self.parent(after)
            node = source.now[old]
            if source is target:
                source.change((old, None), (new, node))
            else:
                source.change((old, None))
                target.change((new, node))
        # The root's own entry is safe as soon as it is there: its parent is not part of the model.
        self.top.sync()

    def cut_power(self, out, rng, keep):
        """Writes one possible state of the disk. `keep` is the probability that an unsynced change
        survives."""
        root = self.top.safe.get("root")
        if root is not None:
            write_folder(root, out, rng, keep)


def write_folder(folder, out, rng, keep):
    out.mkdir(parents=True)
    entries = dict(folder.safe)
    happened = len(folder.pending) if keep >= 1 else 0
    if 0 < keep < 1:
        happened = rng.randrange(len(folder.pending) + 1)
    for change in folder.pending[:happened]:
        for name, node in change:
            if node is None:
                entries.pop(name, None)
            else:
                entries[name] = node
    for name, node in entries.items():
        if isinstance(node, Folder):
            write_folder(node, out / name, rng, keep)
        else:
            (out / name).write_bytes(apply(node.safe, surviving(node.pending, rng, keep)))


def surviving(pending, rng, keep):
    """Some of the unsynced writes, each whole, torn at a sector, or lost."""
    kept = []
    for offset, piece in pending:
        if rng.random() >= keep:
            continue
        if piece is not None and keep < 1 and rng.random() < 0.3:
            piece = piece[:rng.randrange(len(piece) // 512 + 1) * 512]
        kept.append((offset, piece))
    return kept


def crash_states(trace, root, count, rng, syncs=True):
    """Yields (record number, a function that writes the state into a folder) `count` times.

    Without `syncs` the disk ignores all syncs, as a lying disk would.
    """
    records = [record for record in read_trace(trace) if syncs or record[0] != "sync"]
    points = sorted(rng.randrange(1, len(records) + 1) for _ in range(count))
    disk, played = Disk(root), 0
    for number, point in enumerate(points):
        while played < point:
            disk.play(records[played])
            played += 1
        keep = (0.0, 0.5, 0.9)[number % 3]
        yield point, lambda out, keep=keep: disk.cut_power(out, rng, keep)
