#!/usr/bin/env python3
"""The whole table of retrieval figures, from unpacked sets.

  run.py SETS_DIR [--models table,all-minilm-l6-v2] [--index DIR] [--sweep]

Prints for each model one row a set and level, asked verbatim with the weight
that search uses by default; with --sweep also with fixed weights. --index keeps
the indexes, so that a second run embeds nothing. Standard library only."""

import argparse
import json
import pathlib
import subprocess
import tempfile

# Set, level, which questions.
ROWS = [
    ("locomo", "session", "all"),
    ("beam100k", "session", "core"),
    ("devmembench", "session", "core"),
    ("sdebench", "session", "core"),
    ("locomo", "turn", "all"),
    ("beam100k", "turn", "core"),
    ("cosqa", "turn", "core"),
]
FIXED = ["0", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "1"]


def evaluate(args, root, name, model, alpha):
    command = [args.program, "eval", str(args.sets / name), "--model", model, "--json"]
    command += ["--index", str(root / name)] + (["--alpha", alpha] if alpha else [])
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {report["level"]: report for report in json.loads(done.stdout)["levels"]}


def table(args, root, model, alpha):
    reports = {}
    print(f"\n{model}, {'weight ' + alpha if alpha else 'adaptive'}\n")
    print("| level, set | n | hit@1 | hit@5 | MRR@10 | nDCG@10 |\n| --- | --- | --- | --- | --- | --- |")
    for name, level, which in ROWS:
        if name not in reports:
            reports[name] = evaluate(args, root, name, model, alpha)
        m = reports[name][level][which]
        print(f"| {level}, {name} ({which}) | {m['questions']:,} | {100 * m['hit@1']:.1f} | "
              f"{100 * m['hit@5']:.1f} | {m['MRR@10']:.3f} | {m['nDCG@10']:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("--models", default="table,all-minilm-l6-v2")
    parser.add_argument("--index", type=pathlib.Path)
    parser.add_argument("--program", default="target/release/session-search")
    parser.add_argument("--sweep", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for model in args.models.split(","):
            for alpha in [None] + FIXED * args.sweep:
                table(args, args.index or pathlib.Path(scratch), model, alpha)


if __name__ == "__main__":
    main()
