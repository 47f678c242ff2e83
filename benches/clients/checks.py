"""A table of checks, and those that every agent's session of tools is put to."""

import json
import os
import sys

# The session that each script plays first, with the tools of its client.
PROMPT = "Why does frobnicate fail?"
ANSWERS = ["I will look.", "The flux capacitor was reversed."]
WORKS, FAILS = "echo hello-bash", "ls /nowhere-42"
# The prompt and answer of another process, which takes the session up.
RESUMED = ("And how is it mended?", "Turn it round.")
# What a subagent is told and says, and its parent's prompt and answer.
CHILD = ("Find the gudgeon pin.", "The gudgeon pin is in the piston.")
PARENT = ("Where is that part?", "Found by the subagent.")
# The prompt and answer of a copy of a session.
FORK = ("What of palladium?", "As a copy of it.")
# What is typed at a terminal: commands, and the summary of a compaction.
ESCAPE, SLEEPS, SUMMARY = "echo shell-escape-77", "echo awake; sleep 60", "A print of vanadium."


class Checks:
    """A table of checks."""

    def __init__(self):
        self.rows = []

    def check(self, name, is_ok, got=None):
        """Notes a check; `got` is told where it failed."""
        self.rows.append((name, bool(is_ok)))
        print(f"| {name} | {'ok' if is_ok else 'FAILED'} |", flush=True)
        if not is_ok and got is not None:
            print(f"    got: {json.dumps(got, ensure_ascii=False, default=sorted)[:2000]}", file=sys.stderr)

    def equal(self, name, got, wanted):
        self.check(name, got == wanted, {"got": got, "wanted": wanted})

    def end(self):
        """Prints the sum; the exit code of the script."""
        failed = sum(not is_ok for _, is_ok in self.rows)
        print(f"\n{len(self.rows)} checks, {failed} failed")
        return 1 if failed else 0


def calls(turns, name=None):
    """The calls of turns, of one tool or of all."""
    parts = [part for turn in turns for part in turn["parts"] if part["type"] == "call"]
    return [part for part in parts if name in (None, part["name"])]


def texts(turns, kind):
    return [part["text"] for turn in turns for part in turn["parts"] if part["type"] == kind]


def answers(turns):
    """The texts of the agent."""
    return texts(turns, "text")


def prompts(turns):
    return [turn["prompt"] for turn in turns]


def dialogue(turns):
    """Each prompt with its answers."""
    return [(turn["prompt"], answers([turn])) for turn in turns]


def check_found(box, checks):
    """The session of tools: found by its prompt and an answer, with all that was said. Returns its id and turns."""
    found = box.sessions("frobnicate")
    checks.equal("a prompt finds its session alone", len(found), 1)
    turns = box.turns(found[0])
    checks.equal("prompt", prompts(turns), [PROMPT])
    checks.equal("answers", answers(turns), ANSWERS)
    checks.equal("an answer finds its session", box.sessions("flux capacitor"), found)
    return found[0], turns


def check_commands(box, checks, turns):
    ran, failed = calls(turns, "Bash")[:2]
    checks.equal("a command and its output", (ran["command"], ran["output"].strip()), (WORKS, "hello-bash"))
    checks.equal("which command failed", (ran["failed"], failed["failed"]), (False, True))
    checks.check("output of the failed command", "No such file or directory" in failed["output"], failed)
    checks.equal("`commands` tells it as failed", told_runs(box, FAILS), [(FAILS, True)])


def check_files(box, checks, turns, path, touching=3, touch="written"):
    """A file that is written, perhaps read, and edited."""
    checks.equal("the files were changed", box.read(path), "two\n")
    named = [one["files"] for one in calls(turns) if one["name"] != "Bash"]
    checks.equal("files of the calls", named, [[path]] * touching)
    checks.equal(f"`files` tells it as {touch}", told(box, "files", os.path.basename(path)), [{"path": path, "touch": touch}])


def check_tools(box, checks, turns, path, session, resume, edit="Edit", title=PROMPT):
    """The calls of the session of tools, and the session as a whole; the agent is named as the program that resumes it."""
    names = ["Bash", "Bash", "Write", "Read", edit]
    checks.equal("calls in order, by the common names", [one["name"] for one in calls(turns)], names)
    check_commands(box, checks, turns)
    check_files(box, checks, turns, path)
    check_session(box, checks, resume[0], session, resume, title)


def told(box, command, words):
    """What `commands` or `files` finds."""
    return [what for turn in box.ours(command, words)["found"] for what in turn["what"]]


