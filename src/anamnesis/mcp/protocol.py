"""The Model Context Protocol, as far as this server speaks it: one answer for each request."""

from __future__ import annotations

from anamnesis import __version__
from anamnesis.mcp import jsonrpc, resources, teaching, tools
from anamnesis.mcp.binding import client_name
from anamnesis.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    ProtocolError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.mcp.binding import Binding
    from anamnesis.mcp.jsonrpc import Request

# Newest first. 2026-07-28 has no handshake; its clients ask `server/discover`, are told that
# there is no such method, and go on with `initialize`.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_WITH_BATCHES = ("2025-03-26", "2024-11-05")
SLOW = frozenset({"tools/call", "resources/read"})  # they touch the disk, or the network


class Protocol:
    """What one client is told; remembers nothing but the version that was agreed on."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._version = VERSIONS[0]
        self._methods = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "logging/setLevel": lambda _: {},
            "tools/list": lambda _: {"tools": [tool.listed() for tool in tools.TOOLS.values()]},
            "tools/call": self._call_tool,
            "resources/list": lambda _: {"resources": [resources.STATUS]},
            "resources/templates/list": lambda _: {"resourceTemplates": [resources.NOTE]},
            "resources/read": self._read_resource,
            "prompts/list": lambda _: {
                "prompts": [prompt.listed() for prompt in teaching.PROMPTS.values()]
            },
            "prompts/get": self._get_prompt,
        }

    @property
    def takes_batches(self) -> bool:
        """Whether several messages in one array are part of the agreed version."""
        return self._version in _WITH_BATCHES

    def answer(self, request: Request) -> dict[str, Any] | None:
        """The message to send back; None for a notification."""
        if request.id is None:
            return None
        method = self._methods.get(request.method)
        if method is None:
            unknown = ProtocolError(METHOD_NOT_FOUND, f"Method not found: {request.method[:80]}")
            return jsonrpc.failure(request.id, unknown)
        try:
            return jsonrpc.result(request.id, method(request.params))
        except ProtocolError as error:
            return jsonrpc.failure(request.id, error)
        except Exception as error:  # noqa: BLE001  the caller waits: every request is answered
            problem = ProtocolError(INTERNAL_ERROR, f"{type(error).__name__}: {error}")
            return jsonrpc.failure(request.id, problem)

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise ProtocolError(INVALID_PARAMS, "Invalid params: protocolVersion is missing")
        self._version = asked if asked in VERSIONS else VERSIONS[0]
        self._binding.client = _client(params)
        return {
            "protocolVersion": self._version,
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "serverInfo": {"name": "anamnesis", "title": "Anamnesis", "version": __version__},
            "instructions": teaching.INSTRUCTIONS,
        }

    def _call_tool(self, params: dict[str, Any]) -> dict[str, Any]:
        given = params.get("arguments")
        if given is not None and not isinstance(given, dict):
            raise ProtocolError(INVALID_PARAMS, "Invalid params: arguments is not an object")
        answer = tools.call(self._binding, _text(params, "name"), given or {})
        found: dict[str, Any] = {
            "content": [{"type": "text", "text": answer.text}],
            "isError": answer.is_error,
        }
        return found if answer.is_error else {**found, "structuredContent": answer.structured}

    def _read_resource(self, params: dict[str, Any]) -> dict[str, Any]:
        uri = _text(params, "uri")
        found = resources.read(self._binding, uri)
        if found is None:
            raise ProtocolError(INVALID_PARAMS, f"Resource not found: {uri!r}", {"uri": uri})
        content = {"uri": found.uri, "mimeType": found.media_type, "text": found.text}
        return {"contents": [content]}

    def _get_prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        from anamnesis.ground.errors import InvalidInput

        name, given = _text(params, "name"), params.get("arguments")
        prompt = teaching.PROMPTS.get(name)
        if prompt is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name!r}")
        try:
            text = prompt.filled(given if isinstance(given, dict) else None)
        except InvalidInput as error:
            raise ProtocolError(INVALID_PARAMS, error.message) from error
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": prompt.about, "messages": [message]}


def _text(params: dict[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"Invalid params: {name} is not a text")
    return value


def _client(params: dict[str, Any]) -> str:
    about = params.get("clientInfo")
    return client_name(about.get("name") if isinstance(about, dict) else "")
