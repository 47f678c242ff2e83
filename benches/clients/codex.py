#!/usr/bin/env python3
"""Sets Codex up, and checks against a mock of its model's API what it reads of that.

    cargo build --release
    python3 benches/clients/codex.py [--program PATH] [--version latest] [--client PATH] [--keep]
"""

import json
import os
import platform
import sys

from harness import machine, main
from mock import call, text
from responses import ResponsesMock

PACKAGE, VERSION = "@openai/codex", "0.169.0"
ARCHITECTURE = "aarch64" if machine().endswith("arm64") else "x86_64"
SYSTEM = {"Linux": "unknown-linux-musl", "Darwin": "apple-darwin"}[platform.system()]
PROGRAM = f"@openai/codex-{machine()}/vendor/{ARCHITECTURE}-{SYSTEM}/bin/codex"
TOOLS = ["history", "recall", "remember", "search", "show"]
CONFIG = """# by hand
model = "m"
model_provider = "mock" # of no account

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"

# the last words
"""


def tool_names(request):
    """The names of a request's tools, those of a namespace below it."""
    named = {tool.get("name"): tool for tool in request["tools"]}
    return sorted(tool["name"] for tool in named.get("mcp__session_search", {}).get("tools", []))


def play_setup(box, client, checks, mock):
    """What `setup` writes, as the client reads it."""
    box.ours("setup", "--agent", "codex", "--yes")
    said = box.run(client, "mcp", "list")
    checks.check("the server of `setup` is listed", "session-search" in said and "enabled" in said, said)
    mock.plays([{**call("search", query="frobnicate"), "namespace": "mcp__session_search"}], [text("Told.")])
    said = box.run(client, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "What is at hand?")
    checks.check("a session", "Told." in said, said)
    checks.equal("the server's tools reach the model", tool_names(mock.requests[0]), TOOLS)
    told = json.dumps(mock.requests[0], ensure_ascii=False)
    checks.check("the instructions reach the model", "Do not read transcripts by hand." in told)
    results = [one for one in mock.requests[-1]["input"] if one.get("type") == "function_call_output"]
    checks.check("a tool of the server answers", results and "rror" not in str(results[0]["output"])[:60], results)


def play_undo(box, client, checks, before):
    box.ours("setup", "--undo", "--yes")
    config = os.path.join(box.home, ".codex/config.toml")
    # The client adds what it trusts while it runs.
    checks.check("`setup --undo` leaves the configuration as it was", box.read(config).startswith(before), box.read(config))
    instructions = os.path.join(box.home, ".codex/AGENTS.md")
    checks.check("no instructions are left", not os.path.exists(instructions))
    said = box.run(client, "mcp", "list")
    checks.check("no server is left", "session-search" not in said, said)


def play(box, client, checks):
    with ResponsesMock() as mock:
        box.env["MOCK_KEY"] = "of-no-account"
        before = CONFIG.replace("{url}", mock.url)
        box.write(os.path.join(box.home, ".codex/config.toml"), before)
        play_setup(box, client, checks, mock)
        play_undo(box, client, checks, before)
        checks.equal("the script was played to its end", len(mock.script), 0)


if __name__ == "__main__":
    sys.exit(main(PACKAGE, VERSION, PROGRAM, play))
