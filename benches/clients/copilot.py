#!/usr/bin/env python3
"""Plays sessions in Copilot CLI against a mock of its model's API, and checks what session-search reads of them.

    cargo build --release
    python3 benches/clients/copilot.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import os
import sys
import uuid

from checks import (ANSWERS, CHILD, ESCAPE, FAILS, FORK, PARENT, PROMPT, RESUMED, SLEEPS, SUMMARY, WORKS, calls,
                    check_fork, check_found, check_name_and_summary, check_resumed, check_tools, check_typed, dialogue,
                    play_all, told)
from harness import machine, main, typing
from mock import Mock, Reply, call, text

PACKAGE, VERSION = "@github/copilot", "1.0.102"
PROGRAM = f"@github/copilot-{machine()}/copilot"


def prepare(box, mock):
    """A model of the mock alone, without a login, and a folder that is trusted."""
    box.env.update(
        COPILOT_OFFLINE="true",
        COPILOT_AUTO_UPDATE="false",
        COPILOT_ALLOW_ALL="true",
        COPILOT_PROVIDER_BASE_URL=mock.url,
        COPILOT_PROVIDER_TYPE="anthropic",
        COPILOT_PROVIDER_API_KEY="of-no-account",
        COPILOT_MODEL="m",
    )


def ask(box, client, prompt, *options):
    """One prompt without a terminal."""
    return box.run(client, "-p", prompt, *options)


def run(command, **options):
    return call("bash", command=command, description="Run it", **options)


def play_tools(box, client, checks, mock):
    """Commands that worked and failed, and a file that is written, read and changed."""
    path = os.path.join(box.project, "notes.txt")
    mock.plays(
        [text(ANSWERS[0]), run(WORKS)],
        [run(FAILS)],
        [call("create", path=path, file_text="one\n")],
        [call("view", path=path)],
        [call("edit", path=path, old_str="one", new_str="two")],
        [text(ANSWERS[1])],
    )
    session = str(uuid.uuid4())
    ask(box, client, PROMPT, "--session-id", session)
    found, turns = check_found(box, checks)
    checks.equal("the id is the client's", found, session)
    check_tools(box, checks, turns, path, session, ["copilot", "--resume", session])
    return session


def play_resumed(box, client, checks, mock, session):
    """A second prompt in the session, in a process of its own."""
    mock.plays([text(RESUMED[1])])
    ask(box, client, RESUMED[0], "--resume", session)
    check_resumed(box, checks, session)


def play_subagent(box, client, checks, mock):
    """A subagent, whose events stand in its parent's file: what it ran counts to the turn that started it."""
    command = "echo of-a-subagent-88"
    mock.plays_beside(PARENT[0], CHILD[0], [run(command)], [text(CHILD[1])])
    task = call("task", name="look", description="Look around", prompt=CHILD[0], agent_type="general-purpose", mode="sync")
    mock.plays([task], [text(PARENT[1])])
    ask(box, client, PARENT[0])
    found = box.sessions("subagent")
    checks.equal("the parent of a subagent is found alone", len(found), 1)
    turns = box.turns(found[0])
    checks.equal("the parent's prompt and answer alone", dialogue(turns), [(PARENT[0], [PARENT[1]])])
    checks.check("the subagent's words are its call's result", CHILD[1] in str(calls(turns, "Task")), calls(turns))
    checks.equal("what it ran is told", told(box, "commands", command), [{"command": command, "failed": False}])


def play_typed(box, client, checks, mock):
    """What only a terminal has: a shell escape, a prompt that waits, an interruption, a name, a compaction, a fork."""
    history = os.path.join(box.home, ".copilot/session-state")
    with typing(box, mock, [client], "Copilot v", history) as talk:
        type_prompts(talk)
    session, turns = check_typed(box, checks, TYPED, "a prompt while the model speaks, a compaction")
    check_name_and_summary(box, checks, session, turns)
    with typing(box, mock, [client, "--resume", session], "Copilot v", history) as talk:
        talk.says("/fork").terminal.drain(4)
        talk.says(FORK[0], [text(FORK[1])]).until(FORK[1])
    check_fork(box, checks, session, "quoxstore")


def type_prompts(talk):
    talk.says("Choose the quoxstore please", [text("So it will be.")]).until("So it will be.")
    talk.says(f"!{ESCAPE}").terminal.drain(3)
    talk.says("Speak slowly", Reply([text("Slow words.")], delay=5), [text("The last words.")]).terminal.drain(1)
    talk.says("typed while the model speaks").until("The last words.")
    talk.says("Sleep with ytterbium", [run(SLEEPS, initial_wait=60)]).terminal.drain(3)
    talk.terminal.press("\x03")
    talk.terminal.drain(2)
    talk.says("/rename Named by hand").terminal.drain(3)
    talk.says("/compact", [text(SUMMARY)]).terminal.drain(5)
    talk.says("After the compaction?", [text("Still here.")]).until("Still here.")


TYPED = [
    ("Choose the quoxstore please", ["So it will be."]),
    (f"!{ESCAPE}", []),
    ("Speak slowly", ["Slow words."]),
    ("typed while the model speaks", ["The last words."]),
    ("Sleep with ytterbium", []),
    ("After the compaction?", ["Still here."]),
]


def play(box, client, checks):
    with Mock(compacts=True) as mock:
        prepare(box, mock)
        play_all(box, client, checks, mock, play_tools, play_resumed, play_subagent, play_typed)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play))
