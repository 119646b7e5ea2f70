"""Every name that users call says what it takes and gives, and shows it."""

import inspect
import subprocess
import sys

import veloxel


def shows(own):
    return ">>>" in (inspect.getdoc(own) or "")


def test_every_name_has_a_text_and_every_call_an_example():
    for name in set(veloxel.__all__) - {"__version__"}:
        own = getattr(veloxel, name)
        assert inspect.getdoc(own), name
        is_exception = inspect.isclass(own) and issubclass(own, BaseException)
        if not is_exception:
            members = inspect.getmembers(own, inspect.isfunction) if inspect.isclass(own) else []
            assert shows(own) or any(shows(member) for _, member in members), f"{name} has no example"


def test_every_member_has_a_text():
    for name in set(veloxel.__all__):
        own = getattr(veloxel, name)
        if inspect.isclass(own) and own.__module__.startswith("veloxel"):
            for member, value in vars(own).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_importing_takes_numpy_and_little_else():
    asked = """
import sys, numpy
before = set(sys.modules)
import veloxel
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    # Of the standard library these alone; with a page come html and base64, with a plot matplotlib.
    small = {"__future__", "_csv", "_json", "binascii", "copy", "csv", "dataclasses", "json", "threading", "zlib"}
    assert set(told) - small - set(sys.stdlib_module_names) == {"veloxel"}
    assert not {"html", "base64", "asyncio", "unittest"} & set(told)


def test_help_names_every_attribute():
    for name in set(veloxel.__all__):
        own = getattr(veloxel, name)
        # Fields of tuples are in their signature, and so are the annotated ones of exceptions in the stub.
        if inspect.isclass(own) and own.__module__.startswith("veloxel") and not issubclass(own, (tuple, BaseException)):
            for attribute in vars(own).get("__annotations__", {}):
                told = inspect.getdoc(own) + "".join(inspect.signature(own).parameters)
                assert attribute.startswith("_") or attribute in told, f"help({name}) does not name {attribute}"
