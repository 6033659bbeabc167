"""What the numbers of actions and the bytes of observations mean, and arrays with numpy or without."""
from typing import Any, NamedTuple, Optional

from . import _core

try:
    import numpy
except ImportError:
    numpy = None

Array = Any                      # a numpy array, or a memoryview where there is no numpy

ACTIONS = _core.ACTIONS          # how many actions there are
OBSERVATION = _core.OBSERVATION  # bytes of an observation
CRITIC = _core.CRITIC            # bytes of the critic's plane
PASS = _core.PASS                # the action of a seat that has nothing to decide


class Action(NamedTuple):
    """An action in words. `kind` is "mark", "keep", "take", "draw" or "pass". Members that its kind does not have are None.

    A mark covers the revealed pattern (`is_pattern`) in one of its turns, or one space, on the card in `slot`. `row` and
    `column` (from 0) are those of its first space in reading order. A keep names two of the four cards dealt, from 0;
    `first` of a take is the place in the display.
    """
    kind: str
    is_pattern: Optional[bool] = None
    turn: Optional[int] = None
    slot: Optional[int] = None
    row: Optional[int] = None
    column: Optional[int] = None
    first: Optional[int] = None
    second: Optional[int] = None


def describe(action: int) -> Action:
    """An action in words."""
    kind, is_pattern, turn, slot, row, column, first, second = _core.describe(action)
    if kind == "mark":
        return Action(kind, bool(is_pattern), turn if is_pattern else None, slot, row, column)
    if kind == "keep":
        return Action(kind, first=first, second=second)
    return Action(kind, first=first) if kind == "take" else Action(kind)


class Field(NamedTuple):
    """A part of an observation: `size` bytes from `offset` on, of that shape, none larger than `most`."""
    name: str
    offset: int
    size: int
    shape: tuple[int, ...]
    most: int


def _fields(plane: int) -> tuple[Field, ...]:
    result = []
    for name, offset, shape, most in _core.fields(plane):
        size = shape[0] * shape[1] * shape[2]
        while len(shape) > 1 and shape[-1] == 1:
            shape = shape[:-1]
        result.append(Field(name, offset, size, shape, most))
    return tuple(result)


_FIELDS = {"observation": _fields(0), "critic": _fields(1)}


def fields(plane: str = "observation") -> tuple[Field, ...]:
    """The fields of a plane, "observation" or "critic", in the order of their bytes."""
    if plane not in _FIELDS:
        raise ValueError(f"unknown plane {plane!r}; choose from: observation, critic")
    return _FIELDS[plane]


def split(observation: Any, plane: str = "observation") -> dict[str, Array]:
    """The fields of one observation by name, without a copy: numpy arrays, or memoryviews where there is no numpy.

    The array may have more dimensions in front, such as one per game (numpy only)."""
    parts = {}
    if numpy is not None:
        rows = numpy.frombuffer(observation, numpy.uint8) if isinstance(observation, (bytes, bytearray, memoryview)) \
            else numpy.asarray(observation)
        for field in fields(plane):
            part = rows[..., field.offset:field.offset + field.size]
            parts[field.name] = part.reshape(rows.shape[:-1] + field.shape)
        return parts
    row = memoryview(observation).cast("B")
    for field in fields(plane):
        parts[field.name] = row[field.offset:field.offset + field.size].cast("B", field.shape)
    return parts


def shared(buffer: Any) -> Array:
    """The same memory as a numpy array, or as a memoryview where there is no numpy."""
    if buffer is None:
        return None
    return numpy.asarray(buffer) if numpy is not None else memoryview(buffer)


def row_of(data: bytes, kind: str = "uint8") -> Array:
    """Bytes as a row that no other code writes."""
    return numpy.frombuffer(data, kind).copy() if numpy is not None else memoryview(bytearray(data))
