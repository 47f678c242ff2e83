"""Runs the set for injection through the program and prints the confusion table.

    python3 benches/injection/run.py target/release/session-search

A home folder of its own holds the memories. The prompts are asked of `inject --explain`, which notes nothing, so that each
stands for itself; times and repeats are those of `hook run` with the payload of an agent. `--json` prints the figures; `--half 0|1` takes
the prompts whose number is even or odd; `--cues FILE` gives other cues, `--cues /dev/null` none; `--dump FILE` writes what each prompt got; `--config FILE` gives a configuration.
"""

import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from memory_home import MemoryHome, read_lines  # noqa: E402

KINDS = ["related", "unrelated", "general", "adversarial"]


def judge(home, prompts):
    for prompt in prompts:
        answer = home.explain(prompt["text"])
        prompt["got"] = answer["ids"]
        prompt["reason"] = answer["reason"]
        prompt["candidates"] = answer["candidates"]
    return prompts


def table(prompts):
    rows = {}
    for kind in KINDS:
        for lang in ("en", "zh", "all"):
            own = [p for p in prompts if p["kind"] == kind and lang in (p["lang"], "all")]
            right = [p for p in own if p["expected"] and p["expected"][0] in p["got"]]
            rows[f"{kind} {lang}"] = {
                "prompts": len(own),
                "right": len(right),
                "wrong": len([p for p in own if p["got"] and p not in right]),
                "nothing": len([p for p in own if not p["got"]]),
                "items": sum(len(p["got"]) for p in own),
            }
    return rows


def times(home, prompts):
    """Each prompt once, all in one session: how long the whole process takes, and what is said twice."""
    took, said, repeats = [], set(), 0
    for prompt in prompts:
        answer, ms = home.hook("UserPromptSubmit", "bench", prompt=prompt["text"])
        took.append(ms)
        text = answer.get("additionalContext", "")
        ids = [line.rsplit("(", 1)[1].split(",")[0] for line in text.splitlines()[1:-1]]
        repeats += len([i for i in ids if i in said])
        said |= set(ids)
    took.sort()
    at = lambda share: took[min(len(took) - 1, int(len(took) * share))]
    return {"prompts": len(took), "repeats": repeats, "p50_ms": at(0.5), "p95_ms": at(0.95), "max_ms": took[-1]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--config")
    parser.add_argument("--cues", default=HERE / "cues.jsonl", help="the cues of the memories; /dev/null: none")
    parser.add_argument("--half", type=int, choices=[0, 1])
    parser.add_argument("--dump")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    prompts = read_lines(HERE / "prompts.jsonl")
    if asked.half is not None:
        prompts = prompts[asked.half :: 2]
    with tempfile.TemporaryDirectory() as folder:
        cues = {line["id"]: {"cues": line["cues"]} for line in read_lines(asked.cues)}
        config = pathlib.Path(asked.config).read_text() if asked.config else None
        home = MemoryHome(asked.program, folder, read_lines(HERE / "memories.jsonl"), cues, config)
        rows = table(judge(home, prompts))
        hook = None if asked.no_times else times(home, prompts)
    if asked.dump:
        with open(asked.dump, "w") as out:
            out.writelines(json.dumps(p, ensure_ascii=False) + "\n" for p in prompts)
    if asked.json:
        return print(json.dumps({"table": rows, "hook": hook}, indent=1))
    print("| prompts | | right in the block | only wrong ones | nothing |\n| --- | --- | --- | --- | --- |")
    for name, row in rows.items():
        share = lambda n: f"{n} ({100 * n / max(1, row['prompts']):.1f} %)"
        print(f"| {name} | {row['prompts']} | {share(row['right'])} | {share(row['wrong'])} | {share(row['nothing'])} |")
    if hook:
        print(f"\nhook: {hook['repeats']} repeats in a session of {hook['prompts']} prompts, "
              f"p50 {hook['p50_ms']:.1f} ms, p95 {hook['p95_ms']:.1f} ms, max {hook['max_ms']:.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
