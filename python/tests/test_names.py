"""Every name that users call says what it takes and gives, and shows it."""

import inspect

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
