"""Runs the set for injection through the program and prints the confusion table.

    python3 benches/injection/run.py target/release/session-search

A home folder of its own holds the memories. The prompts are asked of `inject --explain`, which notes nothing, so that each
stands for itself; times and repeats are those of `hook run` with the payload of an agent. `--json` prints the figures; `--half 0|1` takes
the prompts whose number is even or odd; `--cues FILE` gives other cues, `--cues /dev/null` none; `--dump FILE` writes what each prompt got; `--config FILE` gives a configuration.
"""

import argparse
import datetime
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["related", "unrelated", "general", "adversarial"]


def lines(name):
    return [json.loads(line) for line in (HERE / name).read_text().splitlines() if line.strip()]


def cues_of(path):
    return {line["id"]: line["cues"] for line in map(json.loads, pathlib.Path(path).read_text().splitlines())}


def front(memory, cues):
    """A memory's file as the program writes it; JSON is YAML, too."""
    day, clock = memory["id"].split("-")[1:3]
    at = datetime.datetime.strptime(day + clock, "%Y%m%d%H%M%S").strftime("%Y-%m-%dT%H:%M:%SZ")
    fields = {key: memory[key] for key in ("id", "topic", "kind", "importance")}
    fields |= {"tags": [tag.lstrip("#") for tag in memory["tags"]], "created": at, "updated": at}
    fields |= {"cues": cues} if cues else {}
    head = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())
    body = "".join(f"- {info}\n" for info in memory["key_info"])
    return f"---\n{head}---\n\n{body}"


class Bench:
    """A home folder with the memories in it."""

    def __init__(self, program, config, folder, cues):
        self.program = str(pathlib.Path(program).resolve())
        home = pathlib.Path(folder)
        self.project = home / "project"
        (self.project / ".git").mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "SESSION_SEARCH_HOME": str(home / "index"),
            "SESSION_SEARCH_STORAGE_AUTO_ARCHIVE": "false",
        }
        if config:
            (home / "config").mkdir()
            (home / "config" / "config.toml").write_text(pathlib.Path(config).read_text())
            self.environment["SESSION_SEARCH_CONFIG"] = str(home / "config")
        for memory in lines("memories.jsonl"):
            root = home if memory["global"] else self.project
            active = root / ".claude/data/session-search/memories/active"
            active.mkdir(parents=True, exist_ok=True)
            (active / f"{memory['id']}.md").write_text(front(memory, cues.get(memory["id"])))
        self.trust()

    def trust(self):
        """Says yes to `trust`, as its user at a terminal: what lies in a project waits until then."""
        controller, terminal = pty.openpty()
        os.write(controller, b"y\n")
        process = subprocess.Popen(
            [self.program, "trust"],
            stdin=terminal,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            cwd=self.project,
            env=self.environment,
        )
        os.close(terminal)
        try:
            while os.read(controller, 1 << 16):
                pass
        except OSError:  # its last user is gone
            pass
        if process.wait() != 0:
            sys.exit("the memories of the project were not trusted")

    def run(self, arguments, stdin=""):
        began = time.perf_counter()
        ran = subprocess.run(
            [self.program, *arguments],
            input=stdin.encode(),
            capture_output=True,
            cwd=self.project,
            env=self.environment,
        )
        return ran.stdout.decode(), (time.perf_counter() - began) * 1000

    def explained(self, prompt):
        return json.loads(self.run(["inject", "--json", "--explain", "--prompt", prompt])[0])

    def hook(self, prompt, session):
        payload = {
            "session_id": session,
            "transcript_path": "",
            "cwd": str(self.project),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        out, took = self.run(["hook", "run"], json.dumps(payload))
        return (json.loads(out) if out.strip() else None), took


def judge(bench, prompts):
    for prompt in prompts:
        answer = bench.explained(prompt["text"])
        prompt["got"] = answer["ids"]
        prompt["reason"] = answer["disabled_reason"]
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


def times(bench, prompts):
    """Each prompt once, all in one session: how long the whole process takes, and what is said twice."""
    bench.run(["memory", "search", "warm"])
    took, said, repeats = [], set(), 0
    for prompt in prompts:
        answer, ms = bench.hook(prompt["text"], "bench")
        took.append(ms)
        text = answer["hookSpecificOutput"]["additionalContext"] if answer else ""
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
    prompts = lines("prompts.jsonl")
    if asked.half is not None:
        prompts = prompts[asked.half :: 2]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(asked.program, asked.config, folder, cues_of(asked.cues))
        bench.run(["memory", "search", "warm"])
        rows = table(judge(bench, prompts))
        hook = None if asked.no_times else times(bench, prompts)
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
