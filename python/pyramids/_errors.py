"""Exceptions. Each carries the name of its cause (`code`, as in the C library) and the rule that it refers to (`rule`)."""

from typing import Optional


class Error(Exception):
    """Something that the library refuses: `code` names the cause, `rule` is a tag of docs/rules.md or empty."""

    def __init__(self, message: str, code: str = "", rule: str = "") -> None:
        super().__init__(f"{message} ({rule})" if rule and f"({rule})" not in message and f"[{rule}]" not in message
                         else message)
        self.code, self.rule = code, rule


class IllegalAction(Error, ValueError):
    """An action that the rules do not allow. `row` is its place among the actions of a step, or None."""

    def __init__(self, message: str, code: str = "", rule: str = "", row: Optional[int] = None) -> None:
        super().__init__(message if row is None else f"row {row}: {message}", code, rule)
        self.row = row


class FormatError(Error, ValueError):
    """A text (an edition, a record, a choice) that cannot be read. `line` and `column` count from 1; 0: as a whole."""

    def __init__(self, message: str, code: str = "", rule: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(f"line {line}: {message}" if line else message, code, rule)
        self.line, self.column = line, column


class ClosedError(Error, RuntimeError):
    """A call of an environment that was closed."""
