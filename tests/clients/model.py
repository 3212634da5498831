"""The scripted model behind four wire formats, on loopback; every request is kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from clients.script import UNSCRIPTED, Step, next_step

_numbers = count(1)
_FEW = 100


class ScriptedModel:
    """A server that answers as the prompt says."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.results: list[str] = []  # what tools answered
        self.spoken: list[str] = []
        self.tokens = _FEW  # how full it says that its context is, in its next answer
        model = self

        class Handler(_Handler):
            owner = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def said_to_it(self) -> str:
        """Everything that clients have sent so far."""
        return "\n".join(json.dumps(body, ensure_ascii=False) for _, body in self.requests)

    def forget(self) -> None:
        self.requests.clear()
        self.results.clear()
        self.spoken.clear()
        self.tokens = _FEW

    def tokens_of(self, step: Step) -> int:
        """What to say of the context; answers that nobody scripted are not counted."""
        if step.words == UNSCRIPTED:
            return _FEW
        said, self.tokens = self.tokens, _FEW
        return said


class _Handler(BaseHTTPRequestHandler):
    owner: ScriptedModel
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments: object) -> None:
        return

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            models = [{"id": "scripted", "object": "model", "created": 0, "owned_by": "test"}]
            self._json({"object": "list", "data": models})
        else:
            self._json({})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        self.owner.requests.append((self.path, body))
        path = self.path.partition("?")[0]
        if path.endswith("/v1/messages"):
            self._answer(body, anthropic_turns(body), anthropic_whole, anthropic_events)
        elif path.endswith("/count_tokens"):
            self._json({"input_tokens": 1000})
        elif path.endswith("/responses"):
            self._answer({"stream": True}, responses_turns(body), responses_whole, responses_events)
        elif path.endswith("/chat/completions"):
            self._answer(body, chat_turns(body), chat_whole, chat_events)
        elif "streamGenerateContent" in path:
            self._answer({"stream": True}, gemini_turns(body), gemini_whole, gemini_events)
        elif "generateContent" in path:
            self._answer({}, gemini_turns(body), gemini_whole, gemini_events)
        else:
            self._json({})

    def _answer(self, body: dict[str, Any], turns: Any, whole: Any, events: Any) -> None:
        step = next_step(turns)
        self.owner.spoken.append(step.words)
        self.owner.results += [text for kind, text in turns if kind == "result"]
        tokens = self.owner.tokens_of(step)
        if not body.get("stream"):
            self._json(whole(step, tokens))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for name, event in events(step, tokens):
            if name:
                self.wfile.write(f"event: {name}\n".encode())
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True

    def _json(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


Turns = list[tuple[str, str]]
Events = Iterator[tuple[str, Any]]
# What Claude Code adds to a prompt, and the prompt again when it asks for a title.
_NOT_TYPED = ("<system-reminder>", "<session>")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


# Anthropic Messages: Claude Code


def anthropic_turns(body: dict[str, Any]) -> Turns:
    turns: Turns = []
    for message in body.get("messages", []):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] != "user":
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                turns.append(("result", _text(block.get("content"))))
            elif block["type"] == "text" and not block["text"].startswith(_NOT_TYPED):
                turns.append(("user", block["text"]))
    return turns


def anthropic_block(step: Step) -> dict[str, Any]:
    if step.tool:
        identity = f"toolu_{next(_numbers):08d}"
        return {"type": "tool_use", "id": identity, "name": step.tool, "input": step.arguments}
    return {"type": "text", "text": step.words}


def anthropic_whole(step: Step, tokens: int) -> dict[str, Any]:
    return {
        "id": f"msg_{next(_numbers):08d}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [anthropic_block(step)],
        "stop_reason": "tool_use" if step.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": 20},
    }


def anthropic_events(step: Step, tokens: int) -> Events:
    whole = anthropic_whole(step, tokens)
    block = whole["content"][0]
    yield "message_start", {
        "type": "message_start", "message": {**whole, "content": [], "stop_reason": None}
    }  # fmt: skip
    if step.tool:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": step.words}
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": start}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    yield (
        "message_delta",
        {
            "type": "message_delta",
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": 20},
        },
    )
    yield "message_stop", {"type": "message_stop"}


