"""A home folder of its own with the memories of a bench, and the program in it."""

import datetime
import json
import os
import pathlib
import pty
import subprocess
import sys
import time


def read_lines(path):
    """The JSON objects of a file, one a line."""
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines() if line.strip()]


def memory_file(memory, extra):
    """A memory's file as the program writes it; JSON is YAML, too. `extra` has further keys: cues, when."""
    day, clock = memory["id"].split("-")[1:3]
    at = datetime.datetime.strptime(day + clock, "%Y%m%d%H%M%S").strftime("%Y-%m-%dT%H:%M:%SZ")
    fields = {key: memory[key] for key in ("id", "topic", "kind", "importance")}
    fields |= {"tags": [tag.lstrip("#") for tag in memory["tags"]], "created": at, "updated": at}
    fields |= {key: value for key, value in extra.items() if value}
    head = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())
    body = "".join(f"- {info}\n" for info in memory["key_info"])
    return f"---\n{head}---\n\n{body}"


class MemoryHome:
    """A home folder with memories, trusted, and a project of empty files."""

    def __init__(self, program, folder, memories, extras, config=None, files=()):
        self.program = str(pathlib.Path(program).resolve())
        self.memories = memories
        home = pathlib.Path(folder)
        self.project = home / "project"
        (self.project / ".git").mkdir(parents=True)
        for file in files:
            (self.project / file).parent.mkdir(parents=True, exist_ok=True)
            (self.project / file).touch()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "SESSION_SEARCH_HOME": str(home / "index"),
        }
        if config:
            (home / "config").mkdir()
            (home / "config" / "config.toml").write_text(config)
            self.environment["SESSION_SEARCH_CONFIG"] = str(home / "config")
        for memory in memories:
            root = home if memory["global"] else self.project
            active = root / ".claude/data/session-search/memories/active"
            active.mkdir(parents=True, exist_ok=True)
            (active / f"{memory['id']}.md").write_text(memory_file(memory, extras.get(memory["id"], {})))
        if any(not memory["global"] for memory in memories):
            self.trust()
        self.run(["memory", "search", "warm"])

    def trust(self):
        """Says yes to `trust`, as its user at a terminal: what lies in a project waits until then."""
        controller, terminal = pty.openpty()
        os.write(controller, b"y\n")
        process = subprocess.Popen(
            [self.program, "trust"],
            stdin=terminal,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            cwd=self.project,
            env=self.environment,
        )
        os.close(terminal)
        try:
            while os.read(controller, 1 << 16):
                pass
        except OSError:  # its last user is gone
            pass
        if process.wait() != 0:
            sys.exit("the memories of the project were not trusted")

    def run(self, arguments, stdin=""):
        """What the program prints, and how many milliseconds it took."""
        began = time.perf_counter()
        ran = subprocess.run(
            [self.program, *arguments],
            input=stdin.encode(),
            capture_output=True,
            cwd=self.project,
            env=self.environment,
        )
        return ran.stdout.decode(), (time.perf_counter() - began) * 1000

    def explain(self, prompt):
        """What would be put before a prompt, and why; nothing is noted."""
        return json.loads(self.run(["inject", "--json", "--explain", "--prompt", prompt])[0])

    def hook(self, event, session, **fields):
        """The answer to an event of an agent, or nothing, and the milliseconds."""
        payload = {
            "session_id": session,
            "transcript_path": "",
            "cwd": str(self.project),
            "hook_event_name": event,
        }
        out, took = self.run(["hook", "run"], json.dumps(payload | fields))
        return (json.loads(out)["hookSpecificOutput"] if out.strip() else {}), took
