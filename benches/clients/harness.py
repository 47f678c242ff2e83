"""What the scripts share: a client with a home of its own, and a terminal for it."""

import argparse
import fcntl
import glob
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
import threading
import time
from contextlib import contextmanager
from datetime import date

from checks import Checks

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
            # What a client would fetch besides is refused here: tips, lists of plugins, news of versions.
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
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

    def counts(self, home=None):
        """What `status` counts, of the index or of one that is made in a home of its own."""
        env = {**self.env, "SESSION_SEARCH_HOME": os.path.join(self.scratch, home)} if home else self.env
        for command in (["index", "--quiet"], ["status", "--json"]):
            done = subprocess.run([self.program, *command], env=env, cwd=self.home, capture_output=True, text=True, check=True)
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


class Talk:
    """Types prompts at a terminal, and waits for the answers.

    A client that paints words in parts has them in its `history` whole: a folder below which they are looked for.
    """

    def __init__(self, terminal, mock, history=None):
        self.terminal, self.mock, self.history = terminal, mock, history

    def says(self, words, *replies):
        """Types a prompt, once its replies are in the script."""
        self.mock.plays(*replies)
        self.terminal.type(words)
        return self

    def until(self, words):
        """Waits until the terminal has shown these words, or the history holds them."""
        shown = "".join(words.split())
        self.terminal.wait(lambda: shown in self.terminal.plain() or self.is_written(words), words)
        self.terminal.drain(1)

    def is_written(self, words):
        names = glob.glob(f"{self.history}/**/*.jsonl", recursive=True) if self.history else []
        return any(words.encode() in open(name, "rb").read() for name in names)


@contextmanager
def typing(box, mock, command, ready, history=None):
    """A client on a terminal, which has shown that it is ready."""
    terminal = Terminal(box, command)
    talk = Talk(terminal, mock, history)
    try:
        talk.until(ready)
        terminal.drain(2)
        yield talk
    finally:
        terminal.close()


class Lines:
    """A client that is driven by JSON on its stdin and stdout, one value a line; `with Lines(…) as client` ends it."""

    def __init__(self, box, command):
        self.child = subprocess.Popen(command, env=box.env, cwd=box.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        self.got, self.looked_at = [], 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.child.stdout:
            self.got.append(json.loads(line))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.reader.join()

    def send(self, value):
        self.child.stdin.write(json.dumps(value) + "\n")
        self.child.stdin.flush()

    def ask(self, value, seconds=60):
        """Sends a request with an id, and returns what answers it."""
        name = f"ask-{len(self.got)}-{time.monotonic_ns()}"
        self.send({"id": name, **value})
        is_answer = lambda one: one.get("id") == name and one.get("type", "response") == "response"
        answer = self.find(is_answer, 0, f"an answer to {value}", seconds)
        return self.got[answer]

    def until(self, is_wanted, what, seconds=60):
        """Waits for a value after those that were waited for, and returns it."""
        self.looked_at = self.find(is_wanted, self.looked_at, what, seconds) + 1
        return self.got[self.looked_at - 1]

    def find(self, is_wanted, start, what, seconds):
        """The index of the first such value."""
        found = []
        wait_until(lambda: found.extend(n for n in range(start, len(self.got)) if is_wanted(self.got[n])) or found, what, seconds)
        return found[0]


def wait_until(condition, what, seconds=60):
    """Waits until a condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.1)


def install(package, program, folder):
    """Installs a package of npm, and returns the path of its program.

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


def main(package, version, program, play, node=None):
    """Runs a script: `play(box, client, checks)` with a client that was installed for it.

    A client that is no program of its own runs on a Node.js of the version `node`, which npm brings, too.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(ROOT, "target/release/session-search"))
    parser.add_argument("--version", default=version, help="version of the client, or `latest`")
    parser.add_argument("--client", help="a client that is installed already, rather than one from npm")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    args = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="clients-")
    try:
        box, checks, npm = Box(args.program, os.path.join(scratch, "box")), Checks(), os.path.join(scratch, "npm")
        client = args.client or install(f"{package}@{args.version}", program, npm)
        if node:
            box.env["PATH"] = f"{os.path.dirname(install_node(node, npm))}:{box.env['PATH']}"
        version = box.run(client, "--version").strip().split("\n")[0]
        print(f"{version}, {date.today()}, {platform.system()}\n\n| check | |\n| --- | --- |")
        play(box, client, checks)
        return checks.end()
    finally:
        print(f"kept: {scratch}", file=sys.stderr) if args.keep else shutil.rmtree(scratch, ignore_errors=True)


def install_node(version, folder):
    package = f"node-{machine()}"
    return install(f"{package}@{version}", f"{package}/bin/node", folder)
