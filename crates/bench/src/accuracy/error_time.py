"""Times OpenCV's DIS on the pairs named, images in memory, and prints one JSON line: preset -> [[error px, time ms], ...].

Arguments: threads (0: as many as there are), then for each pair FIXED MOVING TRUTH.flo.
"""

import json
import sys
import time

import cv2
import numpy as np

REPEATS = 15


def truth_of(path):
    with open(path, "rb") as file:
        file.read(4)
        width, height = np.fromfile(file, np.int32, 2)
        return np.fromfile(file, np.float32, 2 * width * height).reshape(height, width, 2)


if int(sys.argv[1]) > 0:
    cv2.setNumThreads(int(sys.argv[1]))
pairs = [sys.argv[i : i + 3] for i in range(2, len(sys.argv), 3)]
pairs = [(cv2.imread(fixed, 0), cv2.imread(moving, 0), truth_of(truth)) for fixed, moving, truth in pairs]
found = {}
for name, preset in (("ultrafast", 0), ("fast", 1), ("medium", 2)):
    method = cv2.DISOpticalFlow_create(preset)
    for fixed, moving, truth in pairs:
        times = []
        for _ in range(REPEATS):
            begin = time.perf_counter()
            flow = method.calc(fixed, moving, None)
            times.append(1e3 * (time.perf_counter() - begin))
        known = (np.abs(truth) < 1e9).all(-1)
        error = float(np.linalg.norm(flow - truth, axis=-1)[known].mean())
        found.setdefault(name, []).append([error, min(times)])
print(json.dumps(found))
