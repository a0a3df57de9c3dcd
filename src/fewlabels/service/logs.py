"""The server's log: a time before every line, and nothing that a request could use to forge a line or steer a terminal."""

import logging
import sys
import time


class PlainLines(logging.Formatter):
    """Lines with their time in UTC; whatever is not printable is written as an escape, and a traceback is indented."""

    def __init__(self) -> None:
        """Write times as 2026-01-31T09:30:00Z."""
        super().__init__("%(asctime)s %(levelname)s %(message)s", datefmt="%Y-%m-%dT%H:%M:%SZ")
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, and one for each line of its traceback."""
        record.message, record.asctime = record.getMessage(), self.formatTime(record, self.datefmt)
        lines = [escaped(self.formatMessage(record))]
        if record.exc_info:
            lines += [f"    {escaped(line)}" for line in self.formatException(record.exc_info).splitlines()]
        return "\n".join(lines)


def escaped(text: str) -> str:
    """Return text in which control characters, line ends and marks of direction are written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def write_logs() -> None:
    """Send warnings and errors of the server to the standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines())
    for name in ("fewlabels", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING)
