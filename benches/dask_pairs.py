"""Measures `veloxel.dask`: efficiency of two worker processes, and what the scheduler takes for small tasks of both functions.

    python benches/dask_pairs.py [pairs|scheduler|tiles]

Needs the package with its extra `dask`. *Evidence*: the table in docs/dask.md.
"""

import argparse
import os
import statistics
import time

import cloudpickle
import numpy as np
from distributed import Client, LocalCluster, SchedulerPlugin

import veloxel
import veloxel.dask
from veloxel.dask import _tiles

SIDE, PAIRS, TILES = 96, 16, 10_000


def volumes(seed):
    """Two volumes with a smooth motion between them."""
    parts = veloxel.phantom("rotation", (SIDE,) * 3)
    noise = np.random.default_rng(seed).normal(scale=0.01, size=(SIDE,) * 3).astype(np.float32)
    return [parts[name].array + noise for name in ("fixed", "moving")]


def measure_pairs(preset, repeats):
    given = [volumes(seed) for seed in range(PAIRS)]
    alone, together = [], []
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        with veloxel.Session("cpu", threads=2) as session:
            # Kernels and caches are warm on both sides.
            expected = veloxel.flow(*given[0], preset=preset, session=session).field
            list(veloxel.dask.map_pairs(given[:4], client=client, preset=preset, device="cpu"))
            for _ in range(repeats):
                begin = time.perf_counter()
                for pair in given:
                    veloxel.flow(*pair, preset=preset, session=session)
                alone.append(time.perf_counter() - begin)
                begin = time.perf_counter()
                found = list(veloxel.dask.map_pairs(given, client=client, preset=preset, device="cpu"))
                together.append(time.perf_counter() - begin)
        same = np.array_equal(found[0].result.field, expected, equal_nan=True)
    one, two = statistics.median(alone), statistics.median(together)
    print(f"{PAIRS} pairs of {SIDE}^3, preset {preset}: one process with 2 threads {one:.2f} s, two workers {two:.2f} s")
    print(f"efficiency {one / two:.2f}, same bits: {same}, runs {[f'{a / b:.2f}' for a, b in zip(alone, together)]}")


def sleep_instead(index, fixed, moving, task):
    """Sleeps in place of a pair, so that what is measured is the scheduler's, the client's and the workers' own."""
    time.sleep(task["options"]["sleep_s"])
    return veloxel.dask.PairDone(index, None, None, None, 0.0, "", ""), []


class Counting(SchedulerPlugin):
    """Counts the tasks that a scheduler hears of, and the bytes of those that it knows at once."""

    def __init__(self):
        self.keys, self.known, self.most_bytes = set(), {}, 0

    def transition(self, key, start, finish, *args, **kwargs):
        if key not in self.keys:
            self.keys.add(key)
            self.known[key] = len(cloudpickle.dumps(self.scheduler.tasks[key].run_spec)) + len(str(key))
            self.most_bytes = max(self.most_bytes, sum(self.known.values()))
        if finish == "forgotten":
            self.known.pop(key, None)

    async def start(self, scheduler):
        self.scheduler = scheduler


def sleep_of_a_tile(task, nth):
    """Sleeps in place of a tile."""
    time.sleep(task["sleep_s"])


def all_pairs(client, count, seconds):
    veloxel.dask._task = sleep_instead
    veloxel.dask._check = lambda options: None
    pairs = (("a", "b") for _ in range(count))
    assert sum(1 for _ in veloxel.dask.map_pairs(pairs, client=client, sleep_s=seconds)) == count


def all_tiles(client, count, seconds):
    _tiles._estimate = sleep_of_a_tile
    # As large as the files and options of a run.
    task = {"token": "0" * 12, "files": "/data/" + 60 * "x", "options": {str(nth): nth for nth in range(12)}, "sleep_s": seconds}
    _tiles._estimate_all(client, task, count)


def measure_scheduler(name, send_all, seconds, count):
    for is_counted in (False, True):
        with LocalCluster(n_workers=2, threads_per_worker=64, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
            counting = Counting()
            if is_counted:
                counting.scheduler = cluster.scheduler
                cluster.scheduler.add_plugin(counting, name="counting")
            begin_cpu, begin = time.process_time(), time.perf_counter()
            send_all(client, count, seconds)
            wall, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
        if is_counted:
            print(f"tasks a {name} {len(counting.keys) / count:.2f}, largest graph at the scheduler {counting.most_bytes / 1e6:.2f} MB")
        else:
            print(f"{count} {name}s that sleep {seconds} s on 2 workers of 64 threads: {wall:.1f} s, without waiting {count * seconds / 128:.1f} s")
            print(f"processor time of scheduler, client and workers together {1e3 * cpu / count:.2f} ms a task")


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("what", nargs="?", choices=["pairs", "scheduler", "tiles"])
    reader.add_argument("--preset", default="fast")
    reader.add_argument("--repeats", type=int, default=3)
    reader.add_argument("--tiles", type=int, default=TILES)
    reader.add_argument("--sleep", type=float, default=0.1)
    given = reader.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if given.what in (None, "pairs"):
        measure_pairs(given.preset, given.repeats)
    if given.what in (None, "scheduler"):
        measure_scheduler("pair", all_pairs, given.sleep, given.tiles)
    if given.what in (None, "tiles"):
        measure_scheduler("tile", all_tiles, given.sleep, given.tiles)
