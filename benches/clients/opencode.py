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

from checks import (ANSWERS, CHILD, ESCAPE, FAILS, PARENT, PROMPT, RESUMED, WORKS, answers, calls, check_found, check_resumed,
                    check_subagent, check_tools, check_whole, dialogue, prompts, told)
from harness import machine, main, wait_until
from memories import COMMAND, FAILS as LOCKED, PROMPT as ASKED, check_held, check_listed, check_turn, hold, save_all
from mock import SIDE_ANSWER, Mock, Reply, call, text

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
    for folder in (os.path.join(box.home, ".config/opencode"), os.path.join(box.project, ".opencode")):
        skip_dependencies(box, folder)


def skip_dependencies(box, folder):
    """Makes the client believe that the types of plugins are installed: it waits for npm before it loads a plugin."""
    os.makedirs(os.path.join(folder, "node_modules"))
    names = {"dependencies": {"@opencode-ai/plugin": VERSION}}
    box.write(os.path.join(folder, "package.json"), names)
    box.write(os.path.join(folder, "package-lock.json"), {"lockfileVersion": 3, "packages": {"": names}})


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
        [text(ANSWERS[0]), call("bash", command=WORKS, description="Say hello")],
        [call("bash", command=FAILS, description="List nothing")],
        [call("write", filePath=path, content="one\n")],
        [call("read", filePath=path)],
        [call("edit", filePath=path, oldString="one", newString="two")],
        [text(ANSWERS[1])],
    )
    box.run(client, "run", *PROMPT.split())
    session, turns = check_found(box, checks)
    check_tools(box, checks, turns, path, session, ["opencode", "--session", session], title=SIDE_ANSWER)
    return session


def play_resumed(box, client, checks, mock, session):
    """A second prompt in the session, in a process of its own, and a slash command."""
    mock.plays([text(RESUMED[1])])
    box.run(client, "run", "--session", session, *RESUMED[0].split())
    check_resumed(box, checks, session)
    mock.plays([text("It is deployed.")])
    box.run(client, "run", "--session", session, "--command", "deploy", "staging")
    got = [(prompt.strip(), said) for prompt, said in dialogue(box.turns(session)[2:])]
    checks.equal("a slash command, expanded as it is stored", got, [("Deploy to staging, carefully.", ["It is deployed."])])


def play_subagent(box, server, checks, mock):
    task = call("task", description="Look around", prompt=CHILD[0], subagent_type="general")
    mock.plays([task], [text(CHILD[1])], [text(PARENT[1])])
    session = server.send("/session", {})["id"]
    server.prompt(session, PARENT[0])
    check_subagent(box, checks)


def play_question(box, server, checks, mock):
    """A question to the user, and a shell escape."""
    mock.plays([text("I ask."), call("question", questions=[QUESTION])], [text("So it will be.")])
    session = server.send("/session", {})["id"]
    server.prompt(session, "Choose the quoxstore please", "prompt_async")
    wait_until(lambda: server.send("/question"), "a question")
    asked = server.send("/question")[0]["id"]
    server.send(f"/question/{asked}/reply", {"answers": [["SQLite"]]})
    wait_until(lambda: not server.send("/session/status"), "the end of the turn")
    server.send(f"/session/{session}/shell", {"agent": "build", "command": ESCAPE})
    turns = box.turns(session)
    checks.equal("question to the user", (prompts(turns)[:1], answers(turns)),
                 (["Choose the quoxstore please"], ["I ask.", "So it will be."]))
    results = [one for one in calls(turns) if "SQLite" in str(one.get("output"))]
    checks.equal("the user's answer is in the question's result", len(results), 1)
    checks.equal("it is found by it", box.sessions("SQLite"), [session])
    ran = [what["command"] for what in told(box, "commands", ESCAPE)]
    checks.equal("a shell escape is a command that ran", ran, [ESCAPE])


