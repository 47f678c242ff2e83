#!/usr/bin/env python3
"""Plays sessions in OpenCode against a mock of its model's API, and checks what session-search reads of them.

    cargo build --release
    python3 benches/clients/opencode.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import json
import os
import re
import subprocess
import sys
import urllib.request

from harness import answers, calls, machine, main, prompts, wait_until
from mock import Mock, Reply, call, text

PACKAGE, VERSION = "opencode-ai", "1.18.33"
PROGRAM = f"opencode-{machine()}/bin/opencode"
QUESTION = {
    "question": "Which store do we use?",
    "header": "Store",
    "options": [{"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"}],
}
# Requests that can end with their answer take as long as the model.
PATIENCE_S = 60


def prepare(box, mock):
    """A configuration that knows the mock alone, and asks for no permission."""
    box.env.update(
        OPENCODE_DISABLE_AUTOUPDATE="1",
        OPENCODE_DISABLE_MODELS_FETCH="1",
        OPENCODE_DISABLE_LSP_DOWNLOAD="1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS="1",
        OPENCODE_ENABLE_QUESTION_TOOL="1",
    )
    limits = {"limit": {"context": 200000, "output": 8000}, "tool_call": True}
    provider = {
        "npm": "@ai-sdk/anthropic",
        "options": {"baseURL": f"{mock.url}/v1", "apiKey": "of-no-account"},
        "models": {"m": {"name": "M", **limits}},
    }
    names = {"model": "mock/m", "small_model": "mock/m", "share": "disabled", "autoupdate": False}
    box.write(os.path.join(box.home, ".config/opencode/opencode.json"), {**names, "permission": {"*": "allow"}, "provider": {"mock": provider}})
    box.write(".opencode/command/deploy.md", "Deploy to $ARGUMENTS, carefully.\n")


class Server:
    """`opencode serve` on the loopback; `with Server(…) as server` starts and stops it."""

    def __init__(self, box, client):
        self.box, self.client = box, client

    def __enter__(self):
        command = [self.client, "serve", "--hostname", "127.0.0.1", "--port", "0"]
        self.child = subprocess.Popen(command, env=self.box.env, cwd=self.box.project, stdout=subprocess.PIPE, text=True)
        for line in self.child.stdout:
            if found := re.search(r"http://[\d.]+:\d+", line):
                self.url = found[0]
                return self
        raise RuntimeError(f"{command} ended with {self.child.wait()}")

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(20)

    def send(self, path, body=None, method=None):
        """Sends JSON, or asks where there is no body; returns the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            got = answer.read()
        return json.loads(got) if got else None

    def prompt(self, session, words, how="message"):
        """A prompt; `prompt_async` does not wait for its answer."""
        self.send(f"/session/{session}/{how}", {"parts": [{"type": "text", "text": words}]})


def play_tools(box, client, checks, mock):
    """Commands that worked and failed, and a file that is written, read and changed."""
    path = os.path.join(box.project, "notes.txt")
    mock.plays(
        [text("I will look."), call("bash", command="echo hello-bash", description="Say hello")],
        [call("bash", command="ls /nowhere-42", description="List nothing")],
        [call("write", filePath=path, content="one\n")],
        [call("read", filePath=path)],
        [call("edit", filePath=path, oldString="one", newString="two")],
        [text("The flux capacitor was reversed.")],
    )
    box.run(client, "run", *"Why does frobnicate fail?".split())
    found = box.sessions("frobnicate")
    checks.equal("a prompt finds its session alone", len(found), 1)
    turns = box.turns(found[0])
    checks.equal("prompt", prompts(turns), ["Why does frobnicate fail?"])
    checks.equal("answers", answers(turns), ["I will look.", "The flux capacitor was reversed."])
    names = ["Bash", "Bash", "Write", "Read", "Edit"]
    checks.equal("calls in order, by the common names", [one["name"] for one in calls(turns)], names)
    check_commands(box, checks, turns)
    check_files(box, checks, turns, path)
    checks.equal("an answer finds its session", box.sessions("flux capacitor"), found)
    return found[0]


