#!/usr/bin/env python3
"""Questions of one set asked of another set's history, which does not answer
them: how often is the best hit called strong?

  negative.py SETS_DIR [--model M] [--index DIR] [--program P] [--each 60]

SETS_DIR holds sets as `session-search eval` takes them, with histories of their
own. --index keeps the indexes between runs. Standard library only."""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

STRONG, MODERATE = 0.65, 0.45


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("--model", default="table")
    parser.add_argument("--index", type=pathlib.Path)
    parser.add_argument("--program", default="target/release/session-search")
    parser.add_argument("--each", type=int, default=60, help="questions from each set")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def core_questions(folder, most, seed):
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()]
    core = [q for q in questions if q.get("core", True)]
    return random.Random(seed).sample(core, min(most, len(core)))


def best_scores(args, corpus, questions, folder):
    """Asks questions of a set's history, all of it; gives each one's best score."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "claude").exists():
        (folder / "claude").symlink_to((corpus / "claude").resolve())
    with open(folder / "queries.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(q) + "\n" for q in questions)
    labels = "".join(f"{q['id']}\tnone\t1\n" for q in questions)
    (folder / "qrels.session.tsv").write_text(labels)
    command = [args.program, "eval", str(folder), "--model", args.model, "--json", "--pooled"]
    command += ["--level", "session", "--runs", str(folder), "--index", str(folder / "index")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    best = {}
    for line in (folder / "session.tsv").read_text().splitlines():
        question, _, score = line.split("\t")
        best[question] = max(best.get(question, 0.0), float(score))
    return [best.get(q["id"], 0.0) for q in questions]


def share(scores, least):
    return 100 * sum(s >= least for s in scores) / max(1, len(scores))


def main():
    args = arguments()
    sets = sorted(f.parent for f in args.sets.glob("*/queries.jsonl"))
    sets = [s for s in sets if (s / "claude/projects").is_dir()]
    answered, unanswered = [], []
    with tempfile.TemporaryDirectory() as scratch:
        root = args.index or pathlib.Path(scratch)
        for corpus in sets:
            questions, own = [], []
            for asked in sets:
                some = core_questions(asked, args.each * (1 + (corpus == asked)), args.seed)
                questions += [{"id": f"{asked.name}-{q['id']}", "query": q["query"]} for q in some]
                own += [corpus == asked] * len(some)
            scores = best_scores(args, corpus, questions, root / corpus.name)
            answered += [s for s, mine in zip(scores, own) if mine]
            unanswered += [s for s, mine in zip(scores, own) if not mine]
    for name, scores in (("with an answer", answered), ("without", unanswered)):
        print(f"{name}: {len(scores)} questions, strong {share(scores, STRONG):.1f} %, "
              f"moderate or more {share(scores, MODERATE):.1f} %")


if __name__ == "__main__":
    main()
