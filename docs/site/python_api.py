"""The page on every name of the Python package, made from its docstrings and signatures."""

from __future__ import annotations

import inspect
import re
from typing import Any

import veloxel

#: Words that begin a part of a docstring.
PARTS = {"Args:", "Returns:", "Raises:"}
#: Marks of other names: :func:`flow`, :class:`Image`, ``(y, x)``.
ROLES = re.compile(r":\w+:`[~.]?([\w.]+)`|``(.+?)``")


def page() -> str:
    """The page's Markdown."""
    names = [name for name in veloxel.__all__ if not name.startswith("_")]
    things = {name: getattr(veloxel, name) for name in names}
    errors = [name for name in names if inspect.isclass(things[name]) and issubclass(things[name], (Exception, Warning))]
    classes = [name for name in names if inspect.isclass(things[name]) and name not in errors]
    functions = [name for name in names if name not in errors and name not in classes]
    pieces = ["# Python: every name", "Made from the docstrings of `veloxel`; [Python](../python.md) is the guide.", "## Functions"]
    pieces += [_function(name, things[name]) for name in functions]
    pieces += ["## Classes", *(_class(name, things[name]) for name in classes)]
    pieces += ["## Exceptions and warnings", *(_error(name, things[name]) for name in errors)]
    return "\n\n".join(pieces) + "\n"


def _function(name: str, thing: Any, level: str = "###") -> str:
    return f"{level} `{name}`\n\n```text\n{name}{_signature(thing)}\n```\n\n{_text(inspect.getdoc(thing) or '')}"


def _class(name: str, thing: Any) -> str:
    pieces = [_function(name, thing)]
    for member, value in vars(thing).items():
        if member.startswith("_") or member in ("index", "count"):
            continue
        if isinstance(value, property):
            pieces.append(f"**`{name}.{member}`**: {_text(inspect.getdoc(value) or '')}")
        elif isinstance(value, (staticmethod, classmethod)) or inspect.isfunction(value):
            pieces.append(_function(f"{name}.{member}", getattr(thing, member), "####"))
    attributes = _attributes(thing)
    return "\n\n".join([*pieces, *(f"**`{name}.{member}`**: {_text(text)}" for member, text in attributes.items())])


def _attributes(thing: Any) -> dict[str, str]:
    """Annotated attributes and the strings below them."""
    found = re.findall(r'^    (\w+): [^\n]+\n    """(.*?)"""', inspect.getsource(thing), re.S | re.M)
    return {name: text for name, text in found if not name.startswith("_")}


def _error(name: str, thing: Any) -> str:
    bases = ", ".join(f"`{base.__name__}`" for base in thing.__bases__)
    return f"### `{name}`\n\nA kind of {bases}. {_text(inspect.getdoc(thing) or '')}"


def _signature(thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature.replace(parameters=own))).replace("veloxel._", "")
    return text if len(text) < 100 else re.sub(r", (?=[\w*]+(?:: |,|\)|$))", ",\n    ", text)


def _text(doc: str) -> str:
    """A docstring as Markdown: parts as lists, examples as blocks."""
    lines, is_example, is_list = [], False, False
    for line in doc.splitlines():
        if line.startswith((">>> ", "... ")) or (is_example and line.strip()):
            if not is_example:
                lines += ["", "```pycon"]
            lines.append(line)
            is_example = True
            continue
        if is_example:
            lines.append("```")
            is_example = False
        if line.strip() in PARTS:
            lines += ["", f"**{line.strip()[:-1]}**", ""]
            is_list = True
        elif is_list and line.startswith("    ") and not line.startswith("     "):
            name, colon, rest = line.strip().partition(": ")
            lines.append(f"* `{name}`: {_marks(rest)}" if colon else f"* {_marks(line.strip())}")
        else:
            is_list = is_list and (not line or line.startswith(" "))
            lines.append(_marks(line))
    return "\n".join(lines + (["```"] if is_example else []))


def _marks(text: str) -> str:
    return ROLES.sub(lambda found: f"`{found[1] or found[2]}`", text)