def check_commands(box, checks, turns):
    ran, failed = calls(turns, "Bash")
    checks.equal("a command and its output", (ran["command"], ran["output"].strip()), ("echo hello-bash", "hello-bash"))
    checks.equal("which command failed", (ran["failed"], failed["failed"]), (False, True))
    checks.check("output of the failed command", "No such file or directory" in failed["output"], failed)
    told = [what for turn in box.ours("commands", "ls /nowhere-42")["found"] for what in turn["what"]]
    checks.equal("`commands` tells it as failed", told, [{"command": "ls /nowhere-42", "failed": True}])


def check_files(box, checks, turns, path):
    checks.equal("the files were changed", box.read(path), "two\n")
    named = [one["files"] for one in calls(turns) if one["name"] != "Bash"]
    checks.equal("files of the calls", named, [[path]] * 3)
    told = [what for turn in box.ours("files", "notes.txt")["found"] for what in turn["what"]]
    checks.equal("`files` tells it as written", told, [{"path": path, "touch": "written"}])


def play_resumed(box, client, checks, mock, session):
    """A second prompt in the session, in a process of its own, and a slash command."""
    mock.plays([text("Turn it round.")])
    box.run(client, "run", "--session", session, *"And how is it mended?".split())
    mock.plays([text("It is deployed.")])
    box.run(client, "run", "--session", session, "--command", "deploy", "staging")
    turns = box.turns(session)[1:]
    checks.equal("a resumed session", (prompts(turns)[:1], answers(turns)[:1]), (["And how is it mended?"], ["Turn it round."]))
    wanted = ["Deploy to staging, carefully."]
    got = [words.strip() for words in prompts(turns)[1:]]
    checks.equal("a slash command, expanded as it is stored", (got, answers(turns)[1:]), (wanted, ["It is deployed."]))


def play_subagent(box, server, checks, mock):
    """A subagent, whose session is one of its own below its parent's."""
    mock.plays(
        [call("task", description="Look around", prompt="Find the gudgeon pin.", subagent_type="general")],
        [text("The gudgeon pin is in the piston.")],
        [text("Found by the subagent.")],
    )
    session = server.send("/session", {})["id"]
    server.prompt(session, "Where is that part?")
    hits = box.ours("search", "gudgeon piston", "--keyword-only", "--subagents")["hits"]
    children = [hit for hit in hits if hit["parent"]]
    checks.equal("a subagent's session, below its parent", [hit["parent"] for hit in children], [session])
    turns = box.turns(children[0]["session"])
    checks.equal("its prompt and answer", (prompts(turns), answers(turns)),
                 (["Find the gudgeon pin."], ["The gudgeon pin is in the piston."]))
    parent = box.turns(session)
    checks.equal("its parent", (prompts(parent), answers(parent)), (["Where is that part?"], ["Found by the subagent."]))


def play_question(box, server, checks, mock):
    """A question to the user, and a shell escape."""
    mock.plays([text("I ask."), call("question", questions=[QUESTION])], [text("So it will be.")])
    session = server.send("/session", {})["id"]
    server.prompt(session, "Choose the quoxstore please", "prompt_async")
    wait_until(lambda: server.send("/question"), "a question")
    asked = server.send("/question")[0]["id"]
    server.send(f"/question/{asked}/reply", {"answers": [["SQLite"]]})
    wait_until(lambda: not server.send("/session/status"), "the end of the turn")
    server.send(f"/session/{session}/shell", {"agent": "build", "command": "echo shell-escape-77"})
    turns = box.turns(session)
    checks.equal("question to the user", (prompts(turns)[:1], answers(turns)),
                 (["Choose the quoxstore please"], ["I ask.", "So it will be."]))
    results = [one for one in calls(turns) if "SQLite" in str(one.get("output"))]
    checks.equal("the user's answer is in the question's result", len(results), 1)
    checks.equal("it is found by it", box.sessions("SQLite"), [session])
    ran = [what["command"] for turn in box.ours("commands", "echo shell-escape-77")["found"] for what in turn["what"]]
    checks.equal("a shell escape is a command that ran", ran, ["echo shell-escape-77"])


