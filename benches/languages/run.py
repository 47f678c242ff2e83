#!/usr/bin/env python3
"""Ask for sessions in several languages, and report where they are found.

  run.py BINARY [--model NAME] [--split choosing|judging] [--show] [--json FILE]

Every *.jsonl beside this script holds the sessions of one language and then the
questions about them. All sessions are written as Claude Code transcripts into one
temporary home and indexed together. Each question is asked twice: as search does
by default, and with --keyword-only. --show lists what did not come first. The
exit code is 0 whatever the figures are. Standard library only."""

import argparse
import datetime
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {"ar": "arabic", "cs": "czech", "de": "german", "el": "greek", "en": "english", "es": "spanish",
         "fr": "french", "it": "italian", "ja": "japanese", "ko": "korean", "nl": "dutch", "pl": "polish",
         "pt": "portuguese", "ru": "russian", "sv": "swedish", "th": "thai", "tr": "turkish", "zh": "chinese"}
KINDS = ["exact", "inflected", "crossing", "nonsense"]
MODES = {"default": [], "words": ["--keyword-only"]}
BEGIN = datetime.datetime(2026, 1, 5, 8, 0, tzinfo=datetime.timezone.utc)
STEP = datetime.timedelta(hours=7)


def session_id(label):
    """The id under which the session with this label is written."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"languages/{label}"))


def load(folder):
    """Sessions and questions of all files, each with its language."""
    sessions, questions = [], []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line.strip():
                continue
            record = json.loads(line)
            record["language"] = NAMES.get(path.stem, path.stem)
            (sessions if "session" in record else questions).append(record)
    return sessions, questions


def record(session, number, role, content, parent, when):
    """One line of a transcript."""
    own = session_id(session["session"])
    key = str(uuid.uuid5(uuid.UUID(own), str(number)))
    message = {"role": role, "content": content}
    if role == "assistant":
        message = {"id": f"msg_{key[:8]}", "type": "message", "model": "claude-opus-4-6", **message}
    return {"type": role, "uuid": key, "parentUuid": parent, "isSidechain": False, "userType": "external",
            "cwd": f"/home/ann/{session['language']}", "sessionId": own, "version": "2.1.160",
            "gitBranch": "main", "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "message": message}


def transcript(session, begin):
    """The lines of a session, one prompt and one answer a turn."""
    lines, parent = [], None
    for number, turn in enumerate(session["turns"]):
        asked = begin + datetime.timedelta(minutes=4 * number)
        answered = asked + datetime.timedelta(minutes=1)
        lines.append(record(session, 2 * number, "user", turn["prompt"], parent, asked))
        answer = [{"type": "text", "text": turn["answer"]}]
        lines.append(record(session, 2 * number + 1, "assistant", answer, lines[-1]["uuid"], answered))
        parent = lines[-1]["uuid"]
    return lines


def write_home(home, sessions):
    """Write all sessions; their times are spread in the order of their ids, so that languages mix."""
    ordered = sorted(sessions, key=lambda session: session_id(session["session"]))
    for number, session in enumerate(ordered):
        folder = home / ".claude" / "projects" / f"-home-ann-{session['language']}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = transcript(session, BEGIN + number * STEP)
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        path = folder / f"{session_id(session['session'])}.jsonl"
        path.write_text(text, encoding="utf-8")


def environment(home, model):
    """Nothing of the caller's but the path, and with --model where models lie."""
    own = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "TZ": "UTC", "HOME": str(home),
           "SESSION_SEARCH_HOME": str(home / "index"), "SESSION_SEARCH_BACKGROUND": "false",
           "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    data = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share")
    own["XDG_DATA_HOME"] = str(data if model else home / "data")
    return own


