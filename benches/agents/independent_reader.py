#!/usr/bin/env python3
"""Reads the histories of Codex, Gemini CLI, Copilot CLI, pi and Cursor below a home folder, without a line of session-search.

    python3 benches/agents/independent_reader.py HOME [HOME…] [--agent NAME] [--json]

Prints a line for each session and its turns, or JSON: agent, id, parent, title, folder, and of each turn the prompt as typed, time,
answer, calls (named as Claude Code names its own), whether it was undone and whether it is a copy of another session's turn."""

import argparse
import dataclasses
import json
import sys

import codex
import copilot
import cursor
import gemini
import pi

READERS = {"codex": codex.read, "gemini": gemini.read, "copilot": copilot.read, "pi": pi.read, "cursor": cursor.read}


def read(home, agents=tuple(READERS)):
    """The sessions of a home folder, in order of agent and time."""
    found = [session for agent in agents for session in READERS[agent](home)]
    return sorted(found, key=lambda session: (list(READERS).index(session.agent), str(session.started), str(session.id)))


def tell(session):
    """A session on lines of its own."""
    about = [f"parent {session.parent}" if session.parent else "", f"fork of {session.forked_from}" if session.forked_from else "",
             f"“{session.title}”" if session.title else "", session.cwd or ""]
    print(f"{session.agent} {session.id}", *filter(None, about), sep="  ")
    for index, turn in enumerate(session.turns):
        marks = "".join(mark for mark, is_so in (("u", turn.undone), ("c", turn.copy), ("m", turn.kind == "model")) if is_so)
        failed = sum(call.failed is True for call in turn.calls)
        words = " ".join(turn.prompt.split())
        print(f"  {index:3} {(turn.started or '')[:19]:19} {marks:2} {len(turn.calls):3} calls {failed:2} failed  {words[:90]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("homes", nargs="+", metavar="HOME")
    parser.add_argument("--agent", action="append", choices=READERS)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    sessions = [session for home in args.homes for session in read(home, args.agent or tuple(READERS))]
    if args.json:
        json.dump([dataclasses.asdict(session) for session in sessions], sys.stdout, ensure_ascii=False, indent=1)
        return
    for session in sessions:
        tell(session)


if __name__ == "__main__":
    main()
