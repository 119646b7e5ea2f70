#!/usr/bin/env python3
"""Checks against other programs: a displacement field of `veloxel flow` is SimpleITK's DisplacementFieldTransform, in every volume format.

    python3 -m pip install SimpleITK numpy opencv-contrib-python-headless trimesh
    python3 crates/cli/tests/peers.py

An anisotropic, oblique, mirrored pair is made by SimpleITK, one whose images lie on two grids, and slices that lie in space; `veloxel flow` estimates
its field; SimpleITK resamples the moving image through that field; the result must equal `veloxel warp image` (and, for linear
interpolation, `--warped`) within 1e-3 of the intensity range, and end at the same voxels. With VELOXEL_DATA, labels of a cine
of few slices are warped by both. Transforms of linear starts resample as SimpleITK's. Points are followed by `veloxel track-points` and by OpenCV's calcOpticalFlowPyrLK. Stereo pairs are rectified by `veloxel stereo
--calibration` and by OpenCV's stereoRectify, initUndistortRectifyMap and remap, and fisheyes by OpenCV's fisheye.
A mesh in parts is opened by trimesh. VELOXEL may name a built binary.
Exits with 1 and one line a difference if anything differs.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import SimpleITK as sitk
import trimesh

ROOT = pathlib.Path(__file__).resolve().parents[3]
FORMATS = ["nii", "nii.gz", "mha", "mhd", "nrrd", "nhdr"]
TOLERANCE = 1e-3
LEAST_INSIDE = 0.7
# Positions on the last half voxel's very end round one way or the other.
OTHER_ENDS = 2e-4
# Rotations, focal lengths and principal points (pixels) of rectified cameras; OpenCV finds the rays of corners in five steps.
SAME_ROTATION = 1e-6
SAME_CENTRE_PX = 0.05
# Median difference of rectified pictures, of 255; OpenCV's remap counts in 32nds of a pixel, and ours is rounded.
SAME_PICTURE = 1.0
# Median distance of tracked points, pixels.
TRACKED = 0.02

failures = []


def check(holds, message):
    if not holds:
        failures.append(message)
        print(f"FAILED {message}", file=sys.stderr)


def command():
    named = os.environ.get("VELOXEL")
    if named:
        return [named]
    return ["cargo", "run", "--quiet", "--manifest-path", str(ROOT / "Cargo.toml"), "-p", "veloxel-cli", "--"]


def veloxel(*arguments):
    run = subprocess.run([*command(), *map(str, arguments)], capture_output=True, text=True)
    check(run.returncode == 0, f"veloxel {' '.join(map(str, arguments))}: {run.stderr.strip()}")
    return run.returncode == 0


def texture(x, y, z):
    """Smooth, without symmetry, about ±2."""
    return (
        np.sin(0.31 * x + 0.11 * y) * np.cos(0.27 * y - 0.09 * z)
        + 0.8 * np.sin(0.23 * z + 0.17 * x - 0.05 * y)
        + 0.4 * np.cos(0.41 * y + 0.13 * z)
    )


def place(samples, spacing, direction):
    image = sitk.GetImageFromArray(samples.astype(np.float32))
    image.SetSpacing(spacing)
    image.SetOrigin([12.5, -31.25, 8.0][: len(spacing)])
    image.SetDirection(np.asarray(direction).ravel().tolist())
    return image


def oblique_volumes():
    """A pair moved by some voxels, differently in every axis, on voxels of 0.8 × 1.2 × 2.5 mm."""
    a, b = 0.35, -0.6
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    direction = about_z @ about_x @ np.diag([1, -1, 1])
    z, y, x = np.meshgrid(*(np.arange(n, dtype=float) for n in (20, 36, 44)), indexing="ij")
    u, v, w = 1.5 + 0.5 * np.sin(y / 9), -1.0 + 0.4 * np.cos(x / 8), 0.5 + 0.2 * np.sin(x / 11)
    moving, fixed = texture(x, y, z), texture(x + u, y + v, z + w)
    return [place(s, [0.8, 1.2, 2.5], direction) for s in (fixed, moving)]


def oblique_pictures():
    c, s = np.cos(0.5), np.sin(0.5)
    y, x = np.meshgrid(np.arange(48.0), np.arange(60.0), indexing="ij")
    u, v = 1.2 + 0.4 * np.sin(y / 9), -0.8 + 0.3 * np.cos(x / 8)
    moving, fixed = texture(x, y, 0 * x), texture(x + u, y + v, 0 * x)
    return [place(s_, [0.7, 1.3], [[c, -s], [s, c]]) for s_ in (fixed, moving)]


def resampled(flow_path, moving):
    field = sitk.ReadImage(str(flow_path))
    grid = sitk.VectorIndexSelectionCast(field, 0)
    transform = sitk.DisplacementFieldTransform(sitk.Cast(field, sitk.sitkVectorFloat64))
    return sitk.Resample(moving, grid, transform, sitk.sitkLinear, float("nan"), sitk.sitkFloat32)


def compare(ours, theirs, moving, what):
    """Both are NaN outside."""
    ours, theirs, samples = map(sitk.GetArrayFromImage, (ours, theirs, moving))
    if ours.shape != theirs.shape:
        return check(False, f"{what}: shape {ours.shape} against {theirs.shape}")
    inside = np.isfinite(ours) & np.isfinite(theirs)
    ends = (np.isfinite(ours) != np.isfinite(theirs)).mean()
    check(ends <= OTHER_ENDS, f"{what}: {ends:.1e} of the voxels are inside for one program alone (bound {OTHER_ENDS})")
    check(inside.mean() >= LEAST_INSIDE, f"{what}: only {inside.mean():.0%} of the voxels can be compared")
    worst = np.abs(ours - theirs)[inside].max(initial=0) / (samples.max() - samples.min())
    check(worst <= TOLERANCE, f"{what}: differs by {worst:.2e} of the range (bound {TOLERANCE})")
    print(f"{what}: {worst:.1e} of the range over {inside.mean():.0%} of the voxels")


def undoes_the_motion(theirs, fixed, moving, what):
    """A field that points the wrong way, or in other axes, would pass none of this."""
    moving = sitk.Resample(moving, fixed, sitk.Transform(), sitk.sitkLinear, 0.0, sitk.sitkFloat32)
    theirs, fixed, moving = map(sitk.GetArrayFromImage, (theirs, fixed, moving))
    inside = np.isfinite(theirs)
    before, after = (np.abs(i - fixed)[inside].mean() for i in (moving, theirs))
    check(after < 0.25 * before, f"{what}: mean difference {before:.3f} before, {after:.3f} after SimpleITK's resampling")


def run(folder, name, fixed, moving):
    for extension in FORMATS:
        what = f"{name}, {extension}"
        paths = {role: folder / f"{name}_{role}.{extension}" for role in ("fixed", "moving", "flow")}
        # SimpleITK reads NaN in NIfTI files as 0, which would pass for a sample: what is compared comes as .mha.
        paths |= {role: folder / f"{name}_{role}.mha" for role in ("warped", "again")}
        sitk.WriteImage(fixed, str(paths["fixed"]))
        sitk.WriteImage(moving, str(paths["moving"]))
        linear = ["--set", "interpolation=linear", "--set", "presmooth=0"]
        estimated = veloxel("flow", paths["fixed"], paths["moving"], "-o", paths["flow"], "--warped", paths["warped"], "--outside", "nan",
                            "--preset", "accurate", "--quiet", *linear)
        if not (estimated and veloxel("warp", "image", paths["flow"], paths["moving"], "-o", paths["again"], "--outside", "nan")):
            continue
        theirs = resampled(paths["flow"], sitk.ReadImage(str(paths["moving"]), sitk.sitkFloat32))
        for role in ("warped", "again"):
            compare(sitk.ReadImage(str(paths[role]), sitk.sitkFloat32), theirs, moving, f"{what}, {role}")
        undoes_the_motion(theirs, fixed, moving, what)


def linear_starts(folder):
    """The transform of a linear start is SimpleITK's: it resamples the moving image onto the fixed one."""
    fixed = place(texture(*np.meshgrid(*(np.arange(n, dtype=float) for n in (44, 40, 36)), indexing="ij")).T, [1.0, 1.2, 1.5],
                  oblique_volumes()[0].GetDirection())
    centre = fixed.TransformContinuousIndexToPhysicalPoint([22.0, 20.0, 18.0])
    truth = sitk.Euler3DTransform(centre, 0.06, -0.04, 0.08, (1.2, -0.9, 0.7))
    moving = sitk.Resample(fixed, fixed, truth.GetInverse(), sitk.sitkBSpline, 0.0, sitk.sitkFloat32)
    paths = {role: folder / f"linear_{role}.mha" for role in ("fixed", "moving", "flow")}
    sitk.WriteImage(fixed, str(paths["fixed"]))
    sitk.WriteImage(moving, str(paths["moving"]))
    # Half a voxel for the affine start, whose twelve numbers the zeros beyond the moving image's border change.
    for init, bound_mm in (("rigid", 0.3), ("affine", 0.6)):
        written = folder / f"{init}.tfm"
        if not veloxel("flow", paths["fixed"], paths["moving"], "-o", paths["flow"], "--preset", "fast", "--quiet", "--init", init,
                       "--transform", written):
            continue
        found = sitk.ReadTransform(str(written))
        points = [fixed.TransformIndexToPhysicalPoint(i) for i in [(9, 8, 8), (32, 8, 8), (9, 30, 8), (9, 8, 26), (32, 30, 26)]]
        wrong = max(np.linalg.norm(np.subtract(found.TransformPoint(p), truth.TransformPoint(p))) for p in points)
        check(wrong < bound_mm, f"{init} start: {wrong:.3f} mm from SimpleITK's transform (bound {bound_mm})")
        print(f"{init} start: at most {wrong:.3f} mm from SimpleITK's transform")
        theirs = sitk.Resample(moving, fixed, found, sitk.sitkLinear, float("nan"), sitk.sitkFloat32)
        undoes_the_motion(theirs, fixed, moving, f"{init} start")