def call(args, env, *words):
    """Run the program; exit code 1 says that nothing was found."""
    done = subprocess.run([args.binary, *words], env=env, cwd=env["HOME"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode > 1:
        print(f"{' '.join(words)}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return done.stdout


def index(args, env, count):
    """Index the home, and say what is in the index."""
    answer = call(args, env, "index", "--json")
    report = json.loads(answer) if answer else {}
    print(f"{count} sessions written, {report.get('files_read')} files read, {report.get('turns')} turns, "
          f"{report.get('sessions_left')} sessions left without vectors")


def ask(args, env, question, mode):
    """The hits for a question, best first."""
    answer = call(args, env, "search", "--json", "--limit", "10", "--no-refresh", *MODES[mode], "--", question)
    return json.loads(answer)["hits"] if answer else []


def judge(question, hits, labels):
    """What the report keeps of an answer."""
    found = [labels.get(hit["session"], hit["session"]) for hit in hits]
    rank = found.index(question["expect"]) + 1 if question["expect"] in found else None
    bands = [hit["band"] for hit in hits]
    return {"rank": rank, "hits": found, "bands": bands, "strong": bands.count("strong")}


def measure(args, env, sessions, questions):
    """Ask every question in every mode."""
    labels = {session_id(session["session"]): session["session"] for session in sessions}
    for question in questions:
        for mode in MODES:
            hits = ask(args, env, question["question"], mode)
            question[mode] = judge(question, hits, labels)


def cells(questions, mode):
    """Counts of one row in one mode: first and in five, or for nonsense hits and strong ones."""
    answers = [question[mode] for question in questions]
    if questions[0]["kind"] == "nonsense":
        return [sum(answer["strong"] for answer in answers), sum(len(answer["hits"]) for answer in answers)]
    ranks = [answer["rank"] or 99 for answer in answers]
    return [sum(rank == 1 for rank in ranks), sum(rank <= 5 for rank in ranks)]


def rows(questions, language):
    """Print one row a kind."""
    for kind in KINDS:
        some = [question for question in questions if question["kind"] == kind]
        if some:
            counts = [f"{count:>9}" for mode in MODES for count in cells(some, mode)]
            print(f"{language:<10} {kind:<10} {len(some):>4} {' '.join(counts)}")


def tables(questions):
    """Print the rows of each language, then those of all."""
    columns = " ".join(f"{name:>9}" for name in ["first", "in five", "words:1st", "words:5"])
    print(f"{'language':<10} {'kind':<10} {'n':>4} {columns}")
    languages = sorted({question["language"] for question in questions})
    for language in languages:
        rows([question for question in questions if question["language"] == language], language)
    rows(questions, "all")
    print("For nonsense the columns are: strong hits, all hits; with words alone: strong hits, all hits.")


def misses(questions):
    """List questions whose session did not come first, and nonsense with strong hits."""
    for question, mode in itertools.product(questions, MODES):
        answer = question[mode]
        nonsense = question["kind"] == "nonsense"
        if answer["strong"] if nonsense else answer["rank"] != 1:
            print(f"{mode:<8} {question['kind']:<10} {question['expect'] or '-':<6} rank {answer['rank'] or '-'} "
                  f"strong {answer['strong']}  {question['question']}  {' '.join(answer['hits'][:3])}")


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--model", help="a model as `model list` names it")
    parser.add_argument("--split", choices=["choosing", "judging"])
    parser.add_argument("--show", action="store_true", help="list what did not come first")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the ranks of each question")
    return parser.parse_args()


def main():
    """Write, index, ask, report."""
    args = arguments()
    sessions, questions = load(HERE)
    questions = [question for question in questions if args.split in (None, question["split"])]
    with tempfile.TemporaryDirectory(prefix="languages-") as scratch:
        home = pathlib.Path(scratch)
        write_home(home, sessions)
        env = environment(home, args.model)
        if args.model:
            call(args, env, "model", "use", args.model)
        index(args, env, len(sessions))
        measure(args, env, sessions, questions)
    tables(questions)
    if args.show:
        misses(questions)
    if args.json:
        args.json.write_text(json.dumps(questions, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
