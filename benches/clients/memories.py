"""Memories in a session: what is saved for it, and in which request of the model each has to arrive."""

import json
import os

LISTED = ("Connection pool too small", "time-outs under load; 40 per pod")
PROMPT = "is the connection pool too small for the load?"
COMMAND = "echo terraform apply"
FAILS = "echo state is locked; exit 3"
# Topic, text and trigger of each memory that a call brings.
TRIGGERED = {
    "path": ("Migrations", "never edit one that has run", "--when-path", "migrated.txt"),
    "command": ("Plan first", "make a plan, then apply that", "--when-command", "echo terraform *"),
    "error": ("The lock", "unlock it by its id", "--when-error", "state is locked"),
}
HELD = ("Generated files", "change the generator instead", "--when-path", "held.txt")
HEADING = "Notes that were saved for this project"


def save(box, memory):
    topic, info, *trigger = memory
    box.ours("memory", "save", "--global", "--topic", topic, "--info", info, *trigger)


def save_all(box):
    """Saves them, and has a prompt wait for its memories however slow the machine is."""
    config = os.path.join(box.home, ".config/session-search/config.toml")
    box.write(config, box.read(config) + "\n[injection]\ntimeout_ms = 3000\n")
    for memory in [LISTED, *TRIGGERED.values()]:
        save(box, memory)


def hold(box):
    """Has calls refused once where a memory names what they change."""
    config = os.path.join(box.home, ".config/session-search/config.toml")
    before = box.read(config)
    box.write(config, before + "\n[hook]\nhold = true\n")
    save(box, HELD)
    return lambda: box.write(config, before)


def told(requests):
    """What each request of a turn told the model."""
    return [json.dumps(request, ensure_ascii=False) for request in requests]


def check_turn(checks, requests):
    """The requests of a turn whose calls trigger a memory each, in the order of `TRIGGERED`."""
    said = told(requests)
    checks.check("the first request lists the memories", HEADING in said[0] and f"[context] {LISTED[0]} (mem-" in said[0], said[0][-2000:])
    checks.check("and has the one that the prompt is like", f"[context] {LISTED[0]}; {LISTED[1]} (mem-" in said[0], said[0][-2000:])
    for number, (kind, memory) in enumerate(TRIGGERED.items()):
        before, after = said[number:number + 2]
        checks.check(f"the request after the call has the memory of its {kind}", memory[1] not in before and memory[1] in after, after[-2000:])
    checks.equal("each is told once", [said[-1].count(memory[1]) for memory in [LISTED, *TRIGGERED.values()]], [1] * 4)


def check_listed(checks, name, request, times):
    checks.equal(name, told([request])[0].count(HEADING), times)


def check_held(box, checks, requests):
    """The requests after a call that was refused, and after the same call again."""
    checks.check("a call that is held is refused with the memory", HELD[1] not in told(requests)[0] and HELD[1] in told(requests)[1], told(requests)[1][-2000:])
    checks.check("and goes through when it is made again", os.path.exists(os.path.join(box.project, "held.txt")))
