//! Films and cameras, decoded by the program `ffmpeg`.
//!
//! A compressed film (`.mp4`, `.webm`, `.mkv`, …), a camera of this machine (`/dev/video0`) and an address (`rtsp://…`) are read
//! through a process of `ffmpeg`, which is found on the search path and has to be installed; nothing of it is linked.
//! It sends Y4M, of which the luma is kept ([`y4m`](crate::formats::y4m)): the samples are those of
//! `ffmpeg -i FILM -f yuv4mpegpipe -`, but that no frame is doubled or left out for an even rate.
//!
//! *Times*: each frame has the time that the film gives it, exact in the film's own unit ([`FilmReader::time_ms`]). Where the frames
//! are not evenly spaced there is no interval between them, and a note says so.
//! *Turned films*: the rotation of the film's metadata is applied, as players do.
//! *Failures*: what `ffmpeg` says becomes one line. A film that is cut short has the frames until there, and then an error. What it
//! complains of without ending is a warning; strict reading refuses it.
//! *Files*: a name is always a file, whatever it looks like; of a file nothing else is opened, neither playlists nor what they name.
//! *Process*: it is killed and reaped when the stream is dropped, ended or stopped, and leaves no file.

mod complaints;
mod live;
mod log;
mod process;
mod reader;
mod source;

pub(crate) use live::read_live;
pub(crate) use process::FilmProcess;
pub(crate) use reader::FilmReader;
pub(crate) use source::FilmSource;
pub use source::{is_live, shown_source};