def slices_in_space(folder):
    """The oblique pictures as slices of a volume, oblique and coronal: SimpleITK resamples them through our fields."""
    a, b = 0.35, -0.6
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    for name, direction in (("oblique", about_z @ about_x), ("coronal", np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]))):
        samples = [sitk.GetArrayFromImage(image)[None] for image in oblique_pictures()]
        fixed, moving = (place(each, [0.7, 1.3, 8.0], direction) for each in samples)
        for extension in FORMATS:
            what = f"{name} slice, {extension}"
            paths = {role: folder / f"{name}_{role}.mha" for role in ("fixed", "moving", "again")}
            paths["flow"] = folder / f"{name}_flow.{extension}"
            sitk.WriteImage(fixed, str(paths["fixed"]))
            sitk.WriteImage(moving, str(paths["moving"]))
            estimated = veloxel("flow", paths["fixed"], paths["moving"], "-o", paths["flow"], "--quiet")
            if not (estimated and veloxel("warp", "image", paths["flow"], paths["moving"], "-o", paths["again"], "--outside", "nan")):
                continue
            transform = sitk.DisplacementFieldTransform(sitk.Cast(sitk.ReadImage(str(paths["flow"])), sitk.sitkVectorFloat64))
            theirs = sitk.Resample(moving, fixed, transform, sitk.sitkLinear, float("nan"), sitk.sitkFloat32)
            compare(sitk.ReadImage(str(paths["again"]), sitk.sitkFloat32), theirs, moving, what)
            undoes_the_motion(theirs, fixed, moving, what)


