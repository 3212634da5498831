"""Errors that say what happened and what to do about it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_CONFLICT = 3
EXIT_NOT_SET_UP = 4
EXIT_BUSY = 5
EXIT_INTERRUPTED = 130


def reason_of(error: OSError) -> str:
    """The system's reason for an error, to be used in a sentence."""
    return (error.strerror or str(error)).lower()


class AnamnesisError(Exception):
    """An error to show: what happened, and what to do about it."""

    def __init__(self, message: str, *, hint: str = "", exit_code: int = EXIT_FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


class InvalidInput(AnamnesisError, ValueError):
    """A value that is not allowed."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, exit_code=EXIT_USAGE)


class NoHome(AnamnesisError):
    """HOME is not set, so there is no place for the store."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"Cannot locate {path}: HOME is not set.",
            hint="Set HOME, or set ANAMNESIS_HOME to a folder for the notes.",
            exit_code=EXIT_NOT_SET_UP,
        )


class StoreMissing(NoHome):
    """The store that was set up is not there; a new one must not take its place unasked."""

    def __init__(self, path: str) -> None:
        import shlex

        AnamnesisError.__init__(
            self,
            f"The store {path} is not there.",
            hint=f"If its disk is not mounted, mount it. To start an empty store:  "
            f"mkdir -p {shlex.quote(path)}",
            exit_code=EXIT_NOT_SET_UP,
        )


class BrokenConfig(AnamnesisError):
    """config.json cannot be read, so nothing that depends on it is done."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is not a JSON object.", hint="Fix it, or move it away, and try again."
        )


class StoreBusy(AnamnesisError):
    """Another process held a lock for too long."""

    def __init__(self, lock: str, *, holder: str, waited: float, hint: str = "") -> None:
        self.holder = holder
        super().__init__(
            f"The {lock} is held by {holder or 'another process'} (waited {waited:g} s).",
            hint=hint or "Try again in a moment; nothing was changed.",
            exit_code=EXIT_BUSY,
        )


class NotWritable(AnamnesisError):
    """A file could not be written: read-only, full, or no permission."""

    def __init__(self, path: str, *, reason: str) -> None:
        self.path = path
        super().__init__(f"Cannot write {path}: {reason}.", hint=f"Not saved. {_advice(reason)}")


def _advice(reason: str) -> str:
    if "read-only file system" in reason:
        return "Reading works. To save, mount that disk for writing."
    if "space" in reason or "quota" in reason:
        return "Free some space and try again."
    return "Check permissions and the disk, then try again."


class FileInTheWay(AnamnesisError):
    """A different note is already where this one would be written."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path} holds a different note with this id; refusing to overwrite it.",
            hint="Nothing was changed. Rename the file or give it another id, then try again.",
        )


class ToolBroken(AnamnesisError):
    """A program is installed but cannot be started."""

    def __init__(self, program: str, *, reason: str) -> None:
        super().__init__(f"{program} cannot be run: {reason}.")


class ToolMissing(AnamnesisError):
    """A required program is not installed."""

    def __init__(self, program: str) -> None:
        self.program = program
        super().__init__(
            f"{program} is not installed or not on PATH.",
            hint=f"Install {program} and run the command again.",
        )


def install_command(extra: str = "", *, again: bool = False) -> str:
    """The command that installs Anamnesis with an extra, the same way it was installed."""
    import json
    import shlex
    import sys
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    from anamnesis import DISTRIBUTION

    name, extras = DISTRIBUTION, f"[{extra}]" if extra else ""
    try:
        installed = distribution(name)
        source, installer = installed.read_text("direct_url.json"), installed.read_text("INSTALLER")
    except PackageNotFoundError:  # it runs from a checkout
        source, installer = '{"url": "file:."}', ""
    origin = json.loads(source or "{}")
    url, vcs = str(origin.get("url", "")), origin.get("vcs_info", {}).get("vcs")
    requirement = (
        f"{name}{extras} @ {vcs}+{url}" if vcs else f"{name}{extras} @ {url}" if url else ""
    )
    if url.startswith("file:"):
        requirement = url2pathname(urlsplit(url).path) + extras
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    python = shlex.quote(sys.executable)
    program = f"{python} -m pip install{' --force-reinstall' * again}"
    if (installer or "").strip() == "uv":
        program = f"uv pip install --python {python}{' --reinstall' * again}"
    if os.path.exists(os.path.join(sys.prefix, "uv-receipt.toml")):
        program = "uv tool install --force"
    elif os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):
        program = "pipx install --force"
    return f"{program} {editable}{shlex.quote(requirement or name + extras)}"


class CutBytecode(AnamnesisError):
    """The compiled file of a module was truncated, for example by a full disk."""

    def __init__(self) -> None:
        super().__init__(
            "A compiled file of this program was cut off, probably by a full disk.",
            hint="It was removed. Run the command again.",
        )


def drop_cut_bytecode(error: BaseException) -> bool:
    """Remove the compiled file of a module that cannot be loaded; False for any other error.

    Python keeps whatever a full disk let it write of such a file, and fails on it ever after.
    """
    place = error.__traceback__ if isinstance(error, EOFError) else None
    while place is not None:
        path = place.tb_frame.f_locals.get("bytecode_path")
        if isinstance(path, str) and path.endswith(".pyc"):
            try:
                os.unlink(path)
            except OSError:
                return False
            return True
        place = place.tb_next
    return False


class ExtraMissing(AnamnesisError):
    """An optional part of Anamnesis is not installed."""

    def __init__(self, what: str, *, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs the extra [{extra}], which is not installed.",
            hint=f"Install it:  {install_command(extra)}",
        )


class NoSuchNote(AnamnesisError):
    """There is no note with this id; `removed_by` is the change that removed it, if undoable."""

    def __init__(self, note_id: str, *, removed_by: str = "") -> None:
        self.note_id = note_id
        hint = "To list the ids:  anamnesis list"
        if removed_by:
            hint = f"It was deleted here; bring it back with:  anamnesis undo {removed_by}"
        super().__init__(f"There is no note {note_id}.", hint=hint)


class SeveralMatch(InvalidInput):
    """Part of an id matches several notes."""

    def __init__(self, given: str, ids: Sequence[str]) -> None:
        self.given = given
        self.ids = tuple(ids)
        listed = ", ".join(ids[:8]) + (" …" if len(ids) > 8 else "")
        super().__init__(f"Several notes match {given}: {listed}.", hint="Give more of the id.")


class NoteChangedOnDisk(AnamnesisError):
    """A note was edited elsewhere since it was read."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path.rpartition('/')[2]} changed on disk since you opened it.",
            hint="Your text is kept. Compare the two versions and save again.",
        )
