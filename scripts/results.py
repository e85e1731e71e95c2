#!/usr/bin/env python3
"""Fills docs/results.md from results/: results.py [--check] [--tarl BINARY] [--work FOLDER] [--page FILE]

Draws the report of every packed study into the work folder (default build/results) and writes the marked numbers, tables
and figures of the page. With --check it writes nothing and complains where the page says something else. Marks are
comments, which readers do not see:

    <!--= STUDY; WHAT; ... -->text<!--/-->      a number or a verdict, see KINDS
    <!--table STUDY; WHAT-->lines<!--/table-->    see TABLES
    <!--figure STUDY; FILE; TEXT-->line<!--/figure-->

A study that is not in results/ is "not run yet".
"""
import argparse
import csv
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_RUN = "not run yet"
MARK = re.compile(r"<!--= (.+?) -->(.*?)<!--/-->", re.S)
TABLE = re.compile(r"<!--table (.+?)-->\n(.*?)<!--/table-->", re.S)
FIGURE = re.compile(r"<!--figure (.+?)-->\n(.*?)<!--/figure-->", re.S)
# From this heading on every number with a decimal point comes from data.
STRICT = "## Our own findings"


class Missing(Exception):
    """What a mark asks for is not in the data."""


def minus(text):
    """With the sign that reports use."""
    return text.replace("-", "−")


def signed(value, digits=3):
    return minus(f"{value:+.{digits}f}")


def interval(low, high, digits=3):
    return "" if low is None or high is None else f" [{signed(low, digits)}, {signed(high, digits)}]"


def p_value(p):
    return "p unknown" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def mean(values):
    return math.fsum(values) / len(values)


class Study:
    """The report of one packed study."""

    def __init__(self, name, files, packed):
        self.name, self.files, self.packed = name, files, packed
        self.pairs = json.loads((files / "comparisons.json").read_text())["comparisons"]
        self.summary = self.rows("summary.csv")
        self.runs = self.rows("runs.csv")
        self.curves = self.rows("curves.csv")

    def rows(self, name):
        with open(self.files / name, newline="") as file:
            return list(csv.DictReader(file))

    def pair(self, compared, base, environment=None):
        for one in self.pairs:
            if (one["compared"], one["base"], one["environment"]) == (compared, base, environment):
                return one
        raise Missing(f"{self.name} does not compare '{compared}' with '{base}'" +
                      (f" in {environment}" if environment else ""))

    def seeds(self):
        counts = {}
        for run in self.runs:
            key = run["environment"], run["algorithm"]
            counts[key] = counts.get(key, 0) + 1
        few, many = min(counts.values()), max(counts.values())
        return str(few) if few == many else f"{few} to {many}"

    def returns_at(self, label, step, environment=None):
        values = [float(row["score"]) for row in self.curves
                  if row["algorithm"] == label and float(row["timestep"]) == float(step) and
                  environment in (None, row["environment"])]
        if not values:
            raise Missing(f"{self.name} has no '{label}' at step {step}")
        return sorted(values)

    def logged(self, label, column, first, last):
        """Mean over the runs of a condition and its rows between two steps."""
        values = [value for run in self.packed.of(label) for step, value in self.packed.column(run, column)
                  if float(first) <= step <= float(last) and not math.isnan(value)]
        if not values:
            raise Missing(f"{self.name} has no '{column}' of '{label}' between steps {first} and {last}")
        return mean(values)


class Packed:
    """results/STUDY/packed.npz, without NumPy."""

    def __init__(self, folder):
        self.zip = zipfile.ZipFile(folder / "packed.npz")
        self.about = json.loads(self.array("about")[1])
        places = {}
        for run in self.about["runs"]:
            group = run.get("logs")
            run["place"] = places.get(group, 0)
            places[group] = run["place"] + 1
        study = (folder / "study.toml").read_text()
        self.slugs = {re.sub(r"[^a-z0-9+.]+", "-", label.lower()).strip("-"): label
                      for label in re.findall(r"""^label = ["'](.*)["']$""", study, re.M)}

    def array(self, name):
        data = self.zip.read(name + ".npy")
        size = int.from_bytes(data[8:10], "little")
        shape = re.search(rb"'shape': \(([^)]*)\)", data[10:10 + size]).group(1).split(b",")
        return [int(n) for n in shape if n.strip()], data[10 + size:]

    def of(self, label):
        return [run for run in self.about["runs"] if self.slugs.get(run["folder"].split("/")[-2]) == label]

    def column(self, run, column):
        group = run["logs"]
        steps = memoryview(self.array(f"log_steps_{group}")[1]).cast("q")
        (_, runs, rows), data = self.array(f"log_{group}/{column}")
        share, code, begin = column.startswith("tarl/") and column != "tarl/target_lag", 0, run["place"] * rows
        for row in range(rows):
            at = begin + row
            code = (code + data[at] + 256 * data[at + runs * rows]) % 65536
            yield steps[row], share_of(code) if share else wide_of(code)


def share_of(code):
    return math.nan if code == 65535 else code / 16384


def wide_of(code):
    return memoryview((code << 16).to_bytes(4, "little")).cast("f")[0]


