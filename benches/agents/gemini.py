"""Reads Gemini CLI: `.gemini/tmp/*/chats`, documents (`.json`) and lines (`.jsonl`).

The records of a file are taken as they first were: lists that the client writes anew (`$set.messages`) repeat them in another shape,
after a compression without what was typed before."""

import hashlib
import json
import os
import re

from records import Session, Turn, attempt, files_below, lines, texts

NAMES = {"run_shell_command": "Bash", "read_file": "Read", "read_many_files": "Read", "replace": "Edit", "write_file": "Write",
         "glob": "Glob", "grep_search": "Grep", "search_file_content": "Grep", "list_directory": "LS", "web_fetch": "WebFetch",
         "google_web_search": "WebSearch", "write_todos": "TodoWrite", "invoke_agent": "Agent"}
CLIENTS_WORDS = re.compile(r"\s*(<session_context>|This is the Gemini CLI\. We are setting up the context|System: |"
                           r"You have stopped calling tools without finishing)")
SHELL_ESCAPE = re.compile(r"I ran the following shell command:\n```sh\n(.*?)\n```\n\nThis produced the following result:\n", re.DOTALL)
FILES_FOLLOW = "--- Content from referenced files ---"
EXIT_CODE = re.compile(r"^Exit Code: (-?\d+)", re.MULTILINE)


def read(home):
    """The sessions of a home folder."""
    root = os.path.join(home, ".gemini")
    sessions, known = {}, {}
    for path in files_below(os.path.join(root, "tmp"), lambda name: name.endswith((".json", ".jsonl"))):
        if "chats" in os.path.relpath(path, root).split(os.sep)[2:-1]:
            Chat(path, projects(root)).read(sessions, known)
    kept = [session for session in sessions.values() if session.turns]
    mark_replays(kept)
    return kept


def projects(root):
    """Folders of projects by the name or hash of their folder here."""
    try:
        with open(os.path.join(root, "projects.json")) as file:
            known = json.load(file).get("projects", {})
    except (OSError, ValueError):
        return {}
    hashes = {hashlib.sha256(path.encode()).hexdigest(): path for path in known}
    return {**{name: path for path, name in known.items()}, **hashes}


def mark_replays(sessions):
    """Marks the turns that `/chat resume` brought from a session of the folder, often the same one."""
    typed = {turn.prompt for session in sessions for turn in session.turns if not turn.mark}
    for session in sessions:
        for turn in session.turns:
            turn.copy = turn.mark and turn.prompt in typed


class Chat:
    """One file."""

    def __init__(self, path, folders):
        self.path = path
        self.folder = os.path.join(path.split(f"{os.sep}chats{os.sep}")[0])
        self.cwd = folders.get(os.path.basename(self.folder))
        self.session = self.turn = None
        self.replays = False
        self.called = {}

    def read(self, sessions, known):
        for number, record in self.records():
            self.where = f"{os.path.basename(self.path)}:{number}"
            if self.session is not None:
                attempt(self.where, self.record, record)
            elif "sessionId" in record:
                attempt(self.where, self.open, record, sessions, known)

    def records(self):
        if self.path.endswith(".jsonl"):
            yield from lines(self.path)
            return
        try:
            with open(self.path, "rb") as file:
                document = json.load(file)
        except ValueError:
            return
        if isinstance(document, dict) and isinstance(document.get("messages"), list):
            yield 1, {key: value for key, value in document.items() if key != "messages"}
            yield from enumerate(document["messages"])

    def open(self, head, sessions, known):
        session = sessions.setdefault(head["sessionId"], Session("gemini", head["sessionId"], started=head.get("startTime")))
        self.known = known.setdefault(session.id, {})  # the turn of each message
        session.files.append(self.path)
        session.cwd = session.cwd or self.root() or self.cwd or next(iter(head.get("directories") or []), None)
        session.title = head.get("summary") or session.title
        if head.get("kind") == "subagent":
            session.parent = os.path.basename(os.path.dirname(self.path))
        self.session = session

    def root(self):
        try:
            with open(os.path.join(self.folder, ".project_root"), errors="replace") as file:
                return file.read().strip()
        except OSError:
            return None

    def record(self, record):
        if "$rewindTo" in record:
            self.rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), dict):
            self.session.title = record["$set"].get("summary") or self.session.title
            self.replays = self.replays and "messages" not in record["$set"]
        elif "id" in record:
            self.message(record)

    def rewind(self, identity):
        ids = list(self.known)
        gone = set(ids[ids.index(identity):]) if identity in self.known else set()
        for turn in self.session.turns:
            turn.undone = turn.undone or turn.origin in gone

    def message(self, record):
        kind, is_new = record.get("type"), record["id"] not in self.known
        turn = self.known.setdefault(record["id"], self.turn)
        if kind == "user" and is_new:
            self.user(record)
        elif kind == "gemini" and turn is not None:
            said = [block for block in record.get("content") or [] if isinstance(block, str) or not block.get("thought")]
            said = "".join(texts("".join(said) if all(isinstance(part, str) for part in said) else said))
            if is_new and said.strip():
                turn.answer.append(said)
            self.calls(turn, record)

    def user(self, record):
        parts = texts(record.get("content"))
        if parts and parts[0].lstrip().startswith("<session_context>") and self.session.turns:
            self.replays = True  # a checkpoint is brought back: what follows was typed elsewhere
        for text, kind in prompts(parts, texts(record.get("displayContent"))):
            if self.session.parent:
                if self.session.turns:
                    return  # only the first is the task
                kind = "model"
            self.turn = Turn(text, record.get("timestamp"), kind, origin=record["id"], where=self.where,
                             mark=self.replays)
            if kind == "command":
                self.turn.call("Bash", text[1:])
            self.session.turns.append(self.turn)
            self.known[record["id"]] = self.turn

    def calls(self, turn, record):
        for raw in record.get("toolCalls") or []:
            call = self.called.get(raw.get("id")) or turn.call(tool_name(raw.get("name") or ""))
            self.called[raw.get("id")] = call
            arguments = raw.get("args") or {}
            if call.name == "Bash":
                call.command = arguments.get("command")
            path = arguments.get("file_path") or arguments.get("absolute_path")
            call.files = [path] if path and call.name in ("Read", "Edit", "Write") else []
            call.failed = has_failed(raw, call.name)


def prompts(parts, shown):
    """The prompts that a user's message holds, each with its kind."""
    if parts and CLIENTS_WORDS.match(parts[0]):
        return []
    found = []
    while parts and (escape := SHELL_ESCAPE.match(parts[0])):
        found.append(("!" + escape[1], "command"))
        parts = parts[1:]
    end = next((index for index, part in enumerate(parts) if part.strip().startswith(FILES_FOLLOW)), len(parts))
    text = "\n".join(shown if shown and not found else parts[:end])
    return found + ([(text, "typed")] if text.strip() else [])


def tool_name(name):
    server = re.fullmatch(r"mcp_([^_].*?)_(.+)", name)
    return f"mcp__{server[1]}__{server[2]}" if server else NAMES.get(name, name)


def has_failed(raw, name):
    status = raw.get("status")
    if status in ("error", "cancelled"):
        return True
    answers = [part.get("functionResponse") or {} for part in raw.get("result") or [] if isinstance(part, dict)]
    outputs = [str((answer.get("response") or {}).get("output") or "") for answer in answers]
    codes = EXIT_CODE.findall("\n".join(outputs)) if name == "Bash" else []
    return bool(codes) and codes[-1] != "0" if status == "success" else None
