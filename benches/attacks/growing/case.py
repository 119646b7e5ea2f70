"""The list of inputs, and how one is added to it."""

CASES = {}


def case(name, n):
    """Registers a maker of the input of a size: it writes files and returns the arguments that read them."""

    def register(make):
        CASES[name] = (n, make)
        return make

    return register


def text(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)
