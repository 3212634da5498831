"""The rules that gitleaks publishes, as a finder that runs here."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple


class Allowed(NamedTuple):
    """What a rule lets pass."""

    target: str  # what the patterns are sought in: the secret, the match, or its line
    patterns: tuple[re.Pattern[str], ...]
    stop_words: tuple[str, ...]
    needs_all: bool


class Rule(NamedTuple):
    """One of gitleaks' rules."""

    id: str
    pattern: re.Pattern[str]
    group: int
    entropy: float
    keywords: tuple[str, ...]
    allowed: tuple[Allowed, ...]

    def secrets(self, text: str) -> list[tuple[int, int]]:
        """Where the rule finds a secret."""
        found = []
        for match in self.pattern.finditer(text):
            group = self.group or next((n for n, each in enumerate(match.groups(), 1) if each), 0)
            start, end = match.span(group)
            line = text[
                text.rfind("\n", 0, start) + 1 : (text.find("\n", end) + 1 or len(text) + 1) - 1
            ]
            named = {"match": match[0], "line": line}
            secret = match[group]
            if entropy(secret) > self.entropy and not any(
                _lets_pass(each, named.get(each.target, secret), secret) for each in self.allowed
            ):
                found.append((start, end))
        return found

    def secret_in(self, text: str) -> str:
        """The first secret that the rule's pattern finds, without its other conditions."""
        for match in self.pattern.finditer(text):
            group = self.group or next((n for n, each in enumerate(match.groups(), 1) if each), 0)
            return str(match[group])
        return ""


def rules_of(config: str) -> list[Rule]:
    """The rules that look at a text alone; those for the names of files are left out."""
    read = tomllib.loads(config)
    everywhere = _allowed(read.get("allowlist", {}))
    return [_rule(rule, everywhere) for rule in read["rules"] if "path" not in rule]


def finder(rules: list[Rule]) -> Callable[[str], list[tuple[int, int]]]:
    """A function that gives the spans of all secrets in a text."""

    def find(text: str) -> list[tuple[int, int]]:
        lowered = text.lower()
        spans: list[tuple[int, int]] = []
        for rule in rules:
            if not rule.keywords or any(word in lowered for word in rule.keywords):
                spans += rule.secrets(text)
        kept: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if not kept or start >= kept[-1][1]:
                kept.append((start, end))
        return kept

    return find


def entropy(value: str) -> float:
    """Shannon's entropy in bits per character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts) if value else 0.0


def _rule(rule: dict[str, Any], everywhere: Allowed) -> Rule:
    return Rule(
        id=rule["id"],
        pattern=_translated(rule["regex"]),
        group=rule.get("secretGroup", 0),
        entropy=rule.get("entropy", 0.0),
        keywords=tuple(word.lower() for word in rule.get("keywords", ())),
        allowed=(everywhere, *map(_allowed, rule.get("allowlists", ()))),
    )


def _allowed(read: dict[str, Any]) -> Allowed:
    return Allowed(
        target=read.get("regexTarget", "secret"),
        patterns=tuple(map(_translated, read.get("regexes", ()))),
        stop_words=tuple(word.lower() for word in read.get("stopwords", ())),
        needs_all=read.get("condition") == "AND"
        or ("paths" in read and read.get("condition") == "AND"),
    )


def _lets_pass(allowed: Allowed, target: str, secret: str) -> bool:
    if allowed.needs_all:
        return False  # of these, part is the name of a file
    lowered = secret.lower()
    return any(each.search(target) for each in allowed.patterns) or any(
        word in lowered for word in allowed.stop_words
    )


def _translated(pattern: str) -> re.Pattern[str]:
    """A pattern of Go for Python, which allows flags for a whole pattern at its start only."""
    pattern = pattern.replace(r"\z", r"\Z").replace("[[:alnum:]]", "[A-Za-z0-9]")
    pattern = re.sub(r"(?<!\\)\{(?![\d,])", r"\\{", pattern)
    while found := re.search(r"\(\?i\)", pattern[4:]):
        at = found.start() + 4
        end = _end_of_group(pattern, at)
        pattern = f"{pattern[:at]}(?i:{pattern[at + 4 : end]}){pattern[end:]}"
    return re.compile(pattern, re.ASCII)


def _end_of_group(pattern: str, at: int) -> int:
    depth, position = 0, at + 4
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            position += 1
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return position
        position += 1
    return len(pattern)
