#!/usr/bin/env python3
"""How soon the picker shows what a key changes, among many sessions.

    cargo build --release
    python3 benches/picker.py [--sessions 10000] [--program PATH] [--refresh] [--append]
    python3 benches/picker.py --conversation 74 [--program PATH]

Generates a history, indexes it, opens the picker on a pseudo-terminal of 80 x 24 and types queries letter by
letter, each after the answer to the one before. Three figures for each letter: until it stands in the query, until
the rows of the list are drawn anew, and until nothing more is drawn. With --refresh a second history of as many
sessions is read meanwhile, with --append a new turn of each session: then the last figure counts, beside the
letter's own list, how far that has come and the rows that it found, which are drawn about once a second. With
--conversation there is one session of so many megabytes, most of them outputs of calls, and the keys are those of a
conversation. Prints Markdown for RESULTS.md. Only Linux and macOS.
"""

import argparse
import fcntl
import glob
import json
import os
import platform
import pty
import random
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import uuid

OURS = os.path.join(os.path.dirname(__file__), "..", "target", "release", "session-search")
QUERIES = ["docker network does not resolve", "flaky test in the parser", "project:p12 retry with backoff", "why is the page slow"]
WORDS = """docker network resolve bridge parser test flaky retry backoff page slow index query cache token session
deploy staging branch merge conflict type error build migrate database schema lock timeout client server socket
render layout button colour theme font image upload queue worker job cron schedule invoice payment charge refund
login password cookie header route handler middleware log metric trace alert memory leak handle file watcher""".split()
QUIET = 0.25
# Lines of the screen that hold rows of the list, and the escape that begins to write on a line.
LIST_LINES = range(3, 9)
MOVE = re.compile(rb"\x1b\[(\d+);\d+H")


SYLLABLES = "ka lo mi ren tar vo shi dun pel gra nim os tek bru fal wen".split()


class Vocabulary:
    """Words that are as unequally frequent as those of a language: the n-th by 1/n."""

    def __init__(self, rng, size=20_000):
        made = {"".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(size)}
        self.words = sorted(made)
        rng.shuffle(self.words)
        for at, word in enumerate(WORDS):
            self.words.insert(20 + at * 12, word)
        self.weights = []
        for rank in range(len(self.words)):
            self.weights.append((self.weights[-1] if self.weights else 0) + 1 / (rank + 3))

    def text(self, count, rng):
        return " ".join(rng.choices(self.words, cum_weights=self.weights, k=count))


def write_history(home, sessions, rng):
    """Writes sessions of one to four turns, in two hundred projects."""
    began, vocabulary = 1_760_000_000, Vocabulary(random.Random(0))
    for number in range(sessions):
        session = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        project = f"p{number % 200}"
        folder = os.path.join(home, ".claude", "projects", f"-home-ann-{project}")
        os.makedirs(folder, exist_ok=True)
        lines = []
        for turn in range(rng.randint(1, 4)):
            at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(began + number * 600 + turn * 60))
            common = {"sessionId": session, "cwd": f"/home/ann/{project}", "timestamp": at, "gitBranch": "main", "version": "2.0.0"}
            for role, words in (("user", 25), ("assistant", 80)):
                content = vocabulary.text(words, rng) if role == "user" else [{"type": "text", "text": vocabulary.text(words, rng)}]
                lines.append({"type": role, "uuid": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "message": {"role": role, "content": content}, **common})
        with open(os.path.join(folder, session + ".jsonl"), "w") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)


def append_turns(home, rng):
    """Goes on with each session by a turn."""
    vocabulary, folder = Vocabulary(random.Random(0)), os.path.join(home, ".claude", "projects")
    for path in sorted(glob.glob(os.path.join(folder, "*", "*.jsonl"))):
        with open(path) as session:
            last = json.loads(session.readlines()[-1])
        with open(path, "a") as out:
            for role, words in (("user", 25), ("assistant", 80)):
                content = vocabulary.text(words, rng) if role == "user" else [{"type": "text", "text": vocabulary.text(words, rng)}]
                line = {**last, "type": role, "uuid": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "message": {"role": role, "content": content}}
                out.write(json.dumps(line) + "\n")


