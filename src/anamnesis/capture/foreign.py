"""What a session read from elsewhere: which tools and commands do, and who repeats their words.

The list below serves both: notes that an agent wrote afterwards are marked, and sentences that
repeat what was read are left out of what other sessions get.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from anamnesis.text.quotation import Quotation
    from anamnesis.text.spans import Span

OURS = "anamnesis"
_TOOL = re.compile(
    r"(?:google_)?web_?(?:fetch|search)(?:_call)?|web__run|fetch|browser_\w+|.*mcp.*", re.IGNORECASE
)
# A program counts where a command may stand: `grep curl` searches, `| curl` fetches.
_RUN = (
    r"(?:^|[|;&(`\n]|\b(?:do|else|exec|nohup|sudo|then|time|xargs)\b(?: -\S+){0,3}|-\w*c [\"'])"
    r"\s*(?:\w+=\S*\s+|timeout \S+ ){0,5}"
)
_FETCH = re.compile(
    rf"{_RUN}(?:curl|wget|xh|lynx|w3m|aria2c|invoke-webrequest|iwr|irm)\b(?! --version)"
    r"|\b(?:requests|httpx)\.\w{3,7}\(|\burlopen\(|\bfetch\(\s*['\"`]http",
    re.IGNORECASE,
)
_FORGE = re.compile(
    rf"{_RUN}(?:git clone\b|gh (?:api|search)\b"
    r"|(?:gh|glab) [a-z-]{2,12} (?:view|list|diff|download)\b)"
)
_HOST = re.compile(r"https?://([^\s/\"'`|;&)]+)", re.IGNORECASE)
_HERE = r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?"
_LOCAL = re.compile(_HERE, re.IGNORECASE)
_MENTIONS_LOCAL = re.compile(rf"(?<![\w.-]){_HERE}(?![\w.@-])", re.IGNORECASE)
_PIECE = re.compile(r"[|;&\n]+")
_COMMANDS = ("command", "cmd")
_LEAST = 20  # characters; less has no sentence
_MOST_SEEN = 800_000  # characters from here that are kept to be searched
_ID = re.compile(r"(?<![0-9A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Z])")


def is_foreign(tool: str, arguments: Mapping[str, object]) -> bool:
    """Whether a call reads what strangers may have written: the web, issues, other servers."""
    if _TOOL.fullmatch(tool):
        return OURS not in tool and OURS not in str(arguments.get("server"))
    command = command_of(arguments)
    return _FORGE.search(command) is not None or (
        _FETCH.search(command) is not None and not _stays_here(command)
    )


def _stays_here(command: str) -> bool:
    """Whether a command asks this machine only."""
    command = command.replace("\\\n", " ")
    if not _MENTIONS_LOCAL.search(command) or not all(
        map(_LOCAL.fullmatch, _HOST.findall(command))
    ):
        return False
    # `curl $BASE/cases` asks what the rest of the command names.
    fetches = [each for each in _PIECE.split(command) if _FETCH.search(each)]
    return all(_MENTIONS_LOCAL.search(each) or "$" in each for each in fetches)


def command_of(arguments: Mapping[str, object]) -> str:
    """The command that a call is to run; empty if none."""
    for name in _COMMANDS:
        given = arguments.get(name)
        if isinstance(given, list):  # `["bash", "-lc", "make test"]`
            given = given[-1] if given else ""
        if isinstance(given, str) and given:
            return given
    return ""


class ForeignReading:
    """What a session has read from elsewhere so far, and which notes it named since."""

    def __init__(self) -> None:
        self.began = ""  # when it first did
        self.notes: set[str] = set()  # ids in the answers of our own tools and commands since
        self._quotation: Quotation | None = None  # most sessions read nothing from elsewhere
        self._typed: list[str] = []
        self._seen: list[str] = []
        self._room = _MOST_SEEN
        self._open: set[str] = set()
        self._done: set[str] = set()  # what a subagent read is taken in before the session itself
        self._ours: set[str] = set()

    @property
    def has_read(self) -> bool:
        """Whether anything was read from elsewhere."""
        return self._quotation is not None

    def call(self, tool: object, arguments: Mapping[str, object], *, call: object, at: str) -> None:
        """Take in a call of a tool."""
        tool = tool if isinstance(tool, str) else ""  # Codex' own shell has no name
        if str(call) in self._done:
            return
        if is_foreign(tool, arguments):
            if at and not (self.began and self.began <= at):
                self.began = at
            self._open.add(str(call))
        elif OURS in tool or tool.startswith("memory_") or OURS in command_of(arguments):
            self._ours.add(str(call))
        for text in arguments.values():
            if isinstance(text, str):
                self.say(text)

    def awaits(self, call: str) -> bool:
        """Whether the result of a call is wanted."""
        return call in self._open or call in self._ours

    def result(self, call: object, text: str) -> bool:
        """Take in the result of a call; whether it is foreign."""
        name = str(call)  # whatever the client wrote there
        if name in self._ours and self.began:
            self.notes.update(_ID.findall(text))
        if name in self._open:
            self._open.discard(name)
            self._done.add(name)
            self._read(text)
        elif name not in self._done:
            self.say(text)
        return name in self._done

    def _read(self, text: str) -> None:
        if self._quotation is None:
            from anamnesis.text.quotation import Quotation

            self._quotation = Quotation(typed=self._typed, seen=self._seen)
        self._quotation.read(text)

    def say(self, text: str) -> None:
        """Take in what was said or stood here: it is not foreign, unless it was read before."""
        if _LEAST < len(text) <= self._room:
            self._room -= len(text)
            self._seen.append(text)

    def type(self, text: str) -> None:
        """Take in what the person typed: it is theirs, whoever else wrote it."""
        self._typed.append(text)

    def spans(self, text: str, *, by_word: bool = False) -> list[Span]:
        """The sentences, or words, of a text that repeat what was read, by their place."""
        return self._quotation.spans(text, by_word=by_word) if text and self._quotation else []

    def without(self, text: str) -> str:
        """A text without the sentences that repeat what was read."""
        return self._quotation.without(text) if self._quotation else text
