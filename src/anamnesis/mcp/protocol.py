"""The Model Context Protocol over JSON-RPC 2.0: from a line to a request, and to its one answer."""

from __future__ import annotations

from anamnesis import __version__
from anamnesis.ground import quickjson
from anamnesis.ground.records import record
from anamnesis.mcp import guidance, resources, tools
from anamnesis.mcp.workspace import client_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from anamnesis.mcp.workspace import Binding

# Newest first: the versions that begin with a handshake.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
# Without one: each request names the version and the client in its `_meta`.
STATELESS = ("2026-07-28",)
_WITH_BATCHES = ("2025-03-26", "2024-11-05")
SLOW = frozenset({"tools/call", "resources/read"})  # they touch the disk, or the network
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
_OURS = "io.modelcontextprotocol/"  # what the keys in `_meta` begin with
_CAPABILITIES: dict[str, object] = {"tools": {}, "resources": {}, "prompts": {}}
_SERVER = {"name": "anamnesis", "title": "Anamnesis", "version": __version__}
_DISCOVERED = {
    "supportedVersions": list(STATELESS),
    "capabilities": _CAPABILITIES,
    "instructions": guidance.INSTRUCTIONS,
}
_NOT_TO_CACHE = frozenset({"tools/call", "prompts/get"})  # no word on it is allowed in these


class Protocol:
    """The answers for one client; its only state is the version that a handshake agreed on."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._version = VERSIONS[0]
        methods = {
            "tools/list": lambda _: {"tools": [tool.listed() for tool in tools.TOOLS.values()]},
            "tools/call": self._call_tool,
            "resources/list": lambda _: {"resources": [resources.STATUS]},
            "resources/templates/list": lambda _: {"resourceTemplates": list(resources.TEMPLATES)},
            "resources/read": self._read_resource,
            "prompts/list": lambda _: {
                "prompts": [prompt.listed() for prompt in guidance.PROMPTS.values()]
            },
            "prompts/get": self._get_prompt,
        }
        self._stateless = {**methods, "server/discover": lambda _: _DISCOVERED}
        self._methods = {
            **methods,
            "initialize": self._initialize,
            "ping": lambda _: {},
            "logging/setLevel": lambda _: {},
        }

    @property
    def takes_batches(self) -> bool:
        """Whether several messages in one array are part of the agreed version."""
        return self._version in _WITH_BATCHES

    def answer(self, request: Request) -> dict[str, Any] | None:
        """The message to send back; None for a notification."""
        if request.id is None:
            return None
        meta = request.params.get("_meta")
        try:
            if (
                isinstance(meta, dict)
                and f"{_OURS}protocolVersion" in meta
                and request.method != "initialize"  # which no version without a handshake has
            ):
                return result(request.id, self._stateless_result(request, meta))
            return result(request.id, _method(self._methods, request)(request.params))
        except ProtocolError as error:
            return failure(request.id, error)
        except Exception as error:  # noqa: BLE001  the caller waits: every request is answered
            problem = ProtocolError(INTERNAL_ERROR, f"{type(error).__name__}: {error}")
            return failure(request.id, problem)

    def _stateless_result(self, request: Request, meta: dict[str, Any]) -> dict[str, Any]:
        version = meta[f"{_OURS}protocolVersion"]
        if not isinstance(version, str):
            raise ProtocolError(INVALID_PARAMS, "Invalid params: protocolVersion is not a text")
        if version not in STATELESS:
            known = {"supported": list(STATELESS), "requested": version}
            raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", known)
        method = _method(self._stateless, request)
        self._binding.client = _client(meta.get(f"{_OURS}clientInfo"))
        found = {
            **method(request.params),
            "resultType": "complete",
            "_meta": {f"{_OURS}serverInfo": _SERVER},
        }
        if request.method in _NOT_TO_CACHE:
            return found
        return {**found, "ttlMs": 0, "cacheScope": "private"}

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise ProtocolError(INVALID_PARAMS, "Invalid params: protocolVersion is missing")
        self._version = asked if asked in VERSIONS else VERSIONS[0]
        self._binding.client = _client(params.get("clientInfo"))
        return {
            "protocolVersion": self._version,
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER,
            "instructions": guidance.INSTRUCTIONS,
        }

    def _call_tool(self, params: dict[str, Any]) -> dict[str, Any]:
        arguments = params.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "Invalid params: arguments is not an object")
        answer = tools.call(self._binding, _text(params, "name"), arguments or {})
        result: dict[str, Any] = {
            "content": [{"type": "text", "text": answer.text}],
            "isError": answer.is_error,
        }
        return result if answer.is_error else {**result, "structuredContent": answer.structured}

    def _read_resource(self, params: dict[str, Any]) -> dict[str, Any]:
        uri = _text(params, "uri")
        resource = resources.read(self._binding, uri)
        if resource is None:
            raise ProtocolError(INVALID_PARAMS, f"Resource not found: {uri!r}", {"uri": uri})
        content = {"uri": resource.uri, "mimeType": resource.media_type, "text": resource.text}
        return {"contents": [content]}

    def _get_prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        from anamnesis.ground.errors import InvalidInput

        name, arguments = _text(params, "name"), params.get("arguments")
        prompt = guidance.PROMPTS.get(name)
        if prompt is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name!r}")
        try:
            text = prompt.filled(arguments if isinstance(arguments, dict) else None)
        except InvalidInput as error:
            raise ProtocolError(INVALID_PARAMS, error.message) from error
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": prompt.about, "messages": [message]}


def _text(params: dict[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"Invalid params: {name} is not a text")
    return value


def _method(
    methods: dict[str, Callable[[dict[str, Any]], dict[str, Any]]], request: Request
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    method = methods.get(request.method)
    if method is None:
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {request.method[:80]}")
    return method


def _client(about: object) -> str:
    return client_name(about.get("name") if isinstance(about, dict) else "")


class ProtocolError(Exception):
    """A request that cannot be served, with its error code."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@record
class Request:
    """A request or a notification; the latter has no id and gets no answer."""

    method: str
    params: dict[str, Any]
    id: str | int | None = None


def parsed(line: bytes) -> Any:
    """The value in a line. Raises ProtocolError."""
    try:
        return quickjson.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"Parse error: {str(error)[:200]}") from error


def request(message: object) -> Request | None:
    """The request in a message; None for an answer, as the server asks nothing.

    Raises ProtocolError.
    """
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "Invalid request: not a JSON-RPC 2.0 object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: method is not a text")
    if "id" in message and not is_id(message["id"]):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: id is neither a text nor a number")
    if params is not None and not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "Invalid params: not an object")
    return Request(method=method, params=params or {}, id=message.get("id"))


def id_of(message: object) -> str | int | None:
    """The id to answer, if there is one."""
    request_id = message.get("id") if isinstance(message, dict) else None
    return request_id if is_id(request_id) else None


def is_id(value: object) -> bool:
    """Whether this can name a request."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def result(request_id: str | int | None, value: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def failure(request_id: str | int | None, error: ProtocolError) -> dict[str, Any]:
    """The answer to a request that failed."""
    details: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        details["data"] = error.data
    return {"jsonrpc": "2.0", "id": request_id, "error": details}


def encoded(message: object) -> bytes:
    """A message as one line: ASCII, so that neither U+2028 nor half a surrogate breaks it."""
    return quickjson.dumps(message, ascii=True, compact=True).encode("ascii") + b"\n"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
