"""Putting notes in order: acts on many at once, merging, importing, and what to tidy up."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from anamnesis.ground.errors import InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.notes.fields import SCOPES, TYPES
from anamnesis.operations.curate import (
    backfill_provenance,
    dedup,
    forget,
    import_,
    merge,
    stale,
)
from anamnesis.operations.curate.pin import PINNED
from anamnesis.operations.notes import batch
from anamnesis.operations.notes import undo as changes
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.notes.move import move
from anamnesis.operations.notes.show import find
from anamnesis.project import GLOBAL
from anamnesis.web.dashboard import Notice, notice_of
from anamnesis.web.pages import export, review, work
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.curate.dedup import Duplicates
    from anamnesis.operations.notes.batch import Curated
    from anamnesis.web.visit import Visit

_VIEWS = {
    "duplicates": "Duplicates",
    "stale": "Stale",
    "unused": "Never used",
    "sources": "Sources",
}
_MOST_MERGED = 20  # notes that one can still read side by side
_SHOWN = 100  # of what is to tidy up; what is done with it makes room for the next
_UNCHANGED_DAYS = 90  # a note that no session was given may still be new


def act(visit: Visit) -> Response:
    """Carry out one act on the notes that were selected."""
    ids = _selected(visit)
    name = visit.value("act")
    if name == "export":
        return export.exported(visit, ids)
    if name == "merge":
        return visit.go(f"/merge?ids={'+'.join(ids[: _MOST_MERGED + 1])}")
    if name == "forget":
        return visit.page("forget.html", notes=[each.note for each in _read(visit, ids)])
    title = f"{_TITLES.get(name, 'Changing')} {plural(len(ids), 'note')}"

    def carry_out(progress: Progress) -> Notice:
        return _done(visit, name, ids, progress)

    return work.change(visit, title, carry_out, back=visit.back("/notes"))


def _selected(visit: Visit) -> list[NoteId]:
    """The ids in the form: of the boxes on the page, and of those on other pages."""
    ids = [*visit.values("id"), *visit.value("ids").split()]
    if not ids:
        raise InvalidInput("No note is selected.", hint="Select notes with x, then choose again.")
    return list(dict.fromkeys(ids))


def _read(visit: Visit, ids: Sequence[NoteId]) -> list[ReadNote]:
    """The notes of some ids; those that are gone are left out. Raises NoSuchNote if all are."""
    found = [read for note_id in ids if (read := find(visit.store, note_id)) is not None]
    if not found:
        raise NoSuchNote(ids[0][:80] if ids else "")
    return found


def _done(visit: Visit, name: str, ids: Sequence[NoteId], progress: Progress) -> Notice:
    if name in review.DECISIONS:
        return review.decided(visit, name, ids, progress=progress)
    if name == "forget-sure":
        there = [each.note.id for each in _read(visit, ids)]
        number = forget.forget(visit.store, there, progress=progress)
        return Notice(f"{plural(number, 'note')} forgotten; the next sync forgets them elsewhere.")
    return _notice(name, _carried_out(visit, ids, progress))


def undo(visit: Visit) -> Response:
    """Take back the unit that the form names, or the latest; the notice of that does it again."""
    unit_id = visit.value("unit")
    if not unit_id and visit.value("latest") != "1":
        raise InvalidInput("The form names no change to undo.")

    def back() -> str:
        asked = visit.back("/notes")
        shown = re.match(r"/notes/(\w+)", asked)
        # The note of that page may be what was undone.
        return "/notes" if shown and visit.read(shown[1]) is None else asked

    return work.change(
        visit, "Undoing a change", lambda progress: _undone(visit, unit_id, progress), back=back
    )


def _undone(visit: Visit, unit_id: str, progress: Progress) -> Notice:
    try:
        done = changes.undo(visit.store, unit_id, progress=progress)
    except (changes.ChangedSince, changes.NothingToUndo) as error:
        return Notice(f"{error.message} Nothing was put back.", "trouble")
    sentences = [
        f"Undone: {done.unit.summary}."
        if not unit_id
        else f"{plural(done.notes, 'note')} put back."
    ]
    if done.left:
        sentences.append(f"Changed since and left: {plural(len(done.left), 'file')}.")
    return Notice(" ".join(sentences), "trouble" if done.left else "done", done.redo)


def compare(visit: Visit) -> Response:
    """Two notes or more side by side, to make one of them."""
    ids = list(dict.fromkeys(visit.request.query_params.get("ids", "").split()))
    if not 2 <= len(ids) <= _MOST_MERGED:
        raise InvalidInput(
            f"Merging takes two notes or more, at most {_MOST_MERGED} notes at a time.",
            hint="Select them in the list.",
        )
    return _side_by_side(visit, _read(visit, ids))


def merge_notes(visit: Visit) -> Response:
    """Write one note for several, which it replaces; refused if one of them changed meanwhile."""
    reads = _read(visit, visit.value("ids").split())
    if visit.value("seal") != _seal(reads):
        raise NoteChangedOnDisk("One of the notes")
    note = merge.merged_note(
        visit.store,
        [each.note.id for each in reads],
        machine_id=visit.dashboard.machine,
        title=" ".join(visit.value("title").split()),
        body=visit.value("body").replace("\r\n", "\n").strip(),
    )
    unit = merge.merge(visit.store, note)
    visit.dashboard.recorder.soon()
    text = f"{plural(len(reads), 'note')} merged; the old ones are replaced and stay."
    return visit.go(f"/notes/{note.id}", notice_of(unit, text))


def _side_by_side(visit: Visit, reads: Sequence[ReadNote]) -> Response:
    others = reads[1:]
    if not others:
        raise InvalidInput("Select two notes or more to merge.")
    if len({(each.note.project, each.note.scope) for each in reads}) > 1:
        raise InvalidInput(
            "These notes belong to different projects or scopes.",
            hint="Select them again and give them the same project and scope with Change.",
        )
    made = merge.merged_note(
        visit.store, [each.note.id for each in reads], machine_id=visit.dashboard.machine
    )
    return visit.page(
        "merge_notes.html",
        reads=reads,
        others="\n\n".join(each.note.body.strip() for each in others),
        made=made,
        seal=_seal(reads),
    )


def _seal(reads: Sequence[ReadNote]) -> str:
    """Tells whether notes still are those that were shown."""
    return blake2b("".join(each.hash for each in reads).encode(), digest_size=16).hexdigest()


def import_files(visit: Visit) -> Response:
    """Import files that were dropped on a page or chosen there, as one change."""
    sent = visit.json().get("files")
    if not isinstance(sent, dict) or not all(isinstance(text, str) for text in sent.values()):
        raise InvalidInput("There is no file to import.")
    added: list[bool] = []

    def take(progress: Progress) -> Notice:
        project = visit.dashboard.project or GLOBAL
        done = import_.import_texts(visit.store, sent, project=project, progress=progress)
        added.append(bool(done.plan.added))
        to_review = " Review what is new." if done.plan.added else ""
        return notice_of(done.unit, f"Imported: {done.plan.sentence}.{to_review}")

    title = f"Importing {plural(len(sent), 'file')}"
    return work.change(visit, title, take, back=lambda: "/review" if any(added) else "/notes")


def _carried_out(visit: Visit, ids: Sequence[NoteId], progress: Progress) -> Curated:
    store, name = visit.store, visit.value("act")
    if name == "delete":
        return delete(store, ids, progress=progress)
    if name in _TAGGING:
        tag = PINNED if name.endswith("pin") else visit.value("tag")
        return _TAGGING[name](store, ids, tag, progress=progress)
    if name in SCOPES:
        return move(store, ids, name, progress=progress)
    if name in _FIELDS:
        value = _FIELDS[name](visit.value(name).strip())
        return batch.set_fields(store, ids, progress=progress, **{name: value})
    if name == "supersede":
        newest = max(ids, key=lambda note_id: _age(visit, note_id))
        return batch.supersede(store, ids, by=visit.value("by") or newest)
    raise InvalidInput(f"{name[:40]!r} is not something that can be done to notes.")


def _confidence(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(f"{text[:40]!r} is not a number from 0 to 1.") from None


_TAGGING = {
    "tag": batch.add_tag,
    "untag": batch.remove_tag,
    "pin": batch.add_tag,
    "unpin": batch.remove_tag,
}
_FIELDS: dict[str, Callable[[str], object]] = {  # set for several notes at once
    "project": lambda text: " ".join(text.split()) or GLOBAL,
    "type": str,
    "confidence": _confidence,
}


def _age(visit: Visit, note_id: str) -> str:
    read = find(visit.store, note_id)
    return read.note.updated_at if read else ""


def _notice(name: str, done: Curated) -> Notice:
    number = plural(len(done.ids), "note")
    texts = {
        "delete": f"{number} deleted.",
        "tag": f"{number} tagged.",
        "untag": f"Tag removed from {number}.",
        "portable": f"{number} will be synced.",
        "machine-local": f"{number} now local only.",
        "pin": f"{number} pinned.",
        "unpin": f"{number} unpinned.",
        "project": f"{number} moved to another project.",
        "type": f"Type of {number} changed.",
        "confidence": f"Confidence of {number} changed.",
        "supersede": "The latest note replaces the others.",
    }
    text = " ".join([texts[name], *done.notices, *done.failures])
    tone = "trouble" if done.notices or done.failures else "done"
    return notice_of(done.unit, text, tone=tone)


_TITLES = {
    "delete": "Deleting",
    "forget-sure": "Forgetting",
    "keep": "Keeping",
    "reject": "Rejecting",
    "tag": "Tagging",
    "untag": "Removing a tag from",
    "pin": "Pinning",
    "unpin": "Unpinning",
    "project": "Moving",
}


def tidy(visit: Visit) -> Response:
    """What is worth tidying up: as it was found last, without what changed since."""
    view = visit.parameter("view") if visit.parameter("view") in _VIEWS else "duplicates"
    found: Any  # groups of duplicates, stale notes or unused ones; None if not looked for yet
    if view == "unused":
        limit = (datetime.now(UTC) - timedelta(days=_UNCHANGED_DAYS)).date().isoformat()
        found = stale.unused_notes(visit.store, before=limit)
    elif view == "sources":
        found = backfill_provenance.provenance_changes(visit.store, machine_id="")
    else:
        found = _current(visit, view)
    compared = visit.dashboard.jobs.found.get("compared", {})
    return visit.page(
        "tidy.html",
        view=view,
        views=_VIEWS,
        found=None if found is None else found[:_SHOWN],
        total=len(found or ()),
        days=_UNCHANGED_DAYS,
        types=TYPES,
        project=compared.get("project", visit.dashboard.project),
        projects=[name for name in visit.dashboard.counts.values("project") if name != GLOBAL],
        directory=compared.get("directory", os.getcwd()),
        same=sum(each.identical for each in found or ()) if view == "duplicates" else 0,
    )


def look(visit: Visit) -> Response:
    """Look for duplicates, or for what a project's folder no longer has."""
    view, found = visit.value("view"), visit.dashboard.jobs.found
    if view == "duplicates":
        return _looked(visit, view, "Looking for duplicates", _find_duplicates)
    if view != "stale":
        raise InvalidInput("There is nothing of this name to look for.")
    project = visit.value("project") or visit.dashboard.project
    directory = os.path.expanduser(visit.value("directory"))
    if not os.path.isdir(directory):
        raise InvalidInput(f"There is no folder {directory[:200]} on this machine.")
    found.pop("stale", None)
    found["compared"] = {"project": project, "directory": visit.value("directory")}

    def read(visit: Visit, progress: Callable[[int, int], None]) -> list[stale.Stale]:
        return stale.stale_notes(
            visit.store, project=project, directory=directory, progress=progress
        )

    return _looked(visit, view, f"Reading the sources of {project}", read)