def difference(study, compared, base, environment=None):
    one = study.pair(compared, base, environment)
    return signed(one["difference"]) + interval(one["difference_low"], one["difference_high"])


def won(study, compared, base, environment=None):
    one = study.pair(compared, base, environment)
    return f"{one['seeds_won']} of {one['seeds']}"


def gain(study, compared, base):
    one = study.pair(compared, base)
    return signed(one["gain_percent"], 1) + " %" + interval(one["gain_percent_low"], one["gain_percent_high"], 1)


def chance(study, compared, base):
    return f"{study.pair(compared, base)['improvement']:.2f}"


def corrected_p(study, compared, base):
    return p_value(study.pair(compared, base)["sign_flip_p_holm"])


def at_step(study, label, step, environment=None):
    return minus(f"{mean(study.returns_at(label, step, environment)):.0f}")


def range_at_step(study, label, step, environment=None):
    values = study.returns_at(label, step, environment)
    return minus(f"{values[0]:.0f} to {values[-1]:.0f}")


def logged(study, label, column, first, last, digits="2"):
    return minus(f"{study.logged(label, column, first, last):.{int(digits)}f}")


def verdict(study, *claims):
    """Of a claim that each "A > B": every one better, any one worse, or neither."""
    words = [study.pair(*(side.strip() for side in claim.split(">")))["verdict"] for claim in claims]
    if "worse" in words:
        return "contradicted"
    return "confirmed" if all(word == "better" for word in words) else "not shown"


def every_seed(study, *pairs):
    """Of a claim that the first of each pair wins every seed."""
    all_pairs = [study.pair(*(side.strip() for side in pair.split(">"))) for pair in pairs]
    return "confirmed" if all(one["seeds_won"] == one["seeds"] for one in all_pairs) else "contradicted"


def environments(study, compared, base):
    one = study.pair(compared, base)
    return f"{one['environments_won']} of {one['environments']}"


def commits(study):
    found = {run.get("info", {}).get("commit") for run in study.packed.about["runs"]} - {None}
    return ", ".join(sorted(found | ({study.packed.about["info"]["commit"]}
                                     if "commit" in study.packed.about["info"] else set())))


def power(study):
    """What the report says so many seeds can find."""
    found = re.search(r"a paired difference is found with 80 % power when it exceeds [\d.]+ standard deviations",
                      (study.files / "summary.md").read_text())
    if found is None:
        raise Missing(f"the report of {study.name} does not state its power")
    return found.group()


KINDS = {"difference": difference, "won": won, "gain": gain, "improvement": chance, "p": corrected_p, "verdict": verdict,
         "every seed": every_seed, "at": at_step, "range at": range_at_step, "logged": logged, "environments": environments,
         "commits": commits, "power": power,
         "seeds": lambda study: study.seeds(), "runs": lambda study: str(len(study.runs))}


