"""The same table on FastMCP: for its in-memory client, and for HTTP.

The only module that imports FastMCP. Its components are made from the table instead of from
functions, so that schemas, answers and errors are those of the other front, to the letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastmcp import FastMCP
from fastmcp.exceptions import ValidationError
from fastmcp.prompts import Message, Prompt, PromptResult
from fastmcp.prompts.base import PromptArgument
from fastmcp.resources import Resource, ResourceContent, ResourceResult, ResourceTemplate
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from fastmcp.utilities.async_utils import call_sync_fn_in_threadpool
from mcp import MCPError
from mcp_types import INVALID_PARAMS, ToolAnnotations
from pydantic import AnyUrl, Field

from anamnesis import __version__
from anamnesis.ground.errors import InvalidInput
from anamnesis.mcp import arguments, guidance, resources, tools
from anamnesis.mcp.workspace import client_name

if TYPE_CHECKING:
    from anamnesis.mcp.workspace import Binding

_Bound = Annotated[Any, Field(exclude=True)]  # a Binding, which is not listed


class _Plain:
    """Leaves out the metadata that FastMCP adds to everything it lists."""

    meta: Any

    def get_meta(self) -> Any:
        return self.meta


class _Tool(_Plain, Tool):
    binding: _Bound

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        self.binding.client = _client()
        answer = await call_sync_fn_in_threadpool(tools.call, self.binding, self.name, arguments)
        if answer.is_error:
            return ToolResult(content=answer.text, is_error=True)
        return ToolResult(content=answer.text, structured_content=answer.structured)


class _Status(_Plain, Resource):
    binding: _Bound

    async def read(self) -> ResourceResult:
        return await _content(self.binding, resources.STATUS_URI)


class _Template(_Plain, ResourceTemplate):
    binding: _Bound

    async def _read(self, uri: str, params: dict[str, Any]) -> ResourceResult:  # noqa: ARG002
        return await _content(self.binding, uri)


class _Prompt(_Plain, Prompt):
    async def render(self, arguments: dict[str, Any] | None = None) -> PromptResult:
        try:
            text = guidance.PROMPTS[self.name].filled(arguments)
        except InvalidInput as error:
            raise ValidationError(error.message) from error
        return PromptResult([Message(text)], description=self.description)


def _client() -> str:
    """The name that the client of this call gave itself."""
    from fastmcp.server.dependencies import get_context

    try:
        params = get_context().session.client_params
    except RuntimeError:
        return ""
    return client_name(params.client_info.name if params else "")


def build(binding: Binding) -> FastMCP:
    """A FastMCP server over the table."""
    server: FastMCP = FastMCP(
        name="anamnesis", version=__version__, instructions=guidance.INSTRUCTIONS
    )
    for tool in tools.TOOLS.values():
        server.add_tool(_tool(tool, binding))
    status = _named(resources.STATUS)
    server.add_resource(_Status(**status, uri=AnyUrl(resources.STATUS_URI), binding=binding))
    for each in resources.TEMPLATES:
        place = str(each["uriTemplate"])
        server.add_template(
            _Template(**_named(each), uri_template=place, parameters={}, binding=binding)
        )
    for prompt in guidance.PROMPTS.values():
        server.add_prompt(_prompt(prompt))
    return server


def _tool(tool: tools.Tool, binding: Binding) -> _Tool:
    return _Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        parameters=arguments.schema(tool.arguments),
        output_schema=tool.output,
        annotations=ToolAnnotations.model_validate(tool.hints),
        meta=tool.meta or None,
        binding=binding,
    )


def _prompt(prompt: guidance.Prompt) -> _Prompt:
    listed = prompt.listed()
    return _Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.about,
        arguments=[PromptArgument(**argument) for argument in listed["arguments"]],
    )


def _named(listed: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": listed["name"],
        "title": listed["title"],
        "description": listed["description"],
        "mime_type": listed["mimeType"],
    }


async def _content(binding: Binding, uri: str) -> ResourceResult:
    content = await call_sync_fn_in_threadpool(resources.read, binding, uri)
    if content is None:
        raise MCPError(INVALID_PARAMS, f"Resource not found: {uri!r}", {"uri": uri})
    return ResourceResult([ResourceContent(content.text, mime_type=content.media_type)])
