#!/usr/bin/env python3
"""One million turns: how each figure grows with the history, beside fast-resume.

    cargo build --release
    pip install fast-resume==2.14.0                # optional peer, `fr`
    python3 benches/scale.py HOME_FOLDER --turns 10k,100k,1m [--sentences 3-5] [--scratch FOLDER] [--queries 500] [--timed 100] [--program BIN] [--against BIN]

HOME_FOLDER holds `.claude/projects`, whose sentences are mixed into sessions of 50 turns: your own home
will do. It is only read. The histories made of it are the same each time, hold no sentence order of the
original, and go to the scratch folder, 1.3 GB for a million turns, with indexes of as much; they are used
again where they are there. `--sentences` is the number of sentences of an answer: with 10-15 a history holds 2.5 times the text. Vectors are the bundled table's. Queries are three to eight words in a row of
sentences that the history does not hold. Each figure is a whole process; prints Markdown for `RESULTS.md`.
`--timed` is the number of queries whose times are taken: medians and 95 % of them. With several sizes a last table says how many times
the figure of the smallest each row is.

`--against` compares the first ten hits of each query, by both lists and by vectors alone, with those of another program
that reads the same history into an index of its own. For brute force over exact vectors build that program so:

    git apply benches/exact_vectors.patch && cargo build --release --target-dir /tmp/exact && git apply -R benches/exact_vectors.patch
"""

import argparse
import glob
import itertools
import json
import multiprocessing
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from speed import OURS, run, size

TURNS_OF_SESSION = 50
PROJECTS = 200
FIRST_DAY = 1704067200  # 2024-01-01
DAYS = 900


