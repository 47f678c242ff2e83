"""Writes bench items as sessions of Claude Code, one a file, and says where the text of each stands. Used by run.py."""

import json
import uuid
from dataclasses import dataclass

from draw import Item, seeded

# What the index keeps in full: only these count.
COUNTED = ["prompt", "answer", "command"]
OTHERS = ["write", "result", "error", "title"]
SECRET_ORDER = [
    "prompt",
    "answer",
    "command",
    "write",
    "prompt",
    "command",
    "answer",
    "result",
    "prompt",
    "answer",
    "command",
    "error",
    "title",
]
SMALL_TALK = [
    "Please go on with the next step of the plan.",
    "Can you look at the failing build of the main branch?",
    "Schau dir bitte die letzte Änderung an.",
    "What does this do, and is it still needed?",
]
REPLIES = [
    "I looked at it and changed two lines.",
    "Done. The build is green again.",
    "Ich habe es angepasst und geprüft.",
]


@dataclass(frozen=True)
class Case:
    item: Item
    position: str
    session: str
    anchor: str


def cases(items, order):
    """Gives each item a position, a session id, and words that show that its text was indexed."""
    made = []
    for number, item in enumerate(items):
        rng = seeded(f"{item.kind} {number}")
        session = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        position = order[number % len(order)]
        if position == "title" and ("\n" in item.text or len(item.text) > 150):
            position = "prompt"
        made.append(Case(item, position, session, f"lantern-{number:04d}"))
    return made


def base(case, sort, number):
    return {
        "type": sort,
        "uuid": str(uuid.uuid5(uuid.UUID(case.session), str(number))),
        "parentUuid": str(uuid.uuid5(uuid.UUID(case.session), str(number - 1))) if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": f"/home/ann/{case.item.kind}",
        "sessionId": case.session,
        "version": "2.1.160",
        "gitBranch": "main",
        "timestamp": f"2026-03-02T09:00:{number:02d}.000Z",
    }


def user(case, number, content):
    return base(case, "user", number) | {"message": {"role": "user", "content": content}}


def assistant(case, number, block):
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [block],
    }
    return base(case, "assistant", number) | {"requestId": f"req_{number}", "message": message}


def call(case, number, tool, given):
    return assistant(case, number, {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": given})


def result(case, number, text, failed=False):
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number - 1}", "content": text, "is_error": failed}
    return user(case, number, [block])


def command_of(case):
    if case.item.context == "shell":
        return f"# {case.anchor}\n{case.item.text}"
    return f"# {case.anchor}\ncat > notes.txt <<'EOF'\n{case.item.text}\nEOF"


def words_of(case, number):
    """Prompt and answer: the text of the item where it stands there, else small talk. The anchor stands in front."""
    prompt, answer = SMALL_TALK[number % len(SMALL_TALK)], REPLIES[number % len(REPLIES)]
    if case.position == "prompt":
        prompt = f"Case {case.anchor}.\n\n{case.item.text}"
    if case.position == "answer":
        answer = f"Case {case.anchor}.\n\n{case.item.text}"
    return prompt, answer


def records(case, number):
    text, at = case.item.text, case.position
    prompt, answer = words_of(case, number)
    output = text if at in ("result", "error") else "ok"
    lines = [user(case, 0, prompt)]
    lines += [
        call(
            case, 1, "Bash", {"command": command_of(case) if at == "command" else "make check", "description": "Run it"}
        )
    ]
    lines += [result(case, 2, output, at == "error")]
    lines += [
        call(case, 3, "Write", {"file_path": "/home/ann/notes.txt", "content": text if at == "write" else "done\n"})
    ]
    lines += [result(case, 4, "File created successfully at: /home/ann/notes.txt")]
    lines += [assistant(case, 5, {"type": "text", "text": answer})]
    title = text if at == "title" else "Work on the build"
    lines += [{"type": "ai-title", "aiTitle": title, "sessionId": case.session}]
    return lines


def write(home, made):
    for number, case in enumerate(made):
        folder = home / ".claude" / "projects" / f"-home-ann-{case.item.kind}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(line, ensure_ascii=number % 2 == 0) for line in records(case, number)]
        (folder / f"{case.session}.jsonl").write_text("\n".join(lines) + "\n")