def two_grids():
    """The oblique pair, the moving image on a shifted grid of other spacings whose axes are permuted."""
    fixed, moving = oblique_volumes()
    direction = np.asarray(moving.GetDirection()).reshape(3, 3)[:, [1, 0, 2]]
    # No finer than the fixed grid: `veloxel` smooths what is finer first, SimpleITK's Resample does not.
    grid = sitk.Image([34, 52, 20], sitk.sitkFloat32)
    grid.SetSpacing([1.3, 0.85, 2.6])
    grid.SetDirection(direction.ravel().tolist())
    grid.SetOrigin(moving.TransformContinuousIndexToPhysicalPoint([0.3, -0.2, 0.1]))
    return fixed, sitk.Resample(moving, grid, sitk.Transform(), sitk.sitkBSpline, 0.0, sitk.sitkFloat32)


def labels_of_few_slices(folder):
    """A cine of seven slices: half of an end slice is sampled in the last half voxel."""
    data = os.environ.get("VELOXEL_DATA")
    if not data:
        print("labels of few slices: skipped, VELOXEL_DATA is not set")
        return
    for patient in sorted(pathlib.Path(data, "cardiac/acdc/training").glob("patient*")):
        frames = sorted(patient.glob("*_frame??.nii.gz"))
        fixed, moving, truth = frames[-1], frames[0], frames[0].with_name(frames[0].name.replace(".nii", "_gt.nii"))
        flow, ours = folder / "flow.nii.gz", folder / "labels.nii.gz"
        veloxel("flow", fixed, moving, "-o", flow, "--preset", "fast", "--quiet")
        if not veloxel("warp", "labels", flow, truth, "-o", ours, "--interpolation", "nearest"):
            continue
        field = sitk.ReadImage(str(flow))
        transform = sitk.DisplacementFieldTransform(sitk.Cast(field, sitk.sitkVectorFloat64))
        grid = sitk.VectorIndexSelectionCast(field, 0)
        theirs = sitk.Resample(sitk.ReadImage(str(truth)), grid, transform, sitk.sitkNearestNeighbor, 0)
        differ = (sitk.GetArrayFromImage(sitk.ReadImage(str(ours))) != sitk.GetArrayFromImage(theirs)).mean()
        check(differ <= OTHER_ENDS, f"{patient.name}: {differ:.1e} of the labels differ (bound {OTHER_ENDS})")
        print(f"labels of {patient.name}: {differ:.1e} of the voxels differ")


