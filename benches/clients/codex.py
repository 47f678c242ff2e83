#!/usr/bin/env python3
"""Plays sessions in Codex against a mock of its model's API, checks what session-search reads of them, and sets it up.

    cargo build --release
    python3 benches/clients/codex.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import glob
import json
import os
import platform
import re
import sys

from checks import (ANSWERS, CHILD, ESCAPE, FAILS, FORK, PARENT, PROMPT, RESUMED, SLEEPS, SUMMARY, WORKS, calls,
                    check_commands, check_files, check_fork, check_found, check_name_and_summary, check_resumed,
                    check_session, check_subagent, check_typed, check_whole, dialogue, prompts)
from harness import Lines, machine, main, typing, wait_until
from memories import COMMAND, FAILS as LOCKED, PROMPT as ASKED, check_held, check_listed, check_turn, hold, save_all
from mock import call, text
from responses import ResponsesMock, patch

PACKAGE, VERSION = "@openai/codex", "0.171.0"
ARCHITECTURE = "aarch64" if machine().endswith("arm64") else "x86_64"
SYSTEM = {"Linux": "unknown-linux-musl", "Darwin": "apple-darwin"}[platform.system()]
PROGRAM = f"@openai/codex-{machine()}/vendor/{ARCHITECTURE}-{SYSTEM}/bin/codex"
TOOLS = ["history", "recall", "remember", "search", "show"]
# `m` is unknown to the client, and gets the tools of namespaces at once; one that it knows gets `apply_patch`.
KNOWN_MODEL = "gpt-5.5"
CONFIG = """# by hand
model = "m"
model_provider = "mock" # of no account

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"

[features]
daemon_auto_start = false # it would outlive the script

[projects."{project}"]
trust_level = "trusted"

# the last words
"""
LONG_AGO = 1_700_000_000
UNASKED = "--dangerously-bypass-approvals-and-sandbox"
ADDS = "*** Begin Patch\n*** Add File: notes.txt\n+one\n*** End Patch\n"
UPDATES = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-one\n+two\n*** End Patch\n"


def execute(box, client, *arguments):
    """One prompt without a terminal; returns the id of its session."""
    said = box.run(client, "exec", "--json", "--skip-git-repo-check", UNASKED, *arguments)
    if found := re.search(r'"thread_id":"([^"]+)"', said):
        return found[1]
    raise RuntimeError(said)


def run(command):
    return call("exec_command", cmd=command)


def play_tools(box, client, checks, mock):
    """Commands that worked and failed, and a file that is written, read and changed by patches."""
    mock.plays([text(ANSWERS[0]), run(WORKS)], [run(FAILS)], [patch(ADDS)], [run("cat notes.txt")], [patch(UPDATES)], [text(ANSWERS[1])])
    session = execute(box, client, "--model", KNOWN_MODEL, PROMPT)
    found, turns = check_found(box, checks)
    checks.equal("the id is the client's", found, session)
    names = ["Bash", "Bash", "ApplyPatch", "Bash", "ApplyPatch"]
    checks.equal("calls in order, by the common names", [one["name"] for one in calls(turns)], names)
    check_commands(box, checks, turns)
    check_files(box, checks, turns, os.path.join(box.project, "notes.txt"), touching=2, touch="edited")
    check_session(box, checks, "codex", session, ["codex", "resume", session])
    return session


def play_resumed(box, client, checks, mock, session):
    """A second prompt in the session, in a process of its own."""
    mock.plays([text(RESUMED[1])])
    execute(box, client, "resume", "--model", KNOWN_MODEL, session, RESUMED[0])
    check_resumed(box, checks, session)


def play_fork(box, client, checks, mock, session):
    """A copy of the session that goes on otherwise."""
    mock.plays([text(FORK[1])])
    execute(box, client, "fork", "--model", KNOWN_MODEL, session, FORK[0])
    check_fork(box, checks, session, "frobnicate")


def play_subagent(box, client, checks, mock):
    spawn = {**call("spawn_agent", message=CHILD[0]), "namespace": "multi_agent_v1"}
    mock.plays_beside(PARENT[0], CHILD[0], [text(CHILD[1])])
    mock.plays([spawn], [run("sleep 2")], [text(PARENT[1])])
    execute(box, client, PARENT[0])
    check_subagent(box, checks)


def play_typed(box, client, checks, mock):
    """What only a terminal has: a shell escape, a prompt that waits, an interruption, a name, a compaction."""
    with typing(box, mock, [client, UNASKED], "permissions:") as talk:
        type_prompts(talk)
    session, turns = check_typed(box, checks, TYPED, "a prompt while a tool runs, a compaction")
    check_name_and_summary(box, checks, session, turns)


def type_prompts(talk):
    talk.says("Choose the quoxstore please", [text("So it will be.")]).until("So it will be.")
    talk.says(f"!{ESCAPE}").until("Youran")
    talk.says("Run the slow thing", [run("sleep 5; echo slept")], [text("It slept.")])
    talk.terminal.drain(1)
    talk.says("typed while a tool runs").until("It slept.")
    talk.says("Sleep with ytterbium", [run(SLEEPS)]).terminal.drain(3)
    talk.terminal.press("\x1b")
    talk.until("interrupted")
    talk.says("/rename Named by hand").terminal.drain(2)
    talk.says("/compact", [text(SUMMARY)]).until("compacted")
    talk.says("After the compaction?", [text("Still here.")]).until("Still here.")


TYPED = [
    ("Choose the quoxstore please", ["So it will be."]),
    (f"!{ESCAPE}", []),
    ("Run the slow thing", []),
    ("typed while a tool runs", ["It slept."]),
    ("Sleep with ytterbium", []),
    ("After the compaction?", ["Still here."]),
]


class Server:
    """The client's app server, which its terminal, its editors and its desktop talk to."""

    def __init__(self, box, client, *options):
        self.lines = Lines(box, [client, *options, "app-server"])
        self.ask("initialize", clientInfo={"name": "script", "title": "Script", "version": "1"}, capabilities=None)
        self.lines.send({"method": "initialized"})

    def ask(self, method, **params):
        answer = self.lines.ask({"method": method, "params": params})
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def turn(self, thread, words):
        """A prompt, to the end of its turn; returns the id of the turn."""
        turn = self.ask("turn/start", threadId=thread, input=[{"type": "text", "text": words, "text_elements": []}])["turn"]["id"]
        self.lines.until(lambda one: one.get("method") == "turn/completed", f"the end of the turn {words!r}")
        return turn


