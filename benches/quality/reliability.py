#!/usr/bin/env python3
"""How often a hit is right that is said to be right with some probability.

  reliability.py SETS_DIR [--model M] [--each 60] [--program P] [--folder DIR]

Asks questions of each set of its own history, and as many of the other sets',
which it does not answer. Fits the logistic regression of `docs/ranking.md` on
all sets but one and shows the reliability on that one; then prints the
coefficients of all sets together. --folder keeps the indexes. Standard library
only."""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile

LEVELS = {"session": "1", "turn": "2"}
BANDS = {"strong": (0.7, 1.01), "moderate": (0.4, 0.7), "weak": (0.0, 0.4)}
Asked = collections.namedtuple("Asked", "evidence rival right answered")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("--model", default="all-minilm-l6-v2")
    parser.add_argument("--each", type=int, default=60, help="questions from each set")
    parser.add_argument("--program", default="target/release/session-search", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def questions(folder, most, seed):
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    core = [q for q in map(json.loads, filter(str.strip, lines)) if q.get("core", True)]
    return random.Random(seed).sample(core, min(most, len(core)))


def labels(folder, level):
    right, path = collections.defaultdict(set), folder / f"qrels.{level}.tsv"
    for line in path.read_text().splitlines() if path.exists() else []:
        question, target, relevance = line.split("\t")
        if relevance != "0":
            right[question].add(target)
    return right


class History:
    """A set's history, indexed in a home of its own."""

    def __init__(self, args, folder, home):
        home.mkdir(parents=True, exist_ok=True)
        self.program = args.program.resolve()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home), "SESSION_SEARCH_MODEL": args.model,
                    "CLAUDE_CONFIG_DIR": str((folder / "claude").resolve())}
        self.run("index")

    def run(self, *words):
        command = [self.program, *words]
        return subprocess.run(command, env=self.env, cwd=self.env["HOME"], capture_output=True, text=True, check=True).stdout

    def ask(self, question, level, is_own, right):
        """What the regression sees of the first hit, and whether it is right."""
        words = ["search", "--json", "--explain", "--quiet", "--limit", "2", "--depth", LEVELS[level]]
        if is_own and question.get("scope") == "project":
            words += ["--project", question["cwd"]]
        answer = json.loads(self.run(*words, "--", question["query"]))
        if not answer["hits"]:
            return Asked(0.0, 0.0, False, is_own)
        first, weights = answer["hits"][0], answer["explanation"]["weights"]
        second = answer["hits"][1]["explain"]["fused"] if len(answer["hits"]) > 1 else 0.0
        target = first["session"] if level == "session" else f"{first['session']}:{first['turn']}"
        rival = second / max(first["explain"]["fused"], 1e-9)
        return Asked(evidence(first["explain"], weights), rival, is_own and target in right, is_own)


def evidence(explain, weights):
    part = lambda side: weights[side]["confidence"] * (explain[side]["scaled"] if explain[side] else 0.0)
    if weights["alpha"] in (0.0, 1.0):
        return 1.5 * part("dense" if weights["alpha"] else "lexical")
    return part("dense") + part("lexical")


def ask_all(args, root):
    """For each set and level what was asked of its history."""
    sets = sorted(f.parent for f in args.sets.glob("*/queries.jsonl") if (f.parent / "claude/projects").is_dir())
    asked = {}
    for corpus in sets:
        history = History(args, corpus, root / corpus.name)
        others = [q for other in sets if other != corpus for q in questions(other, args.each, args.seed)]
        others = random.Random(args.seed).sample(others, min(args.each, len(others)))
        for level in LEVELS:
            right = labels(corpus, level)
            own = [q for q in questions(corpus, args.each, args.seed) if q["id"] in right]
            found = [history.ask(q, level, True, right[q["id"]]) for q in own]
            found += [history.ask(q, level, False, set()) for q in others] if own else []
            if found:
                asked[corpus.name, level] = found
    return asked


def features(one):
    return (1.0, one.evidence, one.evidence * (1.0 - one.rival))


def probability(coefficients, one):
    logit = sum(c * x for c, x in zip(coefficients, features(one)))
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def fit(groups, steps=4000, rate=2.0):
    """Logistic regression by gradient descent; a group's questions with and without an answer
    weigh half each."""
    rows = []
    for group in groups:
        count = collections.Counter(one.answered for one in group)
        rows += [(one, 0.5 / count[one.answered] / len(groups)) for one in group]
    coefficients = [0.0, 0.0, 0.0]
    for _ in range(steps):
        gradient = [0.0, 0.0, 0.0]
        for one, weight in rows:
            error = weight * (one.right - probability(coefficients, one))
            gradient = [g + error * x for g, x in zip(gradient, features(one))]
        coefficients = [c + rate * g for c, g in zip(coefficients, gradient)]
    return coefficients


def row(name, level, group, coefficients):
    """A set's bands: how many first hits are in each, what they are said to be, what they are."""
    cells = []
    for low, high in BANDS.values():
        said = [(probability(coefficients, one), one.right) for one in group]
        said = [(p, right) for p, right in said if low <= p < high]
        mean = lambda values: sum(values) / max(1, len(said))
        cells.append(f"{len(said)}: {mean([p for p, _ in said]):.2f} / {mean([r for _, r in said]):.2f}")
    return f"| {name} | {level} | " + " | ".join(cells) + " |"


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        asked = ask_all(args, args.folder or pathlib.Path(scratch))
    print(f"{args.model}: first hits by band, as number: mean probability said / share right\n")
    print("| held out | level | " + " | ".join(BANDS) + " |\n| --- | --- | --- | --- | --- |")
    for name in dict.fromkeys(name for name, _ in asked):
        coefficients = fit([group for (other, _), group in asked.items() if other != name])
        for (other, level), group in asked.items():
            if other == name:
                print(row(name, level, group, coefficients), flush=True)
    print("\nof all sets: " + ", ".join(f"{c:.2f}" for c in fit(list(asked.values()))))


if __name__ == "__main__":
    main()
