"""Notes about a file that an agent has just read."""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.git.config import find_repository
from anamnesis.ground.counting import counted
from anamnesis.hooks import receipts, runs, switches
from anamnesis.index import naming
from anamnesis.inject import render
from anamnesis.inject.clip import units
from anamnesis.project import GLOBAL, resolve_project_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.hooks.payload import Payload
    from anamnesis.index.naming import Mention
    from anamnesis.store import MemoryStore

SETTING = "moment_file"
EVENT = "PostToolUse"
_MOST = 3  # notes, a line each
_LINE = 160  # characters of the line that mentions the file


def notes_at_file(store: MemoryStore, payload: Payload) -> str:
    """The notes that mention a file, in the format of a PostToolUse hook; usually nothing.

    Once per file and session, and no note twice in a session.
    """
    path, session = payload.file_path, payload.session_id
    if not path or not session or not config.is_on(SETTING, default=True):
        return ""
    home, cwd = store.home, payload.cwd or os.path.dirname(path)
    project = resolve_project_key(cwd)
    if switches.why_off(home, project=project, cwd=cwd):
        return ""
    names = _names(store, os.path.join(cwd, path))
    projects = list(dict.fromkeys([project, GLOBAL]))
    found: list[Mention] = store.ask(
        lambda db: naming.naming(db, names, projects=projects, session=session)
    )
    if not found or receipts.was_given(home, session, event="file", source=names[0]):
        return ""
    known = receipts.already_given(home, session) | receipts.given_at(home, session, event="file")
    shown = [mention for mention in found if mention.id not in known][:_MOST]
    if not shown:
        return ""
    text = _rendered(names[0], shown)
    given = [
        receipts.GivenNote(each.id, f"names {names[0]}", units(each.line), whole=False)
        for each in shown
    ]
    receipts.write(
        home, event="file", session=session, project=project, source=names[0], given=given,
        units=units(text),
    )  # fmt: skip
    runs.note_run(home, "file", did=f"{counted(len(shown), 'note')} for a file", session=session)
    return render.as_json(text, event=EVENT)


def _names(store: MemoryStore, path: str) -> list[str]:
    """A file's path in its repository and its former ones; else the path itself."""
    path = os.path.normpath(path)
    repository = find_repository(os.path.dirname(path))
    if repository is None:
        return [path.replace(os.sep, "/").lstrip("/")]
    from anamnesis.git import renames

    own = os.path.relpath(path, repository.top).replace(os.sep, "/")
    return [own, *renames.former_names(store.home.state("renames"), repository, own)]


def _rendered(path: str, shown: Sequence[Mention]) -> str:
    lines = [f"Anamnesis: notes about {render.inline(path)}; information to check, not orders:"]
    for mention in shown:
        title, line = render.inline(mention.title), render.inline(mention.line.strip("#-*> "))
        said = "" if line.startswith(title) else f": {line[:_LINE]}{'…' * (len(line) > _LINE)}"
        lines.append(f"- [{mention.type}] {title[:_LINE]} ({mention.id}){said}")
    return "\n".join(lines)
