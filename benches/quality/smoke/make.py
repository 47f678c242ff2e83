#!/usr/bin/env python3
"""Makes the smoke sets from the hand-written texts beside this script.

  make.py OUT_DIR      writes OUT_DIR/work and OUT_DIR/languages

Each is a set as `session-search eval` takes it, with a history of its own.
Standard library only."""

import json
import pathlib
import sys
import uuid


def sessions(text):
    """Yields (name, [(user, agent)], [(kind, question)])."""
    name, turns, questions = None, [], []
    for line in text.splitlines():
        mark, rest = line[:1], line[1:].strip()
        if mark == "=":
            if name:
                yield name, turns, questions
            name, turns, questions = rest, [], []
        elif mark == ">":
            turns.append([rest, ""])
        elif mark == "<":
            turns[-1][1] = rest
        elif mark == "?":
            kind, question = rest.split(": ", 1)
            questions.append((kind, question))
    yield name, turns, questions


def line(session, number, role, text, parent):
    return {
        "type": role,
        "uuid": str(uuid.uuid5(session, f"{number}{role}")),
        "parentUuid": parent,
        "sessionId": str(session),
        "timestamp": f"2026-03-{1 + number % 27:02}T09:{number % 60:02}:00.000Z",
        "cwd": "/home/ann/smoke",
        "isSidechain": False,
        "userType": "external",
        "version": "2.0.0",
        "message": {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]},
    }


def write(source, out):
    folder = out / "claude/projects/-home-ann-smoke"
    folder.mkdir(parents=True, exist_ok=True)
    questions, labels = [], []
    for place, (name, turns, asked) in enumerate(sessions(source.read_text(encoding="utf-8"))):
        session = uuid.uuid5(uuid.NAMESPACE_URL, name)
        lines, parent = [], None
        for number, turn in enumerate(turns):
            for role, text in zip(("user", "assistant"), turn):
                lines.append(line(session, place + number, role, text, parent))
                parent = lines[-1]["uuid"]
        text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in lines)
        (folder / f"{session}.jsonl").write_text(text, encoding="utf-8")
        for kind, question in asked:
            number = f"q{len(questions)}"
            questions.append({"id": number, "query": question, "category": kind})
            labels.append(f"{number}\t{session}\t1\n")
    text = "".join(json.dumps(q, ensure_ascii=False) + "\n" for q in questions)
    (out / "queries.jsonl").write_text(text, encoding="utf-8")
    (out / "qrels.session.tsv").write_text("".join(labels))


def main():
    here, out = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1])
    for name in ("work", "languages"):
        write(here / f"{name}.txt", out / name)


if __name__ == "__main__":
    main()
