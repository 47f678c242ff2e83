"""Plays the scenarios through the program's hooks, and counts which memories came in time and which were not wanted.

    python3 benches/action/run.py target/release/session-search

Prints a table for the stores that chose settings, those that judge, and the one that judged last. `--hold` sets `hook.hold`; `--without
triggers|cues|prompts` leaves these out of the memories; `--proposed` takes the triggers that `memory save` proposes instead of the
written ones; `--config FILE` gives a configuration, `--store NAME` one store; `--dump FILE` writes what each event got. `--json` prints the figures.
"""

import argparse
import collections
import json
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from memory_home import MemoryHome, read_lines  # noqa: E402

HALVES = {"choosing": ["billing", "diancang"], "judging": ["tiller", "huiyi"], "fresh": ["voltway"]}
ID = re.compile(r"[(](?:mem-)?(\d{8}-\d{4}(?:\d\d)?(?:-\d+)?)[,)]")
CUT_ID = re.compile("… " + ID.pattern)
SHARP = ("path", "command", "error")


def tokens(text):
    """The estimate of docs/injection.md: four ASCII characters are one, every other character is one."""
    ascii_only = sum(character.isascii() for character in text)
    return -(-ascii_only // 4) + len(text) - ascii_only


class Store:
    """The memories of a team with its scenarios and prompts."""

    def __init__(self, name, asked):
        folder = HERE / "stores" / name
        self.name, self.asked = name, asked
        self.memories = read_lines(folder / "memories.jsonl")
        self.files = (folder / "project.txt").read_text().split()
        self.scenarios = read_lines(folder / "scenarios.jsonl")
        self.labels = {label["id"]: label for label in read_lines(folder / "labels.jsonl")}
        self.prompts = read_lines(folder / "prompts.jsonl")
        self.prompt_labels = {label["id"]: label for label in read_lines(folder / "prompt-labels.jsonl")}
        self.extras = {line["id"]: self.kept(line) for line in read_lines(folder / "triggers.jsonl")}
        history = folder / "history.jsonl"
        for line in read_lines(history) if history.exists() else []:
            if "prompts" not in asked.without:
                self.extras[line["id"]]["prompts"] = line["source"]

    def kept(self, line):
        kept = {}
        if "triggers" not in self.asked.without and not self.asked.proposed:
            kept["when"] = line.get("when", {})
        if "cues" not in self.asked.without:
            kept["cues"] = line.get("cues", [])
        return kept

    def home(self, folder):
        if self.asked.proposed:
            self.propose(folder + "/proposing")
        config = pathlib.Path(self.asked.config).read_text() if self.asked.config else ""
        config += "\n[hook]\nhold = true\n" if self.asked.hold else ""
        return MemoryHome(self.asked.program, folder + "/home", self.memories, self.extras, config, self.files)

    def propose(self, folder):
        """Saves each memory without triggers, and takes those that the answer proposes."""
        home = MemoryHome(self.asked.program, folder, [], {}, None, self.files)
        for memory in self.memories:
            draft = {key: memory[key] for key in ("topic", "key_info", "tags", "kind", "importance")}
            answer = json.loads(home.run(["memory", "save", "--json", "--quiet"], json.dumps(draft))[0])
            self.extras[memory["id"]]["when"] = answer.get("proposed", {})


def named(text, memories, pattern=ID):
    """The ids that a text names, whole or by a prefix that only one memory has; with `CUT_ID` those whose text is cut."""
    for prefix in pattern.findall(text):
        whole = [memory["id"] for memory in memories if memory["id"].startswith("mem-" + prefix)]
        yield from [f"mem-{prefix}"] if f"mem-{prefix}" in whole else whole[:1] if len(whole) == 1 else []


class Played:
    """A scenario that was played: from which event on a memory was known, and what each event cost."""

    def __init__(self, home, scenario):
        self.home, self.scenario = home, scenario
        self.listed, self.cut_topics, self.known_from, self.given, self.cut = set(), set(), {}, [], set()
        self.start_tokens, self.tokens, self.times = 0, 0, []
        for number, event in enumerate(scenario["events"]):
            getattr(self, event["event"])(number, event)

    def ask(self, name, **fields):
        answer, took = self.home.hook(name, self.scenario["id"], **fields)
        self.times.append((name, took))
        return answer

    def take(self, number, text, since):
        self.tokens += tokens(text)
        self.cut |= set(named(text, self.home.memories, CUT_ID))
        for memory in named(text, self.home.memories):
            self.given.append((number, memory))
            self.known_from.setdefault(memory, since)

    def start(self, number, _):
        text = self.ask("SessionStart", source="startup").get("additionalContext", "")
        self.listed = set(named(text, self.home.memories))
        self.cut_topics = set(named(text, self.home.memories, CUT_ID))
        self.start_tokens = tokens(text)

    def prompt(self, number, event):
        self.take(number, self.ask("UserPromptSubmit", prompt=event["text"]).get("additionalContext", ""), number + 1)

    def tool(self, number, event):
        inputs = dict(event["input"])
        for key in ("file_path", "path"):
            if key in inputs:
                inputs[key] = str(self.home.project / inputs[key])
        answer = self.ask("PreToolUse", tool_name=event["tool"], tool_input=inputs)
        self.take(number, answer.get("permissionDecisionReason", ""), number)
        self.take(number, answer.get("additionalContext", ""), number + 1)

    def failure(self, number, event):
        self.tool(number, event)
        answer = self.ask("PostToolUseFailure", tool_name=event["tool"], tool_input=event["input"], error=event["error"])
        self.take(number, answer.get("additionalContext", ""), number + 1)


def count(played, label, counts):
    """Adds a scenario's figures."""
    counts["scenarios"] += 1
    counts["events"] += len(played.scenario["events"])
    counts["start_tokens"] = max(counts["start_tokens"], played.start_tokens)
    counts["tokens"] += played.tokens
    for need in label["needed"]:
        in_time = played.known_from.get(need["memory"], 1 << 30) <= need["before"]
        kinds = ["all", "sharp"] if need["basis"] in SHARP else ["all"]
        for kind in [*kinds, need["basis"]]:
            counts[f"needed {kind}"] += 1
            counts[f"in time {kind}"] += in_time
        counts["listed"] += need["memory"] in played.listed
        counts["whole line"] += need["memory"] in played.listed - played.cut_topics
        counts["whole"] += in_time and need["memory"] not in played.cut
    wanted = {need["memory"] for need in label["needed"]} | set(label["acceptable"])
    counts["irrelevant"] += len([memory for _, memory in played.given if memory not in wanted])
    counts["given"] += len(played.given)


def judge_prompts(home, store, counts):
    """Single prompts, each for itself."""
    for prompt in store.prompts:
        label = store.prompt_labels[prompt["id"]]
        got = set(home.explain(prompt["text"])["ids"])
        kind, wanted = label["kind"], set(label["expected"]) | set(label["acceptable"])
        counts[f"{kind} prompts"] += 1
        counts[f"{kind} right"] += bool(label["expected"]) and label["expected"][0] in got
        counts[f"{kind} wrong"] += bool(got) and not got & wanted
        counts[f"{kind} got"] += len(got)
        counts[f"{kind} unwanted"] += len(got - wanted)
        yield {"id": prompt["id"], "kind": kind, "expected": label["expected"], "got": sorted(got)}


def play(store, counts, times, dump):
    with tempfile.TemporaryDirectory() as folder:
        home = store.home(folder)
        for scenario in store.scenarios:
            played, label = Played(home, scenario), store.labels[scenario["id"]]
            count(played, label, counts)
            times += played.times
            missed = [n for n in label["needed"] if played.known_from.get(n["memory"], 1 << 30) > n["before"]]
            wanted = {need["memory"] for need in label["needed"]} | set(label["acceptable"])
            unwanted = [given for given in played.given if given[1] not in wanted]
            dump.append({"id": scenario["id"], "given": played.given, "missed": missed, "unwanted": unwanted})
        dump += judge_prompts(home, store, counts)


def rows(counts):
    share = lambda part, whole: f"{100 * counts[part] / max(1, counts[whole]):.1f} % ({counts[part]}/{counts[whole]})"
    yield "known by its line at the start", share("listed", "needed all")
    yield "— with its whole topic", share("whole line", "needed all")
    yield "in time: path, command or error", share("in time sharp", "needed sharp")
    for basis in (*SHARP, "prompt"):
        yield f"— {basis}", share(f"in time {basis}", f"needed {basis}")
    yield "in time: all", share("in time all", "needed all")
    yield "— with its whole text", share("whole", "needed all")
    yield "irrelevant, of events", share("irrelevant", "events")
    yield "tokens at the start, most", counts["start_tokens"]
    yield "tokens over 100 events", round(100 * counts["tokens"] / max(1, counts["events"]))
    for kind in ("related", "look-alike", "unrelated"):
        if kind == "related":
            yield "prompts: related, right", share("related right", "related prompts")
        yield f"prompts: {kind}, only wrong", share(f"{kind} wrong", f"{kind} prompts")


def quantiles(times):
    for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure"):
        took = sorted(ms for event, ms in times if event == name)
        at = lambda part: took[min(len(took) - 1, int(len(took) * part))]
        yield name, {"calls": len(took), "p50_ms": round(at(0.5), 1), "p95_ms": round(at(0.95), 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--hold", action="store_true")
    parser.add_argument("--without", action="append", default=[], choices=["triggers", "cues", "prompts"])
    parser.add_argument("--proposed", action="store_true")
    parser.add_argument("--config")
    parser.add_argument("--store")
    parser.add_argument("--half", choices=list(HALVES))
    parser.add_argument("--dump")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    figures, times, dump = {}, [], []
    for half, stores in HALVES.items():
        stores = [name for name in stores if asked.store in (None, name) and asked.half in (None, half)]
        counts = collections.Counter()
        for name in stores:
            play(Store(name, asked), counts, times, dump)
        if stores:
            figures[half] = counts
    if asked.dump:
        pathlib.Path(asked.dump).write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in dump))
    took = dict(quantiles(times))
    if asked.json:
        return print(json.dumps({"figures": figures, "times": took}, indent=1))
    print("| | " + " | ".join(figures) + " |\n| --- |" + " --- |" * len(figures))
    for cells in zip(*(rows(counts) for counts in figures.values())):
        print(f"| {cells[0][0]} | " + " | ".join(str(value) for _, value in cells) + " |")
    for name, row in took.items():
        print(f"{name}: {row['calls']} calls, p50 {row['p50_ms']} ms, p95 {row['p95_ms']} ms")


if __name__ == "__main__":
    sys.exit(main())