def tracked_points(folder):
    """A blurred noise that is turned and shifted by some pixels; both programs start at OpenCV's corners."""
    noise = cv2.GaussianBlur(np.random.default_rng(5).random((300, 400)).astype(np.float32), (0, 0), 1.5)
    first = np.clip(127.5 + 250 * (noise - noise.mean()) / noise.std() / 4, 0, 255)
    turn = cv2.getRotationMatrix2D((200, 150), 1.5, 1.0) + np.array([[0, 0, 3.4], [0, 0, -2.3]])
    frames = [i.astype(np.uint8) for i in (first, cv2.warpAffine(first, turn, (400, 300), flags=cv2.INTER_CUBIC))]
    for name, frame in zip("ab", frames):
        cv2.imwrite(str(folder / f"{name}.png"), frame)
    corners = cv2.goodFeaturesToTrack(frames[0][40:-40, 40:-40], 300, 0.01, 6).reshape(-1, 2) + 40
    for window in (9, 21):
        theirs, found, _ = cv2.calcOpticalFlowPyrLK(*frames, corners.reshape(-1, 1, 2), None, winSize=(window, window), maxLevel=3,
                                                    criteria=(cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 20, 0.01))
        np.savetxt(folder / "p.csv", corners, fmt="%.6f", delimiter=",", header="x,y", comments="")
        out = folder / "tracks.csv"
        if not veloxel("track-points", folder / "a.png", folder / "b.png", "--points", folder / "p.csv", "-o", out, "--window", window, "-q"):
            continue
        rows = [line.split(",") for line in out.read_text().splitlines()[1:]]
        ours = {int(row[1]): [float(row[2]), float(row[3])] for row in rows if row[0] == "1" and row[4] == "found"}
        both = [k for k in range(len(corners)) if k in ours and found[k, 0]]
        check(len(both) >= 0.9 * len(corners), f"points, window {window}: both found only {len(both)} of {len(corners)}")
        away = np.median([np.hypot(*(np.array(ours[k]) - theirs[k, 0])) for k in both])
        check(away <= TRACKED, f"points, window {window}: median distance {away:.4f} px (bound {TRACKED})")
        print(f"points, window {window}: median distance {away:.4f} px over {len(both)} of {len(corners)}")