def fold(visit: Visit) -> Response:
    """Let the best note of some groups replace the others: one change."""
    wanted, every = set(visit.values("group")), visit.value("which") == "identical"
    groups = [
        group
        for group in _current(visit, "duplicates") or ()
        if (every and group.identical) or group.keeper.id in wanted
    ]
    if not groups:
        raise InvalidInput("These notes changed since they were compared.", hint="Look again.")
    number = plural(sum(len(group.others) for group in groups), "duplicate")
    text = f"{number} replaced by {plural(len(groups), 'note')}."
    return work.change(
        visit,
        f"Replacing {number}",
        lambda progress: notice_of(dedup.fold(visit.store, groups, progress=progress), text),
        back="/tidy?view=duplicates",
    )


def _looked(
    visit: Visit,
    view: str,
    title: str,
    read: Callable[[Visit, Callable[[int, int], None]], list[Duplicates] | list[stale.Stale]],
) -> Response:
    def search(progress: Callable[[int, int], None]) -> Notice:
        found = read(visit, progress)
        visit.dashboard.jobs.found[view] = found
        what = "group of duplicates" if view == "duplicates" else "stale note"
        many = "groups of duplicates" if view == "duplicates" else ""
        return Notice(f"Found {plural(len(found), what, many)}.")

    return work.run(visit, title, search, back=f"/tidy?view={view}")


def _find_duplicates(visit: Visit, progress: Callable[[int, int], None]) -> list[Duplicates]:
    return dedup.find_duplicates(visit.store, progress=progress)


def _current(visit: Visit, view: str) -> list[Any] | None:
    """What was found last and is as it was; None if not looked for yet."""
    found = visit.dashboard.jobs.found.get(view)
    if found is None:
        return None
    same = dedup.unchanged(visit.store, (note for each in found for note in _notes_of(each)))
    return [each for each in found if all(note.id in same for note in _notes_of(each))]


def _notes_of(found: Duplicates | stale.Stale) -> list[Memory]:
    return [found.note] if isinstance(found, stale.Stale) else [found.keeper, *found.others]
