#!/usr/bin/env python3
"""What the constants of the ranking find on questions that they were not chosen on.

  holdout.py SETS_DIR [--settings 16] [--index DIR] [--keep DIR] [--only SET,SET]

Asks every set with the constants in force and with random others, with both
models. Then, fifty times: the questions of each set fall into two halves, the
setting that is best on one half, by the mean of all rows, is shown on the
other. --index keeps the indexes, --keep the rankings, --only takes some of the
sets. Standard library only."""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import tempfile

from run import ROWS

AROUND = {
    "base": [0.25, 0.3, 0.35, 0.4, 0.45],
    "power": [0.4, 0.55, 0.7, 0.85, 1.0],
    "context": [0.3, 0.4, 0.5],
}
MODELS = ["table", "all-minilm-l6-v2"]
SPLITS = 50


def settings(count):
    """The constants in force, then random ones."""
    chance = random.Random(1)
    others = [{name: chance.choice(values) for name, values in AROUND.items()} for _ in range(count)]
    return [{}] + others


def ask(args, setting, model, name, out):
    """Writes the rankings of a set, unless they are there."""
    if out.exists():
        return
    tune = [part for name, value in setting.items() for part in ("--tune", f"{name}={value}")]
    command = [args.program, "eval", str(args.sets / name), "--model", model, "--runs", str(out)]
    subprocess.run(command + ["--index", str(args.index / name)] + tune, check=True, capture_output=True)


def relevant(args, name, level, which):
    """The right targets of each question that counts."""
    core = {}
    for line in (args.sets / name / "queries.jsonl").open():
        question = json.loads(line)
        core[question["id"]] = which == "all" or question.get("core", True)
    right = collections.defaultdict(set)
    for line in (args.sets / name / f"qrels.{level}.tsv").open():
        question, target, label = line.rstrip("\n").split("\t")
        if label != "0" and core.get(question):
            right[question].add(target)
    return right


def score(ranked, right, level):
    """hit@1 of sessions, nDCG@10 of turns."""
    if level == "session":
        return float(bool(ranked) and ranked[0] in right)
    gain = sum(1 / math.log2(i + 2) for i, target in enumerate(ranked[:10]) if target in right)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(10, len(right))))


def scores(args, out, name, level, which):
    """Each question's score, in the order of the questions' ids."""
    ranked = collections.defaultdict(list)
    for line in (out / f"{level}.tsv").open():
        question, target, _ = line.split("\t")
        ranked[question].append(target)
    right = relevant(args, name, level, which)
    return [score(ranked[question], right[question], level) for question in sorted(right)]


def measured(args):
    """For each setting, each row's scores by question."""
    tried = []
    rows = [row for row in ROWS if row[0] in args.only.split(",")] if args.only else ROWS
    for number, setting in enumerate(settings(args.settings)):
        found = {}
        for model in MODELS:
            for name, level, which in rows:
                out = args.keep / f"{number}-{model}-{name}"
                ask(args, setting, model, name, out)
                found[model, name, level] = scores(args, out, name, level, which)
        tried.append(found)
        print(number, setting, flush=True)
    return tried


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def halves(tried, chance):
    """Each row's questions in two halves, one half of a set at both levels and by both models."""
    order = {}
    for row, values in tried[0].items():
        places = order.setdefault(row[1:], chance.sample(range(len(values)), len(values)))
        yield row, (places[: len(places) // 2], places[len(places) // 2 :])


def held_out(tried):
    """By row: what the setting chosen on one half finds there, and on the other."""
    chance, shown = random.Random(2), collections.defaultdict(lambda: ([], []))
    for _ in range(SPLITS):
        split = dict(halves(tried, chance))
        for half in (0, 1):
            on = [{row: mean(found[row][i] for i in split[row][half]) for row in split} for found in tried]
            best = max(range(len(tried)), key=lambda i: mean(on[i].values()))
            for row in split:
                other = split[row][1 - half]
                shown[row][0].append(on[best][row])
                shown[row][1].append(mean(tried[best][row][i] for i in other))
    return shown


def report(tried):
    print("\n| model | level, set | in force | least to most of all settings | chosen, on its own half | on the other |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (model, name, level), (own, other) in held_out(tried).items():
        every = [100 * mean(found[model, name, level]) for found in tried]
        print(f"| {model} | {level}, {name} | {every[0]:.1f} | {min(every):.1f} to {max(every):.1f} | "
              f"{100 * mean(own):.1f} | {100 * mean(other):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("--settings", type=int, default=16)
    parser.add_argument("--index", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", help="these sets")
    parser.add_argument("--program", default="target/release/session-search")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        args.index = args.index or pathlib.Path(scratch) / "index"
        args.keep = args.keep or pathlib.Path(scratch) / "runs"
        report(measured(args))


if __name__ == "__main__":
    main()
