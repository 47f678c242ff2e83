"""Reads Codex CLI: `.codex/sessions/**/rollout-*.jsonl[.zst]` and `.codex/archived_sessions`.

What the interface saw (`event_msg`) is taken, not what the model saw (`response_item`): the former holds what was typed and
nothing else. Calls and their outputs are in the latter alone."""

import json
import os
import re

from records import Session, Turn, attempt, files_below, lines, mark_copies, patch_files, texts

NAMES = {"exec_command": "Bash", "shell_command": "Bash", "shell": "Bash", "local_shell": "Bash", "container.exec": "Bash",
         "apply_patch": "Edit", "update_plan": "TodoWrite", "view_image": "Read", "spawn_agent": "Agent",
         "request_user_input": "AskUserQuestion", "web_search_call": "WebSearch", "tool_search_call": "ToolSearch"}
NOT_TYPED = re.compile(r"\s*(<(environment_context|user_instructions|turn_aborted|skill|user_action|subagent_notification|"
                       r"user_shell_command|image|/image|INSTRUCTIONS|goal_context)\b|# AGENTS\.md instructions for )")
WRAPPED = re.compile(r"\s*# (Context from my IDE setup|Files mentioned by the user|Review findings)")
REQUEST = re.compile(r"^## My request for Codex:?[^\S\n]*\n", re.MULTILINE)
SHELL_ESCAPE = re.compile(r"\s*<user_shell_command>\s*<command>\n?(.*?)\n?</command>", re.DOTALL)
EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
RUNNING = re.compile(r"^Process running with session ID (\d+)", re.MULTILINE)


def read(home):
    """The sessions of a home folder."""
    root = os.path.join(home, ".codex")
    paths = {}
    for folder in ("archived_sessions", "sessions"):
        for path in files_below(os.path.join(root, folder), lambda name: re.fullmatch(r"rollout-.*\.jsonl(\.zst)?", name)):
            name = os.path.basename(path)
            if not name.endswith(".zst") or name[:-4] not in paths:
                paths[name] = path
    paths = {name: path for name, path in paths.items() if not (name.endswith(".zst") and name[:-4] in paths)}
    sessions = {}
    for path in sorted(paths.values(), key=os.path.basename):
        Rollout(path).read(sessions)
    index = optional_lines(os.path.join(root, "session_index.jsonl"))
    titles = {str(entry.get("id")): entry.get("thread_name") for _, entry in index}
    for session in sessions.values():
        session.title = titles.get(session.id) or session.title
    return mark_copies(list(sessions.values()))


def optional_lines(path):
    return lines(path) if os.path.exists(path) else []


def typed(text):
    """What was typed of a prompt that an editor wrapped."""
    parts = REQUEST.split(text) if WRAPPED.match(text) else [text]
    return parts[-1]


def enveloped(record):
    """A record of today's shape; before September 2025 there was no envelope."""
    if "payload" in record or record.get("type") == "compacted":
        return record
    kind = "response_item" if "type" in record else "session_meta" if "id" in record else "other"
    return {"type": kind, "payload": record, "timestamp": record.get("timestamp")}


