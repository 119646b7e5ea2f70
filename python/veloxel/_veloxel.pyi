"""The extension module: classes and functions that the package is made of."""

import os
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

__version__: str
__all__ = [
    "DeviceError",
    "Engine",
    "Field",
    "FileError",
    "FlowFound",
    "HeartFound",
    "Image",
    "InputError",
    "InternalError",
    "Mesh",
    "OutOfMemoryError",
    "ParameterError",
    "Session",
    "StreamFound",
    "Tracks",
    "UnsupportedError",
    "__version__",
    "compare",
    "devices",
    "distances",
    "evaluate_disparity",
    "evaluate_flow",
    "evaluate_labels",
    "features",
    "filter",
    "flow",
    "graph_distances",
    "info",
    "jacobian",
    "methods",
    "move_points",
    "parameters",
    "phantom",
    "phantoms",
    "read_field",
    "read_image",
    "read_labels",
    "read_mesh",
    "read_sequence",
    "segment",
    "sequence",
    "stereo",
    "strain",
    "track",
    "track_points",
    "warp_image",
    "warp_labels",
    "write",
]

_Place = tuple[Any, Any, Any]
_PlaceOut = tuple[list[float], list[float], list[list[float]]]
_Settings = tuple[str, str | None, str]
_Told = list[tuple[str, str]]
_Progress = Callable[[str, float], Any] | None
_Path = str | os.PathLike[str]

class InputError(ValueError):
    kind: str
    hint: str | None

class ParameterError(ValueError):
    kind: str
    hint: str | None

class OutOfMemoryError(MemoryError):
    kind: str
    hint: str | None

class DeviceError(RuntimeError):
    kind: str
    hint: str | None

class UnsupportedError(NotImplementedError):
    kind: str
    hint: str | None

class FileError(OSError):
    kind: str
    hint: str | None

class InternalError(RuntimeError):
    kind: str
    hint: str | None

@final
class Session:
    def __new__(cls, device: str | None = None, threads: int = 0, max_memory: int | None = None) -> Session: ...
    def device(self) -> tuple[str, str]: ...
    def close(self) -> None: ...

@final
class Image:
    def __new__(cls, array: npt.NDArray[Any], place: _Place) -> Image: ...
    def samples(self) -> npt.NDArray[np.float32]: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def place(self) -> _PlaceOut: ...

@final
class Field:
    def __new__(cls, array: npt.NDArray[Any], place: _Place) -> Field: ...
    def planar_vox(self) -> npt.NDArray[np.float32]: ...
    def planar_mm(self) -> npt.NDArray[np.float32]: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def place(self) -> _PlaceOut: ...

@final
class FlowFound:
    @property
    def field(self) -> Field: ...
    @property
    def confidence(self) -> Image: ...
    @property
    def warped(self) -> Image | None: ...
    @property
    def occlusion(self) -> Image | None: ...
    @property
    def report(self) -> str: ...
    @property
    def warnings(self) -> _Told: ...

@final
class Mesh:
    def __new__(cls, points: npt.NDArray[np.float64], triangles: npt.NDArray[np.int64]) -> Mesh: ...
    def points(self) -> npt.NDArray[np.float64]: ...
    def triangles(self) -> npt.NDArray[np.uint32]: ...

@final
class Engine:
    def __new__(cls, session: Session, stream: dict[str, Any]) -> Engine: ...
    def push(self, left: Image, right: Image | None = None) -> StreamFound | None: ...
    def drain(self) -> StreamFound | None: ...
    def finish(self) -> None: ...
    def close(self) -> None: ...

@final
class StreamFound:
    @property
    def frame(self) -> int: ...
    @property
    def flow(self) -> Field | None: ...
    @property
    def flow_confidence(self) -> Image | None: ...
    @property
    def disparity(self) -> Image | None: ...
    @property
    def disparity_confidence(self) -> Image | None: ...
    @property
    def features(self) -> list[tuple[Image, Image, Image]]: ...
    @property
    def report(self) -> str: ...
    @property
    def warnings(self) -> _Told: ...

@final
class HeartFound:
    @property
    def method(self) -> str: ...
    @property
    def preset(self) -> str: ...
    @property
    def contours(self) -> list[tuple[str, int, int, list[list[float]]]]: ...
    @property
    def fields(self) -> list[Field]: ...
    @property
    def labels(self) -> list[Image]: ...
    @property
    def function(self) -> str: ...
    @property
    def strain(self) -> str | None: ...
    @property
    def distances(self) -> str | None: ...
    @property
    def measures(self) -> str: ...

