"""What the scripts share: a client with a home of its own, a terminal for it, and a table of checks."""

import argparse
import fcntl
import json
import os
import platform
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from datetime import date

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]")


class Box:
    """A home folder, a project and the programs, in a temporary folder."""

    def __init__(self, program, scratch):
        self.program, self.scratch = os.path.realpath(program), scratch
        self.home, self.project = os.path.join(scratch, "home"), os.path.join(scratch, "demo-project")
        for folder in (self.home, self.project, os.path.join(scratch, "tmp")):
            os.makedirs(folder)
        self.write(os.path.join(self.home, ".config/session-search/config.toml"), 'model = "table"\nbackground = false\n')
        self.env = {
            "HOME": self.home,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": os.path.join(scratch, "tmp"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
        }

    def write(self, path, content):
        path = os.path.join(self.project, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content, indent=2))

    def read(self, path):
        with open(os.path.join(self.project, path)) as file:
            return file.read()

    def run(self, *command, seconds=120):
        """Runs a client without a terminal; returns its stdout. What it fails with is a check's matter."""
        done = subprocess.run(command, env=self.env, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds, check=False)
        return done.stdout + done.stderr

    def ours(self, *arguments):
        """What our program reads, as JSON."""
        command = [self.program, *arguments, "--json", "--quiet"]
        done = subprocess.run(command, env=self.env, cwd=self.home, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        return json.loads(done.stdout)

    def sessions(self, query):
        """Sessions that a search finds, best first."""
        return [hit["session"] for hit in self.ours("search", query, "--keyword-only")["hits"]]

    def turns(self, session):
        return self.ours("show", session)["shown"]


class Terminal:
    """A client on a terminal of its own, typed at by a script."""

    def __init__(self, box, command, columns=120, rows=50):
        self.screen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(box.project)
            os.execve(command[0], command, box.env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def drain(self, seconds):
        """Reads what the client prints for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                return
            try:
                self.screen += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                return  # it has ended

    def plain(self):
        """What was printed, without colours and spaces: a cursor may stand for either."""
        return re.sub(r"\s+", "", ESCAPES.sub("", self.screen))

    def type(self, words, submit=True):
        """Types words, and Enter after them."""
        os.write(self.fd, words.encode())
        self.drain(0.7)
        if submit:
            self.press("\r")

    def press(self, key):
        os.write(self.fd, key.encode())
        self.drain(0.5)

    def wait(self, condition, what, seconds=40):
        """Waits until a condition holds."""
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError(f"{what}; the screen ends with\n{ESCAPES.sub('', self.screen)[-1500:]}")
            self.drain(0.2)

    def close(self):
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(self.pid, sign)
            except ProcessLookupError:
                return
            self.drain(1.0)
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return
        os.waitpid(self.pid, 0)


def wait_until(condition, what, seconds=60):
    """Waits until a condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.3)


class Checks:
    """A table of checks."""

    def __init__(self):
        self.rows = []

    def check(self, name, is_ok, got=None):
        """Notes a check; `got` is told where it failed."""
        self.rows.append((name, bool(is_ok)))
        print(f"| {name} | {'ok' if is_ok else 'FAILED'} |", flush=True)
        if not is_ok and got is not None:
            print(f"    got: {json.dumps(got, ensure_ascii=False)[:2000]}", file=sys.stderr)

    def equal(self, name, got, wanted):
        self.check(name, got == wanted, {"got": got, "wanted": wanted})

    def end(self):
        """Prints the sum; the exit code of the script."""
        failed = sum(not is_ok for _, is_ok in self.rows)
        print(f"\n{len(self.rows)} checks, {failed} failed")
        return 1 if failed else 0


def calls(turns, name=None):
    """The calls of turns, of one tool or of all."""
    parts = [part for turn in turns for part in turn["parts"] if part["type"] == "call"]
    return [part for part in parts if name in (None, part["name"])]


def answers(turns):
    """The texts of the agent."""
    return [part["text"] for turn in turns for part in turn["parts"] if part["type"] == "text"]


def prompts(turns):
    return [turn["prompt"] for turn in turns]


def install(package, program, folder):
    """Installs a package of npm, and returns the path of its native program.

    `--force`, since a package may want a newer node than is here, which its native program does not need.
    """
    command = ["npm", "install", "--force", "--no-audit", "--no-fund", "--prefix", folder, package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    path = os.path.join(folder, "node_modules", program)
    if done.returncode != 0 or not os.access(path, os.X_OK):
        sys.exit(f"{' '.join(command)} brought no {path}:\n{done.stderr[-2000:]}")
    return path


def machine():
    """The part of npm's package names that says for what machine they are."""
    return f"{platform.system().lower()}-{'arm64' if platform.machine() in ('aarch64', 'arm64') else 'x64'}"


def main(package, version, program, play):
    """Runs a script: `play(box, client, checks)` with a client that was installed for it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(ROOT, "target/release/session-search"))
    parser.add_argument("--version", default=version, help="version of the client, or `latest`")
    parser.add_argument("--client", help="a client that is installed already, rather than one from npm")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    args = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="clients-")
    try:
        client = args.client or install(f"{package}@{args.version}", program, os.path.join(scratch, "npm"))
        box, checks = Box(args.program, os.path.join(scratch, "box")), Checks()
        print(f"{box.run(client, '--version').strip()}, {date.today()}, {platform.system()}\n\n| check | |\n| --- | --- |")
        play(box, client, checks)
        return checks.end()
    finally:
        print(f"kept: {scratch}", file=sys.stderr) if args.keep else shutil.rmtree(scratch, ignore_errors=True)
