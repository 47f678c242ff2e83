"""What all readers give, and how they read files: sessions, turns, calls; lines of JSON; times."""

import io
import json
import os
import re
import sys
from dataclasses import dataclass, field
from datetime import datetime, timezone

PATCH_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)


@dataclass
class Call:
    """A tool call: its name in Claude Code's words, and how it ended; `failed` is None where nothing tells it."""

    name: str
    command: str = None
    files: list = field(default_factory=list)
    failed: bool = None


@dataclass
class Turn:
    """A prompt with all that the agent did until the next one."""

    prompt: str
    started: str = None
    kind: str = "typed"  # typed, command, model
    answer: list = field(default_factory=list)
    calls: list = field(default_factory=list)
    origin: str = None  # the same in each copy of the turn
    undone: bool = False  # taken back by the user, or on a branch that was left
    copy: bool = False  # another session holds it
    where: str = ""  # file and line
    loose: bool = False  # the history does not hold what was typed, only that it was
    mark: object = None  # what a reader notes of its place: an ordinal, an entry, a replay

    def call(self, *args, **kwargs):
        self.calls.append(Call(*args, **kwargs))
        return self.calls[-1]


@dataclass
class Session:
    agent: str
    id: str
    parent: str = None
    forked_from: str = None
    title: str = None
    cwd: str = None
    branch: str = None
    started: str = None
    files: list = field(default_factory=list)
    turns: list = field(default_factory=list)


def lines(path):
    """The objects of a file of JSON lines with their line numbers; what is no object is left out."""
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield number, value


def attempt(where, function, *args):
    """Calls a function with a record; one of an unexpected shape is told and left out."""
    try:
        function(*args)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        print(f"{where}: {type(error).__name__}: {error}", file=sys.stderr)


def opened(path):
    if not path.endswith(".zst"):
        return open(path, "rb")
    try:
        import zstandard  # only where a history is compressed
    except ImportError:
        sys.exit(f"{path} is compressed: pip install zstandard")
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(open(path, "rb"), closefd=True))


def files_below(folder, wanted):
    """Paths of the regular files below a folder whose name is wanted, in order."""
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.join(place, name) for name in names if wanted(name)]
    return sorted(path for path in found if os.path.isfile(path) and not os.path.islink(path))


def texts(content, kinds=("text", "input_text", "output_text", None)):
    """The texts of a message's content: a string, or a list of blocks."""
    if isinstance(content, str):
        return [content]
    blocks = [block for block in content or [] if isinstance(block, dict)]
    return [block["text"] for block in blocks if isinstance(block.get("text"), str) and block.get("type") in kinds]


def patch_files(patch):
    """The files that a patch of `apply_patch` names, each once."""
    return list(dict.fromkeys(added or moved for added, moved in PATCH_FILE.findall(patch or "")))


def from_ms(milliseconds):
    stamp = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def mark_copies(sessions):
    """Marks each turn that an earlier session holds, too."""
    owners = {}
    for session in sorted(sessions, key=lambda session: str(session.started)):
        for turn in session.turns:
            if turn.origin is not None:
                turn.copy = turn.copy or owners.setdefault(turn.origin, session.id) != session.id
    return sessions
