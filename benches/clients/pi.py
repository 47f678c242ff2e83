#!/usr/bin/env python3
"""Plays sessions in pi against a mock of its model's API, and checks what session-search reads of them.

    cargo build --release
    python3 benches/clients/pi.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import os
import sys

from checks import (ANSWERS, ESCAPE, FAILS, FORK, PROMPT, RESUMED, SLEEPS, SUMMARY, WORKS, check_fork, check_found,
                    check_name_and_summary, check_resumed, check_tools, check_typed, dialogue, play_all, told, told_runs)
from harness import Lines, main, typing
from mock import Mock, call, text

PACKAGE, VERSION = "@earendil-works/pi-coding-agent", "1.6.0"
PROGRAM = ".bin/pi"
NODE = "22"


def prepare(box, mock):
    """A model of the mock alone, and no look for newer versions."""
    box.env["PI_OFFLINE"] = "1"
    provider = {"baseUrl": mock.url, "api": "anthropic-messages", "apiKey": "of-no-account", "models": [{"id": "m"}]}
    box.write(os.path.join(box.home, ".pi/agent/models.json"), {"providers": {"mock": provider}})
    settings = {"defaultProvider": "mock", "defaultModel": "m", "compaction": {"keepRecentTokens": 1}, "retry": {"enabled": False}}
    box.write(os.path.join(box.home, ".pi/agent/settings.json"), settings)


def ask(box, client, prompt, *options):
    """One prompt without a terminal."""
    return box.run(client, *options, "-p", "--", prompt)


def play_tools(box, client, checks, mock):
    """Commands that worked and failed, and a file that is written, read and changed."""
    path = os.path.join(box.project, "notes.txt")
    mock.plays(
        [text(ANSWERS[0]), call("bash", command=WORKS)],
        [call("bash", command=FAILS)],
        [call("write", path=path, content="one\n")],
        [call("read", path="notes.txt")],
        [call("edit", path=path, edits=[{"oldText": "one", "newText": "two"}])],
        [text(ANSWERS[1])],
    )
    ask(box, client, PROMPT)
    session, turns = check_found(box, checks)
    check_tools(box, checks, turns, path, session, ["pi", "--session", session], "MultiEdit")
    return session


def play_resumed(box, client, checks, mock, session):
    """A second prompt in the session, in a process of its own."""
    mock.plays([text(RESUMED[1])])
    ask(box, client, RESUMED[0], "--continue")
    check_resumed(box, checks, session)


SCRIPT = """await tools.bash({command: "echo by-script"});
await tools.bash({command: "ls /nowhere-44"});
await tools.write({path: "made.txt", content: "one"});
return 1;"""


def play_script(box, client, checks, mock):
    """A script of the model that makes calls, and a file that is attached to the prompt."""
    box.write("lamp.txt", "A word of pumice.\n")
    mock.plays([call("codemode", code=SCRIPT)], [text("Scripted.")])
    box.run(client, "@lamp.txt", "--tools", "+codemode", "-p", "Look by strontium")
    found = box.sessions("strontium")
    checks.equal("a session with an attached file is found alone", len(found), 1)
    checks.equal("the words are the prompt", dialogue(box.turns(found[0])), [("Look by strontium\n\n@lamp.txt", ["Scripted."])])
    checks.equal("`files` tells the attached file as read", touches(box, "lamp.txt"), ["read"])
    runs = told_runs(box, "by-script") + told_runs(box, "nowhere-44")
    checks.equal("what a script ran", runs, [("echo by-script", False), ("ls /nowhere-44", True)])
    checks.equal("`files` tells what it wrote", touches(box, "made.txt"), ["written"])


def touches(box, name):
    return [file["touch"] for file in told(box, "files", name)]


class Rpc:
    """The client, driven by JSON: what its terminal does, without the keys."""

    def __init__(self, box, client, *options):
        self.lines = Lines(box, [client, "--mode", "rpc", *options])

    def ask(self, kind, **values):
        answer = self.lines.ask({"type": kind, **values})
        if not answer["success"]:
            raise RuntimeError(f"{kind}: {answer}")
        return answer.get("data")

    def prompt(self, words, **values):
        """A prompt, to its end."""
        self.ask("prompt", message=words, **values)
        self.settle(words)

    def settle(self, what):
        self.lines.until(lambda one: one["type"] == "agent_settled", f"the end of {what!r}")


def play_changed(box, client, checks, mock):
    """Shell escapes, a prompt that steers, an interruption, a compaction, a name; then a copy."""
    rpc = Rpc(box, client)
    with rpc.lines:
        play_rpc(rpc, mock)
        session, turns = check_typed(box, checks, CHANGED, "a prompt that steers, a compaction")
        checks.equal("a shell escape that failed", told_runs(box, "ls /nowhere-43"), [("ls /nowhere-43", True)])
        check_name_and_summary(box, checks, session, turns)
        play_fork(mock, rpc)
    check_fork(box, checks, session, "quoxstore")


def play_rpc(rpc, mock):
    mock.plays([text("So it will be.")])
    rpc.prompt("Choose the quoxstore please")
    rpc.ask("bash", command=ESCAPE)
    rpc.ask("bash", command="ls /nowhere-43", excludeFromContext=True)
    mock.plays([call("bash", command="sleep 3; echo slept")], [text("It slept.")])
    rpc.ask("prompt", message="Run the slow thing")
    rpc.lines.until(lambda one: one["type"] == "tool_execution_start", "the slow thing")
    rpc.ask("steer", message="typed while a tool runs")
    rpc.settle("the slow thing")
    mock.plays([call("bash", command=SLEEPS)])
    rpc.ask("prompt", message="Sleep with ytterbium")
    rpc.lines.until(lambda one: one["type"] == "tool_execution_start", "the sleep")
    rpc.ask("abort")
    mock.plays([text(SUMMARY)], [text("It slept.")])
    rpc.ask("compact")  # a summary, and one of the turn that is cut
    mock.plays([text("Still here.")])
    rpc.prompt("After the compaction?")
    rpc.ask("set_session_name", name="Named by hand")


CHANGED = [
    ("Choose the quoxstore please", ["So it will be."]),
    (f"!{ESCAPE}", []),
    ("!!ls /nowhere-43", []),
    ("Run the slow thing", []),
    ("typed while a tool runs", ["It slept."]),
    ("Sleep with ytterbium", []),
    ("After the compaction?", ["Still here."]),
]


def play_fork(mock, rpc):
    """A copy up to a prompt, which is asked again otherwise."""
    entry = next(one for one in rpc.ask("get_fork_messages")["messages"] if one["text"] == "After the compaction?")
    rpc.ask("fork", entryId=entry["entryId"])
    mock.plays([text(FORK[1])])
    rpc.prompt(FORK[0])


def play_branches(box, client, checks, mock):
    """A branch within a session: a prompt that is asked again otherwise in the client's tree."""
    with typing(box, mock, [client], "/128k") as talk:
        type_branches(talk)
    found = box.sessions("rhenium")
    checks.equal("a session of a terminal is found alone", len(found), 1)
    wanted = [("Speak of rhenium", ["Kept words."]), ("Speak of hafnium", ["Left words."]), ("Speak of iridium", ["Other words."])]
    checks.equal("both branches are read", dialogue(box.turns(found[0])), wanted)
    checks.equal("what was left is found, too", box.sessions("hafnium"), found)


def type_branches(talk):
    talk.says("Speak of rhenium", [text("Kept words.")]).until("Kept words.")
    talk.says("Speak of hafnium", [text("Left words.")]).until("Left words.")
    talk.says("/tree").terminal.drain(1)
    talk.terminal.press("\x1b[A")  # from the last answer up to its prompt
    talk.terminal.press("\r")
    talk.terminal.drain(1)
    talk.terminal.press("\r")  # no summary of the branch that is left
    talk.terminal.drain(1)
    talk.terminal.press("\x15")  # the prompt is offered again: clear it
    talk.says("Speak of iridium", [text("Other words.")]).until("Other words.")


def play(box, client, checks):
    with Mock(compacts=True) as mock:
        prepare(box, mock)
        play_all(box, client, checks, mock, play_tools, play_resumed, play_script, play_changed, play_branches)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play, NODE))
