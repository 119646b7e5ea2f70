"""Dense motion and correspondence, fast, with a confidence for every vector.

Images are arrays of axes ``(y, x)`` or ``(z, y, x)``, or anything that holds one: images of SimpleITK, ITK, nibabel, PIL and
xarray, tensors of PyTorch, or paths of files. Displacements count voxels along ``x, y, z``, in this order, and lead from the fixed
image into the moving one: ``fixed(x) ≈ moving(x + d(x))``.

>>> import numpy as np
>>> import veloxel
>>> y, x = np.mgrid[:48, :64].astype(np.float32)
>>> fixed, moving = (np.sin(0.3 * (x - shift)) + np.cos(0.2 * y) for shift in (0.0, 0.5))
>>> found = veloxel.flow(fixed, moving, device="cpu")
>>> found.field.shape, bool(abs(found.field[24, 32, 0] - 0.5) < 0.1)
((48, 64, 2), True)
"""

try:
    from . import _veloxel as _extension  # noqa: F401
except ImportError:
    from importlib.util import find_spec

    # What Python says of it differs from version to version.
    if find_spec(f"{__name__}._veloxel") is not None:
        raise
    raise ImportError(
        f"{__path__[0]} is the source of veloxel without its extension module: `pip install .` builds it; run Python from another folder then"
    ) from None

from ._batch import batch
from ._compare import Comparison, compare
from ._contours import Outline, fit_contours, label_outlines, read_contours, write_contours
from ._engine import PhaseEngine, StreamFrame
from ._evaluate import evaluate
from ._files import info, read, read_field, read_labels, read_mesh, read_sequence, write
from ._filter import filter, phantom, phantoms
from ._flow import flow, methods, parameters, register, sequence
from ._flow_files import flow_files, sequence_files
from ._frames import Frames, frames
from ._gpu.engine import GpuStreamFrame
from ._gpu.flow import GpuFlow
from ._gpu.stereo import GpuFeatures, GpuStereo
from ._gpu.tensors import GpuImage, GpuTensor
from ._heart import HeartMotion, HeartResult, track, track_methods
from ._images import Image
from ._maps import Transform, compose, compose_files, invert, invert_files, read_transform, warp_files, warp_labels_files
from ._meshes import Mesh, Parts, distances, segment
from ._plots.look import Plot
from ._plots.pictures import Picture
from ._results import Field, FlowResult
from ._session import Session, devices
from ._stereo import Cameras, Features, PointCloud, StereoResult, features, stereo
from ._tracks import PointTracks, track_points
from ._veloxel import (
    DeviceError,
    FileError,
    FileMissingError,
    InputError,
    InternalError,
    OutOfMemoryError,
    ParameterError,
    UnsupportedError,
    __version__,
)
from ._warnings import VeloxelWarning

__all__ = [
    "Cameras",
    "Comparison",
    "DeviceError",
    "Features",
    "Field",
    "FileError",
    "FileMissingError",
    "FlowResult",
    "Frames",
    "GpuFeatures",
    "GpuFlow",
    "GpuImage",
    "GpuStereo",
    "GpuStreamFrame",
    "GpuTensor",
    "HeartMotion",
    "HeartResult",
    "Image",
    "InputError",
    "InternalError",
    "Mesh",
    "OutOfMemoryError",
    "Outline",
    "ParameterError",
    "Parts",
    "PhaseEngine",
    "Picture",
    "Plot",
    "PointCloud",
    "PointTracks",
    "Session",
    "StereoResult",
    "StreamFrame",
    "Transform",
    "UnsupportedError",
    "VeloxelWarning",
    "__version__",
    "batch",
    "compare",
    "compose",
    "compose_files",
    "devices",
    "distances",
    "evaluate",
    "features",
    "filter",
    "fit_contours",
    "flow",
    "flow_files",
    "frames",
    "info",
    "invert",
    "invert_files",
    "label_outlines",
    "methods",
    "parameters",
    "phantom",
    "phantoms",
    "read",
    "read_contours",
    "read_field",
    "read_labels",
    "read_mesh",
    "read_sequence",
    "read_transform",
    "register",
    "segment",
    "sequence",
    "sequence_files",
    "stereo",
    "track",
    "track_methods",
    "track_points",
    "warp_files",
    "warp_labels_files",
    "write",
    "write_contours",
]
