"""A mock of the Anthropic Messages API on the loopback, with scripted answers.

A `Mock` answers each request of the conversation with the next reply of its script. Requests without
tools (titles, quota checks) get a short text and take no reply, but for clients that are said to send
none but compactions. Every request is kept.
"""

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

USAGE = {"input_tokens": 100, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
SIDE_ANSWER = "Scripted title"


def text(words):
    """A block of text."""
    return {"type": "text", "text": words}


def call(name, /, **arguments):
    """A call of a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


@dataclass
class Reply:
    """One answer of the model: its blocks, after a delay in seconds."""

    blocks: list
    delay: float = 0.0

    @property
    def stop_reason(self):
        is_call = any(block["type"] == "tool_use" for block in self.blocks)
        return "tool_use" if is_call else "end_turn"


@dataclass
class Mock:
    """The server; `with Mock() as mock` starts and stops it.

    `compacts` where a client's only requests without tools are compactions: they take a reply, then.
    """

    compacts: bool = False
    script: deque = field(default_factory=deque)
    asides: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    ids: int = 0
    handler: ClassVar = None  # `Handler`, which stands below

    def __enter__(self):
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (self.handler or Handler,), {"mock": self}))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def plays(self, *replies):
        """Puts replies at the end of the script: each a `Reply` or a list of blocks."""
        for reply in replies:
            self.script.append(reply if isinstance(reply, Reply) else Reply(list(reply)))

    def plays_beside(self, parent, words, *replies):
        """Puts replies into a script of a subagent's own: for requests that hold its words and not those of its parent."""
        self.asides.append((parent, words, deque(Reply(list(reply)) for reply in replies)))

    def reply_to(self, request):
        """Returns the reply to a request, its calls with ids of their own."""
        with self.lock:
            self.requests.append(request)
            if self.is_side(request):
                return Reply([text(SIDE_ANSWER)])
            script = self.script_for(request)
            return self.with_ids(script.popleft()) if script else Reply([text("The script has ended.")])

    def is_side(self, request):
        return not (self.compacts or request.get("tools"))

    def script_for(self, request):
        said = json.dumps(request, ensure_ascii=False)
        own = (script for parent, words, script in self.asides if script and words in said and parent not in said)
        return next(own, self.script)

    def with_ids(self, reply):
        blocks = []
        for block in reply.blocks:
            self.ids += 1
            is_call = block["type"] == "tool_use"
            blocks.append({**block, "id": f"toolu_{self.ids:024}"} if is_call else block)
        return Reply(blocks, reply.delay)

    def said(self, words):
        """True when a request held these words."""
        return any(words in json.dumps(request, ensure_ascii=False) for request in list(self.requests))


def message(request, number):
    """The head of an answer."""
    head = {"id": f"msg_{number:024}", "type": "message", "role": "assistant", "model": request.get("model", "mock")}
    return {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE}


def deltas(block):
    """A block as it begins, and what is added to it."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": block["text"]}]
    arguments = json.dumps(block["input"], ensure_ascii=False)
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": arguments}]


def events(request, reply, number):
    """The server-sent events of an answer."""
    yield {"type": "message_start", "message": message(request, number)}
    for index, block in enumerate(reply.blocks):
        begin, parts = deltas(block)
        yield {"type": "content_block_start", "index": index, "content_block": begin}
        for part in parts:
            yield {"type": "content_block_delta", "index": index, "delta": part}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": reply.stop_reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 10}}
    yield {"type": "message_stop"}


def server_sent(event):
    """An event as it is sent; those of some APIs have no type."""
    kind = f"event: {event['type']}\n" if "type" in event else ""
    return f"{kind}data: {json.dumps(event)}\n\n"


class Handler(BaseHTTPRequestHandler):
    """Answers POST /v1/messages; all else is not found."""

    protocol_version = "HTTP/1.1"
    mock = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_json({"error": {"type": "not_found_error", "message": self.path}}, 404)

    do_HEAD = do_GET

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = self.path.split("?")[0].rstrip("/")
        if path.endswith("/count_tokens"):
            self.send_json({"input_tokens": 100})
        elif path.endswith("/messages"):
            self.answer(json.loads(body))
        else:
            self.do_GET()

    def answer(self, request):
        reply = self.mock.reply_to(request)
        time.sleep(reply.delay)
        number = len(self.mock.requests)
        if request.get("stream"):
            self.stream(events(request, reply, number))
        else:
            stop = {"content": reply.blocks, "stop_reason": reply.stop_reason}
            self.send_json({**message(request, number), **stop})

    def stream(self, all_events):
        self.send("".join(map(server_sent, all_events)).encode(), "text/event-stream")

    def send_json(self, value, status=200):
        self.send(json.dumps(value).encode(), "application/json", status)

    def send(self, body, kind, status=200):
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            pass  # the client was interrupted