def texts(home):
    """Yields what was typed and answered in a home's transcripts."""
    for path in sorted(glob.glob(os.path.join(home, ".claude/projects/**/*.jsonl"), recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if '"type":"assistant"' not in line and '"type":"user"' not in line:
                    continue
                try:
                    content = json.loads(line)["message"]["content"]
                except (ValueError, KeyError, TypeError):
                    continue
                if isinstance(content, str):
                    yield content
                elif isinstance(content, list):
                    yield from (b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str))


def sentences(home):
    """The different sentences of a home, in a fixed order: those of the history, and one in fifty kept for queries."""
    found = set()
    for text in texts(home):
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
            sentence = " ".join(sentence.split())
            if 30 <= len(sentence) <= 300 and not sentence.startswith("<"):
                found.add(sentence)
    found = sorted(found)
    random.Random(1).shuffle(found)
    asked = found[:: 50]
    return [s for i, s in enumerate(found) if i % 50], asked


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


def session_lines(number, pool, sentences_of_answer):
    """The lines of one session: 50 prompts, each with an answer of so many sentences."""
    rng = random.Random(number)
    project = f"/home/ann/project-{rng.randrange(PROJECTS):03}"
    session = f"{number:08x}-0000-4000-8000-{number:012x}"
    at = FIRST_DAY + rng.randrange(DAYS * 86400)
    base = {"sessionId": session, "cwd": project, "version": "2.1.0", "gitBranch": "main", "isSidechain": False, "userType": "external"}
    parent = None
    for turn in range(TURNS_OF_SESSION):
        for kind, least, most in (("user", 1, 2), ("assistant", *sentences_of_answer)):
            at += rng.randrange(5, 120)
            text = " ".join(rng.choice(pool) for _ in range(rng.randint(least, most)))
            uuid = f"{number:08x}-{turn:04x}-4000-8000-{'1' if kind == 'user' else '2'}{number:011x}"
            content = text if kind == "user" else [{"type": "text", "text": text}]
            message = {"role": kind, "content": content}
            if kind == "assistant":
                message.update(id=f"msg_{number}_{turn}", type="message", model="claude", stop_reason="end_turn")
            yield {"parentUuid": parent, **base, "type": kind, "message": message, "uuid": uuid, "timestamp": stamp(at)}, project
            parent = uuid


def write_sessions(job):
    folder, numbers, pool, sentences_of_answer = job
    for number in numbers:
        lines = list(session_lines(number, pool, sentences_of_answer))
        directory = os.path.join(folder, lines[0][1].replace("/", "-"))
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, lines[0][0]["sessionId"] + ".jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line, _ in lines)


def make_history(home, turns, pool, sentences_of_answer):
    """Writes sessions of so many turns into a home, unless they are there."""
    done = os.path.join(home, "made")
    if os.path.exists(done):
        return
    folder = os.path.join(home, ".claude", "projects")
    sessions = range(turns // TURNS_OF_SESSION)
    parts = [(folder, sessions[i::64], pool, sentences_of_answer) for i in range(64)]
    with multiprocessing.Pool() as workers:
        workers.map(write_sessions, parts)
    open(done, "w").close()


class Index:
    """A program with an index of its own of one history."""

    def __init__(self, program, home, folder):
        self.program, self.folder = os.path.abspath(program), os.path.join(folder, "index")
        config = os.path.join(folder, "config")
        os.makedirs(config, exist_ok=True)
        with open(os.path.join(config, "config.toml"), "w", encoding="utf-8") as file:
            file.write('model = "table"\nbackground = false\n')
        self.env = {"HOME": home, "PATH": os.environ["PATH"], "SESSION_SEARCH_HOME": self.folder, "SESSION_SEARCH_CONFIG": config}

    def run(self, *arguments):
        """Wall seconds, CPU seconds, peak MB."""
        return run([self.program, *arguments], self.env)


def questions(sentences_asked, count):
    rng = random.Random(2)
    asked = []
    for sentence in rng.sample(sentences_asked, min(count, len(sentences_asked))):
        words = re.findall(r"\w+", sentence)
        length = min(len(words), rng.randint(3, 8))
        first = rng.randint(0, len(words) - length)
        asked.append(" ".join(words[first : first + length]))
    return asked


def quantiles(runs):
    walls = sorted(1000 * wall for wall, _, _ in runs)
    return f"{statistics.median(walls):.0f} / {walls[int(len(walls) * 0.95)]:.0f} ms, {max(mb for _, _, mb in runs):.0f} MB"


def measure(index, home, asked):
    """The rows of one history, by name."""
    rows = {}
    if not os.path.exists(index.folder):
        wall, _, peak = index.run("index")
        rows["first index"] = f"{wall:.1f} s, {peak:.0f} MB"
    text = sum(len(text.encode()) for text in texts(home))
    bytes_on_disk = size(index.folder)
    of_files = 100 * bytes_on_disk / size(os.path.join(home, ".claude"))
    of_text = 100 * bytes_on_disk / text
    rows["index on disk"] = f"{bytes_on_disk / 1e6:.0f} MB, {of_files:.0f} % of the files, {of_text:.0f} % of the text"
    unchanged = [index.run("index") for _ in range(7)][2:]
    rows["nothing changed"] = quantiles(unchanged)
    options = {
        "query, both lists": [],
        "query, words alone": ["--keyword-only"],
        "query, depth 2": ["--depth", "2"],
        "query, of a project": ["--project", "project-007"],
        "query, of 90 days": ["--since", "2025-01-01", "--until", "2025-03-31"],
    }
    for name, more in options.items():
        rows[name] = quantiles([index.run("search", q, "--json", "--no-refresh", *more) for q in asked])
    return rows


def hits(index, query, options):
    """The first ten hits of a query."""
    command = [index.program, "search", query, "--json", "--no-refresh", "--limit", "10", *options]
    found = subprocess.run(command, env=index.env, capture_output=True, check=False)
    return [(hit["session"], hit["turn"]) for hit in json.loads(found.stdout or "{}").get("hits", [])]


def compare(index, other, asked):
    """How many places of the lists of two programs differ, and how many hits only one of them has."""
    rows = {}
    if not os.path.exists(other.folder):
        other.run("index")
    for name, options in (("both lists", []), ("vectors alone", ["--vector-only"])):
        places = different = missing = 0
        for query in asked:
            ours, theirs = hits(index, query, options), hits(other, query, options)
            places += len(theirs)
            different += sum(a != b for a, b in itertools.zip_longest(ours, theirs))
            missing += len(set(theirs) - set(ours))
        rows[f"against the other program, {name}"] = f"{places} places, {different} differ, {missing} hits are missing"
    return rows


def measure_peer(home, folder, asked):
    env = {"HOME": home, "PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(folder, "peer")}
    search = lambda query: run(["fr", "--json", "--limit", "10", query], env)
    wall, _, peak = search("warm up")
    return {
        "first index": f"{wall:.1f} s, {peak:.0f} MB",
        "index on disk": f"{size(os.path.join(folder, 'peer')) / 1e6:.0f} MB",
        "query, words alone": quantiles([search(q) for q in asked]),
    }


def print_growth(figures):
    """How many times the first figure of each row is that of the smallest history."""
    names = list(figures)
    print("\n| growth | " + " | ".join(names) + " |\n| --- |" + " --- |" * len(names))
    for row in figures[names[0]]:
        cells = [re.match(r"[\d.]+", figures[name].get(row, "")) for name in names]
        if all(cells):
            values = [float(cell[0]) for cell in cells]
            print(f"| {row} | " + " | ".join(f"{value / max(values[0], 1e-9):.1f}" for value in values) + " |")


def turns_of(name):
    return int(name.replace("k", "000").replace("m", "000000"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("--turns", default="10k,100k")
    parser.add_argument("--sentences", default="3-5")
    parser.add_argument("--scratch")
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--timed", type=int, default=100)
    parser.add_argument("--program", default=OURS)
    parser.add_argument("--against")
    options = parser.parse_args()
    scratch = options.scratch or tempfile.mkdtemp()
    pool, kept = sentences(options.home)
    asked = questions(kept, options.queries)
    figures = {}
    for name in options.turns.split(","):
        folder = os.path.join(scratch, name)
        home = os.path.join(folder, "home")
        os.makedirs(home, exist_ok=True)
        make_history(home, turns_of(name), pool, [int(n) for n in options.sentences.split("-")])
        index = Index(options.program, home, folder)
        timed = asked[: options.timed]
        ours = measure(index, home, timed)
        if options.against:
            ours |= compare(index, Index(options.against, home, os.path.join(folder, "against")), asked)
        figures[name] = ours
        peer = measure_peer(home, folder, timed) if shutil.which("fr") else {}
        print(f"\n| {name} turns | session-search | fast-resume |\n| --- | --- | --- |")
        for row, figure in ours.items():
            print(f"| {row} | {figure} | {peer.get(row, '')} |", flush=True)
    if len(figures) > 1:
        print_growth(figures)
    if not options.scratch:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
