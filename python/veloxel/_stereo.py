"""Stereo and features."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, overload

import numpy as np

from . import _veloxel
from ._arguments import Progress, as_progress, numbers, path_text
from ._flow import settings
from ._gpu.stereo import GpuFeatures, GpuStereo, gpu_features, gpu_stereo
from ._gpu.tensors import GpuImage, is_on_gpu
from ._images import Image, as_image, as_image_beside
from ._plots.look import Plot
from ._plots.pictures import Picture, Shown, disparity_picture, drawn, page, write_page
from ._session import Session, lent
from ._warnings import tell


class StereoResult(Shown):
    """The disparity of a stereo pair, and depths and points where its cameras are known.

    ``disparity`` counts pixels, ``confidence`` goes from 0 to 1, ``expected_error`` counts pixels, ``depth`` counts metres (``None`` where the cameras are not known);
    ``left`` and ``right`` are the pictures that they belong to, rectified where the cameras took them otherwise.

    :func:`stereo` makes it:

    >>> import numpy as np
    >>> import veloxel
    >>> texture = np.random.default_rng(3).uniform(0, 255, (64, 103))
    >>> cameras = veloxel.Cameras.rectified(focal=400.0, baseline=0.1)
    >>> found = veloxel.stereo(texture[:, :96], texture[:, 7:], cameras=cameras, device="cpu")
    >>> bool(abs(np.nanmedian(found.depth.array) - 400 * 0.1 / 7) < 0.05), found.cloud().points.shape[1]
    (True, 3)
    """

    def __init__(self, found: Any, session: Session | None) -> None:
        self._report: str = found.report
        self._view, self._session = found.view, session
        self.disparity, self.confidence = Image._of(found.disparity), Image._of(found.confidence)
        self.expected_error = Image._of(found.expected_error)
        self.depth = None if found.depth is None else Image._of(found.depth)
        self.left, self.right = Image._of(found.left), Image._of(found.right)

    disparity: Image
    """Pixels, NaN where unknown: ``x_right = x_left − d``."""
    confidence: Image
    """How certain each disparity is, 0 to 1."""
    expected_error: Image
    """The expected error of each disparity, pixels: what its confidence has meant for its preset where the truth was known; NaN where
    unknown."""
    depth: Image | None
    """Metres along the left camera's axis, NaN where unknown; where the cameras are known."""
    left: Image
    """The left picture that the disparity belongs to: rectified, where the cameras took it otherwise."""
    right: Image
    """The right picture, likewise."""

    @property
    def report(self) -> dict[str, Any]:
        """Device, times (milliseconds), parameters, levels, warnings; ``"cameras"`` has focal length, baseline, Q, P1, P2, R1, R2."""
        return json.loads(self._report)

    def _seen(self, colours: Any) -> dict[str, Any]:
        if self._view is None:
            raise _veloxel.InputError("points need the cameras: give stereo(…, cameras=…)")
        channels = None
        if colours is not None:
            rows = np.asarray(colours)
            if rows.shape != (*self.disparity.shape, 3):
                raise _veloxel.InputError(f"colours have the shape {(*self.disparity.shape, 3)} here, not {rows.shape}")
            channels = [as_image(np.ascontiguousarray(rows[..., nth]), "the colours") for nth in range(3)]
        images = {"disparity": self.disparity._own, "confidence": self.confidence._own, "left": self.left._own}
        return {**images, "colours": channels, "view": self._view}

    def cloud(self, *, colours: Any = None) -> PointCloud:
        """The points of all pixels with a disparity above 0, row by row, metres in the rectified left camera's frame: x right, y down,
        z forward.

        Args:
            colours: Red, green and blue of the rectified left picture, ``(y, x, 3)``, 0 to 255; ``None``: its greys.

        Raises:
            InputError: Cameras that are not known, or colours of another shape.
        """
        points, rgb, confidence = _veloxel.point_cloud(lent(self._session, None), self._seen(colours))
        return PointCloud(points.reshape(-1, 3), rgb.reshape(-1, 3), confidence)

    def plot(self, *, overlay: bool = False, scale: float | None = None, key: bool = True) -> Picture:
        """The disparity in colours: near is light.

        Args:
            overlay: Whether it is drawn over the left picture in grey.
            scale: The disparity with the lightest colour, pixels, and 0 with the darkest; ``None``: from 1 to 99 % of the disparities.
            key: Whether a strip below has the scale.
        """
        return disparity_picture(self.disparity._own, self._session, self.left, overlay=overlay, scale=scale, key=key)

    def _picture(self) -> Picture:
        return self.plot()

    def _facts(self) -> dict[str, str]:
        disparity = self.disparity.array
        known = np.isfinite(disparity)
        range_px = f"{disparity[known].min():.3g} to {disparity[known].max():.3g} px" if known.any() else "unknown everywhere"
        facts = {"shape": str(self.disparity.shape), "disparity": range_px, "known": f"{known.mean():.0%}"}
        if self.depth is not None and np.isfinite(self.depth.array).any():
            facts["depth"] = f"{np.nanmin(self.depth.array):.3g} to {np.nanmax(self.depth.array):.3g} m"
        return facts

    def save_cloud(self, path: str | os.PathLike[str], *, colours: Any = None) -> None:
        """Writes the points of :meth:`cloud` as ``.ply``."""
        _veloxel.write_cloud(lent(self._session, None), self._seen(colours), path_text(path))

    def __repr__(self) -> str:
        return f"StereoResult(shape={self.disparity.shape}, cameras={'unknown' if self._view is None else 'known'})"


