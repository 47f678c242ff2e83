#!/usr/bin/env python3
"""Makes docs/picker.svg: the picker on the demo's history, recorded from a terminal of tmux.

    python3 docs/picker-picture.py target/release/session-search
"""

import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEMO = ROOT / "crates/session-query/demo"
PROJECTS = {"a1": "homelab", "b7": "homelab", "c3": "parser", "d4": "parser", "e5": "shop", "f6": "shop"}
COLUMNS, LINES = 96, 26
CELL, ROW = 8.4, 18
COLOURS = ["#45475a", "#e06c75", "#8ec07c", "#d8a657", "#7daea3", "#c586c0", "#56b6c2", "#c9c7cd"]
FOREGROUND, BACKGROUND = "#d4d4d8", "#18181b"


def home_with_demo(folder):
    """Lays the demo's transcripts out as Claude Code keeps them."""
    for transcript in DEMO.glob("*.jsonl"):
        project = folder / f".claude/projects/-home-ann-{PROJECTS[transcript.name[:2]]}"
        project.mkdir(parents=True, exist_ok=True)
        shutil.copy(transcript, project)


def record(program, home):
    """Types a query into the picker and returns the screen with its escape sequences."""
    socket = str(home / "tmux")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "SESSION_SEARCH_HOME": str(home / "index"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }

    def tmux(*arguments):
        ran = subprocess.run(["tmux", "-S", socket, *arguments], env=environment, capture_output=True, check=True)
        return ran.stdout.decode()

    subprocess.run([program, "index", "--quiet"], env=environment, check=True)
    tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(LINES), f"{program} browse")
    try:
        wait_for(tmux, "6 sessions")
        tmux("send-keys", "-l", "containers cannot reach the database")
        wait_for(tmux, "●")
        time.sleep(1)
        return tmux("capture-pane", "-p", "-e")
    finally:
        tmux("kill-server")


def wait_for(tmux, text):
    for _ in range(200):
        if text in tmux("capture-pane", "-p"):
            return
        time.sleep(0.05)
    sys.exit(f"the picker does not show `{text}`:\n" + tmux("capture-pane", "-p"))


class Pen:
    """The style that escape sequences have set."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.colour, self.bold, self.dim, self.underlined = None, False, False, False

    def apply(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 4:
                self.underlined = True
            elif code == 22:
                self.bold = self.dim = False
            elif code == 24:
                self.underlined = False
            elif code == 39:
                self.colour = None
            elif 30 <= code <= 37:
                self.colour = COLOURS[code - 30]
            elif 90 <= code <= 97:
                self.colour = COLOURS[code - 90]
            elif code == 38 and codes[:1] == [5]:
                self.colour = COLOURS[codes[1] % 8]
                codes = codes[2:]

    def attributes(self):
        out = f' fill="{self.colour or FOREGROUND}"'
        out += ' font-weight="bold"' if self.bold else ""
        out += ' fill-opacity="0.6"' if self.dim else ""
        return out + (' text-decoration="underline"' if self.underlined else "")


def spans(line, pen):
    """Splits a line into texts with their column and style."""
    column = 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            pen.apply(part[2:-1])
            continue
        for piece in re.findall(r" +|[^ ]+(?: [^ ]+)*", part):
            if piece.strip():
                yield column, piece, pen.attributes()
            column += len(piece)


def svg(screen):
    width, height = COLUMNS * CELL + 24, LINES * ROW + 24
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
        'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" xml:space="preserve">',
        "<title>The picker of session-search</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
    ]
    pen = Pen()
    for number, line in enumerate(screen.rstrip("\n").split("\n")):
        for column, text, attributes in spans(line, pen):
            x, y = 12 + column * CELL, 26 + number * ROW
            length = f' textLength="{len(text) * CELL:.1f}"'
            out.append(f'<text x="{x:.1f}" y="{y}"{length}{attributes}>{html.escape(text)}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        home_with_demo(home)
        (ROOT / "docs/picker.svg").write_text(svg(record(program, home)))


main()
