#!/usr/bin/env python3
"""Migrates an index of an older format, undisturbed and with kills, and compares.

  migration.py HOME OLD_PROGRAM [--program target/release/session-search] [--kills 50] [--queries FILE]

HOME is a home folder with histories; it is only read. OLD_PROGRAM, a build of an older commit, makes the index. The
time of a first index by the new program is measured beside it. The queries, one a line, are asked of the index before,
after an undisturbed migration, and after one that was killed at random moments. Standard library only."""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

QUERIES = ["docker network", "why does the test fail", "error while reading the configuration", "rename the function"]


def environment(home, folder):
    config = folder / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text('background = false\nmodel = "table"\n')
    return dict(
        os.environ,
        HOME=str(home),
        SESSION_SEARCH_HOME=str(folder / "index"),
        SESSION_SEARCH_CONFIG=str(config),
    )


def index(program, home, folder):
    began = time.perf_counter()
    subprocess.run([program, "index"], env=environment(home, folder), check=True, capture_output=True)
    return time.perf_counter() - began


def median_index(args, work, source, runs=7):
    times = []
    for _ in range(runs):
        folder = work / "timed"
        shutil.rmtree(folder, ignore_errors=True)
        if source:
            shutil.copytree(source, folder)
        times.append(index(args.program, args.home, folder))
    return sorted(times)[runs // 2]


def answers(program, args, folder):
    found = []
    for query in args.questions:
        for depth in ["1", "2"]:
            command = [program, "search", query, "--json", "--no-refresh", "--depth", depth, "--limit", "10"]
            done = subprocess.run(command, env=environment(args.home, folder), capture_output=True, text=True)
            hits = json.loads(done.stdout)["hits"]
            found.append([(hit["session"], hit.get("turn"), round(hit["score"], 4)) for hit in hits])
    return found


def same_first(one, other):
    equal = sum(a[:1] == b[:1] or [h[:2] for h in a[:1]] == [h[:2] for h in b[:1]] for a, b in zip(one, other))
    return f"{equal} of {len(one)}"


def kill_repeatedly(args, folder, longest):
    rng = random.Random(7)
    for _ in range(args.kills):
        process = subprocess.Popen([args.program, "index"], env=environment(args.home, folder), stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, longest))
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=pathlib.Path)
    parser.add_argument("old_program")
    parser.add_argument("--program", default="target/release/session-search")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--queries", type=pathlib.Path)
    args = parser.parse_args()
    args.questions = args.queries.read_text().splitlines() if args.queries else QUERIES
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        index(args.old_program, args.home, work / "old")
        before = answers(args.old_program, args, work / "old")
        shutil.copytree(work / "old", work / "whole")
        shutil.copytree(work / "old", work / "killed")
        first, migrated = median_index(args, work, None), median_index(args, work, work / "old")
        index(args.program, args.home, work / "whole")
        kill_repeatedly(args, work / "killed", migrated * 1.2)
        index(args.program, args.home, work / "killed")
        after, killed = answers(args.program, args, work / "whole"), answers(args.program, args, work / "killed")
        print(f"first index {first:.2f} s, migration {migrated:.2f} s ({migrated / first:.2f} times)")
        print(f"lists with the same first hit before and after: {same_first(before, after)}")
        print(f"lists that are equal after {args.kills} kills: {sum(a == b for a, b in zip(after, killed))} of {len(after)}")


if __name__ == "__main__":
    main()
