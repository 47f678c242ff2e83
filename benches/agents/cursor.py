"""Reads Cursor: `state.vscdb` of the global storage, and agent transcripts. Written from descriptions: no real history was at hand."""

import json
import os
import re
import sqlite3
from urllib.parse import quote, unquote

from records import Session, Turn, files_below, from_ms, lines, texts

USERS = [".config/Cursor/User", "Library/Application Support/Cursor/User", "AppData/Roaming/Cursor/User"]
NAMES = {"run_terminal_cmd": "Bash", "run_terminal_command": "Bash", "run_terminal_command_v2": "Bash", "read_file": "Read",
         "read_file_v2": "Read", "edit_file": "Edit", "edit_file_v2": "Edit", "search_replace": "Edit", "apply_patch": "Edit",
         "write": "Write", "grep": "Grep", "grep_search": "Grep", "codebase_search": "Grep", "file_search": "Glob",
         "glob_file_search": "Glob", "list_dir": "LS", "web_search": "WebSearch", "todo_write": "TodoWrite"}
QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)


def read(home):
    """The sessions of a home folder."""
    found = []
    for user in USERS:
        path = os.path.join(home, user, "globalStorage", "state.vscdb")
        if os.path.isfile(path):
            found += composers(path)
    root = os.path.join(home, ".cursor", "projects")
    known = {session.id for session in found}
    for path in files_below(root, lambda name: name.endswith(".jsonl")):
        if f"{os.sep}agent-transcripts{os.sep}" in path:
            session = transcript(path)
            found += [session] if session.id not in known else []
    return [session for session in found if session.turns]


def composers(path):
    """The sessions of the global storage, by ranges of keys: it may hold gigabytes."""
    database = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
    try:
        rows = database.execute("SELECT value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'").fetchall()
        return [composer(database, path, data) for (value,) in rows if (data := parsed(value))]
    except sqlite3.Error:
        return []
    finally:
        database.close()


def parsed(value):
    try:
        data = json.loads(value) if value else None
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def composer(database, path, data):
    """One session: its bubbles in the order of its headers."""
    uri = (data.get("workspaceIdentifier") or {}).get("uri") or {}
    created = data.get("createdAt")
    session = Session("cursor", data.get("composerId", ""), title=data.get("name"), files=[path],
                      cwd=uri.get("fsPath") or unquote(uri.get("path") or "") or None, started=from_ms(created) if created else None)
    bubbles = data.get("conversation") or []
    for header in data.get("fullConversationHeadersOnly") or []:
        key = f"bubbleId:{session.id}:{header.get('bubbleId')}"
        row = database.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
        bubbles.append({**(parsed(row[0]) if row else None or {}), "type": header.get("type")})
    for bubble in bubbles:
        add_bubble(session, bubble)
    return session


def add_bubble(session, bubble):
    text, tool = bubble.get("text") or "", bubble.get("toolFormerData") or {}
    if bubble.get("type") == 1:
        if text.strip():
            session.turns.append(Turn(text, bubble.get("createdAt"), where=f"bubble {bubble.get('bubbleId')}"))
    elif session.turns:
        if text.strip():
            session.turns[-1].answer.append(text)
        if tool.get("name"):
            arguments = parsed(tool.get("rawArgs") or tool.get("params")) or {}
            call = session.turns[-1].call(NAMES.get(tool["name"], tool["name"]), failed=tool.get("status") in ("error", "cancelled"))
            call.command = arguments.get("command") if call.name == "Bash" else None
            named = arguments.get("target_file") or arguments.get("file_path") or arguments.get("path")
            call.files = [named] if named and call.name in ("Read", "Edit", "Write") else []


def transcript(path):
    """A transcript of the agent: roles and texts, without ids and times."""
    session = Session("cursor", os.path.splitext(os.path.basename(path))[0], files=[path])
    for number, line in lines(path):
        said = "\n".join(texts((line.get("message") or {}).get("content")))
        if line.get("role") == "user":
            asked = QUERY.findall(said)
            if asked or "<" not in said[:1]:
                session.turns.append(Turn("\n".join(asked) or said, where=f"{os.path.basename(path)}:{number}"))
        elif line.get("role") == "assistant" and session.turns and said.strip():
            session.turns[-1].answer.append(said)
    return session
