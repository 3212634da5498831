"""Curating notes: actions on many at once, merging, importing, and tidying up."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from anamnesis.ground.errors import InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.notes.fields import SCOPES, TYPES
from anamnesis.operations.curate import (
    backfill_provenance,
    dedup,
    import_,
    merge,
    stale,
)
from anamnesis.operations.curate.pin import PINNED
from anamnesis.operations.notes import batch
from anamnesis.operations.notes import undo as changes
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.notes.list import titles
from anamnesis.operations.notes.move import move
from anamnesis.operations.notes.show import find as find_note
from anamnesis.project import GLOBAL
from anamnesis.web.dashboard import Notice, notice_of
from anamnesis.web.differences import words_of
from anamnesis.web.formatting import plural
from anamnesis.web.pages import background, export, forget, review

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.curate.dedup import Duplicates
    from anamnesis.operations.notes.batch import Curated
    from anamnesis.web.differences import Pieces
    from anamnesis.web.request import Visit

_VIEWS = {
    "duplicates": "Duplicates",
    "stale": "Stale",
    "sources": "Sources",
}
_MOST_MERGED = 20  # notes that can still be read side by side
_NAMED = 3  # titles in a notice
_GROUPS = 30  # of duplicates on a page, with their texts
_LISTED = 100  # findings on a page; those that are dealt with make room for the next


def act(visit: Visit) -> Response:
    """Carry out one action on the selected notes."""
    ids = _selected(visit)
    name = visit.value("act")
    if name == "apply":  # the command that was chosen for the selection
        name = visit.value("command")
    if name.startswith("export"):
        return export.export_notes(visit, ids, "md" if name.endswith("-md") else "jsonl")
    if name == "merge":
        return visit.redirect(f"/merge?ids={'+'.join(ids[: _MOST_MERGED + 1])}")
    if name == "forget":
        return forget.ask(visit, [each.note.id for each in _read(visit, ids)])
    if name == "confirm":
        return _confirm(visit, ids)
    title = f"{_TITLES.get(name, 'Changing')} {plural(len(ids), 'note')}"

    def carry_out(progress: Progress) -> Notice:
        return _apply(visit, name, ids, progress)

    return background.change(visit, title, carry_out, back=visit.return_address("/notes"))


def _confirm(visit: Visit, ids: Sequence[NoteId]) -> Response:
    """Tie notes to the code of the folder that they were compared with."""
    folder = visit.dashboard.jobs.results.get("compared", {}).get("directory", "")
    if not folder:
        raise InvalidInput("The notes were not compared with a folder yet.")
    text = f"{plural(len(ids), 'note')} still {'holds' if len(ids) == 1 else 'hold'}."

    def carry_out(_: Progress) -> Notice:
        return notice_of(
            stale.confirm(visit.store, ids, directory=os.path.expanduser(folder)), text
        )

    title = f"Confirming {plural(len(ids), 'note')}"
    return background.change(visit, title, carry_out, back=visit.return_address("/tidy?view=stale"))


def _selected(visit: Visit) -> list[NoteId]:
    """The selected ids: those checked on the page, and those selected on other pages."""
    ids = [*visit.values("id"), *visit.value("ids").split()]
    if not ids:
        raise InvalidInput("No notes are selected.", hint="Select notes with x, then try again.")
    return list(dict.fromkeys(ids))


def _read(visit: Visit, ids: Sequence[NoteId]) -> list[ReadNote]:
    """The notes with these ids that still exist. Raises NoSuchNote if none does."""
    notes = [read for note_id in ids if (read := find_note(visit.store, note_id)) is not None]
    if not notes:
        raise NoSuchNote(ids[0][:80] if ids else "")
    return notes


def _apply(visit: Visit, name: str, ids: Sequence[NoteId], progress: Progress) -> Notice:
    if name in review.DECISIONS:
        return review.apply_decision(visit, name, ids, progress=progress)
    first = titles(visit.store, ids[:_NAMED])
    return _notice(name, _change_notes(visit, name, ids, progress), first)


def undo(visit: Visit) -> Response:
    """Undo the unit that the form names, or the latest; the notice offers to redo it."""
    unit_id = visit.value("unit")
    if not unit_id and visit.value("latest") != "1":
        raise InvalidInput("The form is missing the change to undo.")

    def back() -> str:
        address = visit.return_address("/notes")
        note_page = re.match(r"/notes/(\w+)", address)
        # Undoing may have removed the note of that page.
        return "/notes" if note_page and visit.read(note_page[1]) is None else address

    return background.change(
        visit, "Undoing a change", lambda progress: _undo_unit(visit, unit_id, progress), back=back
    )


def _undo_unit(visit: Visit, unit_id: str, progress: Progress) -> Notice:
    try:
        result = changes.undo(visit.store, unit_id, progress=progress)
    except (changes.ChangedSince, changes.NothingToUndo) as error:
        return Notice(f"{error.message} Nothing was put back.", "trouble")
    sentences = [
        f"Undone: {result.unit.summary}."
        if not unit_id
        else f"{plural(result.notes, 'note')} put back."
    ]
    if result.left:
        sentences.append(
            f"Left alone because they changed since: {plural(len(result.left), 'file')}."
        )
    return Notice(" ".join(sentences), "trouble" if result.left else "done", result.redo)


def compare(visit: Visit) -> Response:
    """Two or more notes side by side, to merge them."""
    ids = list(dict.fromkeys(visit.request.query_params.get("ids", "").split()))
    if not 2 <= len(ids) <= _MOST_MERGED:
        raise InvalidInput(
            f"Select at least two and at most {_MOST_MERGED} notes to merge.",
            hint="Go back to the list.",
        )
    return _side_by_side(visit, _read(visit, ids))


def merge_notes(visit: Visit) -> Response:
    """Merge notes into a new one that replaces them. Refused if one changed in the meantime."""
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
    visit.dashboard.recorder.schedule()
    text = f"{plural(len(reads), 'note')} merged; the old ones are now superseded."
    return visit.redirect(f"/notes/{note.id}", notice_of(unit, text))


def _side_by_side(visit: Visit, reads: Sequence[ReadNote]) -> Response:
    others = reads[1:]
    if not others:
        raise InvalidInput("Select at least two notes to merge.")
    if len({(each.note.project, each.note.scope) for each in reads}) > 1:
        raise InvalidInput(
            "These notes belong to different projects or scopes.",
            hint="Go back and give them the same project and scope with Change.",
        )
    merged = merge.merged_note(
        visit.store, [each.note.id for each in reads], machine_id=visit.dashboard.machine
    )
    return visit.page(
        "merge_notes.html",
        reads=reads,
        others="\n\n".join(each.note.body.strip() for each in others),
        merged=merged,
        seal=_seal(reads),
    )


def _seal(reads: Sequence[ReadNote]) -> str:
    """A digest that tells whether the notes are still those that were shown."""
    return blake2b("".join(each.hash for each in reads).encode(), digest_size=16).hexdigest()


def import_files(visit: Visit) -> Response:
    """Import files that were dropped on a page or chosen, as one change."""
    files = visit.json_body().get("files")
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise InvalidInput("No files to import.")
    added: list[bool] = []

    def add_notes(progress: Progress) -> Notice:
        project = visit.dashboard.project or GLOBAL
        result = import_.import_texts(visit.store, files, project=project, progress=progress)
        added.append(bool(result.plan.added))
        to_review = " Review the new notes." if result.plan.added else ""
        return notice_of(result.unit, f"Imported: {result.plan.sentence}.{to_review}")

    title = f"Importing {plural(len(files), 'file')}"
    return background.change(
        visit, title, add_notes, back=lambda: "/review" if any(added) else "/notes"
    )


def _change_notes(visit: Visit, name: str, ids: Sequence[NoteId], progress: Progress) -> Curated:
    store, value = visit.store, visit.value("value") or visit.value(name)
    if name == "delete":
        return delete(store, ids, progress=progress)
    if name in _TAGGING:
        tag = PINNED if name.endswith("pin") else value or visit.value("tag")
        return _TAGGING[name](store, ids, tag, progress=progress)
    if name in SCOPES:
        return move(store, ids, name, progress=progress)
    if name in _FIELDS:
        field = {name: _FIELDS[name](value.strip())}
        return batch.set_fields(store, ids, progress=progress, **field)
    if name == "supersede":
        latest = max(ids, key=lambda note_id: _updated_at(visit, note_id))
        return batch.supersede(store, ids, by=visit.value("by") or latest)
    raise InvalidInput(f"{name[:40]!r} is not an action on notes.")


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
_FIELDS: dict[str, Callable[[str], object]] = {  # that can be set on several notes at once
    "project": lambda text: " ".join(text.split()) or GLOBAL,
    "type": str,
    "confidence": _confidence,
}


def _updated_at(visit: Visit, note_id: str) -> str:
    read = find_note(visit.store, note_id)
    return read.note.updated_at if read else ""


def _notice(name: str, change: Curated, first: Mapping[NoteId, str]) -> Notice:
    """What was done, with the titles of the first notes."""
    number = plural(len(change.ids), "note")
    texts = {
        "delete": f"{number} deleted.",
        "tag": f"{number} tagged.",
        "untag": f"Tag removed from {number}.",
        "portable": f"{number} will be synced.",
        "machine-local": f"{number} made local only.",
        "pin": f"{number} pinned.",
        "unpin": f"{number} unpinned.",
        "project": f"{number} moved to another project.",
        "type": f"Type of {number} changed.",
        "confidence": f"Confidence of {number} changed.",
        "supersede": "The latest note replaces the others.",
    }
    text = " ".join([texts[name], *change.notices, *change.failures])
    tone = "trouble" if change.notices or change.failures else "done"
    notice = notice_of(change.unit, f"{text} {_named(first, change.ids)}".rstrip(), tone=tone)
    if name == "delete":
        return notice
    links = [(title or "Untitled", f"/notes/{note_id}") for note_id, title in first.items()]
    return replace(notice, text=text, links=tuple(links))


def _named(titles: Mapping[NoteId, str], ids: Sequence[NoteId]) -> str:
    names = [f"“{title or 'Untitled'}”" for title in titles.values()]
    more = len(ids) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more > 0 and names else "")


_TITLES = {
    "delete": "Deleting",
    "keep": "Keeping",
    "reject": "Rejecting",
    "tag": "Tagging",
    "untag": "Removing a tag from",
    "pin": "Pinning",
    "unpin": "Unpinning",
    "project": "Moving",
}


def tidy(visit: Visit) -> Response:
    """What is worth tidying up: the latest findings, without notes that changed since."""
    view = visit.parameter("view") if visit.parameter("view") in _VIEWS else "duplicates"
    findings: Any  # groups of duplicates, or notes; None if nothing was searched yet
    if view == "sources":
        findings = backfill_provenance.provenance_changes(visit.store, machine_id="")
    else:
        findings = _current_findings(visit, view)
    listed = None if findings is None else findings[: _GROUPS if view == "duplicates" else _LISTED]
    compared = visit.dashboard.jobs.results.get("compared", {})
    return visit.page(
        "tidy.html",
        view=view,
        views=_VIEWS,
        findings=_sides(visit, listed) if listed and view == "duplicates" else listed,
        total=len(findings or ()),
        types=TYPES,
        project=compared.get("project", visit.dashboard.project),
        projects=[name for name in visit.dashboard.counts.values("project") if name != GLOBAL],
        directory=compared.get("directory", os.getcwd()),
        identical=sum(each.identical for each in findings or ()) if view == "duplicates" else 0,
    )


@dataclass(frozen=True, slots=True)
class ComparedNote:
    """One of several duplicates, with the words marked that another one does not have."""

    note: Memory
    pieces: Pieces


def _sides(
    visit: Visit, groups: Sequence[Duplicates]
) -> list[tuple[Duplicates, list[ComparedNote]]]:
    """Each group with its texts side by side, the one to keep first."""
    return [(group, list(_compared(visit, group))) for group in groups]


def _compared(visit: Visit, group: Duplicates) -> Iterator[ComparedNote]:
    notes = [group.keeper, *group.others]
    texts = [read.note.body if (read := find_note(visit.store, each.id)) else "" for each in notes]
    for at, (note, text) in enumerate(zip(notes, texts, strict=True)):
        other = texts[0] if at else texts[1]
        yield ComparedNote(note, words_of(other, text)[1])


def find(visit: Visit) -> Response:
    """Find duplicates, or notes that mention what a project's folder no longer has."""
    view, results = visit.value("view"), visit.dashboard.jobs.results
    if view == "duplicates":
        return _run_search(visit, view, "Looking for duplicates", _find_duplicates)
    if view != "stale":
        raise InvalidInput(f"{view[:40]!r} is not one of: duplicates, stale.")
    project = visit.value("project") or visit.dashboard.project
    directory = os.path.expanduser(visit.value("directory"))
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory[:200]} is not a folder on this machine.")
    results.pop("stale", None)
    results["compared"] = {"project": project, "directory": visit.value("directory")}

    def find_stale(visit: Visit, progress: Callable[[int, int], None]) -> list[stale.Stale]:
        return stale.stale_notes(
            visit.store, project=project, directory=directory, progress=progress
        )

    return _run_search(visit, view, f"Reading the sources of {project}", find_stale)


