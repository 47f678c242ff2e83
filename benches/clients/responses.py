"""A mock of the OpenAI Responses API on the loopback, with scripted answers: what `mock.py` is for another API."""

import json

from mock import Handler, Mock


def patch(words):
    """A call of Codex's tool that takes words of its own rather than JSON."""
    return {"type": "tool_use", "name": "apply_patch", "input": words}


def item(block, number):
    """A block of an answer as an item of a response."""
    if block["type"] == "text":
        content = [{"type": "output_text", "text": block["text"]}]
        return {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
    names = {key: block[key] for key in ("name", "namespace") if key in block}
    if isinstance(block["input"], str):
        return {"type": "custom_tool_call", "call_id": block["id"], **names, "input": block["input"]}
    return {"type": "function_call", "call_id": block["id"], **names, "arguments": json.dumps(block["input"])}


def events(reply, number):
    """The server-sent events of an answer."""
    response = {"id": f"resp_{number}"}
    yield {"type": "response.created", "response": response}
    for index, block in enumerate(reply.blocks):
        yield {"type": "response.output_item.done", "output_index": index, "item": item(block, number)}
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
    yield {"type": "response.completed", "response": {**response, "usage": usage}}


class ResponsesHandler(Handler):
    """Answers POST …/responses; all else is not found."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.endswith("/responses"):
            return self.do_GET()
        reply = self.mock.reply_to(json.loads(body))
        return self.stream(events(reply, len(self.mock.requests)))


class ResponsesMock(Mock):
    """The server; `with ResponsesMock() as mock` starts and stops it."""

    handler = ResponsesHandler

    def is_side(self, request):
        # Codex asks for titles; its compaction is without tools, too, but takes a reply.
        return "thread_title" in json.dumps(request.get("client_metadata", {}))