@final
class Tracks:
    @property
    def frame(self) -> npt.NDArray[np.uint64]: ...
    @property
    def id(self) -> npt.NDArray[np.uint64]: ...
    @property
    def x(self) -> npt.NDArray[np.float32]: ...
    @property
    def y(self) -> npt.NDArray[np.float32]: ...
    @property
    def status(self) -> list[str]: ...
    @property
    def error(self) -> npt.NDArray[np.float32]: ...
    @property
    def forward_backward(self) -> npt.NDArray[np.float32]: ...
    @property
    def frames(self) -> int: ...
    @property
    def tracks(self) -> int: ...
    @property
    def alive(self) -> int: ...
    @property
    def warnings(self) -> _Told: ...

def devices() -> str: ...
def compare(
    session: Session,
    fixed: Image,
    moving: Image,
    methods: Sequence[_Settings],
    known: dict[str, Any],
    progress: _Progress = None,
) -> tuple[list[FlowFound], str, str, _Told]: ...
def filter(
    session: Session, image: Image, name: str, settings: dict[str, Any], progress: _Progress = None
) -> tuple[Image, _Told]: ...
def phantoms() -> list[tuple[str, str]]: ...
def phantom(session: Session, name: str, wanted: dict[str, Any]) -> list[tuple[str, str, Any]]: ...
def track(
    session: Session, frames: Sequence[Image], following: dict[str, Any]
) -> tuple[list[HeartFound], str, str, _Told]: ...
def track_points(session: Session, frames: Sequence[Image], following: dict[str, Any]) -> Tracks: ...
def methods() -> list[str]: ...
def parameters(settings: _Settings, axes: int) -> str: ...
def flow(
    session: Session,
    images: Sequence[Image],
    options: dict[str, Any],
    known: dict[str, Any],
) -> FlowFound: ...
def sequence(
    session: Session,
    images: Sequence[Image],
    options: dict[str, Any],
    fields: dict[str, Any],
) -> list[tuple[str, int, int, FlowFound]]: ...
def stereo(
    session: Session,
    left: Image,
    right: Image,
    settings: _Settings,
    mask: Image | None = None,
    progress: _Progress = None,
) -> tuple[Image, Image, str, _Told]: ...
def features(
    session: Session, image: Image, settings: _Settings, progress: _Progress = None
) -> tuple[list[tuple[Image, Image, Image]], _Told]: ...
def warp_image(
    session: Session, field: Field, image: Image, interpolation: str, smooth: bool, outside: float | str
) -> tuple[Image, _Told]: ...
def warp_labels(
    session: Session, field: Field, labels: npt.NDArray[Any], place: _Place, choice: str
) -> tuple[npt.NDArray[np.int32], _Told]: ...
def jacobian(session: Session, field: Field) -> list[tuple[str, Image]]: ...
def strain(session: Session, field: Field) -> list[tuple[str, Image]]: ...
def move_points(session: Session, field: Field, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def segment(
    session: Session,
    mesh: Mesh,
    settings: _Settings,
    parts: int | None = None,
    membership: bool = False,
    progress: _Progress = None,
) -> tuple[
    npt.NDArray[np.uint32], npt.NDArray[np.float32], tuple[npt.NDArray[np.float32], int] | None, str, _Told
]: ...
def distances(
    session: Session,
    mesh: Mesh,
    settings: _Settings,
    sources: Sequence[int] | None = None,
    algorithm: str = "auto",
    progress: _Progress = None,
) -> tuple[npt.NDArray[np.float32], int, int, str]: ...
def graph_distances(
    session: Session,
    graph: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float32], bool],
    sources: Sequence[int] | None = None,
    algorithm: str = "auto",
    progress: _Progress = None,
) -> tuple[npt.NDArray[np.float32], int, int, str]: ...
def evaluate_flow(session: Session, result: Field, truth: Field, mask: Image | None = None) -> str: ...
def evaluate_disparity(session: Session, result: Image, truth: Image, mask: Image | None = None) -> str: ...
def evaluate_labels(session: Session, result: Image, truth: Image, mask: Image | None = None) -> str: ...
def read_image(session: Session, path: _Path) -> tuple[Image, _Told]: ...
def read_field(session: Session, path: _Path) -> tuple[Field, _Told]: ...
def read_sequence(session: Session, path: _Path) -> tuple[list[Image], float | None, _Told]: ...
def read_labels(session: Session, path: _Path) -> tuple[npt.NDArray[np.int32], Image, _Told]: ...
def read_mesh(session: Session, path: _Path) -> tuple[Mesh, _Told]: ...
def write(session: Session, path: _Path, content: Field | Image | tuple[npt.NDArray[Any], _Place]) -> _Told: ...
def info(session: Session, path: _Path) -> str: ...
