"""Reads Copilot CLI: `.copilot/session-state/<id>/events.jsonl`, and `<id>.jsonl` of older versions."""

import os
import re

from records import Session, Turn, attempt, files_below, lines, mark_copies, patch_files

NAMES = {"bash": "Bash", "local_shell": "Bash", "shell": "Bash", "powershell": "Bash", "view": "Read", "edit": "Edit",
         "str_replace": "Edit", "str_replace_editor": "Edit", "apply_patch": "Edit", "create": "Write", "glob": "Glob",
         "grep": "Grep", "rg": "Grep", "task": "Agent", "ask_user": "AskUserQuestion", "skill": "Skill", "web_fetch": "WebFetch",
         "web_search": "WebSearch", "update_todo": "TodoWrite"}
EXITED = re.compile(r"<(?:shellId: \S+ )?(?:completed|exited) with exit code (-?\d+)>\s*$")
FORKED = re.compile(r"Forked from .*\(([0-9a-f-]{36})\) as ")


def read(home):
    """The sessions of a home folder."""
    root = os.path.join(home, ".copilot", "session-state")
    found = []
    for path in files_below(root, lambda name: name.endswith(".jsonl")):
        depth = os.path.relpath(path, root).count(os.sep)
        if depth == 0 or depth == 1 and os.path.basename(path) == "events.jsonl":
            found.append(Events(path).read())
    return mark_copies([session for session in found if session.turns])


class Events:
    """The events of one session. A subagent's are among them: what it ran counts to the turn that started it."""

    def __init__(self, path):
        self.path, name = path, os.path.basename(path)
        name = os.path.basename(os.path.dirname(path)) if name == "events.jsonl" else name[:-len(".jsonl")]
        self.session, self.turn, self.calls = Session("copilot", name, files=[path]), None, {}

    def read(self):
        for number, event in lines(self.path):
            data = event.get("data")
            if isinstance(data, dict):
                self.where = f"{self.session.id}:{number}"
                attempt(self.where, self.event, event.get("type"), event, data)
        workspace = self.workspace()
        self.session.title = workspace.get("name")
        self.session.cwd = self.session.cwd or workspace.get("cwd")
        self.session.branch = self.session.branch or workspace.get("branch")
        return self.session

    def workspace(self):
        """The plain keys of `workspace.yaml`."""
        try:
            with open(os.path.join(os.path.dirname(self.path), "workspace.yaml"), errors="replace") as file:
                pairs = [line.rstrip("\n").partition(": ") for line in file if not line.startswith((" ", "#", "-"))]
        except OSError:
            return {}
        return {key: value.strip("\"'") for key, _, value in pairs if value}

    def event(self, kind, event, data):
        if kind == "session.start":
            self.start(data)
        elif kind == "session.info" and data.get("infoType") == "fork":
            if forked := FORKED.search(data.get("message") or ""):
                self.session.forked_from = forked[1]
        elif kind == "user.message":
            if not event.get("agentId") and not data.get("source") and data.get("content"):
                self.prompt(event, data["content"], "typed")
        elif kind == "tool.user_requested":
            command = (data.get("arguments") or {}).get("command") or ""
            self.prompt(event, "!" + command, "command")
            self.call(data.get("toolCallId"), data.get("toolName"), data.get("arguments"))
        elif kind == "assistant.message":
            self.answer(event, data)
        elif kind == "tool.execution_start":
            self.call(data.get("toolCallId"), data.get("toolName"), data.get("arguments"), data.get("mcpServerName"),
                      data.get("mcpToolName"))
        elif kind == "tool.execution_complete":
            self.complete(data)

    def start(self, data):
        context = data.get("context") or {}
        self.session.id = data.get("sessionId") or self.session.id
        self.session.started = data.get("startTime")
        self.session.cwd, self.session.branch = context.get("cwd"), context.get("branch")

    def prompt(self, event, text, kind):
        self.turn = Turn(text, event.get("timestamp"), kind, origin=event.get("id"), where=self.where)
        self.session.turns.append(self.turn)

    def answer(self, event, data):
        if self.turn and data.get("content") and not event.get("agentId"):
            self.turn.answer.append(data["content"])
        for request in data.get("toolRequests") or []:
            self.call(request.get("toolCallId"), request.get("name"), request.get("arguments"))

    def call(self, identity, tool, arguments, server=None, method=None):
        """Notes a call, once: it is told when it is asked for and when it starts."""
        if self.turn is None:
            return
        call = self.calls.get(identity) or self.turn.call(NAMES.get(tool, tool))
        self.calls[identity] = call
        if server:
            call.name = f"mcp__{server}__{method or tool}"
        if isinstance(arguments, str):
            call.files = patch_files(arguments)
        elif isinstance(arguments, dict):
            if call.name == "Bash":
                call.command = arguments.get("command")
            if call.name in ("Read", "Edit", "Write"):
                call.files = [arguments["path"]] if arguments.get("path") else []

    def complete(self, data):
        call = self.calls.get(data.get("toolCallId"))
        if call is None:
            return
        told = EXITED.search(str((data.get("result") or {}).get("content") or ""))
        code = (data.get("shellExecution") or {}).get("exitCode", int(told[1]) if told and call.name == "Bash" else 0)
        call.failed = not data.get("success") or code != 0
        if not call.files:
            call.files = [edit["path"] for edit in data.get("fileEdits") or [] if edit.get("path")]
