"""The texts in the tests of two scanners, read out of their Go sources.

Only what those tests use is understood: literals, sums of them, lists, `fmt.Sprintf`, and
gitleaks' samples, whose secrets are drawn from a pattern.
"""

# ruff: noqa: E501
from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|(?P<raw>`[^`]*`)|(?P<string>\"(?:[^\"\\\n]|\\.)*\")|'(?:[^'\\\n]|\\.)+'"
    r"|(?P<word>[A-Za-z_][\w.]*)|(?P<sign>:=|\.\.\.|[^\s\w])|(?P<number>\d[\w.]*)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_CLASSES = {"Numeric": "0-9", "Hex": "a-f0-9", "AlphaNumeric": "a-z0-9", "AlphaNumericExtendedShort": "a-z0-9_-",
            "AlphaNumericExtended": r"a-z0-9=_\-", "AlphaNumericExtendedLong": r"a-z0-9\/=_\+\-"}  # fmt: skip
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_SAMPLES = r"""
{i}Token="{s}"
{i}Token = "{s}"
{i}Token={s}
{i}Token = {s}
{\n    "{i}_token": "{s}"\n}
{"config.ini": "{I}_TOKEN={s}\\nBACKUP_ENABLED=true"}
<{i}Token>\n    {s}\n</{i}Token>
{i}_token: {s}
{i}_token: '{s}'
{i}_token: "{s}"
string {i}Token = "{s}";
var {i}Token string = "{s}"
{i}Token := "{s}"
{i}Token := `{s}`
String {i}Token = "{s}";
var {i}Token = "{s}"
${i}Token .= "{s}"
{i}Token = '{s}'
System.setProperty("{I}_TOKEN", "{s}")
  "{i}Token" => "{s}"
{i}_TOKEN = "{s}"
{i}_TOKEN := "{s}"
{i}_TOKEN ::= "{s}"
{i}_TOKEN :::= "{s}"
{i}_TOKEN ?= "{s}"
"""  # as gitleaks' utils.GenerateSampleSecrets has them


class Unreadable(Exception):
    """An expression that is not understood."""


def rules_in(source: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Of each rule of gitleaks: its name, texts with a secret, and texts without."""
    for part in re.split(r"(?m)^func ", source)[1:]:
        names = re.search(r'RuleID:\s*"([^"]+)"', part)
        known = _Reader(part).assigned()
        true, false = known.get("tps"), known.get("fps")
        if names and isinstance(true, list):
            yield names[1], true, false if isinstance(false, list) else []


def cases_in(source: str) -> Iterator[tuple[str, list[str]]]:
    """Of each case of trufflehog's tests that finds something: its text, and what is found."""
    reader = _Reader(source)
    reader.assigned()
    for text, wanted in reader.fields("input", "want"):
        if isinstance(text, str) and isinstance(wanted, list) and wanted:
            yield text, wanted


class _Reader:
    def __init__(self, source: str) -> None:
        self._tokens = [
            (found.lastgroup, found[0]) for found in _TOKEN.finditer(source) if found.lastgroup
        ]
        self._at = 0
        self._known: dict[str, Any] = {}
        self._chance = random.Random(len(source))

    def assigned(self) -> dict[str, Any]:
        """The values of all variables that can be told."""
        for at in range(len(self._tokens) - 2):
            (kind, name), (_, sign) = self._tokens[at], self._tokens[at + 1]
            if kind == "word" and sign in (":=", "="):
                self._at = at + 2
                try:
                    self._known[name] = self._sum()
                except (Unreadable, IndexError, TypeError):
                    continue
        return self._known

    def fields(self, first: str, second: str) -> Iterator[tuple[Any, Any]]:
        """The values of two fields that follow one another."""
        value = None
        for at in range(len(self._tokens) - 2):
            (_, name), (_, sign) = self._tokens[at], self._tokens[at + 1]
            if sign != ":" or name not in (first, second):
                continue
            self._at = at + 2
            try:
                read = self._sum()
            except (Unreadable, IndexError, TypeError):
                read = None
            if name == first:
                value = read
            else:
                yield value, read

    def _sum(self) -> Any:
        value = self._value()
        while self._next_is("+"):
            value += self._value()
        return value

    def _next_is(self, sign: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == ("sign", sign):
            self._at += 1
            return True
        return False

    def _value(self) -> Any:
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "raw":
            return text[1:-1]
        if kind == "string":
            return _ESCAPE.sub(_unescaped, text[1:-1])
        if kind == "number":
            return text
        if kind == "word":
            return self._call(text) if self._next_is("(") else self._named(text)
        if text == "[" and self._next_is("]") and self._tokens[self._at] == ("word", "string"):
            self._at += 1
            if self._next_is("{"):
                return self._until("}")
        raise Unreadable(text)

    def _named(self, name: str) -> Any:
        if name not in self._known:
            raise Unreadable(name)
        return self._known[name]

    def _until(self, end: str) -> list[Any]:
        values: list[Any] = []
        while not self._next_is(end):
            value = self._sum()
            if self._next_is("..."):
                values += value
            else:
                values.append(value)
            self._next_is(",")
        return values

    def _call(self, name: str) -> Any:
        arguments = self._until(")")
        calls: dict[str, Callable[..., Any]] = {
            "append": lambda first, *rest: [*first, *rest],
            "fmt.Sprintf": _printed,
            "secrets.NewSecret": self._drawn,
            "utils.GenerateSampleSecret": lambda name, secret: f'{name}_api_token = "{secret}"',
            "utils.GenerateSampleSecrets": _samples,
            "utils.Hex8_4_4_4_12": lambda: _UUID,
            "strings.ToUpper": str.upper,
            "strings.ToLower": str.lower,
            "strings.Repeat": lambda text, times: text * int(times),
        }
        kind = name.removeprefix("utils.")
        if kind in _CLASSES:
            return f"[{_CLASSES[kind]}]{{{arguments[0]}}}"
        if name not in calls:
            raise Unreadable(name)
        return calls[name](*arguments)

    def _drawn(self, pattern: str) -> str:
        from re import _parser  # type: ignore[attr-defined]

        return _draw(_parser.parse(pattern), self._chance)


def _unescaped(found: re.Match[str]) -> str:
    if code := found[1] or found[2]:
        return chr(int(code, 16))
    return _ESCAPED.get(found[3], found[3])


def _printed(form: str, *values: Any) -> str:
    left = list(values)
    return re.sub(r"%(?:[svq]|%)", lambda m: "%" if m[0] == "%%" else str(left.pop(0)), form)


def _samples(name: str, secret: str) -> list[str]:
    filled = {"{i}": name, "{I}": name.upper(), "{s}": secret}
    return [
        re.sub(
            r"\{[iIs]\}",
            lambda found: filled[found[0]],
            line.replace(r"\n", "\n").replace("\\\n", r"\n"),
        )
        for line in _SAMPLES.strip("\n").splitlines()
    ]


def _draw(parsed: Any, chance: random.Random) -> str:
    drawn = ""
    for kind, value in parsed:
        name = str(kind)
        if name == "LITERAL":
            drawn += chr(value)
        elif name == "ANY":
            drawn += chance.choice("abcdefgh0123")
        elif name == "IN":
            drawn += chance.choice(_members(value))
        elif name == "BRANCH":
            drawn += _draw(chance.choice(value[1]), chance)
        elif name == "SUBPATTERN":
            drawn += _draw(value[-1], chance)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = value
            times = chance.randint(least, min(int(most), least + 20))
            drawn += "".join(_draw(inner, chance) for _ in range(times))
        elif name != "AT":
            raise Unreadable(name)
    return drawn


def _members(values: Any) -> str:
    members = ""
    for kind, value in values:
        name = str(kind)
        if name == "LITERAL":
            members += chr(value)
        elif name == "RANGE":
            members += "".join(map(chr, range(value[0], value[1] + 1)))
        elif str(value) == "CATEGORY_WORD":
            members += "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
        elif str(value) == "CATEGORY_DIGIT":
            members += "0123456789"
        else:
            raise Unreadable(name)
    return members