def play_waiting(box, server, checks, mock):
    """A prompt that is sent while the model answers another, and a rename."""
    mock.plays(Reply([text("Slow words.")], delay=3), [text("The last words.")])
    session = server.send("/session", {})["id"]
    server.prompt(session, "Speak slowly of zirconium", "prompt_async")
    wait_until(lambda: mock.said("zirconium"), "the first prompt")
    server.prompt(session, "sent while the model speaks", "prompt_async")
    wait_until(lambda: not mock.script and not server.send("/session/status"), "the last answer")
    turns = box.turns(session)
    wanted = [("Speak slowly of zirconium", ["Slow words."]), ("sent while the model speaks", ["The last words."])]
    checks.equal("a prompt that waits", dialogue(turns), wanted)
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


def turn_requests(mock, first):
    """The requests since then, without those for titles."""
    return [request for request in mock.requests[first:] if request.get("tools")]


def play_memories(box, client, checks, mock):
    """Each memory in the request in which the model can use it, through the plugin of `hook install`."""
    plugin = os.path.join(box.home, ".config/opencode/plugins/session-search.js")
    box.ours("hook", "install", "--agent", "opencode", "--yes")
    save_all(box)
    path, first = os.path.join(box.project, "migrated.txt"), len(mock.requests)
    mock.plays([call("write", filePath=path, content="x")], [call("bash", command=COMMAND, description="Apply")],
               [call("bash", command=LOCKED, description="Fail")], [text("So it is.")])
    box.run(client, "run", *ASKED.split())
    check_turn(checks, turn_requests(mock, first))
    mock.plays([text("Once more.")])
    box.run(client, "run", "--continue", *"And now?".split())
    check_listed(checks, "a session that goes on is not told the list again", turn_requests(mock, 0)[-1], 1)
    play_held(box, client, checks, mock)
    play_compacted(box, client, checks, mock)
    checks.equal("the memories are no words of the session's", box.sessions("unlock"), [])
    os.rename(box.program, box.program + ".away")
    mock.plays([call("bash", command="echo alone", description="Echo")], [text("Without the program.")])
    said = box.run(client, "run", *"Is it there?".split())
    os.rename(box.program + ".away", box.program)
    checks.check("without the program the client works as before", "Without the program." in said, said)
    box.ours("hook", "uninstall", "--agent", "opencode", "--yes")
    checks.check("`hook uninstall` removes the plugin", not os.path.exists(plugin))


def play_held(box, client, checks, mock):
    first, release = len(mock.requests), hold(box)
    write = call("write", filePath=os.path.join(box.project, "held.txt"), content="x")
    mock.plays([write], [write], [text("It is written.")])
    box.run(client, "run", *"Write the held file".split())
    check_held(box, checks, turn_requests(mock, first))
    release()


def play_compacted(box, client, checks, mock):
    with Server(box, client) as server:
        session = server.send("/session", {})["id"]
        mock.plays([text("I begin.")])
        server.prompt(session, "Begin with rubidium")
        check_listed(checks, "a session of the server is told the list", turn_requests(mock, 0)[-1], 1)
        mock.plays([text("I go on.")])  # a summary is asked for without tools, and takes no reply
        server.send(f"/session/{session}/summarize", {"providerID": "mock", "modelID": "m"})
        server.prompt(session, "Go on with it")
        check_listed(checks, "and after a compaction again", turn_requests(mock, 0)[-1], 1)


def play(box, client, checks):
    with Mock() as mock:
        prepare(box, mock)
        session = play_tools(box, client, checks, mock)
        play_resumed(box, client, checks, mock, session)
        play_setup(box, client, checks, mock)
        play_memories(box, client, checks, mock)
        with Server(box, client) as server:
            play_subagent(box, server, checks, mock)
            play_question(box, server, checks, mock)
            play_waiting(box, server, checks, mock)
            play_second_storage(box, server, checks, mock)
        checks.equal("the script was played to its end", len(mock.script), 0)
    check_whole(box, checks)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play))