def fold(visit: Visit) -> Response:
    """Let one note of each chosen group replace the others, as one change.

    It is the best one, unless another was chosen.
    """
    keepers, is_all_identical = set(visit.values("group")), visit.value("which") == "identical"
    groups = [
        _kept_as_chosen(group, visit.value(f"keep-{group.keeper.id}"))
        for group in _current_findings(visit, "duplicates") or ()
        if (is_all_identical and group.identical) or group.keeper.id in keepers
    ]
    if not groups:
        raise InvalidInput(
            "These notes changed since they were compared.", hint="Look for duplicates again."
        )
    number = plural(sum(len(group.others) for group in groups), "duplicate")
    kept = {group.keeper.id: group.keeper.title for group in groups[:_NAMED]}
    text = f"{number} replaced by {plural(len(groups), 'note')}:"
    text += f" {_named(kept, [group.keeper.id for group in groups])}."
    return background.change(
        visit,
        f"Replacing {number}",
        lambda progress: notice_of(dedup.fold(visit.store, groups, progress=progress), text),
        back="/tidy?view=duplicates",
    )


def _kept_as_chosen(group: Duplicates, chosen: NoteId) -> Duplicates:
    notes = [group.keeper, *group.others]
    keeper = next((note for note in notes if note.id == chosen), group.keeper)
    others = tuple(note for note in notes if note is not keeper)
    return replace(group, keeper=keeper, others=others)


