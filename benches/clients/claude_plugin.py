#!/usr/bin/env python3
"""Installs the plugin into Claude Code from this checkout, and checks what the client and its model get of it.

    cargo build --release
    python3 benches/clients/claude_plugin.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import json
import os
import re
import subprocess
import sys

from claude_code import PACKAGE, PROGRAM, VERSION, prepare
from harness import ROOT, main
from mock import Mock, call, text

SERVER = "plugin:session-search:session-search"
TOOL = "mcp__plugin_session-search_session-search__"
TOOLS = [TOOL + name for name in ("history", "recall", "remember", "search", "show")]
SKILL = "session-search:session-search"
RULE = json.dumps({"permissions": {"allow": [f"Skill({SKILL})"]}})
MEMORY = "Connection pool too small"
INFO = "time-outs under load; 40 per pod"
PROMPT = "is the connection pool too small for the load?"


class Session:
    """A session without a terminal, by the client's own events."""

    def __init__(self, box, client, prompt, *options):
        said = box.run(client, "-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events", *options)
        lines = [line for line in said.splitlines() if line.startswith("{")]
        self.events = [json.loads(line) for line in lines]
        self.begin = next(event for event in self.events if event.get("subtype") == "init")
        self.hooks = [event for event in self.events if event.get("subtype") == "hook_response"]

    def results(self):
        """The results of calls."""
        return [event["message"]["content"] for event in self.events if event["type"] == "user"]

    def has_failed(self):
        return self.events[-1].get("is_error", True)

    def servers(self):
        return {server["name"]: server["status"] for server in self.begin["mcp_servers"]}


def on_path(box, *folders):
    """Puts folders before the search path of the client."""
    box.env["PATH"] = ":".join([*folders, "/usr/local/bin:/usr/bin:/bin"])


def installed(box, client):
    """The plugins that the client lists, without those that it brings itself."""
    listed = json.loads(box.run(client, "plugin", "list", "--json"))
    return [one for one in listed if not one["id"].endswith("@builtin")]


def play_install(box, client, checks):
    """The marketplace and the plugin, by the client's own commands."""
    for path in (ROOT, os.path.join(ROOT, "skill")):
        said = box.run(client, "plugin", "validate", path)
        checks.check(f"`plugin validate {os.path.relpath(path, ROOT)}`", "Validation passed" in said, said)
    said = box.run(client, "plugin", "install", "session-search", "--marketplace", ROOT)
    checks.check("one line installs it", "Successfully installed" in said, said)
    checks.equal("it is enabled", [(one["id"], one["enabled"]) for one in installed(box, client)], [("session-search@session-search", True)])
    check_cost(box, client, checks)


def check_cost(box, client, checks):
    """What the client says that the skill costs, by its own estimate: the mock would count 100 for any text."""
    address, box.env["ANTHROPIC_BASE_URL"] = box.env["ANTHROPIC_BASE_URL"], "http://127.0.0.1:9"
    said = box.run(client, "plugin", "details", "session-search") + box.run(client, "-p", "/context")
    box.env["ANTHROPIC_BASE_URL"] = address
    patterns = (rf"{SKILL} \|[^|]*\| ~(\d+)", r"session-search\s+~\d+\s+~(\d+)")
    always, loaded = (int(re.search(pattern, said)[1]) for pattern in patterns)
    checks.check(f"the skill costs {always} tokens in each session, {loaded} when it is loaded", always <= 250 and loaded <= 600)


def play_session(box, client, checks, mock):
    """A session with the program in the search path: skill, hook and server."""
    box.ours("memory", "save", "--global", "--topic", MEMORY, "--info", INFO)
    mock.plays(
        [call("ToolSearch", query="session-search recall")],
        [call(TOOL + "recall", query="connection pool")],
        [call("Skill", skill=SKILL)],
        [call("Bash", command="session-search --version")],
        [text("Told.")],
    )
    first = len(mock.requests)
    session = Session(box, client, PROMPT, "--settings", RULE, "--allowedTools", f"{TOOL}recall,Bash")
    checks.check("the skill is listed, once", session.begin["skills"].count(SKILL) == 1, session.begin["skills"])
    checks.equal("the server is connected", session.servers(), {SERVER: "connected"})
    tools = sorted(tool for tool in session.begin["tools"] if tool.startswith(TOOL))
    checks.equal("its tools", tools, TOOLS)
    checks.equal("the hooks answered", {(hook["hook_event"], hook["exit_code"]) for hook in session.hooks},
                 {("SessionStart", 0), ("UserPromptSubmit", 0), ("PreToolUse", 0)})
    told = json.dumps(mock.requests[first], ensure_ascii=False)
    checks.check("the memory is listed at the start", f"[context] {MEMORY} (mem-" in told)
    checks.check("the memory is before the prompt", f"[context] {MEMORY}; {INFO} (mem-" in told)
    results = [json.dumps(result) for result in session.results()]
    checks.check("the memory is recalled by the server", any(MEMORY in result for result in results), results)
    checks.check("the model loads the skill", any("# session-search" in result for result in results), results)
    checks.check("the program runs in the client's shell", any(re.search(r"session-search \d", result) for result in results), results)


