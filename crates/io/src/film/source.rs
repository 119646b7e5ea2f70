//! What is filmed: a file, a camera of this machine, or an address.

use crate::address::is_store_address;
use crate::error::{IoError, Result};
use crate::read::source::Source;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How the addresses begin that `ffmpeg` opens.
const SCHEMES: [&str; 10] = ["rtsp", "rtsps", "rtmp", "rtmps", "rtp", "srt", "udp", "tcp", "http", "https"];
/// Containers that a file may be, so that a text that names other files is none.
const CONTAINERS: &str =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,flv,live_flv,asf,ogg,mxf,ivf,h264,hevc";
/// Cameras of Linux.
const CAMERAS: &str = "/dev/video";

/// Where a film comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FilmSource {
    /// A regular file.
    File(PathBuf),
    /// A camera of this machine, by its device.
    Camera(PathBuf),
    /// Something that another machine or program sends.
    Address(String),
}

impl FilmSource {
    /// The camera or the address that a name means; none for anything else, addresses of OME-Zarr among it.
    pub fn live(name: &Path) -> Option<Self> {
        let text = name.to_str()?;
        if let Some(number) = text.strip_prefix(CAMERAS) {
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            return is_number.then(|| Self::Camera(name.to_owned()));
        }
        let (scheme, rest) = text.split_once("://")?;
        let is_known = SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) && !rest.is_empty();
        (is_known && !is_store_address(name)).then(|| Self::Address(text.to_owned()))
    }

    /// A file that was opened, and so is one.
    ///
    /// # Errors
    /// [`IoError::Unsupported`] for a film in memory.
    pub fn file(source: &Source<'_>, name: &Path) -> Result<Self> {
        match source.path() {
            Some(path) => Ok(Self::File(path.to_owned())),
            None => Err(IoError::unsupported(name, "a compressed film in memory", "write it into a file")),
        }
    }

    /// Whether its frames come when they are filmed, and not as fast as they are taken.
    pub fn is_live(&self) -> bool {
        !matches!(self, Self::File(_))
    }

    /// What `ffmpeg` is told to open, with the options that stand before it.
    pub fn arguments(&self) -> Vec<OsString> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let mut arguments = match self {
            Self::File(_) => {
                words(&["-xerror", "-protocol_whitelist", "file", "-format_whitelist", CONTAINERS, "-i"])
            }
            Self::Camera(_) => words(&["-f", "v4l2", "-i"]),
            // Over TCP a camera's pictures come whole.
            Self::Address(text) if text.to_ascii_lowercase().starts_with("rtsp") => {
                words(&["-rtsp_transport", "tcp", "-i"])
            }
            Self::Address(_) => words(&["-i"]),
        };
        arguments.push(match self {
            Self::File(path) => {
                let mut name = OsString::from("file:");
                name.push(path);
                name
            }
            Self::Camera(path) => path.clone().into_os_string(),
            Self::Address(text) => text.into(),
        });
        arguments
    }
}

/// Whether a name means a camera or an address: frames that come when they are filmed, and may have no end.
pub fn is_live(name: &Path) -> bool {
    FilmSource::live(name).is_some()
}

/// A source as messages and reports show it: an address without the name and the password in it.
pub fn shown_source(name: &Path) -> PathBuf {
    match name.to_str() {
        Some(text) if is_live(name) || is_store_address(name) => without_password(text).into(),
        _ => name.to_owned(),
    }
}

/// An address, or a text with addresses, with dots in place of whom they are opened as.
pub(super) fn without_password(text: &str) -> String {
    let mut parts = text.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(part.len());
        let rest = part[..end].rfind('@').map_or(part, |at| &part[at + 1..]);
        shown.push_str("://");
        if rest.len() < part.len() {
            shown.push_str("…@");
        }
        shown.push_str(rest);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_and_addresses_are_told_from_files() {
        let live = |name: &str| FilmSource::live(Path::new(name));
        assert_eq!(live("/dev/video0"), Some(FilmSource::Camera("/dev/video0".into())));
        assert_eq!(live("rtsp://host:8554/a"), Some(FilmSource::Address("rtsp://host:8554/a".to_owned())));
        for file in [
            "film.mp4",
            "/dev/video",
            "/dev/video0/a",
            "file://a.mp4",
            "concat://a",
            "rtsp://",
            "a:b",
            "http://h/a.ome.zarr",
        ] {
            assert_eq!(live(file), None, "{file}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let shown = |name: &str| shown_source(Path::new(name)).display().to_string();
        assert_eq!(shown("rtsp://me:secret@host/live/1"), "rtsp://…@host/live/1");
        assert_eq!(shown("rtsp://me:p@ss@host/a@b"), "rtsp://…@host/a@b");
        assert_eq!(shown("rtsp://host/a@b"), "rtsp://host/a@b");
        assert_eq!(shown("me@host.mp4"), "me@host.mp4");
        assert_eq!(without_password("[tcp] to rtsp://me:s@h/ failed"), "[tcp] to rtsp://…@h/ failed");
    }
}
