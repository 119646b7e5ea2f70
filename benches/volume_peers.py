"""What other programs reach on volumes: hearts of ACDC, brains of NIREP, and greedy's rigid phantoms.

Used by peers.py. Needs SimpleITK; greedy (picsl_greedy) and elastix (itk-elastix) are used where they are installed. Each program
registers images in memory, and its time is that of the registration, labels carried afterwards.

  greedy               NCC of 5³ voxels; brains with its affine start, whose time is counted
  SimpleITK demons     fast symmetric forces, three levels, histograms matched first
  SimpleITK B-spline   correlation, three levels, a control point every 8 voxels or more, L-BFGS-B
  elastix              its default parameters of affine and B-spline
"""

import os
import time
from pathlib import Path

import numpy as np
import SimpleITK as sitk

DATA = Path(os.environ["VELOXEL_DATA"])
GREY_LABELS = range(1, 33)
VENTRICLE = 3


def image(path):
    return sitk.ReadImage(str(path), sitk.sitkFloat32)


def labels(path):
    return sitk.Cast(sitk.ReadImage(str(path)), sitk.sitkInt16)


def dice(found, truth):
    return 2 * np.sum(found & truth) / max(1, np.sum(found) + np.sum(truth))


# Each program: fixed, moving, whether an affine start is wanted; a function that carries moving's labels to the fixed image.


def greedy(fixed, moving, affine):
    from picsl_greedy import Greedy3D

    program = Greedy3D()
    threads = f"-threads {os.cpu_count()}"
    # An image of few planes has no coarser levels.
    levels = "100x100x10" if min(fixed.GetSize()) >= 32 else "100"
    start = ""
    if affine:
        program.execute(f"-i f m -a -dof 12 -ia-image-centers -m NCC 2x2x2 -n 100x50x10 -o start {threads}", f=fixed, m=moving, start=None)
        start = "-it start"
    program.execute(f"-i f m {start} -m NCC 2x2x2 -n {levels} -o field {threads}", f=fixed, m=moving, field=None)

    def carry(of_moving):
        chain = "field start" if affine else "field"
        program.execute(f"-rf f -ri LABEL 0.2vox -rm s out -r {chain}", f=fixed, s=of_moving, out=None)
        return program["out"]

    return carry


def pyramid(volume):
    """Three levels, the coarsest first; axes of few samples stay as they are."""
    for shrink, sigma in ((4, 2.0), (2, 1.0), (1, 0.0)):
        factors = [shrink if size >= 32 else 1 for size in volume.GetSize()]
        sigmas = [max(1e-6, sigma * spacing) if factor > 1 else 1e-6 for factor, spacing in zip(factors, volume.GetSpacing())]
        yield sitk.Shrink(sitk.DiscreteGaussian(volume, [own**2 for own in sigmas]) if sigma else volume, factors)


def linear_start(fixed, moving):
    """SimpleITK's affine transform by correlation, from the images' middles."""
    method = registration()
    kind = sitk.CenteredTransformInitializerFilter.GEOMETRY
    method.SetInitialTransform(sitk.CenteredTransformInitializer(fixed, moving, sitk.AffineTransform(3), kind))
    method.SetOptimizerAsGradientDescent(1.0, 100, 1e-6, 10)
    method.SetOptimizerScalesFromPhysicalShift()
    return method.Execute(fixed, moving)


def registration():
    method = sitk.ImageRegistrationMethod()
    method.SetMetricAsCorrelation()
    method.SetMetricSamplingStrategy(method.RANDOM)
    method.SetMetricSamplingPercentage(0.1, 1)
    method.SetInterpolator(sitk.sitkLinear)
    method.SetShrinkFactorsPerLevel([4, 2, 1])
    method.SetSmoothingSigmasPerLevel([2, 1, 0])
    method.SmoothingSigmasAreSpecifiedInPhysicalUnitsOff()
    return method


def carried_by(fixed, *transforms):
    """Transforms in the order that SimpleITK composes them: the last is applied first."""
    return lambda of_moving: sitk.Resample(of_moving, fixed, sitk.CompositeTransform(list(transforms)), sitk.sitkNearestNeighbor)


