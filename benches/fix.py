#!/usr/bin/env python3
"""What `fix` finds for errors that came back.

    cargo build --release
    python3 benches/fix.py HOME [--program PATH] [--half 0|1] [--details]

HOME is a home directory with the histories of coding agents. Of each error that commands of two or more sessions
failed of, the last occurrence is taken: `fix` is asked for its line and command, in the history before the session that met it. Prints
how many have a cure, and with --details the error, the cure, and what that session did itself until the same command
succeeded: whether the first would have been the second is for a reader to judge. --half takes every second error, by its
signature: the constants were chosen on half 0.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

OURS = os.path.join(os.path.dirname(__file__), "..", "target", "release", "session-search")


class History:
    """An index of a home directory, in a folder of its own."""

    def __init__(self, program, home, folder):
        self.program = os.path.abspath(program)
        self.env = {"HOME": os.path.abspath(home), "PATH": os.environ["PATH"], "SESSION_SEARCH_HOME": folder, "TZ": "UTC"}
        self.run("index", "--quiet")
        self.db = sqlite3.connect(os.path.join(folder, "index.db"))

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], env=self.env, cwd="/", capture_output=True, text=True, timeout=600)

    def json(self, *arguments):
        out = self.run(*arguments, "--json").stdout
        return json.loads(out) if out.strip() else None

    def repeated(self):
        """Signatures that two or more sessions met, each with its last turn: (signature, session, turn, start of session)."""
        rows = self.db.execute(
            """SELECT e.signature, s.uid, t.idx, s.started_ms, s.id FROM error_signatures e
               JOIN turns t ON t.id = e.turn JOIN sessions s ON s.id = t.session
               ORDER BY e.signature, coalesce(t.started_ms, s.started_ms), t.id"""
        ).fetchall()
        by_signature = {}
        for row in rows:
            by_signature.setdefault(row[0], []).append(row)
        for signature, turns in by_signature.items():
            if len({turn[4] for turn in turns}) > 1:
                yield signature, turns[-1]

    def lines(self, session, turn):
        shown = self.json("show", f"{session}:{turn}", "--only", "errors") or {}
        return [line for item in shown.get("shown", []) for line in item.get("errors", [])]

    def command(self, session, turn, line):
        """The command of a turn whose output has a line, as options of `fix`."""
        shown = self.json("show", f"{session}:{turn}") or {}
        parts = [part for item in shown.get("shown", []) for part in item.get("parts", [])]
        failed = [part["command"] for part in parts if part.get("command") and line in (part.get("output") or "")]
        return ["--command", failed[-1]] if failed else []


def occurrence(history, signature, session, turn):
    """The line of a turn with this signature, and the answers to it."""
    for line in history.lines(session, turn):
        command = history.command(session, turn, line)
        found = history.json("fix", line, "--limit", "50", "--include-current", *command)
        if found and found["signatures"][:1] == [f"{signature % (1 << 64):016x}"]:
            return line, found
    return None, None


def parted(history, found, session, before_ms):
    """The cures of earlier sessions, and those of this one."""
    times = dict(history.db.execute("SELECT uid, started_ms FROM sessions"))
    own = [fix for fix in found["found"] if fix["session"] == session]
    earlier = [fix for fix in found["found"] if fix["session"] != session and (times.get(fix["session"]) or 0) <= before_ms]
    return earlier, own


def told(fix):
    out = [f"    {fix['project']} {fix['session'][:8]}:{fix['failed_turn']}-{fix['turn']} $ {fix['command'][:200]!r}"]
    out += [f"      edited {path}" for path in fix["files"][:6]]
    out += [f"      ran    {command[:200]!r}" for command in fix["commands"][:6]]
    out += [f"      answer {fix['answer']}"] if fix["answer"] else []
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("--program", default=OURS)
    parser.add_argument("--half", type=int, choices=[0, 1])
    parser.add_argument("--details", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        history = History(arguments.program, arguments.home, folder)
        repeated = [row for row in history.repeated() if arguments.half is None or row[0] % 2 == arguments.half]
        asked = cured = common = 0
        for signature, (_, session, turn, started, _) in sorted(repeated):
            line, found = occurrence(history, signature, session, turn)
            if line is None:
                continue
            earlier, own = parted(history, found, session, started or 0)
            asked += 1
            common += found["common"]
            cured += bool(earlier)
            if arguments.details and earlier:
                mark = " (common)" if found["common"] else ""
                print(f"\n{session[:8]}:{turn} {line[:200]}\n  first cure{mark}:\n{told(earlier[0])}")
                print("  its own:\n" + ("\n".join(told(fix) for fix in own) or "    none"))
        print(f"\n{len(repeated)} signatures in two or more sessions; {asked} lines asked, {cured} with an earlier cure, {common} common")


if __name__ == "__main__":
    sys.exit(main())