def play_triggers(box, client, checks, mock):
    """Memories that name the file, the command or the error at hand, and a call that they hold."""
    memories = {
        "--when-path": ("Migrations", "db/", "never edit one that has run"),
        "--when-command": ("Deploys", "echo deploy *", "never on a Friday"),
        "--when-error": ("The pool", "PoolTimedOut", "raise it to forty"),
    }
    for option, (topic, trigger, info) in memories.items():
        box.ours("memory", "save", "--topic", topic, "--info", info, option, trigger)
    box.write("db/1.sql", "select 1;\n")
    path = os.path.join(box.project, "db/1.sql")
    calls = [call("Read", file_path=path), call("Bash", command="cd . && echo deploy it"), call("Bash", command="echo PoolTimedOut; exit 3")]
    mock.plays(*([one] for one in calls), [text("Told.")])
    first = len(mock.requests)
    Session(box, client, "Go on.", "--allowedTools", "Read,Bash")
    asked = [json.dumps(request, ensure_ascii=False) for request in mock.requests[first:] if request.get("tools")]
    checks.check("the topics are listed, without their text", all(topic in asked[0] and info not in asked[0] for topic, _, info in memories.values()))
    for (option, (_, _, info)), before, after in zip(memories.items(), asked, asked[1:]):
        checks.check(f"{option}: the memory comes with the call", info not in before and info in after, after[-2000:])

    path_of_config = os.path.join(box.home, ".config/session-search/config.toml")
    config = box.read(path_of_config)
    box.write(path_of_config, config + "\n[hook]\nhold = true\n")
    edit = call("Edit", file_path=path, old_string="1", new_string="2")
    deploy = call("Bash", command="echo deploy now | tee deploy.log")
    mock.plays([deploy], [deploy], [edit], [text("Told.")])
    first = len(mock.requests)
    session = Session(box, client, "And on.", "--allowedTools", "Read,Edit,Bash")
    results = [json.dumps(result, ensure_ascii=False) for result in session.results()]
    checks.check("a call is held once", "never on a Friday" in results[0] and "deploy now" not in results[0], results[0])
    checks.check("and passes then", "deploy now" in results[1], results[1:])
    checks.check("a change is held", "never edit one that has run" in results[2], results[2:])
    box.write(path_of_config, config)


def play_task(box, client, checks, mock):
    """The task of a subagent, which gets memories where the user wants it."""
    path_of_config = os.path.join(box.home, ".config/session-search/config.toml")
    config = box.read(path_of_config)
    box.write(path_of_config, config + "\n[injection]\ntimeout_ms = 3000\n[hook]\nagent_prompts = true\n")
    task = call("Agent", description="Look", prompt=PROMPT, subagent_type="general-purpose", run_in_background=False)
    mock.plays([task], [text("It is.")], [text("Told.")])
    first = len(mock.requests)
    session = Session(box, client, "Ask somebody else.")
    asked = [json.dumps(request, ensure_ascii=False) for request in mock.requests[first:] if request.get("tools")]
    block = f"[context] {MEMORY}; {INFO} (mem-"
    checks.check("the task of a subagent has its memory, the session's own request has not", [block in request for request in asked[:2]] == [False, True], asked[1][-2000:])
    checks.check("and runs without a question", not session.has_failed() and "It is." in json.dumps(session.results()), session.results())
    box.write(path_of_config, config)
    box.ours("index")
    turns = box.turns(box.sessions(PROMPT)[0]) if box.sessions(PROMPT) else []
    checks.check("what was added is not the task's words", turns and "project-memory" not in json.dumps(turns), turns)