def play_undone(box, client, checks, mock):
    """A turn that is taken back, for which the client begins a second file of the same session; then the archive."""
    server = Server(box, client)
    with server.lines:
        thread = server.ask("thread/start", cwd=box.project)["thread"]["id"]
        mock.plays([text("Kept words.")], [text("Words of hafnium.")], [text("Other words.")])
        server.turn(thread, "Speak of rhenium")
        undone = server.turn(thread, "Speak of what is undone")
        server.ask("thread/revert", threadId=thread, beforeTurnId=undone)
        server.turn(thread, "Speak of it otherwise")
    check_undone(box, checks, thread)
    box.run(client, "archive", thread)
    check_undone(box, checks, thread)


def check_undone(box, checks, thread):
    """What was taken back stays; what follows is in a file of its own, and read as one with the first."""
    checks.equal("a thread with a turn that was taken back is found once", box.sessions("rhenium"), [thread])
    wanted = ["Speak of rhenium", "Speak of what is undone", "Speak of it otherwise"]
    checks.equal("its turns", prompts(box.turns(thread)), wanted)
    hits = box.ours("search", "otherwise", "--keyword-only")["hits"]
    checks.equal("what follows is found in it", [(hit["session"], hit["resume"]) for hit in hits], [(thread, f"codex resume {thread}")])
    checks.equal("with its answer", dialogue(box.turns(thread))[2:], [("Speak of it otherwise", ["Other words."])])


def play_compressed(box, client, checks):
    """Files that have not changed for long: the client puts compressed ones in their place."""
    before = box.counts()["turns"], box.sessions("frobnicate")
    plain = glob.glob(os.path.join(box.home, ".codex/**/rollout-*.jsonl"), recursive=True)
    for path in plain:
        os.utime(path, (0, LONG_AGO))
    with Server(box, client, "-c", "features.local_thread_store_compression=true").lines:
        wait_until(lambda: not any(map(os.path.exists, plain)), "compressed files")
    checks.equal("compressed files hold the same turns and sessions", (box.counts()["turns"], box.sessions("frobnicate")), before)
    checks.equal("and are shown", prompts(box.turns(before[1][0])), [PROMPT, RESUMED[0]])


def tool_names(request):
    """The names of a request's tools, those of a namespace below it."""
    named = {tool.get("name"): tool for tool in request["tools"]}
    return sorted(tool["name"] for tool in named.get("mcp__session_search", {}).get("tools", []))