# OpenAI Responses: Codex


def responses_turns(body: dict[str, Any]) -> Turns:
    turns: Turns = []
    for item in body.get("input", []):
        kind = item.get("type", "message")
        if kind in ("function_call_output", "custom_tool_call_output"):
            turns.append(("result", str(item.get("output"))))
        elif kind == "message" and item.get("role") == "user":
            turns.append(("user", _text(item.get("content"))))
    return turns


def responses_item(step: Step) -> dict[str, Any]:
    number = next(_numbers)
    if step.tool:
        namespace, _, name = step.tool.rpartition("/")
        call = {
            "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}",
            "name": name, "arguments": json.dumps(step.arguments),
        }  # fmt: skip
        return {**call, "namespace": namespace} if namespace else call
    content = [{"type": "output_text", "text": step.words, "annotations": []}]
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}


def responses_whole(step: Step, tokens: int) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "output_tokens": 20, "total_tokens": tokens + 20}
    return {"id": f"resp_{next(_numbers)}", "output": [responses_item(step)], "usage": usage}


def responses_events(step: Step, tokens: int) -> Events:
    whole = responses_whole(step, tokens)
    yield "response.created", {"type": "response.created", "response": {"id": whole["id"]}}
    yield "response.output_item.done", {
        "type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]
    }  # fmt: skip
    yield "response.completed", {"type": "response.completed", "response": whole}


# OpenAI Chat Completions: opencode, Copilot CLI


def chat_turns(body: dict[str, Any]) -> Turns:
    turns: Turns = []
    if not body.get("tools"):  # the client asks for a title, not for work
        return turns
    for message in body.get("messages", []):
        if message["role"] == "tool":
            turns.append(("result", _text(message.get("content"))))
        elif message["role"] == "user":
            turns.append(("user", _text(message.get("content"))))
    return turns


def chat_message(step: Step) -> dict[str, Any]:
    if not step.tool:
        return {"role": "assistant", "content": step.words}
    function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
    call = {"id": f"call_{next(_numbers)}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def chat_whole(step: Step, tokens: int) -> dict[str, Any]:
    reason = "tool_calls" if step.tool else "stop"
    choice = {"index": 0, "message": chat_message(step), "finish_reason": reason}
    usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
    return {
        "id": f"chat_{next(_numbers)}", "object": "chat.completion", "created": 0,
        "model": "scripted", "choices": [choice], "usage": usage,
    }  # fmt: skip


def chat_events(step: Step, tokens: int) -> Events:
    whole = chat_whole(step, tokens)
    message = whole["choices"][0]["message"]
    for call in message.get("tool_calls", []):
        call["index"] = 0
    shared = {**whole, "object": "chat.completion.chunk"}
    choice = {"index": 0, "delta": message, "finish_reason": None}
    yield "", {**shared, "choices": [choice], "usage": None}
    end = {"index": 0, "delta": {}, "finish_reason": whole["choices"][0]["finish_reason"]}
    yield "", {**shared, "choices": [end]}
    yield "", "[DONE]"


# Gemini


def gemini_turns(body: dict[str, Any]) -> Turns:
    turns: Turns = []
    for content in body.get("contents", []):
        for part in content.get("parts", []):
            if "functionResponse" in part:
                turns.append(("result", json.dumps(part["functionResponse"])))
            elif content.get("role") == "user" and "text" in part:
                turns.append(("user", part["text"]))
    return turns


def gemini_whole(step: Step, tokens: int) -> dict[str, Any]:
    part: dict[str, Any] = (
        {"functionCall": {"name": step.tool, "args": step.arguments}}
        if step.tool
        else {"text": step.words}
    )
    candidate = {
        "index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}
    }  # fmt: skip
    usage = {
        "promptTokenCount": tokens, "candidatesTokenCount": 20, "totalTokenCount": tokens + 20
    }  # fmt: skip
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


def gemini_events(step: Step, tokens: int) -> Events:
    yield "", gemini_whole(step, tokens)