def play_cure(box, client, checks, mock):
    """An error that was cured in an earlier session of the project, and comes back."""
    box.write("tides.sh", "[ -e table.txt ] && echo ok || { echo 'error: NoTideTable for this harbour'; exit 1; }\n")
    table = os.path.join(box.project, "table.txt")
    run = call("Bash", command="sh tides.sh")
    mock.plays([run], [call("Write", file_path=table, content="6:12 low\n")], [run], [text("The table was missing.")])
    Session(box, client, "The tides fail.", "--allowedTools", "Write,Bash")
    os.remove(table)
    box.ours("index")
    mock.plays([run], [text("Seen.")])
    first = len(mock.requests)
    Session(box, client, "The tides fail again.", "--allowedTools", "Bash")
    asked = [json.dumps(request, ensure_ascii=False) for request in mock.requests[first:] if request.get("tools")]
    known = "this error was cured by a change of"
    checks.check("what cured an error comes with it", known not in asked[0] and known in asked[1], asked[1][-2000:])


def play_two_hooks(box, client, checks, mock):
    """The hook of the settings beside the plugin's."""
    box.ours("hook", "install", "--yes")
    mock.plays([text("Told.")])
    first = len(mock.requests)
    session = Session(box, client, PROMPT)
    answers = [hook["stdout"] for hook in session.hooks if hook["hook_event"] == "UserPromptSubmit"]
    checks.equal("of two hooks one answers", [bool(answer.strip()) for answer in answers].count(True), 1)
    asked = [request for request in mock.requests[first:] if request.get("tools")]
    told = json.dumps(asked[0], ensure_ascii=False)
    checks.equal("the memory is there once", told.count(f"{MEMORY}; {INFO}"), 1)
    checks.equal("the list is there once", told.count("<project-memory"), 2)
    box.ours("hook", "uninstall", "--yes")


def play_second_skill(box, client, checks):
    """`skill install` beside the plugin."""
    said = box.run(box.program, "skill", "install")
    checks.check("a second skill is refused", "brings the skill already" in said, said)


def play_missing(box, client, checks, mock):
    """A session without the program."""
    on_path(box)
    mock.plays([call("Bash", command="session-search --version")], [text("Told.")])
    session = Session(box, client, "And without it?", "--allowedTools", "Bash")
    checks.check("without the program the session goes on", not session.has_failed(), session.events[-1])
    starts = [hook["stdout"] for hook in session.hooks if hook["hook_event"] == "SessionStart"]
    checks.check("it is told once how to get it", "is not installed" in "".join(starts), starts)
    checks.equal("no hook failed", {hook["exit_code"] for hook in session.hooks}, {0})
    checks.equal("the server failed alone", session.servers(), {SERVER: "failed"})
    results = json.dumps(session.results())
    checks.check("the shell tells the model, too", "is not installed" in results, results)


def play_removal(box, client, checks):
    said = box.run(client, "plugin", "uninstall", "session-search@session-search")
    checks.check("it is uninstalled", "Successfully uninstalled" in said, said)
    checks.equal("nothing is listed", installed(box, client), [])


def play_repository(box, client, checks):
    """The plugin from a repository, as users get it: what is committed, cloned by git under an address of the user's."""
    address, bare = "https://git.invalid/owner/session-search.git", os.path.join(box.scratch, "bare.git")
    subprocess.run(["git", "clone", "--quiet", "--bare", "--depth", "1", f"file://{ROOT}", bare], check=True)
    box.write(os.path.join(box.home, ".gitconfig"), f'[url "file://{bare}"]\n\tinsteadOf = {address}\n[safe]\n\tdirectory = *\n')
    box.run(client, "plugin", "marketplace", "remove", "session-search")
    said = box.run(client, "plugin", "install", "session-search", "--marketplace", address, seconds=300)
    checks.check("it is installed from a repository", "Successfully installed" in said, said)
    cache = os.path.join(box.home, ".claude/plugins/cache")
    files = [os.path.join(folder, name) for folder, _, names in os.walk(cache) for name in names]
    size = sum(map(os.path.getsize, files)) // 1024
    checks.check(f"the plugin takes {size} KB", 10 < size < 200, files)
    script = [path for path in files if path.endswith("bin/session-search")]
    checks.check("its script can be run", script and os.access(script[0], os.X_OK), script)


def play(box, client, checks):
    on_path(box, os.path.dirname(box.program))
    with Mock() as mock:
        prepare(box, mock)
        play_install(box, client, checks)
        play_session(box, client, checks, mock)
        play_triggers(box, client, checks, mock)
        play_task(box, client, checks, mock)
        play_cure(box, client, checks, mock)
        play_two_hooks(box, client, checks, mock)
        play_second_skill(box, client, checks)
        play_missing(box, client, checks, mock)
        play_removal(box, client, checks)
        play_repository(box, client, checks)
        checks.equal("the script was played to its end", len(mock.script), 0)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play))