def told_runs(box, command):
    """The runs of a command that `commands` finds, each with whether it failed."""
    return [(run["command"], run["failed"]) for run in told(box, "commands", command)]


def check_session(box, checks, source, session, resume, title=PROMPT):
    """What is known of the session of tools as a whole."""
    shown = box.ours("show", session)
    checks.equal("title", shown["title"], title)
    checks.equal("agent and folder", (shown["source"], shown["path"], shown["project"]), (source, box.project, "demo-project"))
    resumes = box.ours("resume", session)
    checks.equal("the command that resumes it, in its folder", (resumes["command"], resumes["path"]), (resume, box.project))
    hits = box.ours("search", "frobnicate", "--keyword-only", "--source", source)["hits"]
    checks.equal("`search --source` finds it", [hit["session"] for hit in hits], [session])
    check_digest(box, checks, session)


def check_digest(box, checks, session):
    projects = box.ours("digest", "--days", "2")["projects"]
    done = [one for project in projects for one in project["sessions"] if one["session"] == session]
    counted = [(one["turns"], one["commands"] in (2, 3), one["failed"]) for one in done]
    checks.equal("`digest` tells its turn, commands and failures", counted, [(1, True, [FAILS])])


def check_resumed(box, checks, session):
    """A second turn of the session, after the first was indexed."""
    checks.equal("what was added is found in the same session", box.sessions("mended"), [session])
    turns = box.turns(session)
    checks.equal("a resumed session has both turns", dialogue(turns), [(PROMPT, ANSWERS), (RESUMED[0], [RESUMED[1]])])
    checks.equal("what was there is found once", box.sessions("frobnicate"), [session])


def check_subagent(box, checks):
    """A subagent, whose session is one of its own below its parent's."""
    hits = box.ours("search", "gudgeon piston", "--keyword-only", "--subagents")["hits"]
    children = [hit for hit in hits if hit["parent"]]
    checks.equal("a subagent's session is found", len(children), 1)
    turns = box.turns(children[0]["session"])
    checks.equal("its prompt and answer", dialogue(turns), [(CHILD[0], [CHILD[1]])])
    parent = box.turns(children[0]["parent"])
    checks.equal("its parent", dialogue(parent), [(PARENT[0], [PARENT[1]])])


def check_typed(box, checks, wanted, about):
    """A session that was typed, with a shell escape and an interruption. Returns its id and turns."""
    found = box.sessions("quoxstore")
    checks.equal("a typed prompt finds its session alone", len(found), 1)
    turns = box.turns(found[0])
    checks.equal(f"turns with a shell escape, an interruption, {about}", dialogue(turns), wanted)
    checks.equal("the shell escape is a command that ran", told(box, "commands", ESCAPE), [{"command": ESCAPE, "failed": False}])
    stopped = [one for one in calls(turns) if one["command"] == SLEEPS]
    checks.check("the command that was interrupted did not succeed",
                 len(stopped) == 1 and (stopped[0]["failed"] or stopped[0].get("unfinished")), stopped)
    return found[0], turns


def check_name_and_summary(box, checks, session, turns):
    checks.equal("a name that was given", box.ours("show", session)["title"], "Named by hand")
    check_summary(checks, turns)


def check_summary(checks, turns):
    summaries = texts(turns, "summary")
    checks.check("the summary is none of the prompts", len(summaries) == 1 and SUMMARY in summaries[0], summaries)


def check_fork(box, checks, session, words):
    """A copy of a session, which is found by what it added alone, while `words` of what was copied find the session."""
    forks = box.sessions("palladium")
    checks.check("a fork is found by what it added, and has an id of its own", len(forks) == 1 and forks != [session], forks)
    checks.equal("its own turn", dialogue(box.turns(forks[0]))[-1:], [(FORK[0], [FORK[1]])])
    checks.equal("what was copied is found once", box.sessions(words), [session])


def play_all(box, client, checks, mock, play_tools, play_resumed, *others):
    """Plays the session of tools, the one that resumes it, and others; then checks all of them together."""
    session = play_tools(box, client, checks, mock)
    play_resumed(box, client, checks, mock, session)
    for play in others:
        play(box, client, checks, mock)
    checks.equal("the script was played to its end", len(mock.script), 0)
    check_whole(box, checks)


def check_whole(box, checks):
    """What is true of all sessions together, at the end."""
    counted = [{key: box.counts(home)[key] for key in ("sessions", "subagents", "turns")} for home in (None, "fresh")]
    checks.equal("an index that grew with the sessions is as one made at their end", counted[0], counted[1])
    checks.equal("nothing could not be read", box.ours("status")["problems"], [])