def play_waiting(box, server, checks, mock):
    """A prompt that is sent while the model answers another, and a rename."""
    mock.plays(Reply([text("Slow words.")], delay=3), [text("The last words.")])
    session = server.send("/session", {})["id"]
    server.prompt(session, "Speak slowly of zirconium", "prompt_async")
    wait_until(lambda: mock.said("zirconium"), "the first prompt")
    server.prompt(session, "sent while the model speaks", "prompt_async")
    wait_until(lambda: not mock.script and not server.send("/session/status"), "the last answer")
    turns = box.turns(session)
    got = [(turn["prompt"], answers([turn])) for turn in turns]
    wanted = [("Speak slowly of zirconium", ["Slow words."]), ("sent while the model speaks", ["The last words."])]
    checks.equal("a prompt that waits", got, wanted)
    server.send(f"/session/{session}", {"title": "Renamed by hand"}, "PATCH")
    checks.equal("a rename", box.ours("show", session)["title"], "Renamed by hand")


def play_second_storage(box, server, checks, mock):
    """A session of the second storage, which keeps rows of `session_message`."""
    mock.plays([text("I look."), call("bash", command="false second-storage")], [text("It lies in v2.")])
    session = server.send("/api/session", {"location": {"directory": box.project}})["data"]["id"]
    wait_until(lambda: any(model["id"] == "m" for model in server.send("/api/model")["data"]), "the model")
    server.send(f"/api/session/{session}/model", {"model": {"id": "m", "providerID": "mock"}})
    server.send(f"/api/session/{session}/prompt", {"prompt": {"text": "Where is tantalum?"}})
    wait_until(lambda: "It lies in v2." in str(server.send(f"/api/session/{session}/message")), "the last answer")
    checks.equal("a prompt of the second storage", box.sessions("tantalum"), [session])
    turns = box.turns(session)
    checks.equal("its prompt and answers", (prompts(turns), answers(turns)),
                 (["Where is tantalum?"], ["I look.", "It lies in v2."]))
    ran = [(one["name"], one["command"], one["failed"]) for one in calls(turns)]
    checks.equal("its command, which failed", ran, [("Bash", "false second-storage", True)])


def play_setup(box, client, checks, mock):
    """What `setup` writes, as the client reads it, and its way back."""
    config = os.path.join(box.home, ".config/opencode/opencode.json")
    before = box.read(config)
    box.ours("setup", "--agent", "opencode", "--yes")
    said = box.run(client, "mcp", "list")
    checks.check("the server of `setup` is connected", "session-search" in said and "connected" in said, said)
    mock.plays([call("session-search_search", query="frobnicate")], [text("Told.")])
    first = len(mock.requests)
    box.run(client, "run", *"What is at hand?".split())
    asked = next(request for request in mock.requests[first:] if request.get("tools"))
    tools = sorted(tool["name"] for tool in asked["tools"] if tool["name"].startswith("session-search_"))
    checks.equal("its tools", tools, [f"session-search_{name}" for name in ("history", "recall", "remember", "search", "show")])
    # It is not loaded here: the client lists a skill's files by a ripgrep that it would download.
    checks.check("the skill is listed", "instead of reading transcripts" in json.dumps(asked))
    checks.check("a tool of the server answers", "frobnicate" in json.dumps(mock.requests[-1]["messages"][-1]), mock.requests[-1]["messages"][-1])
    box.ours("setup", "--undo", "--yes")
    checks.equal("`setup --undo` leaves the configuration as it was", json.loads(box.read(config)), json.loads(before))
    said = box.run(client, "mcp", "list")
    checks.check("no server is left", "No MCP servers" in said, said)


def play(box, client, checks):
    with Mock() as mock:
        prepare(box, mock)
        session = play_tools(box, client, checks, mock)
        play_resumed(box, client, checks, mock, session)
        play_setup(box, client, checks, mock)
        with Server(box, client) as server:
            play_subagent(box, server, checks, mock)
            play_question(box, server, checks, mock)
            play_waiting(box, server, checks, mock)
            play_second_storage(box, server, checks, mock)
        checks.equal("the script was played to its end", len(mock.script), 0)
    checks.equal("nothing could not be read", box.ours("status")["problems"], [])


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play))
