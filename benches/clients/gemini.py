#!/usr/bin/env python3
"""Plays sessions in Gemini CLI against a mock of its model's API, and checks what session-search reads of them.

    cargo build --release
    python3 benches/clients/gemini.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import os
import sys
import uuid

from checks import (ANSWERS, CHILD, ESCAPE, FAILS, PARENT, PROMPT, RESUMED, SLEEPS, SUMMARY, WORKS, check_found,
                    check_resumed, check_subagent, check_summary, check_tools, check_typed, dialogue, play_all)
from gemini_api import GeminiMock
from harness import main, typing
from mock import SIDE_ANSWER, call, text

PACKAGE, VERSION = "@google/gemini-cli", "0.61.0"
PROGRAM = ".bin/gemini"
NODE = "22"
# One that the client knows: of others it asks another model how hard the prompt is.
MODEL = "gemini-2.5-flash"


def prepare(box, mock):
    """A key that is none, an API that is the mock, and nothing that is sent elsewhere."""
    box.env.update(GOOGLE_GEMINI_BASE_URL=mock.url, GEMINI_API_KEY="of-no-account")
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "model": {"name": MODEL},
    }
    box.write(os.path.join(box.home, ".gemini/settings.json"), settings)


def ask(box, client, prompt, *options):
    """One prompt without a terminal."""
    return box.run(client, "--yolo", *options, "-p", prompt)


def run(command):
    return call("run_shell_command", command=command, description="Run it")


def play_tools(box, client, checks, mock):
    """Commands that worked and failed, and a file that is written, read and changed."""
    path = os.path.join(box.project, "notes.txt")
    mock.plays(
        [text(ANSWERS[0]), run(WORKS)],
        [run(FAILS)],
        [call("write_file", file_path=path, content="one\n")],
        [call("read_file", file_path="notes.txt")],
        [call("replace", file_path=path, old_string="one", new_string="two", instruction="Change it")],
        [text(ANSWERS[1])],
    )
    session = str(uuid.uuid4())
    ask(box, client, PROMPT, "--session-id", session)
    found, turns = check_found(box, checks)
    checks.equal("the id is the client's", found, session)
    check_tools(box, checks, turns, path, session, ["gemini", "--resume", session])
    return session


def play_resumed(box, client, checks, mock, session):
    """A second prompt in the session, in a process of its own, for which the client writes its history again."""
    mock.plays([text(RESUMED[1])])
    ask(box, client, RESUMED[0], "--resume", session)
    check_resumed(box, checks, session)


def play_subagent(box, client, checks, mock):
    mock.plays_beside(PARENT[0], CHILD[0], [text(CHILD[1]), call("complete_task", result={"response": CHILD[1]})])
    mock.plays([call("invoke_agent", agent_name="generalist", prompt=CHILD[0])], [text(PARENT[1])])
    ask(box, client, PARENT[0])
    check_subagent(box, checks)


def play_typed(box, client, checks, mock):
    """What only a terminal has: a shell escape, a file that is named, an interruption, a checkpoint, a compression."""
    box.write("README.md", "A readme of vanadium.\n")
    with typing(box, mock, [client, "--yolo"], "Type your message", os.path.join(box.home, ".gemini/tmp")) as talk:
        type_prompts(talk)
    session, turns = check_typed(box, checks, TYPED, "a file that is named, a compression, a checkpoint that is taken up")
    check_summary(checks, turns)
    titles = [box.ours("show", one)["title"] for one in box.sessions("Where is that part")]
    checks.equal("a title that the client had made of an earlier session", titles, [SIDE_ANSWER])
    mock.plays([text("It holds.")])
    ask(box, client, "And once more", "--resume", session)
    checks.equal("all of it resumed", dialogue(box.turns(session)), [*TYPED, ("And once more", ["It holds."])])


def type_prompts(talk):
    talk.says("Choose the quoxstore please", [text("So it will be.")]).until("So it will be.")
    talk.says(f"!{ESCAPE}").terminal.drain(4)
    talk.terminal.press("\x1b")  # the end of its shell mode
    talk.says("read @README.md ", [text("It is read.")]).until("It is read.")
    talk.says("Sleep with ytterbium", [run(SLEEPS)]).terminal.drain(4)
    talk.terminal.press("\x1b")
    talk.terminal.drain(3)
    talk.says("/chat save demotag").terminal.drain(3)
    talk.says("Before the compression", [text("As ever.")]).until("As ever.")
    talk.says("/compress", [text("A print.")], [text(SUMMARY)]).until(SUMMARY)
    talk.says("After the compression", [text("Still here.")]).until("Still here.")
    talk.says("/chat resume demotag").terminal.drain(4)
    talk.says("After the checkpoint", [text("Back again.")]).until("Back again.")


TYPED = [
    ("Choose the quoxstore please", ["So it will be."]),
    (f"!{ESCAPE}", []),
    ("read @README.md", ["It is read."]),
    ("Sleep with ytterbium", []),
    ("Before the compression", ["As ever."]),
    ("After the compression", ["Still here."]),
    ("After the checkpoint", ["Back again."]),
]


def play(box, client, checks):
    with GeminiMock() as mock:
        prepare(box, mock)
        play_all(box, client, checks, mock, play_tools, play_resumed, play_subagent, play_typed)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play, NODE))
