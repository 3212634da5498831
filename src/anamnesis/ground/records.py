"""`@record`: frozen, slotted dataclasses for modules on the hook path.

The standard `dataclasses` module imports `inspect`, which alone costs as much CPU as starting
Python. A hook pays that at every session start, so records are built here without it. To type
checkers and to `dataclasses.replace`, `fields` and `asdict` a record *is* a dataclass; the
standard module is loaded only when one of those is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_options: object) -> Callable[[T], T]:
        """Stand in for the typing decorator, which only type checkers read."""
        return lambda function: function


class _Fresh:
    """A default that is created afresh for each instance."""

    __slots__ = ("factory",)

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def fresh(*, default_factory: Callable[[], T]) -> T:
    """A field default such as an empty list, created for each instance."""
    return _Fresh(default_factory)  # type: ignore[return-value]


class _DataclassFields:
    """The standard `__dataclass_fields__`, built when it is asked for."""

    def __get__(self, instance: object, owner: type[Any]) -> dict[str, Any]:
        import dataclasses

        columns = []
        for name in owner.__slots__:
            default = owner.__record_defaults__.get(name, dataclasses.MISSING)
            if isinstance(default, _Fresh):
                spec = dataclasses.field(default_factory=default.factory)
            else:
                spec = dataclasses.field(default=default)
            columns.append((name, owner.__annotations__[name], spec))
        twin = dataclasses.make_dataclass(owner.__name__, columns, frozen=True)
        fields: dict[str, Any] = vars(twin)["__dataclass_fields__"]
        owner.__dataclass_fields__ = fields
        return fields


class _Signature:
    """Gives `inspect` the fields, whether or not the initialiser is compiled yet."""

    def __get__(self, instance: object, owner: type[Any]) -> object:
        import inspect

        compiled = inspect.signature(_initialiser(owner.__slots__, owner.__record_defaults__))
        return compiled.replace(parameters=list(compiled.parameters.values())[1:])


def _initialiser(names: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., None]:
    parameters, lines = [], ["set = object.__setattr__"]
    for name in names:
        default = defaults.get(name, _initialiser)
        if default is _initialiser:
            parameters.append(name)
        else:
            parameters.append(f"{name}=_default_{name}")
        value = f"_default_{name}.factory() if {name} is _default_{name} else {name}"
        lines.append(f"set(self, {name!r}, {value if isinstance(default, _Fresh) else name})")
    source = f"def __init__(self, {', '.join(parameters)}):\n  " + "\n  ".join(lines)
    scope: dict[str, Any] = {f"_default_{name}": value for name, value in defaults.items()}
    exec(source, scope)  # noqa: S102  built from field names only; runs once per class
    initialiser: Callable[..., None] = scope["__init__"]
    return initialiser


_SLOWLY = 100  # instances; compiling an initialiser takes as long as creating this many without


def _initialised_later(
    owner: list[type[Any]], names: tuple[str, ...], defaults: dict[str, Any]
) -> Callable[..., None]:
    """An initialiser that is compiled only once it pays off: most records have few instances."""
    uncompiled = [_SLOWLY]

    def __init__(self: object, *values: object, **named: object) -> None:  # noqa: N807
        uncompiled[0] -= 1
        if uncompiled[0] >= 0 and len(values) == len(names) and not named:
            for name, value in zip(names, values, strict=True):
                object.__setattr__(self, name, value)
            return
        arguments = {**defaults, **dict(zip(names, values, strict=False)), **named}
        is_sound = len(values) <= len(names) and named.keys().isdisjoint(names[: len(values)])
        if uncompiled[0] < 0 or not is_sound or arguments.keys() != {*names}:
            owner[0].__init__ = _initialiser(names, defaults)
            owner[0].__init__(self, *values, **named)  # which also says what is wrong
            return
        for name, value in arguments.items():
            made = value.factory() if isinstance(value, _Fresh) else value
            object.__setattr__(self, name, made)

    return __init__


def _refuse(self: object, name: str, *_value: object) -> None:
    raise AttributeError(f"cannot assign to field {name!r}: {type(self).__name__} is frozen")


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__slots__)


def _equal(self: object, other: object) -> bool:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hashed(self: object) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
    return f"{type(self).__qualname__}({fields})"


def _reduced(self: object) -> tuple[type, tuple[Any, ...]]:
    return type(self), _values(self)


@dataclass_transform(frozen_default=True, field_specifiers=(fresh,))
def record(cls: type[T]) -> type[T]:
    """Make a class of annotated fields a frozen, slotted dataclass."""
    names = tuple(cls.__annotations__)
    owner: list[type[Any]] = []
    space = dict(vars(cls))
    defaults = {name: space.pop(name) for name in names if name in space}
    for name in ("__dict__", "__weakref__"):
        space.pop(name, None)
    space.update(
        __slots__=names,
        __match_args__=names,
        __record_defaults__=defaults,
        __dataclass_fields__=_DataclassFields(),
        __signature__=_Signature(),
        __init__=_initialised_later(owner, names, defaults),
        __setattr__=_refuse,
        __delattr__=_refuse,
        __eq__=_equal,
        __hash__=_hashed,
        __repr__=_repr,
        __reduce__=_reduced,
        __annotations__=cls.__annotations__,
    )
    built: type[T] = type(cls.__name__, cls.__bases__, space)
    built.__qualname__ = cls.__qualname__
    owner.append(built)
    return built


def replace(instance: T, **changes: object) -> T:
    """A copy of a record with some fields changed."""
    fields: dict[str, object] = {
        name: getattr(instance, name)
        for name in instance.__slots__  # type: ignore[attr-defined]
    }
    return type(instance)(**{**fields, **changes})