def rectified_pairs(folder):
    """Calibrations as OpenCV writes them; pictures through OpenCV's maps with our rotations and projections."""
    size = (320, 240)
    noise = cv2.GaussianBlur(np.random.default_rng(7).random(size[::-1]).astype(np.float32), (0, 0), 2.0)
    picture = np.clip(127.5 + 250 * (noise - noise.mean()) / noise.std() / 4, 0, 255).astype(np.uint8)
    for side in ("left", "right"):
        cv2.imwrite(str(folder / f"{side}.png"), picture)
    K1, K2 = (np.array([[f, 0, x], [0, f + 2, y], [0, 0, 1.0]]) for f, x, y in ((250, 161, 118), (254, 157, 121)))
    R = cv2.Rodrigues(np.array([0.02, -0.03, 0.025]))[0]
    T = np.array([[-0.12], [0.004], [-0.003]])
    lenses = {
        "4": [-0.25, 0.06, 2e-4, -1e-4],
        "5": [-0.25, 0.06, 2e-4, -1e-4, 0.01],
        "8": [0.2, 0.05, 1e-4, 1e-4, 0.01, 0.4, 0.1, 0.02],
        "12": [0.2, 0.05, 1e-4, 1e-4, 0.01, 0.4, 0.1, 0.02, 1e-3, -2e-3, 1.5e-3, 5e-4],
        "14": [0.2, 0.05, 1e-4, 1e-4, 0.01, 0.4, 0.1, 0.02, 1e-3, -2e-3, 1.5e-3, 5e-4, 0.02, -0.015],
        "fisheye": [-0.02, 0.01, -0.002, 0.001],
    }
    for (name, lens), extension in zip(lenses.items(), ("yml", "json", "yaml", "json", "yml", "json")):
        D = np.array([lens])
        path, report = folder / f"k.{extension}", folder / "cameras.json"
        file = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
        for key, matrix in (("M1", K1), ("D1", D), ("M2", K2), ("D2", D), ("R", R), ("T", T)):
            file.write(key, matrix)
        if name == "fisheye":
            file.write("distortion_model", "fisheye")
        file.release()
        pictures = [folder / f"rectified_{side}.png" for side in ("left", "right")]
        if not veloxel("stereo", folder / "left.png", folder / "right.png", "-o", folder / "d.pfm", "--calibration", path, "--report",
                       report, "--rectified-left", pictures[0], "--rectified-right", pictures[1], "--quiet"):
            continue
        cameras = json.loads(report.read_text())["cameras"]
        rotations, projections = np.array(cameras["rotations"]), np.array(cameras["projections"])
        if name != "fisheye":
            R1, R2, P1, P2, Q = cv2.stereoRectify(K1, D, K2, D, size, R, T, flags=cv2.CALIB_ZERO_DISPARITY, alpha=-1)[:5]
            away = max(np.abs(rotations[0] - R1).max(), np.abs(rotations[1] - R2).max())
            check(away <= SAME_ROTATION, f"rectified, lens {name}: rotations differ by {away:.1e} (bound {SAME_ROTATION})")
            check(abs(P1[0, 0] - projections[0][0, 0]) <= 1e-6 * P1[0, 0], f"rectified, lens {name}: another focal length")
            centre = np.abs(P1[:2, 2] - projections[0][:2, 2]).max()
            check(centre <= SAME_CENTRE_PX, f"rectified, lens {name}: centres differ by {centre:.2f} px (bound {SAME_CENTRE_PX})")
            check(abs(P2[0, 3] - projections[1][0, 3]) <= 1e-6 * abs(P2[0, 3]), f"rectified, lens {name}: another baseline")
            check(abs(Q[3, 2] - cameras["world_from_disparity"][3][2]) <= 1e-6 * Q[3, 2], f"rectified, lens {name}: another Q")
        for side, K in enumerate((K1, K2)):
            P = projections[side][:, :3]
            maps = cv2.fisheye if name == "fisheye" else cv2
            x, y = maps.initUndistortRectifyMap(K, D.ravel() if name == "fisheye" else D, rotations[side], P, size, cv2.CV_32FC1)
            theirs = cv2.remap(picture, x, y, cv2.INTER_LINEAR).astype(float)
            ours = cv2.imread(str(pictures[side]), cv2.IMREAD_GRAYSCALE).astype(float)
            inside = (x > 0) & (y > 0) & (x < size[0] - 1) & (y < size[1] - 1)
            away = np.abs(ours - theirs)[inside]
            check(inside.mean() > LEAST_INSIDE, f"rectified, lens {name}, camera {side}: only {inside.mean():.0%} can be compared")
            check(np.median(away) <= SAME_PICTURE and np.percentile(away, 99) <= 4, f"rectified, lens {name}, camera {side}: median "
                  f"difference {np.median(away):.2f}, 99 % {np.percentile(away, 99):.2f}")
            print(f"rectified, lens {name}, camera {side}: median difference {np.median(away):.2f} over {inside.mean():.0%}")


