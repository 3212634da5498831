"""The last look before a note leaves this machine."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def secrets_stay_here(home: str) -> Callable[[str, bytes], str]:
    """A check of files that are about to be committed: why one must stay here, or nothing."""

    def objection(_path: str, content: bytes) -> str:
        from anamnesis.redact import findings
        from anamnesis.redact.allowed import FILE_NAME, allow_list

        found = findings(content.decode("utf-8", "replace"), allow=allow_list(home))
        if not found:
            return ""
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in found))
        return f"it seems to hold a secret ({kinds}); remove it, or allow it in {FILE_NAME}"

    return objection
