"""Films are the frames of a pipe, with times; their process ends with them."""

import os
import shutil
import subprocess
import time

import numpy as np
import pytest

import veloxel

if shutil.which("ffmpeg") is None:
    pytest.skip("ffmpeg is not installed (apt-get install ffmpeg)", allow_module_level=True)


def made(path, *options, source="testsrc2=s=64x48:r=25:d=0.4"):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", source, *options, path], check=True)
    return path


def processes_with(text):
    found = 0
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as line:
                found += name.isdigit() and str(text).encode() in line.read()
        except OSError:
            pass
    return found


def test_frames_of_a_film_come_with_times(tmp_path):
    film = made(tmp_path / "film.mkv", "-c:v", "ffv1")
    whole = veloxel.read_sequence(film)
    times = []
    with veloxel.frames(film) as frames:
        for nth, frame in enumerate(frames):
            times.append(round(frames.time_ms))
            assert np.array_equal(frame.array, whole[nth].array)
        assert frames.interval_ms == pytest.approx(40) and frames.dropped == 0
        assert next(frames, None) is None
    assert times == [40 * nth for nth in range(10)]
    named = list(veloxel.frames(f"{film}@1:10:4"))
    assert [np.array_equal(a.array, whole[n].array) for a, n in zip(named, (1, 5, 9))] == [True] * 3
    with veloxel.PhaseEngine(device="cpu", method="lucas-kanade", preset="fast") as engine:
        assert len(list(engine.run(veloxel.frames(film)))) == 9


def test_what_is_wrong_with_films_is_an_exception(tmp_path):
    film = made(tmp_path / "film.mkv", "-c:v", "ffv1")
    with pytest.raises(veloxel.InputError, match="come by themselves"):
        veloxel.frames(film, drop=True)
    (tmp_path / "noise.mp4").write_bytes(bytes(range(256)) * 20)
    with pytest.raises(veloxel.InputError, match="ffmpeg fails on it"):
        veloxel.frames(tmp_path / "noise.mp4")
    with pytest.raises(veloxel.FileError):
        veloxel.frames(tmp_path / "none.mp4")
    sound = tmp_path / "sound.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=0.2", sound], check=True)
    with pytest.raises(veloxel.InputError, match="sound alone"):
        veloxel.read_sequence(sound)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are listed in /proc")
def test_no_process_outlives_its_frames(tmp_path):
    film = made(tmp_path / "kept_by_nobody.mkv", "-c:v", "mpeg4", source="testsrc2=s=320x240:r=25:d=10")
    frames = veloxel.frames(film)
    next(frames)
    assert processes_with(film) == 1
    del frames
    assert processes_with(film) == 0
    with veloxel.frames(film) as frames:
        next(frames)
    assert processes_with(film) == 0


def test_the_newest_frame_of_an_address_wins(tmp_path):
    film = made(tmp_path / "sent.ts", "-c:v", "mpeg2video", source="testsrc2=s=64x48:r=25:d=2")
    address = "tcp://127.0.0.1:18931"
    command = ["ffmpeg", "-v", "error", "-nostdin", "-re", "-i", film, "-c", "copy", "-f", "mpegts", f"{address}?listen=1"]
    with subprocess.Popen(command) as sender:
        for _ in range(100):
            try:
                frames = veloxel.frames(address, drop=True)
                break
            except veloxel.InputError:
                assert sender.poll() is None
                time.sleep(0.05)
        with frames:
            count = 0
            for _ in frames:
                count += 1
                if count == 2:
                    # What is sent meanwhile arrives a little later.
                    sender.wait()
                    arriving = time.monotonic() + 3
                    while frames.dropped == 0 and time.monotonic() < arriving:
                        time.sleep(0.05)
            assert 3 <= count < 50
            assert frames.dropped + count == 50
