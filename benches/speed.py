#!/usr/bin/env python3
"""Whole-process speed on a real home folder, beside fast-resume.

    cargo build --release
    pip install fast-resume==2.14.0                # optional peer, `fr`
    python3 benches/speed.py HOME_FOLDER [--runs 5] [--large]

HOME_FOLDER holds `.claude/projects` and `.local/share/opencode`: your own home
will do. It is only read; indexes go to a temporary folder. Both programs run
in turn, caches warm, and see only these two kinds of history. Each figure is the median of
the runs; peak memory is the greatest, and never below this script's own 15 MB. Prints Markdown for `RESULTS.md`.
The rows beside the peer are those of the bundled table (`model = "table"`), which answers the first search; the
rows "transformer" those of the default, where all-MiniLM-L6-v2 has been added by `index`.
With --large, a generated transcript of 2 GB with a line of 60 MB is indexed.
"""

import argparse
import json
import multiprocessing
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

OURS = os.path.join(os.path.dirname(__file__), "..", "target", "release", "session-search")
QUERY = "docker network does not resolve"


def run(command, env):
    """Wall seconds, CPU seconds, peak MB."""
    began = time.perf_counter()
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - began
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        sys.exit(f"{command} ended with {code}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def size(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(folder) for f in fs)


class Tool:
    """A program with an index of its own in a home of its own."""

    def __init__(self, name, home, scratch):
        self.name, self.rows, self.cache = name, {}, os.path.join(scratch, "cache-" + name)
        self.home = os.path.join(scratch, "home-" + name)
        os.makedirs(os.path.join(self.home, ".local", "share"), exist_ok=True)
        for part in (".claude", os.path.join(".local", "share", "opencode")):
            if os.path.exists(os.path.join(home, part)):
                shutil.copytree(os.path.join(home, part), os.path.join(self.home, part))
        self.env = dict(os.environ, HOME=self.home, XDG_CACHE_HOME=self.cache, SESSION_SEARCH_HOME=self.cache)
        self.configure('model = "table"')
        for name in ("CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "OPENCODE_DB"):
            self.env.pop(name, None)

    def configure(self, line):
        folder = os.path.join(self.home, "config")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(line + "\nbackground = false\n")
        self.env["SESSION_SEARCH_CONFIG"] = folder

    def command(self, what):
        if self.name == "session-search":
            return [OURS, "index"] if what == "index" else [OURS, "search", what.removeprefix("query") or QUERY, "--json"]
        return ["fr", "--json", "--limit", "10", QUERY]

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def measure(self, row, what):
        self.rows.setdefault(row, []).append(run(self.command(what), self.env))


def newest_transcript(home):
    found = [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(home, ".claude")) for f in fs
             if f.endswith(".jsonl") and not f.startswith("agent-") and os.path.getsize(os.path.join(d, f)) > 1000]
    return max(found, key=os.path.getsize)


def append_turn(path, number):
    def line(kind, uuid, content):
        return json.dumps({"type": kind, "uuid": uuid, "timestamp": "2030-01-01T00:00:00.000Z",
                           "message": {"id": "m" + uuid, "role": kind, "content": content}}) + "\n"
    with open(path, "a", encoding="utf-8") as file:
        file.write(line("user", f"bench-u{number}", f"Why does the watcher lose event {number} after a rename?"))
        file.write(line("assistant", f"bench-a{number}", [{"type": "text", "text": "It watches the inode, not the path."}]))


def compare(args, scratch):
    tools = [Tool("session-search", args.home, scratch)]
    if shutil.which("fr"):
        tools.append(Tool("fast-resume", args.home, scratch))
    for number in range(args.runs):
        for tool in tools:
            tool.forget()
            tool.measure("first index", "index")
            tool.index_bytes = size(tool.cache) or size(os.path.join(tool.home, ".cache"))
            tool.measure("refresh, nothing changed", "index")
            append_turn(newest_transcript(tool.home), number)
            tool.measure("refresh, one turn appended", "index")
            for _ in range(5):
                tool.measure("query, whole process", "query")
    transformer(tools[0], args.runs)
    history = sum(size(os.path.join(tools[0].home, p)) for p in (".claude", ".local"))
    print(f"{platform.machine()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}; history {history / 1e6:.0f} MB; {args.runs} runs\n")
    print("| what | tool | wall | CPU | peak memory |\n| --- | --- | --- | --- | --- |")
    for row in tools[0].rows:
        for tool in [tool for tool in tools if row in tool.rows]:
            wall, cpu, memory = zip(*tool.rows[row])
            wall, cpu = [milliseconds(statistics.median(times)) for times in (wall, cpu)]
            print(f"| {row} | {tool.name} | {wall} | {cpu} | {max(memory):.0f} MB |")
    both = tools[0].index_bytes_both
    print(f"\nindex of session-search with the transformer: {both / 1e6:.1f} MB, {100 * both / history:.2f} % of the history")
    for tool in tools:
        print(f"\nindex of {tool.name}: {tool.index_bytes / 1e6:.1f} MB, {100 * tool.index_bytes / history:.2f} % of the history")


def milliseconds(seconds):
    return f"{seconds * 1000:.0f} ms" if seconds > 0.1 else f"{seconds * 1000:.1f} ms"


def transformer(tool, runs):
    """The default model, over what the table has indexed."""
    tool.configure("")
    tool.measure("transformer: all vectors, once", "index")
    for number in range(5 * runs):
        tool.measure("transformer: query, new words", f"query{QUERY} since update {number}")
        tool.measure("transformer: query, asked before", f"query{QUERY} since update 0")
    tool.index_bytes_both = size(tool.cache)


def write_large(path):
    """2 GB of turns with big tool results, and one line of 60 MB."""
    noise = "".join(random.Random(1).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=1 << 20))
    with open(path, "w", encoding="utf-8") as file:
        number = 0
        while file.tell() < 2 << 30:
            append_turn_to(file, number, noise * (60 if number == 500 else 1))
            number += 1


