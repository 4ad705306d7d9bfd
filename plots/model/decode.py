"""Reads JSON into dataclasses: the types of their fields say what a file must have.

Where the file has nothing, or null, a field has its default. `Annotated[Type, read]` calls `read`
with what stands there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, partial
from reprlib import repr as brief
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from plots.model import values

Read = Callable[[Any], Any]
Kind = TypeVar("Kind")


class NotValid(ValueError):
    """Says in one line what is wrong, and at which place."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{place} {reason}".lstrip())
        self.reason, self.place = reason, place


def key(path: str, **default: Any) -> Any:
    """Says where a field stands if that is not its name: dots lead into objects.

    It is made of what makes the object if the path is empty.
    """
    return dataclasses.field(metadata={"path": path}, **default)


def read(kind: Callable[..., Kind], value: Any, **given: Any) -> Kind:
    """Reads a dataclass; fields that are given are not in the file. Throws NotValid."""
    require_object(value)
    for name, path, read_field, has_default in _fields(kind):
        entry = value
        for step in filter(None, path.split(".")):
            entry = entry.get(step) if isinstance(entry, dict) else None
        if name not in given and not (entry is None and has_default):
            given[name] = _below(path, read_field, entry)
    return kind(**given)


@cache
def _fields(kind: Any) -> list[tuple[str, str, Read, bool]]:
    hints = get_type_hints(kind, include_extras=True)
    return [
        (
            field.name,
            field.metadata.get("path", field.name),
            reader(hints[field.name]),
            not (field.default is field.default_factory is dataclasses.MISSING),
        )
        for field in dataclasses.fields(kind)
    ]


def _below(place: str, read_value: Read, value: Any) -> Any:
    try:
        return read_value(value)
    except NotValid as error:
        joint = "." if place and error.place and not error.place.startswith("[") else ""
        raise NotValid(error.reason, f"{place}{joint}{error.place}") from None


def that(holds: Read, otherwise: str, then: Read = lambda value: value) -> Read:
    """Returns what reads values of which something holds."""

    def read_value(value: Any) -> Any:
        if not holds(value):
            raise NotValid(f"is {brief(value)}, {otherwise}")
        return then(value)

    return read_value


def of_type(kind: type, otherwise: str, then: Read = lambda value: value) -> Read:
    """Returns what reads values of a type of Python."""
    return that(lambda value: isinstance(value, kind), otherwise, then)


def one_of(*known: Any) -> Read:
    """Returns what reads one of a few values."""
    otherwise = f"not {' or '.join(map(str, known))}"
    return that(lambda value: value in known and not isinstance(value, bool), otherwise)


require_list, require_object = of_type(list, "no list"), of_type(dict, "no object")
SIMPLE: dict[Any, Read] = {
    Any: lambda value: value,
    bool: of_type(bool, "neither true nor false"),
    int: that(values.is_whole, "no whole number from 0"),
    float: that(values.is_number, "no number, or too large", float),
    str: of_type(str, "no text", values.printable),
}
# A name may have blanks side by side, and a key stays as it is.
Name = Annotated[str, of_type(str, "no text", values.legible)]
Key = Annotated[str, lambda value: value]


@cache
def reader(kind: Any) -> Read:
    """Returns what reads values of a type."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return parts[1]  # type: ignore[no-any-return]
    if origin in (Union, UnionType):
        read_value = reader(parts[0])
        return lambda value: None if value is None else read_value(value)
    if origin in (list, tuple, frozenset):
        return partial(_read_list, origin, reader(parts[0]), len(parts) * (... not in parts))
    if origin is dict:
        return partial(_read_dict, reader(parts[0]), reader(parts[1]))
    return SIMPLE.get(kind) or partial(read, kind)


def _read_list(make: Read, read_entry: Read, length: int, value: Any) -> Any:
    if len(require_list(value)) != length > 1:
        raise NotValid(f"has not {length} entries")
    return make([_below(f"[{i}]", read_entry, entry) for i, entry in enumerate(value)])


def _read_dict(read_key: Read, read_entry: Read, value: Any) -> dict[str, Any]:
    return {
        read_key(name): _below(f"[{brief(name)}]", read_entry, entry)
        for name, entry in require_object(value).items()
    }


def require_kind(document: Any, kind: str, newest: int) -> None:
    """Throws NotValid unless a file is of a kind, in a format that is known here."""
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise NotValid(f"its kind is not {kind}")
    number = document.get("format")
    if not values.is_whole(number) or number < 1:
        raise NotValid(f"its format is {brief(number)}")
    if number > newest:
        raise NotValid(f"its format, {number}, is newer than the newest known here, {newest}")


def _interval(ends: Any) -> tuple[float, float] | None:
    """Reads an interval, of which an end may not be known."""
    low, high = reader(tuple[float | None, float | None])(ends)
    return None if low is None or high is None else (low, high)


Interval = Annotated[tuple[float, float] | None, _interval]