def write_conversation(home, megabytes, rng):
    """Writes one session of many turns with calls."""
    session, folder = str(uuid.UUID(int=rng.getrandbits(128), version=4)), os.path.join(home, ".claude", "projects", "-home-ann-app")
    os.makedirs(folder, exist_ok=True)
    vocabulary, size, at = Vocabulary(random.Random(0)), 0, 1_760_000_000
    with open(os.path.join(folder, session + ".jsonl"), "w") as out:
        while size < megabytes * 1_000_000:
            contents = [("user", vocabulary.text(25, rng))]
            for call in range(rng.randint(1, 12)):
                call = f"call-{at}-{call}"
                output = "\n".join(vocabulary.text(rng.randint(3, 20), rng) for _ in range(rng.randint(5, 500)))
                contents.append(("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": vocabulary.text(4, rng)}}]))
                contents.append(("user", [{"type": "tool_result", "tool_use_id": call, "content": output}]))
            contents.append(("assistant", [{"type": "text", "text": vocabulary.text(80, rng)}]))
            for role, content in contents:
                at += 1
                line = {"type": role, "uuid": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "sessionId": session, "cwd": "/home/ann/app", "version": "2.0.0"}
                line |= {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at)), "message": {"role": role, "content": content}}
                size += out.write(json.dumps(line) + "\n")


class Picker:
    """The picker on a pseudo-terminal."""

    def __init__(self, program, env):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(program, [program, "browse"], env)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def settle(self, quiet=QUIET):
        """Reads until nothing comes for a while; seconds until the first byte, the rows and the last byte."""
        began, first, rows, last = time.perf_counter(), None, None, None
        while select.select([self.terminal], [], [], quiet)[0]:
            drawn = os.read(self.terminal, 65536)
            if not drawn:
                break
            last = time.perf_counter() - began
            first = first or last
            if rows is None and any(int(line) in LIST_LINES for line in MOVE.findall(drawn)):
                rows = last
        return first, rows, last

    def type(self, letter):
        os.write(self.terminal, letter.encode())
        return self.settle()

    def rss_mb(self):
        out = subprocess.run(["ps", "-o", "rss=", "-p", str(self.pid)], capture_output=True, text=True)
        return int(out.stdout) / 1024

    def close(self):
        os.write(self.terminal, b"\x03")
        os.waitpid(self.pid, 0)


def typed(picker):
    """Types each query; milliseconds until the echo, until the list, and until all is drawn."""
    figures = [], [], []
    for query in QUERIES:
        for letter in query:
            for values, seconds in zip(figures, picker.type(letter)):
                if seconds is not None:
                    values.append(seconds * 1000)
        picker.type("\x15")
    return figures


# Keys in a conversation, and what they do.
KEYS = [("\r", "opened and read"), ("t", "calls in full"), ("G", "the end"), ("g", "the beginning"), ("tt", "calls off, short"), ("t", "calls in full"),
        ("/no such words\r", "a text that is nowhere")]


def read_conversation(picker):
    """Presses keys in a conversation; what stands still, and for how long something was drawn."""
    print("| key | first drawn | last drawn | memory |\n| --- | --- | --- | --- |")
    for key, does in KEYS:
        os.write(picker.terminal, key.encode())
        first, _, last = picker.settle(quiet=4)
        print(f"| {does} | {(first or 0) * 1000:.0f} ms | {(last or 0) * 1000:.0f} ms | {picker.rss_mb():.0f} MB |")


def row(name, values):
    values = sorted(values)
    p95 = values[int(len(values) * 0.95)]
    print(f"| {name} | {statistics.median(values):.1f} ms | {p95:.1f} ms | {values[-1]:.1f} ms |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--program", default=OURS)
    parser.add_argument("--home", help="keep the history and its index here, for the next run")
    parser.add_argument("--refresh", action="store_true")
    parser.add_argument("--append", action="store_true")
    parser.add_argument("--conversation", type=int, metavar="MB")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as scratch:
        home = arguments.home or scratch
        env = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "SESSION_SEARCH_HOME": os.path.join(home, "index")}
        if not os.path.exists(os.path.join(home, ".claude")):
            if arguments.conversation:
                write_conversation(home, arguments.conversation, random.Random(1))
            else:
                write_history(home, arguments.sessions, random.Random(1))
        subprocess.run([program, "index", "--quiet"], env=env, check=True)
        if arguments.refresh:
            write_history(home, arguments.sessions, random.Random(2))
        if arguments.append:
            append_turns(home, random.Random(3))
        picker = Picker(program, env)
        opened = time.perf_counter()
        first, _, _ = picker.settle(quiet=0.5)
        if arguments.conversation:
            read_conversation(picker)
            return picker.close()
        print(f"{arguments.sessions} sessions, {platform.system()}, {os.cpu_count()} cores; first screen after {first * 1000:.0f} ms\n")
        echoes, lists, ends = typed(picker)
        print("| from a key to | median | 95 % | slowest |\n| --- | --- | --- | --- |")
        row("the letter in the query", echoes)
        row("the list", lists)
        row("the last that is drawn", ends)
        print(f"\n{len(echoes)} letters, {len(lists)} new lists; {picker.rss_mb():.0f} MB; open for {time.perf_counter() - opened:.0f} s")
        picker.close()


if __name__ == "__main__":
    sys.exit(main())
