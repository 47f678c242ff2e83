"""Reads pi: `.pi/agent/sessions/**/*.jsonl`, a tree of entries a file."""

import os

from records import Session, Turn, attempt, files_below, lines, mark_copies, texts

NAMES = {"bash": "Bash", "read": "Read", "edit": "Edit", "write": "Write", "grep": "Grep", "find": "Glob", "ls": "LS"}


def read(home):
    """The sessions of a home folder."""
    paths = files_below(os.path.join(home, ".pi", "agent", "sessions"), lambda name: name.endswith(".jsonl"))
    found = [Tree(path).read() for path in paths]
    return mark_copies([session for session in found if session and session.turns])


class Tree:
    """The entries of one file, in its order: branches that were left stay in it."""

    def __init__(self, path):
        self.path = path
        self.session = self.last = None
        self.parents, self.turns, self.calls = {}, {}, {}

    def read(self):
        for number, entry in lines(self.path):
            self.where = f"{os.path.basename(self.path)}:{number}"
            if entry.get("type") == "session":
                attempt(self.where, self.open, entry)
            elif self.session and "id" in entry:
                attempt(self.where, self.entry, entry)
        self.mark_left_branches()
        return self.session

    def open(self, head):
        parent = head.get("parentSession") or head.get("branchedFrom")
        parent = os.path.basename(parent).rsplit("_", 1)[-1].replace(".jsonl", "") if parent else None
        self.session = Session("pi", head["id"], forked_from=parent, cwd=head.get("cwd"), started=head.get("timestamp"),
                               files=[self.path])

    def entry(self, entry):
        identity, parent = entry["id"], entry.get("parentId")
        self.parents[identity], self.last = parent if isinstance(parent, str) else None, identity
        self.turns[identity] = self.turns.get(parent)
        if entry.get("type") == "session_info":
            self.session.title = entry.get("name") or self.session.title
        message = entry.get("message") if entry.get("type") == "message" else None
        if isinstance(message, dict):
            self.message(entry, message, message.get("role"))

    def message(self, entry, message, role):
        turn = self.turns[entry["id"]]
        if role == "user":
            self.prompt(entry, "\n".join(texts(message.get("content"))), "typed")
        elif role == "bashExecution":
            mark = "!!" if message.get("excludeFromContext") else "!"
            turn = self.prompt(entry, mark + message.get("command", ""), "command")
            turn.call("Bash", message.get("command"), failed=message.get("exitCode") != 0 or message.get("cancelled", False))
        elif role == "assistant" and turn:
            turn.answer += [text for text in texts(message.get("content")) if text.strip()]
            for block in message.get("content") or []:
                if isinstance(block, dict) and block.get("type") == "toolCall":
                    self.call(turn, block)
        elif role == "toolResult" and message.get("toolCallId") in self.calls:
            self.calls[message["toolCallId"]].failed = bool(message.get("isError"))

    def prompt(self, entry, text, kind):
        turn = Turn(text, entry.get("timestamp"), kind, origin=f"{entry['id']} {entry.get('timestamp')}", where=self.where,
                    mark=entry["id"])
        self.session.turns.append(turn)
        self.turns[entry["id"]] = turn
        return turn

    def call(self, turn, block):
        arguments = block.get("arguments") or {}
        call = self.calls[block.get("id")] = turn.call(NAMES.get(block.get("name"), block.get("name")))
        if call.name == "Bash":
            call.command = arguments.get("command")
        path = arguments.get("path") or arguments.get("file_path")
        call.files = [path] if path and call.name in ("Read", "Edit", "Write") else []

    def mark_left_branches(self):
        path, at = set(), self.last
        while at is not None and at not in path:
            path.add(at)
            at = self.parents.get(at)
        for turn in self.session.turns if self.session else []:
            turn.undone = turn.mark not in path