def _run_search(
    visit: Visit,
    view: str,
    title: str,
    search: Callable[[Visit, Callable[[int, int], None]], list[Duplicates] | list[stale.Stale]],
) -> Response:
    def run(progress: Callable[[int, int], None]) -> Notice:
        findings = search(visit, progress)
        visit.dashboard.jobs.results[view] = findings
        noun = "group of duplicates" if view == "duplicates" else "stale note"
        nouns = "groups of duplicates" if view == "duplicates" else ""
        return Notice(f"Found {plural(len(findings), noun, nouns)}.")

    return background.run(visit, title, run, back=f"/tidy?view={view}")


def _find_duplicates(visit: Visit, progress: Callable[[int, int], None]) -> list[Duplicates]:
    return dedup.find_duplicates(visit.store, progress=progress)


def _current_findings(visit: Visit, view: str) -> list[Any] | None:
    """The latest findings whose notes have not changed; None if nothing was searched yet."""
    findings = visit.dashboard.jobs.results.get(view)
    if findings is None:
        return None
    unchanged = dedup.unchanged(
        visit.store, (note for finding in findings for note in _notes_of(finding))
    )
    return [each for each in findings if all(note.id in unchanged for note in _notes_of(each))]


def _notes_of(finding: Duplicates | stale.Stale) -> list[Memory]:
    if isinstance(finding, stale.Stale):
        return [finding.note]
    return [finding.keeper, *finding.others]
