"""JSON-RPC 2.0: from a line to a request or the error that it deserves, and back to a line."""

from __future__ import annotations

import json

from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class ProtocolError(Exception):
    """A request that cannot be served, with the code that says why."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@record
class Request:
    """Something that a client asks or tells; a notification has no id and gets no answer."""

    method: str
    params: dict[str, Any]
    id: str | int | None = None


def parsed(line: bytes) -> Any:
    """The value in a line, or ProtocolError."""
    try:
        return json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"Parse error: {str(error)[:200]}") from error


def request(message: object) -> Request | None:
    """The request in a message; None for an answer to something that we never asked."""
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
    """The id to answer to, as far as there is one."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if is_id(found) else None


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
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