def play_setup(box, client, checks, mock):
    """What `setup` writes, as the client reads it, and its way back."""
    config = os.path.join(box.home, ".codex/config.toml")
    before = box.read(config)
    box.ours("setup", "--agent", "codex", "--yes")
    said = box.run(client, "mcp", "list")
    checks.check("the server of `setup` is listed", "session-search" in said and "enabled" in said, said)
    mock.plays([{**call("search", query="frobnicate"), "namespace": "mcp__session_search"}], [text("Told.")])
    first = len(mock.requests)
    said = box.run(client, "exec", "--skip-git-repo-check", UNASKED, "What is at hand?")
    checks.check("a session", "Told." in said, said)
    checks.equal("the server's tools reach the model", tool_names(mock.requests[first]), TOOLS)
    told_model = json.dumps(mock.requests[first], ensure_ascii=False)
    checks.check("the instructions reach the model", "Do not read transcripts by hand." in told_model)
    results = [one for one in mock.requests[-1]["input"] if one.get("type") == "function_call_output"]
    checks.check("a tool of the server answers", results and "rror" not in str(results[0]["output"])[:60], results)
    box.ours("setup", "--undo", "--yes")
    checks.equal("`setup --undo` leaves the configuration as it was", box.read(config), before)
    instructions = os.path.join(box.home, ".codex/AGENTS.md")
    checks.check("no instructions are left", not os.path.exists(instructions))
    said = box.run(client, "mcp", "list")
    checks.check("no server is left", "session-search" not in said, said)


NEW_FILE = "*** Begin Patch\n*** Add File: {}\n+one\n*** End Patch\n"


def play_memories(box, client, checks, mock):
    """Each memory in the request in which the model can use it, through the hooks of `hook install`."""
    hooks = os.path.join(box.home, ".codex/hooks.json")
    box.ours("hook", "install", "--agent", "codex", "--yes")
    save_all(box)
    mock.plays([text("Untrusted.")])
    execute(box, client, "--model", KNOWN_MODEL, ASKED)
    check_listed(checks, "a hook that nobody has trusted is not run", mock.requests[-1], 0)
    trust_hooks(box, client)
    mock.plays([patch(NEW_FILE.format("migrated.txt"))], [run(COMMAND)], [run(LOCKED)], [text("So it is.")])
    first = len(mock.requests)
    session = execute(box, client, "--model", KNOWN_MODEL, ASKED)
    check_turn(checks, mock.requests[first:])
    mock.plays([text("Once more.")])
    execute(box, client, "resume", "--model", KNOWN_MODEL, session, "And now?")
    check_listed(checks, "a session that goes on is not told the list again", mock.requests[-1], 1)
    first, release = len(mock.requests), hold(box)
    held = patch(NEW_FILE.format("held.txt"))
    mock.plays([held], [held], [text("It is written.")])
    execute(box, client, "--model", KNOWN_MODEL, "Write the held file")
    check_held(box, checks, mock.requests[first:])
    release()
    play_compacted(box, client, checks, mock)
    checks.equal("the memories are no words of the session's", box.sessions("unlock"), [])
    box.ours("hook", "uninstall", "--agent", "codex", "--yes")
    checks.check("`hook uninstall` removes the hooks", not os.path.exists(hooks))


def trust_hooks(box, client):
    """Trusts the hooks as the client does when a person says so at its terminal."""
    server = Server(box, client)
    with server.lines:
        hooks = server.ask("hooks/list", cwds=[box.project])["data"][0]["hooks"]
    config = os.path.join(box.home, ".codex/config.toml")
    trusted = [f'[hooks.state."{hook["key"]}"]\ntrusted_hash = "{hook["currentHash"]}"\n' for hook in hooks]
    box.write(config, "\n".join([box.read(config), *trusted]))


def play_compacted(box, client, checks, mock):
    server = Server(box, client)
    with server.lines:
        thread = server.ask("thread/start", cwd=box.project)["thread"]["id"]
        mock.plays([text("I begin.")], [text("A summary of rubidium.")], [text("I go on.")])
        server.turn(thread, "Begin with rubidium")
        check_listed(checks, "a thread of the app server is told the list", mock.requests[-1], 1)
        server.ask("thread/compact/start", threadId=thread)
        server.lines.until(lambda one: one.get("method") == "turn/completed", "the end of the compaction")
        server.turn(thread, "Go on with it")
    check_listed(checks, "and after a compaction again", mock.requests[-1], 1)


def play(box, client, checks):
    with ResponsesMock() as mock:
        box.env["MOCK_KEY"] = "of-no-account"
        config = CONFIG.replace("{url}", mock.url).replace("{project}", box.project)
        box.write(os.path.join(box.home, ".codex/config.toml"), config)
        session = play_tools(box, client, checks, mock)
        play_resumed(box, client, checks, mock, session)
        play_fork(box, client, checks, mock, session)
        play_subagent(box, client, checks, mock)
        play_undone(box, client, checks, mock)
        play_typed(box, client, checks, mock)
        play_compressed(box, client, checks)
        check_whole(box, checks)
        play_setup(box, client, checks, mock)
        play_memories(box, client, checks, mock)
        checks.equal("the script was played to its end", len(mock.script), 0)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play))
