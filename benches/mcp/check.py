#!/usr/bin/env python3
"""Checks the MCP server with the protocol's official Python SDK, and measures it.

    cargo build --release
    python3 -m venv /tmp/mcp && /tmp/mcp/bin/pip install mcp
    /tmp/mcp/bin/python benches/mcp/check.py HOME_FOLDER [--program PATH]

HOME_FOLDER holds `.claude/projects` and `.local/share/opencode`. It is only read: the home of the program, its
index and its memories lie in a temporary folder. Prints Markdown, and exits with 1 where a check failed.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager

from mcp import Client, ClientSession, MCPError, StdioServerParameters, stdio_client

OURS = os.path.join(os.path.dirname(__file__), "..", "..", "target", "release", "session-search")
TOOLS = ["search", "show", "history", "recall", "remember"]
QUERIES = ["docker network does not resolve", "flaky test in CI", "how was the database migrated", "rename a branch",
           "memory leak", "type error in the build", "why is the page slow", "deploy to staging"]
INITIALIZE_MS, LIST_CHARS, ANSWER_CHARS, RSS_MB = 20, 3600, 10000, 80


class Checks:
    """A table of checks, printed as they are made."""

    def __init__(self):
        self.failed = 0
        print("| check | | |\n| --- | --- | --- |")

    def check(self, what, passed, figure=""):
        self.failed += not passed
        print(f"| {what} | {figure} | {'ok' if passed else 'FAILED'} |", flush=True)


def environment(home_folder, scratch):
    return {
        "PATH": os.environ["PATH"],
        "HOME": scratch,
        "CLAUDE_CONFIG_DIR": os.path.join(home_folder, ".claude"),
        "XDG_DATA_HOME": os.path.join(home_folder, ".local", "share"),
        "SESSION_SEARCH_HOME": os.path.join(scratch, "index"),
    }


def initialize_ms(program, env):
    """Milliseconds from the start of the process to the answer of its handshake."""
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}) + "\n"
    began = time.perf_counter()
    with subprocess.Popen([program, "mcp"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        server.stdin.write(line)
        server.stdin.flush()
        server.stdout.readline()
        took = time.perf_counter() - began
        server.stdin.close()
    return took * 1000


def servers():
    """Processes that this one started and that still run."""
    found = set()
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as children:
            found |= {int(pid) for pid in children.read().split()}
    return found


def memory_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return {name: int(fields[name].split()[0]) / 1024 for name in ("VmHWM", "VmRSS", "RssAnon")}


@asynccontextmanager
async def connect(program, env, cwd):
    parameters = StdioServerParameters(command=program, args=["mcp"], env=env, cwd=cwd)
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            yield session


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    return result.content[0].text, bool(result.is_error)


async def check_list(session, checks):
    listed = await session.list_tools()
    size = len(listed.model_dump_json(by_alias=True, exclude_none=True))
    checks.check("characters of `tools/list`", size <= LIST_CHARS, size)
    checks.check("its tools", [tool.name for tool in listed.tools] == TOOLS)
    reads = [tool.annotations.read_only_hint for tool in listed.tools]
    checks.check("four are read-only", reads == [True] * 4 + [False])


async def check_tools(session, checks):
    """Each tool, by the call that an answer ends with where there is one."""
    found, failed = await call(session, "search", query=QUERIES[0])
    best = found.rsplit('next: show(id: "', 1)[-1].rstrip('")')
    calls = {
        "search for turns": ("search", {"query": QUERIES[0], "level": "turn", "limit": 30}),
        "search with a filter": ("search", {"query": "agent:claude test"}),
        "the newest": ("search", {"query": ""}),
        "show": ("show", {"id": best}),
        "a whole session": ("show", {"id": best.split(":")[0]}),
        "files": ("history", {"what": "files", "pattern": ".ts", "limit": 100}),
        "commands": ("history", {"what": "commands", "pattern": "git", "limit": 100}),
        "errors": ("history", {"what": "errors", "pattern": "error", "limit": 100}),
        "remember": ("remember", {"topic": "Lamps", "info": ["on a generator of their own"], "global": True}),
        "recall": ("recall", {"query": "which generator feeds the lamps"}),
    }
    checks.check("search", not failed and len(found) <= ANSWER_CHARS, f"{len(found)} characters")
    for what, (tool, arguments) in calls.items():
        began = time.perf_counter()
        answer, failed = await call(session, tool, **arguments)
        took = (time.perf_counter() - began) * 1000
        fits = not failed and len(answer) <= ANSWER_CHARS and answer.splitlines()[-1].startswith("next: ")
        checks.check(what, fits, f"{len(answer)} characters, {took:.0f} ms")


async def check_mistakes(session, checks):
    try:
        await session.call_tool("search", {"query": "agent:nobody"})
        code = None
    except MCPError as error:
        code = error.error.code
    checks.check("an argument that cannot be used is an error of the protocol", code == -32602, code)
    answer, failed = await call(session, "show", id="zzzz")
    checks.check("what is not there is a result with an error", failed and "hint:" in answer)


async def search_all(session, rounds):
    """Milliseconds of each search."""
    times = []
    for query in QUERIES * rounds:
        began = time.perf_counter()
        answer, failed = await call(session, "search", query=query)
        times.append((time.perf_counter() - began) * 1000)
        if failed or "</found-in-history>" not in answer:
            raise SystemExit(f"a search failed: {answer}")
    return times


async def check_beside_index(program, env, cwd, checks):
    """Two clients at once, while another process builds the index anew again and again."""
    async with connect(program, env, cwd) as one, connect(program, env, cwd) as other:
        done = asyncio.gather(search_all(one, 6), search_all(other, 6))
        refreshes = 0
        while not done.done():
            index = await asyncio.create_subprocess_exec(program, "index", "--full", "--quiet", env=env, cwd=cwd)
            code = await index.wait()
            refreshes += code == 0
        times = sum(await done, [])
        figure = f"{len(times)} searches, median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms; {refreshes} refreshes"
        checks.check("two clients during a refresh", refreshes > 0, figure)


async def check_session(program, env, cwd, checks):
    before = servers()
    steps = []

    async def progress(done, total, message):
        steps.append((done, total, message))

    async with connect(program, env, cwd) as session:
        (pid,) = servers() - before
        checks.check("MB of memory after the handshake", True, f"{memory_mb(pid)['VmRSS']:.0f}")
        await check_list(session, checks)
        began = time.perf_counter()
        await session.call_tool("search", {"query": QUERIES[0]}, progress_callback=progress)
        took = time.perf_counter() - began
        checks.check("the first search, with the first index", len(steps) > 0, f"{took:.1f} s, {len(steps)} steps of progress")
        subprocess.run([program, "index", "--quiet"], env=env, cwd=cwd, check=True)
        await check_tools(session, checks)
        await check_mistakes(session, checks)
        memory = memory_mb(pid)
        figure = f"{memory['VmRSS']:.0f}, of which {memory['RssAnon']:.0f} its own"
        checks.check("MB of memory after the first index and all tools", memory["VmHWM"] < RSS_MB, figure)
    checks.check("the server ended with its client", not servers() - before)


async def check_memory(program, env, cwd, checks):
    """A server that finds an index, as all but the first do."""
    before = servers()
    async with connect(program, env, cwd) as session:
        (pid,) = servers() - before
        times = await search_all(session, 3)
        checks.check("a search", True, f"median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms")
        await call(session, "recall", query=QUERIES[0])
        memory = memory_mb(pid)
        figure = f"{memory['VmRSS']:.0f}, of which {memory['RssAnon']:.0f} its own"
        checks.check("MB of memory after searches and a recall", memory["VmHWM"] < RSS_MB, figure)


async def check_newest_protocol(program, env, cwd, checks):
    """The SDK's own choice of protocol and handshake."""
    parameters = StdioServerParameters(command=program, args=["mcp"], env=env, cwd=cwd)
    async with Client(stdio_client(parameters)) as client:
        result = await client.call_tool("search", {"query": QUERIES[0]})
        checks.check("the handshake that the SDK prefers", not result.is_error, getattr(client, "protocol_version", ""))


async def play(program, env, cwd):
    checks = Checks()
    times = [initialize_ms(program, env) for _ in range(20)]
    figure = f"median {statistics.median(times):.1f}, slowest {max(times):.1f}"
    checks.check("ms from the start to the handshake's answer", statistics.median(times) <= INITIALIZE_MS, figure)
    checks.check("it made no index", not os.path.exists(env["SESSION_SEARCH_HOME"]))
    await check_session(program, env, cwd, checks)
    await check_memory(program, env, cwd, checks)
    await check_newest_protocol(program, env, cwd, checks)
    await check_beside_index(program, env, cwd, checks)
    return checks.failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("home_folder")
    parser.add_argument("--program", default=OURS)
    args = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="mcp-")
    try:
        env = environment(os.path.abspath(args.home_folder), scratch)
        failed = asyncio.run(play(os.path.abspath(args.program), env, scratch))
    finally:
        shutil.rmtree(scratch)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
