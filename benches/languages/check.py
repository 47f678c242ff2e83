#!/usr/bin/env python3
"""Check the sessions and questions of all languages.

  check.py [FOLDER]

Every *.jsonl in the folder, by default the one of this script, holds the sessions
of one language and then the questions about them. Prints what is wrong, a line
each, and the counts of each file. The exit code is 1 if anything is wrong.
Standard library only."""

import collections
import json
import pathlib
import re
import sys

SESSIONS = 20
COUNTS = {"exact": 14, "inflected": 16, "crossing": 6, "nonsense": 8}
FUNCTION_WORDS = {"avec", "para", "pendant", "pour"}
SPLITS = ["choosing", "judging"]
SESSION_KEYS = {"session", "turns"}
QUESTION_KEYS = {"question", "kind", "expect", "split"}

HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff々]{2,}")
THAI = re.compile(r"[\u0e00-\u0e7f]{6,}")
KATAKANA = re.compile(r"[\u30a1-\u30ffー]{2,}")
HANGUL = re.compile(r"[\uac00-\ud7a3]{2,}")
SPACED = re.compile(r"[a-zß-\u024f\u0400-\u04ff]{4,}")
UNSPACED_TEXT = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
THAI_TEXT = re.compile(r"[\u0e00-\u0e7f]")


def read(path, problems):
    """The records of a file."""
    records = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError as error:
            problems.append(f"{path.name}:{number}: {error}")
    return records


def texts(session):
    """All prompts and answers of a session."""
    return [text for turn in session["turns"] for text in (turn["prompt"], turn["answer"])]


def grams(runs, size):
    """All pieces of this many characters."""
    return {run[start:start + size] for run in runs for start in range(len(run) - size + 1)}


def content(text):
    """Pieces of a text that say what it is about: words, and parts of words where no spaces are written."""
    lower = text.lower()
    stems = {word[:2] for word in HANGUL.findall(lower)}
    return (grams(HAN.findall(lower), 2) | grams(THAI.findall(lower), 6) | stems
            | set(KATAKANA.findall(lower)) | set(SPACED.findall(lower)) - FUNCTION_WORDS)


def check_order(name, records, problems):
    """Sessions come first, and every record has the keys of its kind."""
    is_session = ["session" in record for record in records]
    if is_session != sorted(is_session, reverse=True):
        problems.append(f"{name}: a session comes after a question")
    for record in records:
        if set(record) != (SESSION_KEYS if "session" in record else QUESTION_KEYS):
            problems.append(f"{name}: keys {sorted(record)}")


def check_sessions(language, sessions, problems):
    """The number of sessions, their labels and their turns."""
    labels = [session["session"] for session in sessions]
    if labels != [f"{language}-{number:02}" for number in range(1, SESSIONS + 1)]:
        problems.append(f"{language}: labels {labels}")
    for session in sessions:
        if not 2 <= len(session["turns"]) <= 4:
            problems.append(f"{session['session']}: {len(session['turns'])} turns")
        if any(set(turn) != {"prompt", "answer"} for turn in session["turns"]):
            problems.append(f"{session['session']}: keys of a turn")
        elif not all(text.strip() for text in texts(session)):
            problems.append(f"{session['session']}: an empty text")


def check_counts(language, questions, problems):
    """Enough questions of each kind, as many in one split as in the other."""
    counts = collections.Counter((question["kind"], question["split"]) for question in questions)
    for kind, least in COUNTS.items():
        choosing, judging = (counts.pop((kind, split), 0) for split in SPLITS)
        if choosing != judging or choosing + judging < least:
            problems.append(f"{language}: {kind}: {choosing} choosing, {judging} judging")
    if counts:
        problems.append(f"{language}: unknown kind or split {list(counts)}")


def check_splits(language, questions, problems):
    """A session belongs to one split."""
    splits = collections.defaultdict(set)
    for question in questions:
        if question["expect"]:
            splits[question["expect"]].add(question["split"])
    problems.extend(f"{language}: {label} is in both splits" for label, both in splits.items() if len(both) > 1)


def is_short(question):
    """True for 2 to 8 words, or as much where no spaces are written between words."""
    if THAI_TEXT.search(question):
        return 4 <= len(question) <= 24
    if UNSPACED_TEXT.search(question):
        return 4 <= len(question) <= 15
    return 2 <= len(question.split()) <= 8


def places(question, sessions):
    """The sessions in one of whose texts the question stands."""
    wanted = question.lower()
    return [label for label, session in sessions.items() if any(wanted in text.lower() for text in texts(session))]


def check_question(question, sessions, known, problems):
    """What the kind of a question demands."""
    text, kind, expect = question["question"], question["kind"], question["expect"]
    found = places(text, sessions)
    if (expect is None) != (kind == "nonsense") or (expect is not None and expect not in sessions):
        problems.append(f"{kind}: {text}: expects {expect}")
    if found != ([expect] if kind == "exact" else []):
        problems.append(f"{kind}: {text}: stands in {found}")
    if kind == "exact" and not is_short(text):
        problems.append(f"{kind}: {text}: too short or too long")
    if kind == "crossing" and not text.isascii():
        problems.append(f"{kind}: {text}: not in English")
    if kind == "nonsense" and content(text) & known:
        problems.append(f"{kind}: {text}: in a session: {sorted(content(text) & known)}")


def check_duplicates(sessions, questions, problems):
    """No text of a session and no question comes twice."""
    counts = collections.Counter(text for session in sessions for text in texts(session))
    counts.update(question["question"].lower() for question in questions)
    problems.extend(f"twice: {text}" for text, count in counts.items() if count > 1)


def check_file(language, records, problems):
    """What can be checked in one file; prints its counts."""
    check_order(language, records, problems)
    sessions = [record for record in records if "session" in record]
    questions = [record for record in records if "session" not in record]
    check_sessions(language, sessions, problems)
    check_counts(language, questions, problems)
    check_splits(language, questions, problems)
    kinds = collections.Counter(question["kind"] for question in questions)
    turns = sum(len(session["turns"]) for session in sessions)
    print(f"{language}: {len(sessions)} sessions, {turns} turns, {dict(kinds)}")
    return sessions, questions


def main():
    """Read, check, report."""
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    problems, sessions, questions = [], [], []
    for path in sorted(folder.glob("*.jsonl")):
        some, asked = check_file(path.stem, read(path, problems), problems)
        sessions += some
        questions += asked
    known = {piece for session in sessions for text in texts(session) for piece in content(text)}
    by_label = {session["session"]: session for session in sessions}
    for question in questions:
        check_question(question, by_label, known, problems)
    check_duplicates(sessions, questions, problems)
    print("\n".join(problems) or "All is well.")
    return 1 if problems or not sessions else 0


if __name__ == "__main__":
    sys.exit(main())