def markdown(header, rows, text_columns=1):
    lines = ["| " + " | ".join(header) + " |",
             "|" + "|".join(["---"] * text_columns + ["---:"] * (len(header) - text_columns)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def pairs_table(study, family=None):
    rows = [[one["compared"], one["base"], f"{one['compared_nauc']:.3f}", f"{one['base_nauc']:.3f}",
             signed(one["difference"]) + interval(one["difference_low"], one["difference_high"]),
             f"{one['seeds_won']} of {one['seeds']}", p_value(one["sign_flip_p_holm"]), one["verdict"]]
            for one in study.pairs if one["scope"] == "overall" and family in (None, one["family"])]
    return markdown(["condition", "against", "nAUC", "its nAUC", "difference [95 %]", "seeds won", "p, Holm", "verdict"],
                    rows, 2)


def nauc_table(study):
    environments = list(dict.fromkeys(row["environment"] for row in study.summary))
    labels = list(dict.fromkeys(row["algorithm"] for row in study.summary))
    cells = {(row["algorithm"], row["environment"]): row for row in study.summary if row["metric"] == "nAUC"}

    def cell(label, environment):
        row = cells.get((label, environment))
        if row is None:
            return "–"
        return f"{float(row['mean']):.3f} [{float(row['ci_low']):.3f}, {float(row['ci_high']):.3f}]"

    return markdown(["nAUC [95 %]"] + environments, [[label] + [cell(label, env) for env in environments]
                                                      for label in labels])


def report_table(study, file):
    """One of the report's tables, from its LaTeX."""
    if not (study.files / file).exists():
        raise Missing(f"the report of {study.name} has no {file}")
    text = (study.files / file).read_text()
    rows = [line.removesuffix("\\\\").split(" & ") for line in text.splitlines() if line.endswith("\\\\")]

    def plain(cell):
        cell = re.sub(r"\{\\scriptsize ([^{}]*)\}", r"(\1)", cell)
        return re.sub(r"\\textbf\{([^{}]*)\}", r"\1", cell).replace("\\%", "%").replace("\\_", "_").strip()

    # A row is named as in the study; behind it stands the paper's name.
    return markdown([plain(cell) for cell in rows[0]],
                    [[plain(row[0].partition(" {")[0])] + [plain(cell) for cell in row[1:]] for row in rows[1:]])


TABLES = {"pairs": pairs_table, "nauc": nauc_table, "report": report_table}


class Results:
    """The packed studies, each with the report that tarl draws of it."""

    def __init__(self, tarl, folder, work, reuse):
        self.tarl, self.folder, self.work, self.reuse, self.studies = tarl, folder, work, reuse, {}

    def find(self, name):
        if name not in self.studies:
            packed = self.folder / name
            self.studies[name] = self.draw(name, packed) if (packed / "packed.npz").exists() else None
        return self.studies[name]

    def draw(self, name, packed):
        files = self.work / f"{name}_files"
        if self.reuse and files.exists():
            return Study(name, files, Packed(packed))
        self.work.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([self.tarl, "report", packed, "--out", self.work / f"{name}.html"], text=True,
                              capture_output=True)
        if done.returncode != 0:
            sys.exit(f"results: {done.stderr.strip()}")
        return Study(name, files, Packed(packed))


def fields(text):
    return [part.strip() for part in text.split(";")]


def fill(page, results, figures):
    """The page with its marks filled, and what could not be."""
    problems = []

    def value(kinds, match, otherwise):
        name, kind, *rest = fields(match.group(1))
        study = results.find(name)
        if study is None:
            return otherwise
        try:
            return kinds[kind](study, *rest)
        except KeyError:
            problems.append(f"'{match.group(1)}': there is no '{kind}' ({', '.join(kinds)})")
        except (Missing, TypeError, ValueError) as problem:
            problems.append(f"'{match.group(1)}': {problem}")
        return match.group(2)

    def figure(match):
        name, file, text = fields(match.group(1))
        study = results.find(name)
        line = f"Not run yet: {text}\n"
        if study is not None:
            figures[f"{name}-{file}"] = study.files / file
            line = f"![{text}](pictures/results/{name}-{file})\n"
        return f"<!--figure {match.group(1)}-->\n\n{line}\n<!--/figure-->"

    page = MARK.sub(lambda m: f"<!--= {m.group(1)} -->{value(KINDS, m, NOT_RUN)}<!--/-->", page)
    page = TABLE.sub(lambda m: f"<!--table {m.group(1)}-->\n\n{value(TABLES, m, 'Not run yet.').strip()}\n\n"
                               "<!--/table-->", page)
    return FIGURE.sub(figure, page), problems


def unmarked_numbers(page):
    """Numbers among our findings that no mark ties to data."""
    _, heading, ours = page.partition(STRICT)
    for pattern in (FIGURE, TABLE, MARK, re.compile(r"^```.*?^```", re.M | re.S), re.compile(r"`[^`\n]*`"),
                    re.compile(r"\]\([^)]*\)")):
        ours = pattern.sub("", ours)
    return re.findall(r"[^\s|]*\d\.\d[^\s|]*", ours) if heading else []


def misplaced(page):
    """Marks at the beginning of a line, where Markdown takes the whole line for HTML."""
    return [line.strip()[:60] for line in page.splitlines() if line.lstrip().startswith("<!--= ")]


def differences(before, after):
    pairs = zip(MARK.findall(before) + TABLE.findall(before) + FIGURE.findall(before),
                MARK.findall(after) + TABLE.findall(after) + FIGURE.findall(after))
    for (mark, was), (_, now) in pairs:
        if was != now:
            yield f"'{mark.strip()}' says '{was.strip()[:200]}', the data '{now.strip()[:200]}'"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--reuse", action="store_true", help="reports that are in the work folder as they are")
    parser.add_argument("--tarl", type=pathlib.Path, default=ROOT / "build/tarl")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/results")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/results.md")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results")
    args = parser.parse_args()
    if not args.tarl.is_file():
        sys.exit(f"results: no {args.tarl}; build it with make build, or name one with --tarl")
    results, figures = Results(args.tarl.resolve(), args.results, args.work, args.reuse), {}
    before = args.page.read_text()
    after, problems = fill(before, results, figures)
    problems += [f"{number} is no marked number" for number in unmarked_numbers(after)]
    problems += [f"put a word before the mark: {line}" for line in misplaced(after)]
    for packed in sorted(args.results.glob("*/packed.npz")):
        if results.find(packed.parent.name) is not None and packed.parent.name not in before:
            problems.append(f"{packed.parent.name} is in results/ and not on the page")
    pictures = args.page.parent / "pictures/results"
    if args.check:
        problems += differences(before, after)
        for name, drawn in figures.items():
            stored = pictures / name
            if not stored.exists() or stored.read_bytes() != drawn.read_bytes():
                problems.append(f"{stored.name} is not the figure of the data (make report-all)")
    elif not problems:
        args.page.write_text(after)
        pictures.mkdir(parents=True, exist_ok=True)
        for stored in pictures.glob("*.svg"):
            if stored.name not in figures:
                stored.unlink()
        for name, drawn in figures.items():
            shutil.copyfile(drawn, pictures / name)
    drawn = sum(study is not None for study in results.studies.values())
    print("\n".join("results: " + problem for problem in problems) or
          f"results: {drawn} packed {'study' if drawn == 1 else 'studies'}, pages in {args.work}")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
