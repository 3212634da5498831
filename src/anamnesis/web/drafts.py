"""Unsaved text, kept on disk: browsers keep text per address, and each start has its own.

A tab that outlives the dashboard hands over what was typed meanwhile to the next one, at the
former address. Another program may have listened there in between, so either side proves first
that it knows the key that the tab was given with its page.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse

from anamnesis.ground import atomic
from anamnesis.ground.errors import InvalidInput, NotWritable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from anamnesis.config import Home

_KEPT_SECONDS = 60 * 86_400.0
_MOST = 200  # drafts; a person has a few, whoever fills the disk is stopped here
_ID = re.compile(r"[a-z0-9]{6,40}")


class _NoDraft(InvalidInput):
    """A value that is not a draft."""

    def __init__(self) -> None:
        super().__init__("This is no draft.")


@dataclass(frozen=True, slots=True)
class Draft:
    """The fields of one form, as one tab had them."""

    id: str
    subject: str  # the id of the note, or what the form is about
    at: float  # milliseconds since the epoch, as browsers count
    place: str  # the page of the form
    fields: dict[str, str]

    @classmethod
    def of(cls, value: object) -> Draft:
        """The draft in a value from a request or a file. Raises InvalidInput."""
        if not isinstance(value, dict) or not isinstance(value.get("fields"), dict):
            raise _NoDraft
        id, subject, at, place = (value.get(name) for name in ("id", "subject", "at", "place"))
        texts = (id, subject, place, *value["fields"], *value["fields"].values())
        if not all(isinstance(text, str) for text in texts) or not isinstance(at, (int, float)):
            raise _NoDraft
        if not _ID.fullmatch(str(id)):
            raise _NoDraft
        return cls(str(id), str(subject), at, str(place), value["fields"])


class Drafts:
    """The drafts of one store, each in a file."""

    def __init__(self, home: Home) -> None:
        self._folder = home.state("drafts")
        self.handed_over = ""  # the page of the latest one that a former tab handed over

    def keep(self, draft: Draft) -> None:
        """Keep a draft. Raises NotWritable."""
        path = self._path(draft.id)
        if not os.path.exists(path) and len(self._files()) >= _MOST:
            raise NotWritable(path, reason="too many drafts")
        record = {name: getattr(draft, name) for name in Draft.__slots__}
        atomic.write_text(path, json.dumps(record) + "\n")

    def drop(self, draft_id: str) -> None:
        """Remove a draft that was saved or discarded."""
        if _ID.fullmatch(draft_id):
            atomic.discard(self._path(draft_id))

    def of(self, subject: str) -> list[Draft]:
        """The drafts of one form, the latest first; old ones are removed."""
        oldest = (time.time() - _KEPT_SECONDS) * 1000
        found = []
        for path in self._files():
            with suppress(OSError, ValueError, InvalidInput):
                with open(path, encoding="utf-8") as stream:
                    draft = Draft.of(json.load(stream))
                if draft.at < oldest:
                    atomic.discard(path)
                elif draft.subject == subject:
                    found.append(draft)
        return sorted(found, key=lambda each: each.at, reverse=True)

    def forget(self, subjects: Collection[str]) -> None:
        """Remove all drafts of some notes."""
        for subject in subjects:
            for draft in self.of(subject):
                self.drop(draft.id)

    def take_place(self) -> str:
        """The page of the latest draft that a former tab handed over, once."""
        place, self.handed_over = self.handed_over, ""
        return place

    def _path(self, draft_id: str) -> str:
        return os.path.join(self._folder, f"{draft_id}.json")

    def _files(self) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        return [os.path.join(self._folder, name) for name in names if name.endswith(".json")]


class HandOver:
    """Proves to tabs that this is the dashboard, and takes the drafts of former tabs."""

    def __init__(self, drafts: Drafts, keys: Mapping[str, str], *, key: str) -> None:
        self._drafts = drafts
        self._keys = keys  # of the pages of each earlier host name
        self._key = key  # of the pages of this start

    async def prove(self, request: Request) -> Response:
        """Proof that the dashboard listens on the port that the tab sees.

        The guard admits the dashboard's own ports only. So another program cannot pass on a proof
        that it obtained here.
        """
        port = request.headers["host"].rpartition(":")[2]
        nonce = request.query_params.get("nonce", "")[:100]
        return PlainTextResponse(self._proof(request, f"dashboard {port} {nonce}"))

    async def accept(self, request: Request) -> Response:
        """Keep the drafts of a tab that proves that one of the dashboard's pages was in it."""
        body = (await request.body()).decode("utf-8", "replace")
        proof = request.headers.get("x-proof", "")
        if not hmac.compare_digest(self._proof(request, f"tab {body}").encode(), proof.encode()):
            return PlainTextResponse("Not from one of the dashboard's pages.\n", 403)
        try:
            drafts = [Draft.of(value) for value in json.loads(body)]
        except (ValueError, TypeError, InvalidInput):
            return PlainTextResponse("These are no drafts.\n", 400)
        for draft in drafts:
            self._drafts.keep(draft)
            self._drafts.handed_over = draft.place
        return PlainTextResponse("")

    def _proof(self, request: Request, text: str) -> str:
        key = self._keys.get(request.headers["host"].lower().partition(":")[0], self._key)
        return hmac.new(key.encode(), text.encode(), sha256).hexdigest()