def parts_of_a_mesh(folder):
    """trimesh writes glTF with its buffers beside it, and opens the parts with colour, certainty and number of every face."""
    mesh = trimesh.creation.icosphere(subdivisions=3)
    for name, data in trimesh.exchange.gltf.export_gltf(trimesh.Scene(mesh)).items():
        (folder / name).write_bytes(data)
    parts = folder / "parts.ply"
    if not veloxel("segment", folder / "model.gltf", "-k", 3, "-o", parts, "--labels", folder / "parts.seg"):
        return
    labels = np.loadtxt(folder / "parts.seg", dtype=int)
    read = trimesh.load(parts, process=False)
    faces = read.metadata["_ply_raw"]["face"]["data"]
    check(np.allclose(read.triangles, mesh.triangles, atol=1e-6), "trimesh: other triangles")
    check(np.array_equal(faces["segment"].ravel(), labels), "trimesh: other parts")
    check(0 <= faces["quality"].min() and faces["quality"].max() <= 1, "trimesh: certainties beyond 0 to 1")
    colours = read.visual.face_colors
    check(colours.shape == (len(mesh.faces), 4) and len(np.unique(colours, axis=0)) > 2, "trimesh: other colours")
    veloxel("segment", folder / "model.gltf", "-k", 3, "-o", folder / "parts.glb")
    scene = trimesh.load(folder / "parts.glb", force="mesh")
    check(np.allclose(scene.bounds, mesh.bounds, atol=1e-6), "trimesh: other bounds of the GLB")


def main():
    with tempfile.TemporaryDirectory() as name:
        run(pathlib.Path(name), "volume", *oblique_volumes())
        run(pathlib.Path(name), "picture", *oblique_pictures())
        run(pathlib.Path(name), "two grids", *two_grids())
        linear_starts(pathlib.Path(name))
        slices_in_space(pathlib.Path(name))
        labels_of_few_slices(pathlib.Path(name))
        tracked_points(pathlib.Path(name))
        rectified_pairs(pathlib.Path(name))
        parts_of_a_mesh(pathlib.Path(name))
    print("SimpleITK, OpenCV and trimesh agree" if not failures else f"{len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
