"""Runs are followed and stopped, go on beside each other, end with their session, and work in children."""

import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import veloxel
from conftest import waves

SLOW = {"preset": "accurate", "method": "clg"}


def test_progress_is_told(session):
    told = []
    volumes = [waves(shift, (40, 48, 56)) for shift in (0.0, 1.5)]
    veloxel.flow(*volumes, session=session, progress=lambda stage, done: told.append((stage, done)), **SLOW)
    assert told and all(stage in {"read", "solve", "measure", "write"} and 0 <= done <= 1 for stage, done in told)


def test_what_progress_raises_ends_the_run(session):
    class Enough(Exception):
        pass

    def enough(stage, done):
        raise Enough

    volumes = [waves(shift, (64, 80, 96)) for shift in (0.0, 1.5)]
    with pytest.raises(Enough):
        veloxel.flow(*volumes, session=session, progress=enough, **SLOW)
    assert veloxel.flow(waves(0.0), waves(0.5), session=session).field.shape == (48, 64, 2), "the session goes on"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_a_run_soon(session):
    volumes = [waves(shift, (96, 112, 128)) for shift in (0.0, 1.5)]
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    # A test in the background of a shell is started with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, press).start()
        with pytest.raises(KeyboardInterrupt):
            veloxel.flow(*volumes, session=session, **SLOW)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - pressed[0] < 2.0, "0.2 s on a machine of its own"


def test_threads_get_the_same_bits(session):
    fixed, moving = waves(0.0), waves(0.5)
    expected = veloxel.flow(fixed, moving, session=session).field
    found = [None] * 8

    def work(nth):
        found[nth] = veloxel.flow(fixed, moving, session=session).field

    threads = [threading.Thread(target=work, args=(nth,)) for nth in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(own, expected, equal_nan=True) for own in found)


def test_the_interpreter_goes_on_meanwhile(session):
    counted = 0
    done = threading.Event()

    def work():
        veloxel.flow(*(waves(shift, (48, 56, 64)) for shift in (0.0, 1.0)), session=session, **SLOW)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 10


def test_a_closed_session_says_so():
    own = veloxel.Session("cpu", threads=1)
    assert "cpu" in repr(own)
    own.close()
    with pytest.raises(veloxel.DeviceError, match="closed"):
        veloxel.flow(waves(0.0), waves(0.5), session=own)
    assert repr(own) == "Session(closed)"


def test_an_absent_device_says_why():
    with pytest.raises(veloxel.DeviceError) as raised:
        veloxel.flow(waves(0.0), waves(0.5), device="cuda:7")
    assert raised.value.kind == "device"
    with pytest.raises(veloxel.InputError, match="not both"):
        veloxel.flow(waves(0.0), waves(0.5), device="cpu", session=veloxel.Session("cpu"))


def in_child(queue):
    try:
        queue.put(veloxel.flow(waves(0.0), waves(0.5), device="cpu").field.copy())
    except Exception as error:
        queue.put(repr(error))


def with_parents_session(queue):
    try:
        veloxel.flow(waves(0.0), waves(0.5), session=_of_the_parent)
        queue.put("no error")
    except veloxel.DeviceError as error:
        queue.put(str(error))


_of_the_parent = None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked on POSIX alone")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_works_or_says_why_not():
    global _of_the_parent
    expected = veloxel.flow(waves(0.0), waves(0.5), device="cpu").field
    _of_the_parent = veloxel.Session("cpu", threads=2)
    context = multiprocessing.get_context("fork")
    for target in (in_child, with_parents_session):
        queue = context.Queue()
        child = context.Process(target=target, args=(queue,))
        child.start()
        found = queue.get(timeout=60)
        child.join(60)
        assert child.exitcode == 0
        if target is in_child:
            assert np.array_equal(found, expected, equal_nan=True)
        else:
            assert "another one" in found


def test_warnings_are_warnings(session):
    flat = np.full((32, 32), 7.0)
    with pytest.warns(veloxel.VeloxelWarning) as told:
        veloxel.flow(flat, flat, session=session)
    assert told[0].message.kind == "content"
    assert told[0].filename == __file__