class Rollout:
    """One file of a session; an undo makes a second one."""

    def __init__(self, path):
        self.path, self.records = path, [(number, enveloped(record)) for number, record in lines(path)]
        self.session = self.turn = self.task = None
        self.calls, self.arguments, self.running, self.seen = {}, {}, {}, {}
        payloads = [record["payload"] for _, record in self.records if isinstance(record.get("payload"), dict)]
        items = [payload["item"] for payload in payloads if isinstance(payload.get("item"), dict)]
        self.has_events = any(p.get("type") in ("user_message", "agent_message") for p in payloads) or any(
            item.get("type") in ("UserMessage", "AgentMessage") for item in items)
        self.is_paginated = any(payload.get("history_mode") == "paginated" for payload in payloads[:1])

    def read(self, sessions):
        for number, record in self.records:
            payload = record.get("payload")
            if not isinstance(payload, dict):
                continue
            self.where = f"{os.path.basename(self.path)}:{number}"
            if record.get("type") == "session_meta" and self.session is None:
                attempt(self.where, self.open, payload, sessions)
            if self.session is not None:
                self.time, self.ordinal = record.get("timestamp"), record.get("ordinal")
                attempt(self.where, self.record, record.get("type"), payload)

    def open(self, meta, sessions):
        """Begins the session that the first line names, or goes on with it."""
        session = sessions.setdefault(meta["id"], Session("codex", meta["id"], started=meta.get("timestamp")))
        base = meta.get("history_base") or {}
        if session.files and base.get("thread_id") == session.id:
            for turn in session.turns:
                turn.undone = turn.undone or turn.mark >= base["end_ordinal_exclusive"]
        session.files.append(self.path)
        session.parent = meta.get("parent_thread_id")
        session.forked_from = meta.get("forked_from_id")
        session.cwd = session.cwd or meta.get("cwd")
        session.branch = (meta.get("git") or {}).get("branch")
        source = meta.get("source")
        self.is_subagent = meta.get("thread_source") == "subagent" or isinstance(source, dict) and "subagent" in source
        self.session = session

    def record(self, kind, payload):
        if isinstance(payload.get("turn_id"), str) and (kind == "turn_context" or payload.get("type") == "task_started"):
            self.task = payload["turn_id"]
        if kind == "event_msg":
            self.event(payload.get("type"), payload)
        elif kind == "response_item":
            self.item(payload.get("type"), payload)

    def event(self, kind, payload):
        """What the interface saw."""
        if kind == "user_message":
            self.prompt(payload.get("message") or "")
        elif kind == "agent_message":
            self.say(payload.get("message"))
        elif kind == "item_completed":
            if payload.get("thread_id") in (None, self.session.id):
                self.completed(payload.get("item") or {})
        elif kind == "entered_review_mode":
            self.review(payload)
        elif kind == "thread_name_updated":
            self.session.title = payload.get("thread_name") or self.session.title
        elif kind == "thread_rolled_back":
            left = [turn for turn in self.session.turns if not turn.undone]
            for turn in left[len(left) - min(payload.get("num_turns") or 0, len(left)):]:
                turn.undone = True
        elif kind in ("exec_command_end", "patch_apply_end"):
            is_good = payload.get("exit_code") == 0 if kind == "exec_command_end" else payload.get("success")
            self.end(payload.get("call_id"), not is_good)

    def completed(self, item):
        kind = item.get("type")
        if kind == "UserMessage":
            self.prompt("\n".join(texts(item.get("content"))))
        elif kind == "AgentMessage":
            self.say("\n".join(texts(item.get("content"), ("Text", "text", "output_text"))))
        elif kind == "Plan":
            self.say(item.get("text"))
        elif kind == "EnteredReviewMode":
            self.review(item)
        elif kind == "CommandExecution":
            if item.get("source") == "user_shell":
                self.prompt("!" + item["command"][-1], "command")
                self.calls[item["id"]] = self.turn.call("Bash", item["command"][-1])
            self.end(item.get("id"), item.get("exit_code", 1) != 0)
        elif kind == "FileChange":
            self.end(item.get("id"), item.get("status") != "completed", list(item.get("changes") or {}))
        elif kind == "McpToolCall":
            self.end(item.get("id"), item.get("status") != "completed")

    def review(self, entered):
        target = entered.get("target") or {}
        self.prompt(f"/review {target.get('instructions') or ''}".strip(), "command")
        self.turn.loose = True

    def prompt(self, text, kind="typed"):
        count = self.seen[self.task] = self.seen.get(self.task, 0) + 1
        origin = f"{self.task} {count}" if self.task else None
        self.turn = Turn(typed(text), self.time, "model" if self.is_subagent else kind, origin=origin, where=self.where)
        self.turn.mark = self.ordinal if self.ordinal is not None else -1
        self.session.turns.append(self.turn)

    def say(self, text):
        if self.turn and text:
            self.turn.answer.append(text)

    def item(self, kind, payload):
        """What the model saw: calls and outputs, and in old files all the rest."""
        if kind == "message":
            self.message(payload)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"):
            self.call(kind, payload)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            output = payload.get("output")
            if isinstance(output, dict):
                output = output.get("content") or json.dumps(output)
            self.output(payload.get("call_id"), "\n".join(texts(output)))

    def message(self, payload):
        text = "\n".join(texts(payload.get("content")))
        escape = SHELL_ESCAPE.match(text) if payload.get("role") == "user" else None
        if escape and not self.is_paginated:
            self.prompt("!" + escape[1], "command")
            self.turn.call("Bash", escape[1])
        elif not self.has_events and payload.get("role") == "user":
            said = [part for part in texts(payload.get("content")) if not NOT_TYPED.match(part)]
            if said:
                self.prompt("\n".join(said))
        elif not self.has_events and payload.get("role") == "assistant":
            self.say(text)

    def call(self, kind, payload):
        if self.turn is None:
            return
        name = payload.get("name") or kind.replace("local_shell_call", "local_shell")
        space = payload.get("namespace")
        arguments = payload.get("arguments") or payload.get("action") or {}
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError:
                arguments = {}
        name = f"{space}__{name}" if space and space.startswith("mcp__") else NAMES.get(name, name)
        call = self.turn.call(name)
        if name == "Bash":
            command = arguments.get("cmd") or arguments.get("command")
            call.command = command if isinstance(command, str) else shell_words(command)
            call.files = patch_files(call.command) if "*** Begin Patch" in (call.command or "") else []
        elif name == "Edit":
            call.files = patch_files(payload.get("input") or arguments.get("input"))
        elif name == "Read":
            call.files = [arguments["path"]] if arguments.get("path") else []
        identity = payload.get("call_id")
        if identity:
            self.calls[identity], self.arguments[identity] = call, (payload.get("name"), arguments)

    def output(self, identity, text):
        """How a call ended, by its output, unless an event told it."""
        call, (name, arguments) = self.calls.get(identity), self.arguments.get(identity, (None, {}))
        if call is None:
            return
        if name == "write_stdin":
            call = self.running.get(str(arguments.get("session_id")), call)
        head = text[:2000]
        if running := RUNNING.search(head):
            self.running[running[1]] = call
        elif call.failed is None or name == "write_stdin":
            call.failed = has_failed(text, head)

    def end(self, identity, failed, files=()):
        call = self.calls.get(identity)
        if call is not None:
            call.failed, call.files = failed, call.files or list(files)


def shell_words(command):
    """The script of `["bash", "-lc", SCRIPT]`, else the words."""
    words = [str(word) for word in command or []]
    return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)


def has_failed(text, head):
    if text.startswith('{"output"'):
        try:
            return json.loads(text)["metadata"]["exit_code"] != 0
        except (ValueError, KeyError, TypeError):
            pass
    if exited := EXITED.search(head):
        return exited[1] != "0"
    first = head.lstrip().split("\n")[0]
    return first.startswith(("apply_patch verification failed", "unsupported call", "write_stdin failed", "failed ",
                             "aborted by user")) or "\naborted by user" in head[:200]