def append_turn_to(file, number, payload):
    def line(kind, content):
        return json.dumps({"type": kind, "uuid": f"{kind[0]}{number}-{len(content[0])}", "timestamp": "2026-01-01T00:00:00.000Z",
                           "message": {"id": f"m{number}", "role": kind, "content": content}}) + "\n"
    file.write(line("user", [{"type": "text", "text": f"Step {number}: why is the build of target {number} slow today?"}]))
    file.write(line("assistant", [{"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "make"}}]))
    file.write(line("user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": payload}]))
    file.write(line("assistant", [{"type": "text", "text": "It compiles the same file twice; the cache key has the time in it."}]))


def large(scratch):
    home = os.path.join(scratch, "large")
    folder = os.path.join(home, ".claude", "projects", "-home-ann-large")
    os.makedirs(folder)
    # In a process of its own: a child's peak memory counts what its parent held when it was forked.
    path = os.path.join(folder, "7a1e0c52-0000-4000-8000-000000000001.jsonl")
    writer = multiprocessing.get_context("spawn").Process(target=write_large, args=(path,))
    writer.start()
    writer.join()
    config = os.path.join(scratch, "home-session-search", "config")
    with open(os.path.join(config, "config.toml"), "w", encoding="utf-8") as file:
        file.write('model = "table"\n')
    env = dict(os.environ, HOME=home, SESSION_SEARCH_HOME=os.path.join(scratch, "large-index"), SESSION_SEARCH_CONFIG=config)
    wall, cpu, memory = run([OURS, "index"], env)
    print(f"\ntranscript of 2 GB with a line of 60 MB: {wall:.1f} s wall, {cpu:.1f} s CPU, {memory:.0f} MB peak")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", help="a home folder with history, read only")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="also index a generated transcript of 2 GB")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="session-search-bench-") as scratch:
        compare(args, scratch)
        if args.large:
            large(scratch)


if __name__ == "__main__":
    main()
