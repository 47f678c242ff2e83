#!/usr/bin/env python3
"""Compares what session-search reads of other agents with what an independent reader reads.

    cargo build --release
    python3 benches/agents/compare.py HOME [HOME…] [--program PATH] [--agent NAME] [--details] [--json]

Each HOME holds `.codex`, `.gemini`, `.copilot`, `.pi` or `.cursor`, and is only read: the index, the configuration and the caches of the
program lie in a temporary folder. A session is equal where both find the same turns with the same prompts. Copies of another session's
turns count there. Answers, commands, their outcomes and files are compared, too, turn by turn, but do not decide. Exits with 1 where
fewer than 99 % of an agent's sessions are equal."""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import independent_reader

OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "target", "release", "session-search")
ENOUGH = 0.99
CONFIG = 'model = "table"\nbackground = false\n[redaction]\nenabled = false\n'
PATCH = "*** Begin Patch"  # a patch is an edit, also where a shell applied it
COLUMNS = ["answers", "commands", "outcomes", "files"]


class Program:
    """The program with an index of its own."""

    def __init__(self, path, home, scratch):
        config = os.path.join(scratch, "config")
        os.makedirs(config)
        with open(os.path.join(config, "config.toml"), "w") as file:
            file.write(CONFIG)
        self.path, self.index = os.path.realpath(path), os.path.join(scratch, "index")
        self.env = {"HOME": os.path.realpath(home), "PATH": os.environ["PATH"], "SESSION_SEARCH_HOME": self.index,
                    "SESSION_SEARCH_CONFIG": config, "XDG_DATA_HOME": os.path.join(scratch, "data"), "LANG": "C.UTF-8"}

    def run(self, *arguments):
        done = subprocess.run([self.path, *arguments], env=self.env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def sessions(self, agents):
        """The sessions of the agents that have turns, with their turns; and how many are of prompts only."""
        self.run("index", "--quiet")
        database = sqlite3.connect(f"file:{self.index}/index.db?mode=ro", uri=True)
        columns = "SELECT id, source, uid, parent, title, cwd FROM sessions WHERE turns > 0"
        rows = [row for row in database.execute(columns) if row[1] in agents]
        owned = defaultdict(set)
        for session, index in database.execute("SELECT session, idx FROM turns WHERE owner IS NOT NULL"):
            owned[session].add(index)
        found, prompts_only = [], Counter()
        for identity, *about in rows:
            shown = json.loads(self.run("show", about[1], "--json"))
            if shown.get("prompts_only"):
                prompts_only[about[0]] += 1
            else:
                found.append(read_back(about, shown["shown"], owned[identity]))
        return found, prompts_only


@dataclass
class ReadTurn:
    """A turn in the words in which both sides are compared."""

    prompt: str
    is_copy: bool
    answer: str
    commands: list
    outcomes: list
    files: list
    loose: bool = False
    where: str = ""


@dataclass
class ReadSession:
    agent: str
    id: str
    parent: str
    title: str
    cwd: str
    turns: list = field(default_factory=list)

    def own(self):
        return [turn for turn in self.turns if not turn.is_copy]


def plain(text):
    """Words without the white space at the ends of lines and of the text."""
    return "\n".join(line.rstrip() for line in (text or "").splitlines()).strip()


def read_back(about, shown, owned):
    """A session as the program has it; a turn that nothing opened is none."""
    turns = [shown_turn(turn, turn["turn"] in owned, about[-1]) for turn in shown if turn["kind"] != "none"]
    return ReadSession(*about, turns)


def shown_turn(turn, is_copy, cwd):
    texts = [part["text"] for part in turn["parts"] if part["type"] == "text"]
    calls = [part for part in turn["parts"] if part["type"] == "call"]
    commands = [call for call in calls if call.get("command") and PATCH not in call["command"]]
    edits = [call for call in calls if call["name"] in ("Edit", "Write", "MultiEdit", "ApplyPatch") or PATCH in (call.get("command") or "")]
    changed = {os.path.normpath(os.path.join(cwd or "", path)) for call in edits for path in call.get("files") or []}
    return ReadTurn(plain(turn["prompt"]), is_copy, " ".join(" ".join(texts).split()), [plain(call["command"]) for call in commands],
                    [bool(call.get("failed")) for call in commands], sorted(changed))


def own_words(session):
    """A session as the independent reader has it."""
    turns = []
    for turn in session.turns:
        ran = [call for call in turn.calls if call.command and PATCH not in call.command]
        edits = [call for call in turn.calls if call.name in ("Edit", "Write") or PATCH in (call.command or "")]
        changed = {os.path.normpath(os.path.join(session.cwd or "", path)) for call in edits for path in call.files}
        turns.append(ReadTurn(plain(turn.prompt), turn.copy, " ".join(" ".join(turn.answer).split()), [plain(call.command) for call in ran],
                              [call.failed is True for call in ran], sorted(changed), turn.loose, turn.where))
    return ReadSession(session.agent, session.id, session.parent, session.title, session.cwd, turns)


def same_prompt(wanted, got):
    return got.startswith(wanted.prompt.split()[0]) if wanted.loose else got == wanted.prompt


def same_turns(wanted, got):
    """Whether both have the same prompts; what the history does not hold as it was typed may be missing."""
    left = list(got)
    for turn in wanted:
        if left and same_prompt(turn, left[0].prompt):
            left.pop(0)
        elif not turn.loose:
            return False
    return not left


def difference(wanted, got):
    """One line on how the turns of two sessions differ."""
    if wanted is None:
        return f"only the program has it: {len(got.turns)} turns, first “{short(got.turns[0].prompt if got.turns else '')}”"
    if got is None:
        return f"only the reader has it: {len(wanted.turns)} turns, first “{short(wanted.turns[0].prompt)}”"
    ours, theirs = Counter(turn.prompt for turn in wanted.own()), Counter(turn.prompt for turn in got.own())
    lost, more = list((ours - theirs).elements()), list((theirs - ours).elements())
    where = {turn.prompt: turn.where for turn in wanted.turns}
    parts = [f"{len(wanted.own())} turns, the program has {len(got.own())}"]
    if lost:
        parts.append(f"lacks {', '.join(f'“{short(prompt)}” ({where[prompt]})' for prompt in lost[:3])}{' …' if lost[3:] else ''}")
    if more:
        parts.append(f"has more {', '.join(f'“{short(prompt)}”' for prompt in more[:3])}{' …' if more[3:] else ''}")
    return "; ".join(parts + ([] if lost or more else ["in another order"]))


def short(text):
    words = " ".join(text.split())
    return words if len(words) <= 60 else words[:59] + "…"


@dataclass
class Row:
    """What is told of an agent."""

    agent: str
    sessions: int = 0
    turns: int = 0
    copies: int = 0
    undone: int = 0
    equal: int = 0
    program_turns: int = 0
    prompts_only: int = 0
    same: Counter = field(default_factory=Counter)
    of: int = 0
    differences: list = field(default_factory=list)
    details: list = field(default_factory=list)

    def share(self):
        return self.equal / self.sessions if self.sessions else 1.0


def compare(agent, wanted, got):
    """The row of one agent. `wanted` are pairs of a session as read and in the words compared."""
    row = Row(agent)
    ours, theirs = {read.id: read for _, read in wanted}, {session.id: session for session in got}
    turns = [turn for session, _ in wanted for turn in session.turns]
    row.turns, row.copies = sum(not turn.copy for turn in turns), sum(turn.copy for turn in turns)
    row.undone = sum(turn.undone for turn in turns)
    row.program_turns = sum(len(session.own()) for session in got)
    are_copies_once = row.program_turns == row.turns
    for identity in dict.fromkeys([*ours, *theirs]):
        one, other = ours.get(identity), theirs.get(identity)
        row.sessions += 1
        is_equal = bool(one and other) and (same_turns(one.own(), other.own())
                                            or are_copies_once and same_turns(one.turns, other.turns))
        row.equal += is_equal
        if not is_equal:
            row.differences.append(f"{identity}: {difference(one, other)}")
        if one and other:
            compare_turns(row, one, other)
    return row


def compare_turns(row, one, other):
    """Compares what belongs to the turns that both have."""
    for name in ("parent", "title", "cwd"):
        here, there = getattr(one, name), getattr(other, name)
        if here and here != there:
            row.details.append(f"{one.id}: {name} is {here!r}, the program has {there!r}")
    left = list(other.turns)
    for turn in one.turns:
        match = next((index for index, candidate in enumerate(left) if same_prompt(turn, candidate.prompt)), None)
        if match is None:
            continue
        found = left.pop(match)
        row.of += 1
        for name, attribute in zip(COLUMNS, ["answer", "commands", "outcomes", "files"]):
            here, there = getattr(turn, attribute), getattr(found, attribute)
            row.same[name] += here == there
            if here != there:
                row.details.append(f"{turn.where}: {name} differ: {apart(here, there)}")


def apart(here, there):
    """Where two texts or lists first differ."""
    if isinstance(here, list):
        lost, more = list((Counter(here) - Counter(there)).elements()), list((Counter(there) - Counter(here)).elements())
        return f"{len(here)} and {len(there)}; lacks {[short(str(each)) for each in lost[:3]]}, has more {[short(str(each)) for each in more[:3]]}"
    at = len(os.path.commonprefix([here, there]))
    return f"{len(here)} and {len(there)} characters; at {at} {here[at:at + 50]!r} and {there[at:at + 50]!r}"


def table(rows):
    print("| agent | sessions | turns | of the program | copies | undone | equal | % |", *(f"{name} |" for name in COLUMNS))
    print("| --- |" + " --- |" * (7 + len(COLUMNS)))
    for row in rows:
        parts = [f"{row.same[name]}/{row.of}" for name in COLUMNS]
        figures = [row.agent, row.sessions, row.turns, row.program_turns, row.copies, row.undone, row.equal, f"{100 * row.share():.1f}", *parts]
        print("|", " | ".join(str(figure) for figure in figures), "|")


def measured(args, agents):
    """The rows of all agents, over all homes."""
    wanted, got, prompts_only = defaultdict(list), defaultdict(list), Counter()
    for home in args.homes:
        for session in independent_reader.read(home, agents):
            wanted[session.agent].append((session, own_words(session)))
        scratch = tempfile.mkdtemp(prefix="agents-")
        try:
            sessions, of_prompts = Program(args.program, home, scratch).sessions(agents)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        prompts_only.update(of_prompts)
        for session in sessions:
            got[session.agent].append(session)
    rows = [compare(agent, wanted[agent], got[agent]) for agent in agents if wanted[agent] or got[agent]]
    for row in rows:
        row.prompts_only = prompts_only[row.agent]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("homes", nargs="+", metavar="HOME")
    parser.add_argument("--program", default=OURS)
    parser.add_argument("--agent", action="append", choices=independent_reader.READERS)
    parser.add_argument("--details", action="store_true", help="also tell how answers, commands, outcomes and files differ")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if not os.access(args.program, os.X_OK):
        sys.exit(f"no program at {args.program}: build it, or give --program")
    rows = measured(args, tuple(args.agent or independent_reader.READERS))
    if args.json:
        json.dump([{**vars(row), "share": row.share()} for row in rows], sys.stdout, ensure_ascii=False, indent=1)
    else:
        table(rows)
        for row in rows:
            lines = row.differences + (row.details if args.details else [])
            if row.prompts_only:
                lines.append(f"{row.prompts_only} sessions of which only the prompts are left are not compared")
            print(*(f"\n{row.agent} {line}" for line in lines), sep="", end="\n" if lines else "")
    sys.exit(0 if all(row.share() >= ENOUGH for row in rows) else 1)


if __name__ == "__main__":
    main()