class PointCloud(NamedTuple):
    """Points that a stereo pair shows.

    :meth:`StereoResult.cloud` makes it:

    >>> import numpy as np
    >>> import veloxel
    >>> texture = np.random.default_rng(3).uniform(0, 255, (64, 103))
    >>> cameras = veloxel.Cameras.rectified(focal=400.0, baseline=0.1)
    >>> cloud = veloxel.stereo(texture[:, :96], texture[:, 7:], cameras=cameras, device="cpu").cloud()
    >>> cloud.points.shape == cloud.colours.shape, cloud.colours.dtype
    (True, dtype('uint8'))
    """

    points: np.ndarray
    """Metres, ``(n, 3)``, ``float32``."""
    colours: np.ndarray
    """Red, green and blue, ``(n, 3)``, ``uint8``."""
    confidence: np.ndarray
    """How certain each point is, 0 to 1, ``(n,)``."""

    def __repr__(self) -> str:
        return f"PointCloud({len(self.points)} points)"


class Cameras:
    """What is known of two cameras, as OpenCV calibrates them.

    Args:
        left_matrix, right_matrix: ``[[fx, 0, cx], [0, fy, cy], [0, 0, 1]]``, pixels (M1, M2).
        rotation, translation: From the left camera's frame to the right one's (R, T), metres: a point ``p`` of the left frame is
            ``R p + T`` in the right one.
        left_lens, right_lens: Coefficients ``k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 τx τy``, the first 4, 5, 8, 12 or 14 of them, or
            ``k1 k2 k3 k4`` of a fisheye; empty: no lens (D1, D2).
        lens: ``"radtan"`` (radial and tangential) or ``"equidistant"`` (fisheye).

    Raises:
        InputError: Numbers that are no camera's; :func:`stereo` tells.

    >>> import veloxel
    >>> matrix = [[400, 0, 47.5], [0, 400, 31.5], [0, 0, 1]]
    >>> cameras = veloxel.Cameras(matrix, matrix, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-0.1, 0, 0])
    >>> cameras.baseline
    0.1
    """

    def __init__(
        self,
        left_matrix: Any,
        right_matrix: Any,
        rotation: Any,
        translation: Any,
        *,
        left_lens: Any = (),
        right_lens: Any = (),
        lens: str = "radtan",
    ) -> None:
        def camera(matrix: Any, coefficients: Any) -> tuple[Any, Any, str]:
            return _three_by_three(matrix, "a camera's matrix"), [float(own) for own in np.ravel(coefficients)], lens

        turn = _three_by_three(rotation, "the rotation between the cameras")
        shift = [float(own) for own in np.ravel(translation)]
        if len(shift) != 3:
            raise _veloxel.InputError(f"the translation between the cameras has three numbers, not {len(shift)}")
        self._own: Any = (camera(left_matrix, left_lens), camera(right_matrix, right_lens), turn, shift)
        self.baseline: float = float(np.linalg.norm(shift))

    baseline: float
    """Distance of the cameras, metres."""

    @classmethod
    def _of(cls, own: Any, baseline: float) -> Cameras:
        cameras = cls.__new__(cls)
        cameras._own, cameras.baseline = own, baseline
        return cameras

    @classmethod
    def rectified(cls, *, focal: float, baseline: float, centre: tuple[float, float] | None = None) -> Cameras:
        """Cameras of pictures that are rectified already.

        Args:
            focal: Focal length, pixels.
            baseline: Distance of the cameras, metres.
            centre: Principal point ``(x, y)``, pixels; ``None``: the middle of the picture.
        """
        return cls._of((float(focal), float(baseline), None if centre is None else [float(own) for own in centre]), float(baseline))

    @classmethod
    def read(cls, *paths: str | os.PathLike[str], baseline: float | None = None) -> Cameras:
        """Reads a calibration: OpenCV's M1 D1 M2 D2 R T (``.yaml``, ``.yml``, ``.json``, one file or two), Kalibr's ``camchain.yaml``, or
        ROS' camera infos, left and right.

        Args:
            *paths: One file, or two.
            baseline: Distance of the cameras, metres, of a calibration in another unit.

        Raises:
            FileError, InputError: The text says which value is missing or wrong.
        """
        files = [path_text(path) for path in paths]
        (left, right, rotation, translation), told = _veloxel.read_cameras(lent(None, "cpu"), files)
        length = float(np.linalg.norm(translation))
        if baseline is None:
            tell(told)
        else:
            translation = [own * baseline / length for own in translation]
        return cls._of((left, right, rotation, translation), length if baseline is None else float(baseline))

    def __repr__(self) -> str:
        return f"Cameras(baseline={self.baseline})"