def demons(fixed, moving, affine):
    start = [linear_start(fixed, moving)] if affine else []
    seen = sitk.Resample(moving, fixed, *start, sitk.sitkLinear)
    seen = sitk.HistogramMatching(seen, fixed, 1024, 7, True)
    field = None
    for one, other in zip(pyramid(fixed), pyramid(seen)):
        method = sitk.FastSymmetricForcesDemonsRegistrationFilter()
        method.SetNumberOfIterations(50)
        method.SetStandardDeviations(1.5)
        if field is None:
            field = method.Execute(one, other)
        else:
            field = method.Execute(one, other, sitk.Resample(field, one, sitk.Transform(), sitk.sitkLinear, 0.0, field.GetPixelID()))
    field = sitk.DisplacementFieldTransform(sitk.Cast(field, sitk.sitkVectorFloat64))
    return carried_by(fixed, *start, field)


def b_spline(fixed, moving, affine):
    start = [linear_start(fixed, moving)] if affine else []
    cells = [max(1, min(16, size // 8)) for size in fixed.GetSize()]
    method = registration()
    if min(fixed.GetSize()) < 32:
        method.SetShrinkFactorsPerLevel([1, 1, 1])
    if affine:
        method.SetMovingInitialTransform(start[0])
    spline = sitk.BSplineTransformInitializer(fixed, cells)
    method.SetInitialTransform(spline, True)
    method.SetOptimizerAsLBFGSB(1e-5, 100)
    method.Execute(fixed, moving)
    return carried_by(fixed, *start, spline)


def elastix(fixed, moving, affine):
    import itk

    def of_itk(volume):
        found = itk.image_view_from_array(np.ascontiguousarray(sitk.GetArrayFromImage(volume)).astype(np.float32))
        found.SetSpacing(volume.GetSpacing())
        found.SetOrigin(volume.GetOrigin())
        found.SetDirection(itk.matrix_from_array(np.array(volume.GetDirection()).reshape(3, 3)))
        return found

    parameters = itk.ParameterObject.New()
    for kind in ["affine"] * affine + ["bspline"]:
        parameters.AddParameterMap(parameters.GetDefaultParameterMap(kind, 4 if min(fixed.GetSize()) >= 32 else 1))
    _, found = itk.elastix_registration_method(of_itk(fixed), of_itk(moving), parameter_object=parameters, log_to_console=False)

    def carry(of_moving):
        for nth in range(found.GetNumberOfParameterMaps()):
            found.SetParameter(nth, "FinalBSplineInterpolationOrder", "0")
        carried = sitk.GetImageFromArray(np.rint(itk.array_from_image(itk.transformix_filter(of_itk(of_moving), found))).astype(np.int16))
        carried.CopyInformation(fixed)
        return carried

    return carry


def programs():
    """The programs that are there, by name."""
    import importlib.util

    if importlib.util.find_spec("picsl_greedy"):
        yield "greedy", greedy
    yield "SimpleITK demons", demons
    yield "SimpleITK B-spline", b_spline
    if importlib.util.find_spec("itk") and importlib.util.find_spec("itk.elxParameterObjectPython"):
        yield "elastix", elastix


def versions():
    """SimpleITK and whatever else is there, with versions."""
    from importlib import metadata

    found = []
    for package in ("SimpleITK", "picsl_greedy", "itk-elastix"):
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            pass
    return ", ".join(found)


def registered(fixed, moving, of_moving, affine):
    """Name, the labels that each program carries, and its seconds."""
    for name, program in programs():
        begin = time.perf_counter()
        carry = program(fixed, moving, affine)
        time_s = time.perf_counter() - begin
        yield name, sitk.GetArrayFromImage(carry(of_moving)), time_s


def of_acdc(items):
    """End-diastole's labels carried to end-systole: 1 − mean Dice, time, and how far the ejection fraction is off, points of per cent."""
    for item in items:
        folder = DATA / "cardiac/acdc/training" / item
        frames = dict(line.split(": ") for line in (folder / "Info.cfg").read_text().splitlines())
        rest, squeezed = (f"{item}_frame{int(frames[phase]):02}" for phase in ("ED", "ES"))
        fixed, moving = image(folder / f"{squeezed}.nii.gz"), image(folder / f"{rest}.nii.gz")
        at_rest, truth = labels(folder / f"{rest}_gt.nii.gz"), sitk.GetArrayFromImage(labels(folder / f"{squeezed}_gt.nii.gz"))
        volume = np.sum(sitk.GetArrayFromImage(at_rest) == VENTRICLE)
        for name, found, time_s in registered(fixed, moving, at_rest, False):
            error = 1 - np.mean([dice(found == label, truth == label) for label in (1, 2, 3)])
            off = 100 * abs(int(np.sum(found == VENTRICLE)) - int(np.sum(truth == VENTRICLE))) / volume
            yield "acdc", item, name, error, time_s, [off]


def of_nirep(items):
    """Labels of an ordered pair: 1 − mean Dice of 32 labels, time, and 1 − Dice of their union."""
    for item in items:
        moving, fixed = item.split(" → ")
        folder = DATA / "volumes/nirep"
        of_moving, truth = labels(folder / f"{moving}_seg.nii.gz"), sitk.GetArrayFromImage(labels(folder / f"{fixed}_seg.nii.gz"))
        of_fixed, of_other = image(folder / f"{fixed}.nii.gz"), image(folder / f"{moving}.nii.gz")
        for name, found, time_s in registered(of_fixed, of_other, of_moving, True):
            error = 1 - np.mean([dice(found == label, truth == label) for label in GREY_LABELS if (truth == label).any()])
            union = 1 - dice(np.isin(found, GREY_LABELS), np.isin(truth, GREY_LABELS))
            yield "nirep", item, name, error, time_s, [union]


def of_rigid(items):
    """Where a rigid start leads the image's voxels: mean distance from the truth, mm."""
    folder = DATA / "volumes/greedy"
    truth = np.linalg.inv(np.loadtxt(folder / "phantom01_rigid.mat"))
    for item in items:
        moving, fixed = item.split(" → ") if "→" in item else (item, item)
        fixed, moving = image(folder / f"{fixed}_fixed.nii.gz"), image(folder / f"{moving}_moving.nii.gz")
        axes = [range(0, size, 8) for size in fixed.GetSize()]
        places = np.array([fixed.TransformIndexToPhysicalPoint((x, y, z)) for x in axes[0] for y in axes[1] for z in axes[2]])
        # ITK's x and y are the others' −x and −y.
        ras = places * [-1, -1, 1]
        expected = ras @ truth[:3, :3].T + truth[:3, 3]
        for name, run in (("greedy", rigid_greedy), ("SimpleITK", rigid_sitk)):
            begin = time.perf_counter()
            found = run(fixed, moving)
            time_s = time.perf_counter() - begin
            yield "rigid", item, name, np.linalg.norm(found(places, ras) - expected, axis=1).mean(), time_s, []


def rigid_greedy(fixed, moving):
    from picsl_greedy import Greedy3D

    program = Greedy3D()
    program.execute(f"-i f m -a -dof 6 -ia-image-centers -m NMI -n 100x50x10 -o start -threads {os.cpu_count()}", f=fixed, m=moving, start=None)
    matrix = np.asarray(program["start"])
    return lambda _, ras: ras @ matrix[:3, :3].T + matrix[:3, 3]


def rigid_sitk(fixed, moving):
    method = registration()
    method.SetMetricAsMattesMutualInformation(50)
    kind = sitk.CenteredTransformInitializerFilter.MOMENTS
    method.SetInitialTransform(sitk.CenteredTransformInitializer(fixed, moving, sitk.Euler3DTransform(), kind))
    method.SetOptimizerAsGradientDescent(1.0, 200, 1e-6, 10)
    method.SetOptimizerScalesFromPhysicalShift()
    found = method.Execute(fixed, moving)
    return lambda places, _: np.array([found.TransformPoint(tuple(place)) for place in places]) * [-1, -1, 1]
