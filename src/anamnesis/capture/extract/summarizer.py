"""The summariser that the capture command uses: the whole story, without a model."""

from __future__ import annotations

from anamnesis.capture.extract import note, title
from anamnesis.capture.extract.paths import shortened
from anamnesis.capture.summarize import HeuristicSummarizer, SummaryResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.story import Story


class ExtractSummarizer:
    """What was asked, done, decided, learned and left open, in the session's own words."""

    def __init__(self, story: Story, *, taken: Collection[str] = ()) -> None:
        self._story = story
        self._taken = taken

    def summarize(self, session: ParsedSession) -> SummaryResult:
        """A summary, always."""
        found = title.title(self._story, taken=self._taken)
        line = shortened(found, root=session.cwd)
        if not line:
            line = HeuristicSummarizer().summarize(session).title
        return SummaryResult(title=line, body=note.body(session, self._story))