def _three_by_three(matrix: Any, what: str) -> list[list[float]]:
    rows = numbers(matrix, what)
    if rows.shape != (3, 3):
        raise _veloxel.InputError(f"{what} has the shape (3, 3), not {rows.shape}")
    return rows.tolist()


def _cameras(cameras: Any) -> Any:
    """Cameras as the extension takes them: :class:`Cameras`, or the paths of a calibration."""
    if cameras is None or isinstance(cameras, Cameras):
        return None if cameras is None else cameras._own
    if isinstance(cameras, (str, os.PathLike)):
        return [path_text(cameras)], None
    if isinstance(cameras, (list, tuple)) and all(isinstance(own, (str, os.PathLike)) for own in cameras):
        return [path_text(own) for own in cameras], None
    raise _veloxel.InputError(f"cameras are veloxel.Cameras or the paths of a calibration, not {type(cameras).__name__}")


class Features(NamedTuple):
    """Features of one scale.

    :func:`features` makes it:

    >>> import numpy as np
    >>> import veloxel
    >>> finest = veloxel.features(np.random.default_rng(1).uniform(0, 255, (64, 64)), device="cpu")[0]
    >>> finest.energy.shape, finest.orientation.shape
    ((64, 64), (64, 64))
    """

    energy: Image
    """Sum of the squared magnitudes over orientations, intensity²."""
    orientation: Image
    """Radians across the edge or line, from 0 to π, from x towards y; NaN where there is none."""
    phase: Image
    """Radians, from −π to π."""

    def plot(self) -> Plot:
        """Orientation, phase and energy beside each other, with the keys of their colours. Needs matplotlib."""
        from ._plots.feature_maps import features_plot

        return features_plot(self)

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Writes what a notebook shows, the maps with facts below them, as a page of HTML that asks nothing of a network."""
        write_page("Features", self._repr_html_(), path)

    def _repr_html_(self) -> str:
        known, energy = np.isfinite(self.phase.array), self.energy.array
        median = f"median {np.nanmedian(energy):.3g} intensity²" if np.isfinite(energy).any() else "unknown everywhere"
        return page(drawn(self.plot), {"shape": str(self.energy.shape), "with a phase": f"{known.mean():.0%}", "energy": median})

    def __repr__(self) -> str:
        return f"Features(shape={self.energy.shape})"


@overload
def stereo(left: GpuImage, right: GpuImage, **options: Any) -> GpuStereo: ...


@overload
def stereo(
    left: Any,
    right: Any,
    *,
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    mask: Any = None,
    cameras: Any = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> StereoResult: ...


def stereo(
    left: Any,
    right: Any,
    *,
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    mask: Any = None,
    cameras: Any = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> StereoResult | GpuStereo:
    """Finds the disparity of the left image of a rectified pair, by semi-global matching around local phase.

    The presets ``"fast"`` and ``"paper"``, and ``stereo_smoothing="off"``, take local phase alone. Where a match would lie outside
    of the right image the disparity is NaN; what only the left one sees is filled in, with a confidence of 0. Images whose rows do
    not fit are told by a warning.

    Args:
        left, right: Images of axes ``(y, x)``. Two tensors in the memory of a CUDA GPU (or :class:`GpuImage`), without ``mask`` and
            ``cameras``, stay there, and so does what is found: a :class:`GpuStereo`, the same bits; whether their rows fit is not looked
            at.
        preset, device, session, progress: As for :func:`flow`.
        mask: Where disparities are wanted: not 0; on the left picture as it was taken.
        cameras: :class:`Cameras`, or the path of a calibration, or two of them: pictures as the cameras took them are rectified first,
            and everything found lies on the rectified left picture; ``None``: the pictures are rectified, and there are no depths.
        **parameters: Parameters of the method ``"phase"``.

    Raises:
        As :func:`flow`.

    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:64, :96]
    >>> left, right = (128 + 50 * np.sin((x + shift) / 2) + 40 * np.cos((x + shift) / 5 + y / 3) for shift in (0, 2))
    >>> veloxel.stereo(left, right, device="cpu").disparity.shape
    (64, 96)
    """
    if is_on_gpu(left) or is_on_gpu(right):
        if mask is not None or cameras is not None:
            raise _veloxel.InputError(
                "mask= and cameras= are of pictures in the memory of the host: `.cpu()` takes tensors there; a mask may be applied to the "
                "disparity that was found, too"
            )
        return gpu_stereo(left, right, settings("phase", preset, parameters), as_progress(progress), session, device)
    own = (as_image(left, "the left image"), as_image(right, "the right image"))
    known = {
        "settings": settings("phase", preset, parameters),
        "mask": as_image_beside(mask, own[0], "the mask"),
        "cameras": _cameras(cameras),
        "progress": as_progress(progress),
    }
    found = _veloxel.stereo(lent(session, device), *own, known)
    tell(found.warnings)
    return StereoResult(found, session)


@overload
def features(image: GpuImage, **options: Any) -> list[GpuFeatures]: ...


@overload
def features(
    image: Any,
    *,
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> list[Features]: ...


def features(
    image: Any,
    *,
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> list[Features] | list[GpuFeatures]:
    """Finds local energy, orientation and phase on every scale, finest first.

    Args:
        image: An image of axes ``(y, x)``. A tensor in the memory of a CUDA GPU (or a :class:`GpuImage`) stays there, and so do its features:
            :class:`GpuFeatures`, the same bits.
        preset, device, session, progress, parameters: As for :func:`stereo`.

    Raises:
        As :func:`flow`.

    >>> import numpy as np
    >>> import veloxel
    >>> scales = veloxel.features(np.random.default_rng(1).uniform(0, 255, (64, 64)), device="cpu")
    >>> scales[0].phase.shape
    (64, 64)
    """
    chosen, told_how_far = settings("phase", preset, parameters), as_progress(progress)
    if is_on_gpu(image):
        return gpu_features(image, chosen, told_how_far, session, device)
    found, told = _veloxel.features(lent(session, device), as_image(image), chosen, told_how_far)
    tell(told)
    return [Features(*(Image._of(own) for own in scale)) for scale in found]
