#!/usr/bin/env python3
"""Plays sessions in Claude Code against a mock of its API, and checks what session-search reads of them.

    cargo build --release
    python3 benches/clients/claude_code.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import os
import sys

from checks import (ANSWERS, CHILD, ESCAPE, FAILS, PARENT, PROMPT, RESUMED, SLEEPS, WORKS, answers, calls, check_found,
                    check_resumed, check_subagent, check_tools, play_all, prompts, texts, told)
from harness import machine, main, typing
from mock import Mock, Reply, call, text

PACKAGE, VERSION = "@anthropic-ai/claude-code", "2.1.332"
PROGRAM = f"@anthropic-ai/claude-code-{machine()}/claude"
KEY = "sk-ant-api03-of-no-account-for-the-loopback"
TOOLS = "Bash,Write,Read,Edit,Agent"
QUESTION = {
    "question": "Which store do we use?",
    "header": "Store",
    "multiSelect": False,
    "options": [{"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"}],
}


def prepare(box, mock):
    """A home folder of somebody who has used the client before."""
    box.env.update(
        ANTHROPIC_BASE_URL=mock.url,
        ANTHROPIC_API_KEY=KEY,
        DISABLE_AUTOUPDATER="1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    known = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {box.project: trusted}}
    keys = {"customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []}}
    box.write(os.path.join(box.home, ".claude.json"), {**known, **keys})
    box.write(".claude/commands/deploy.md", "Deploy to $ARGUMENTS, carefully.\n")


def ask(box, client, prompt, *options):
    """One prompt without a terminal, with the tools that the script calls."""
    return box.run(client, "-p", prompt, "--permission-mode", "acceptEdits", "--allowedTools", TOOLS, *options)


def play_tools(box, client, checks, mock):
    """Commands that worked and failed, and a file that is written, read and changed."""
    path = os.path.join(box.project, "notes.txt")
    mock.plays(
        [text(ANSWERS[0]), call("Bash", command=WORKS, description="Say hello")],
        [call("Bash", command=FAILS)],
        [call("Write", file_path=path, content="one\n")],
        [call("Read", file_path=path)],
        [call("Edit", file_path=path, old_string="one", new_string="two")],
        [text(ANSWERS[1])],
    )
    ask(box, client, PROMPT)
    session, turns = check_found(box, checks)
    check_tools(box, checks, turns, path, session, ["claude", "--resume", session])
    return session


def play_resumed(box, client, checks, mock, session):
    """A second prompt in the session, in a process of its own."""
    mock.plays([text(RESUMED[1])])
    ask(box, client, RESUMED[0], "--resume", session)
    check_resumed(box, checks, session)


def play_subagent(box, client, checks, mock):
    asks = call("Agent", description="Look around", prompt=CHILD[0], subagent_type="general-purpose", run_in_background=False)
    mock.plays([asks], [text(CHILD[1])], [text(PARENT[1])])
    ask(box, client, PARENT[0])
    check_subagent(box, checks)


def play_skill(box, client, checks, mock):
    """The skill that this program installs, loaded and used by the model."""
    box.ours("skill", "install")
    nothing = f"{box.program} search zygomorphic --keyword-only --json --quiet"
    mock.plays([call("Skill", skill="session-search")], [call("Bash", command=nothing)], [text("Nothing was found.")])
    first = len(mock.requests)
    ask(box, client, "Was the skill used?", "--settings", '{"permissions": {"allow": ["Skill(session-search)"]}}')
    requests = mock.requests[first:]
    checks.check("its description reaches the model", "past sessions of coding agents" in str(requests[0]))
    checks.check("the rule `Skill(session-search)` lets the model load it", "# session-search" in str(requests[1:]))
    ran = calls(box.turns(box.sessions("Was the skill used")[0]), "Bash")
    checks.equal("a search that finds nothing is no failure", [one["failed"] for one in ran], [False])
    checks.check("its output is JSON alone", ran and ran[0]["output"].startswith("{"), ran)


def typed(box, client, mock):
    command = [client, "--permission-mode", "acceptEdits", "--allowedTools", TOOLS]
    return typing(box, mock, command, "accept edits on")


def play_typed(box, client, checks, mock):
    """What only a terminal has: a question, a slash command, a shell escape, prompts that wait."""
    with typed(box, client, mock) as talk:
        type_prompts(talk)
    check_typed(box, checks)


def type_prompts(talk):
    type_question(talk)
    talk.says("/deploy staging", [text("It is deployed.")]).until("It is deployed.")
    talk.says(f"!{ESCAPE}", [text("An escape.")]).until("An escape.")
    type_waiting(talk)


def type_question(talk):
    asks = [text("I ask."), call("AskUserQuestion", questions=[QUESTION])]
    talk.says("Choose the quoxstore please", asks, [text("So it will be.")]).until(QUESTION["question"])
    talk.terminal.press("\r")
    talk.until("So it will be.")


def type_waiting(talk):
    """A prompt while a tool runs, which joins the turn, and one while the model speaks, which waits for its end."""
    talk.says("Run the slow thing", [call("Bash", command="sleep 5; echo slept")], [text("It slept.")])
    talk.terminal.drain(1)
    talk.says("typed while a tool runs").until("It slept.")
    talk.says("Speak slowly", Reply([text("Slow words.")], delay=5), [text("The last words.")])
    talk.terminal.drain(1)
    talk.says("typed while the model speaks").until("The last words.")


TYPED = [
    ("typed", "Choose the quoxstore please", ["I ask.", "So it will be."]),
    ("command", "/deploy staging", ["It is deployed."]),
    ("command", f"!{ESCAPE}", ["An escape."]),
    ("typed", "Run the slow thing", []),
    ("typed", "typed while a tool runs", ["It slept."]),
    ("typed", "Speak slowly", ["Slow words."]),
    ("typed", "typed while the model speaks", ["The last words."]),
]


def check_typed(box, checks):
    found = box.sessions("quoxstore")
    checks.equal("a typed prompt finds its session alone", len(found), 1)
    turns = box.turns(found[0])
    names = ["question to the user", "slash command", "shell escape", "prompt before a slow tool",
             "prompt while a tool runs", "prompt before a slow answer", "prompt while the model speaks"]
    checks.equal("turns", prompts(turns), [prompt for _, prompt, _ in TYPED])
    for name, turn, wanted in zip(names, turns, TYPED):
        checks.equal(name, (turn["kind"], turn["prompt"], answers([turn])), wanted)
    asked = calls(turns, "AskUserQuestion")
    checks.check("the user's answer is in the question's result", "SQLite" in str(asked[0].get("output")), asked)
    checks.equal("it is found by it", box.sessions("SQLite"), found)
    ran = [what["command"] for what in told(box, "commands", ESCAPE)]
    checks.equal("the shell escape is a command that ran", ran, [ESCAPE])


PASTED = [f"line {n} of the xylograph" for n in range(30)]


def play_changed(box, client, checks, mock):
    """What changes a session: a paste, a name, an interruption, a compaction."""
    with typed(box, client, mock) as talk:
        type_changes(talk)
    found = box.sessions("xylograph")
    checks.equal("a paste finds its session alone", len(found), 1)
    checks.equal("a name that was given", box.ours("show", found[0])["title"], "Named by hand")
    turns = box.turns(found[0])
    own, pasted = turns[0]["prompt"].split("\n\n", 1)
    checks.equal("words beside a paste come first", (own, pasted.splitlines()), ("what does it mean?", PASTED))
    wanted = ["Sleep with ytterbium", "Go on after it", "/compact", "After the compaction?"]
    checks.equal("prompts around an interruption and a compaction", prompts(turns[1:]), wanted)
    ran = [(one["command"], one.get("unfinished")) for one in calls([turns[1]])]
    checks.equal("a command that was interrupted", ran, [(SLEEPS, True)])
    checks.equal("answers before and after", answers(turns[2:]), ["Going on.", "Still here."])
    summaries = texts(turns, "summary")
    checks.check("the summary is none of the prompts", len(summaries) == 1 and "of vanadium" in summaries[0], summaries)


def type_changes(talk):
    talk.terminal.press("\x1b[200~" + "\n".join(PASTED) + "\x1b[201~")
    talk.says(" what does it mean?", [text("It is a print.")]).until("It is a print.")
    talk.says("/rename Named by hand").terminal.drain(2)
    talk.says("Sleep with ytterbium", [call("Bash", command=SLEEPS)])
    talk.terminal.drain(3)
    talk.terminal.press("\x1b")
    talk.until("Interrupted")
    talk.says("Go on after it", [text("Going on.")]).until("Going on.")
    talk.says("/compact", [text("<summary>A print of vanadium.</summary>")]).until("Compacted")
    talk.says("After the compaction?", [text("Still here.")]).until("Still here.")


def play(box, client, checks):
    with Mock() as mock:
        prepare(box, mock)
        play_all(box, client, checks, mock, play_tools, play_resumed, play_subagent, play_typed, play_changed, play_skill)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play))
