"""A mock of the Gemini API on the loopback, with scripted answers: what `mock.py` is for another API."""

import json
import time

from mock import Handler, Mock


def part(block):
    """A block of an answer as a part of a candidate."""
    if block["type"] == "text":
        return {"text": block["text"]}
    return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}


def response(reply, model):
    """An answer as the API's one chunk."""
    content = {"role": "model", "parts": [part(block) for block in reply.blocks]}
    # A compression is given up where it comes out longer than what was counted here.
    usage = {"promptTokenCount": 100_000, "candidatesTokenCount": 10, "totalTokenCount": 100_010}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage, "modelVersion": model}


class GeminiHandler(Handler):
    """Answers POST …/models/MODEL:METHOD; all else is not found."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        model, _, method = self.path.split("?")[0].rpartition("/")[2].partition(":")
        if method == "countTokens":
            self.send_json({"totalTokens": 100})
        elif method == "generateContent":
            self.send_json(self.answer(json.loads(body), model))
        elif method == "streamGenerateContent":
            self.stream([self.answer(json.loads(body), model)])
        else:
            self.do_GET()

    def answer(self, request, model):
        reply = self.mock.reply_to(request)
        time.sleep(reply.delay)
        return response(reply, model)


class GeminiMock(Mock):
    """The server; `with GeminiMock() as mock` starts and stops it."""

    handler = GeminiHandler

    def is_side(self, request):
        # Titles of earlier sessions; its compression is without tools, too, but takes a reply.
        return not request.get("tools") and "Summary (max" in json.dumps(request["contents"][-1])
