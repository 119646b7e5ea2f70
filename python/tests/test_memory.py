"""Two thousand calls, some of which fail and some of which are stopped, leave no memory behind."""

import os
import subprocess
import sys

import pytest

WORK = """
import os
import numpy as np
import veloxel

def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def stop(stage, done):
    raise StopIteration

session = veloxel.Session("cpu", threads=2)
y, x = np.mgrid[:40, :48].astype(np.float32)
fixed, moving = (np.sin(0.3 * (x - shift)) + np.cos(0.2 * y) for shift in (0.0, 0.5))
sizes = {}
for nth in range(1, 2001):
    try:
        if nth % 10 == 0:
            veloxel.flow(fixed, moving[:-1], session=session, mask=fixed[1:])
        elif nth % 10 == 5:
            veloxel.flow(fixed, moving, session=session, preset="fast", progress=stop)
        else:
            found = veloxel.flow(fixed, moving, session=session, preset="ultrafast", warped=0.0)
            found.field, found.report, found.points([[3.0, 4.0]]), found.warp(moving)
            veloxel.compose(found, found) if nth % 7 == 0 else veloxel.Image(np.from_dlpack(found.confidence))
    except (veloxel.InputError, StopIteration):
        pass
    if nth in (200, 1000, 2000):
        sizes[nth] = resident()
print(*sizes.values())
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the memory of a process is read as on Linux")
def test_two_thousand_calls_leave_nothing_behind():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", WORK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    early, _, late = (int(size) for size in done.stdout.split())
    assert late - early <= 1_000_000, done.stdout
