"""What a run holds beside its rows: faults of single lines and of rankings, and the header.

Both readers of runs use it, so that they say the same in the same words. It sees one line at a time and ranks nothing.
"""

from evaluation.faultlog import FaultLog
from evaluation.lines import N_FIELDS, log_bad_bytes, log_bad_fields, log_wrong_width
from evaluation.types import RunRules

HEADER_BYTES = 64 * 1024
MAX_TAGS = 100  # different ones that are kept


class OddLines:
    """The faults and the header of one run."""

    def __init__(self, rules: RunRules) -> None:
        self.log = FaultLog(rules.limits.faults)
        self._rules = rules
        self._header: list[bytes] = []
        self._header_bytes = 0
        self._n_bad = 0

    @property
    def header(self) -> str | None:
        """The lines of the header without their mark, or None where there is none or too much of it."""
        return b"\n".join(self._header).decode() if self._header and not self.header_is_full else None

    @property
    def header_is_full(self) -> bool:
        """Whether further lines of the header change nothing."""
        return self._header_bytes > HEADER_BYTES

    @property
    def are_too_many(self) -> bool:
        """Whether so many lines have a fault that the others are not worth their time."""
        return self._n_bad > self._rules.limits.bad_lines

    def screen(self, lines: list[bytes], number: int, offset: int) -> list[bytes]:
        """Log the lines with bad bytes and blank them; `number` and `offset` say where the first one is in the file."""
        screened = []
        for place, raw in enumerate(lines, number):
            is_bad = log_bad_bytes(self.log, raw, place, offset, self._rules.limits)
            self._n_bad += is_bad
            screened.append(b"" if is_bad else raw)
            offset += len(raw) + 1
        return screened

    def take(self, line: bytes, number: int, *, is_above_rows: bool) -> None:
        """Read a clean line that is not a row of the run: blank, marked by #, of another width, or with a bad field."""
        if line.startswith(b"#"):
            if is_above_rows and not self.header_is_full:
                text = line.rstrip(b"\r")[1:].removeprefix(b" ")
                self._header_bytes += len(text) + 1
                self._header.append(text)
        elif fields := line.split():
            self._n_bad += 1
            if len(fields) == N_FIELDS:
                log_bad_fields(self.log, fields, number, self._rules.limits)
            else:
                log_wrong_width(self.log, fields, line, number)

    def refuse_lines(self, number: int) -> None:
        """Log that the file goes on beyond the limit of lines."""
        self.log.add("too_many_lines", number, limit=self._rules.limits.lines)

    def refuse_rest(self, number: int) -> None:
        """Log that the file is not read beyond this line, because there were too many faults."""
        self.log.add("too_many_faults", limit=self._rules.limits.bad_lines, n_read=number)

    def refuse_topics(self, topic: bytes, number: int) -> None:
        """Log that the file has more topics than the limit."""
        self.log.add("too_many_topics", number, "topic", topic, limit=self._rules.limits.topics)

    def refuse_duplicate(self, topic: bytes, document: bytes, number: int, first_line: int) -> None:
        """Log a document that stood in this topic before."""
        facts = {"topic": topic, "document": document}
        self.log.add("duplicate_document", number, "document", document, first_line=first_line, **facts)

    def refuse_depth(self, topic: bytes, number: int) -> None:
        """Log the first document of a topic that is far beyond the depth."""
        facts = {"limit": self._rules.max_documents, "depth": self._rules.depth or 0}
        self.log.add("too_many_documents", number, "topic", topic, topic=topic, **facts)
