//! A cache on disk of compiled kernels and of the sources they were compiled from, one file each.
//!
//! Layout of a file: format (8 bytes), kind (1 byte), length of the content (8 bytes), checksum of key, kind and content (16
//! bytes), content. A file that is not complete, not valid or of another key counts as absent, and so does whatever is no
//! regular file: a pipe or a device in the folder would not end. A cache that cannot be read or written is not an error: the
//! kernels are then compiled.

use super::CompiledImage;
use siphasher::sip128::SipHasher13;
use std::fs::{File, Metadata};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

const FORMAT: [u8; 8] = *b"veloxel2";
/// Compiled kernels have some 10 to 100 KB.
const MOST_BYTES: u64 = 64 << 20;
const HEADER: usize = FORMAT.len() + 1 + 8 + 16;

/// The cache's folder; `None` means that nothing is cached.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// The key of an entry: a hash, 128 bits, of everything that it was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(u128);

impl Key {
    pub(crate) fn of(parts: &[&str]) -> Self {
        let mut all = Vec::new();
        for part in parts {
            // The length of each part makes `ab`, `c` differ from `a`, `bc`.
            all.extend_from_slice(&(part.len() as u64).to_le_bytes());
            all.extend_from_slice(part.as_bytes());
        }
        Self(hash(&all))
    }
    /// The key as 32 hexadecimal digits.
    pub(crate) fn name(&self) -> String {
        format!("{:032x}", self.0)
    }
}

/// Kinds of content.
const CUBIN: u8 = 0;
const PTX: u8 = 1;
const TEXT: u8 = 2;

/// SipHash 1-3 with 128 bits: protects against accidents, not against attackers.
fn hash(bytes: &[u8]) -> u128 {
    SipHasher13::new().hash(bytes).into()
}

impl Cache {
    /// The cache in `veloxel/kernels` of the user's cache folder; nothing is cached if that folder is unknown.
    pub(crate) fn of_platform() -> Self {
        let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let root = variable("XDG_CACHE_HOME").or_else(|| {
            if cfg!(windows) {
                variable("LOCALAPPDATA")
            } else {
                variable("HOME").map(|home| home.join(".cache"))
            }
        });
        Self { folder: root.map(|root| root.join("veloxel").join("kernels")) }
    }

    /// A cache in `folder`, which is created when it is needed.
    #[cfg(test)]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// A cache that keeps nothing.
    #[cfg(test)]
    pub fn none() -> Self {
        Self { folder: None }
    }

    fn file(&self, key: Key) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.kernel", key.name())))
    }

    pub(super) fn read(&self, key: Key) -> Option<CompiledImage> {
        match self.read_any(key)? {
            (CUBIN, image) => Some(CompiledImage::Cubin(image)),
            (PTX, image) => Some(CompiledImage::Ptx(image)),
            _ => None,
        }
    }

    pub(super) fn write(&self, key: Key, image: &CompiledImage) {
        match image {
            CompiledImage::Cubin(image) => self.write_any(key, CUBIN, image),
            CompiledImage::Ptx(image) => self.write_any(key, PTX, image),
        }
    }

    /// The text kept under `key`, if there is one.
    pub(crate) fn read_text(&self, key: Key) -> Option<String> {
        let (kind, text) = self.read_any(key)?;
        String::from_utf8(text).ok().filter(|_| kind == TEXT)
    }

    /// Keeps a text under `key`.
    pub(crate) fn write_text(&self, key: Key, text: &str) {
        self.write_any(key, TEXT, text.as_bytes());
    }

    fn read_any(&self, key: Key) -> Option<(u8, Vec<u8>)> {
        let mut bytes = read_file(&self.file(key)?)?;
        let (header, content) = bytes.split_at_checked(HEADER)?;
        let (format, rest) = header.split_at(FORMAT.len());
        let (&kind, sums) = rest.split_first()?;
        let is_whole = format == FORMAT && *sums == sums_of(key, kind, content);
        is_whole.then(|| (kind, bytes.split_off(HEADER)))
    }

    /// Writes a temporary file and then renames it, so that readers see the complete file or none. Errors are ignored:
    /// the content is then compiled again next time.
    fn write_any(&self, key: Key, kind: u8, content: &[u8]) {
        let (Some(folder), Some(file)) = (&self.folder, self.file(key)) else { return };
        let bytes = [&FORMAT, &[kind][..], &sums_of(key, kind, content), content].concat();
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut unfinished = NamedTempFile::new_in(folder)?;
            unfinished.write_all(&bytes)?;
            unfinished.persist(&file)?;
            Ok(())
        };
        let _ = write();
    }
}

/// The bytes of a regular file that is no longer than an entry can be.
fn read_file(path: &Path) -> Option<Vec<u8>> {
    let mut options = File::options();
    options.read(true);
    // Opening a pipe waits for its other end.
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let is_entry = |metadata: &Metadata| metadata.is_file() && metadata.len() <= MOST_BYTES;
    std::fs::metadata(path).ok().filter(is_entry)?;
    let file = options.open(path).ok()?;
    file.metadata().ok().filter(is_entry)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The length of the content (8 bytes), then the checksum of key, kind and content (16 bytes).
fn sums_of(key: Key, kind: u8, content: &[u8]) -> [u8; 24] {
    let mut sums = [0; 24];
    sums[..8].copy_from_slice(&(content.len() as u64).to_le_bytes());
    sums[8..].copy_from_slice(&hash(&[&key.0.to_le_bytes(), &[kind][..], content].concat()).to_le_bytes());
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_neighbouring_parts_apart() {
        assert_ne!(Key::of(&["ab", "c"]), Key::of(&["a", "bc"]));
    }

    #[test]
    fn only_whole_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let cache = Cache::at(folder);
        let key = Key::of(&["kernel"]);
        assert_eq!(cache.read(key), None);
        for image in [
            CompiledImage::Cubin(vec![1, 2, 3]),
            CompiledImage::Ptx(b"text\0".to_vec()),
            CompiledImage::Cubin(Vec::new()),
        ] {
            cache.write(key, &image);
            assert_eq!(cache.read(key), Some(image));
        }
        cache.write_text(key, "text");
        assert_eq!((cache.read(key), cache.read_text(key)), (None, Some("text".to_owned())));
        cache.write(key, &CompiledImage::Cubin(vec![7; 100]));
        let file = cache.file(key).unwrap();
        let whole = std::fs::read(&file).unwrap();
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(&file, &damaged).unwrap();
            assert_eq!(cache.read(key), None, "byte {place}");
            std::fs::write(&file, &whole[..place]).unwrap();
            assert_eq!(cache.read(key), None, "first {place} bytes");
        }
        // A file under the name of another key.
        std::fs::write(cache.file(Key::of(&["other"])).unwrap(), &whole).unwrap();
        assert_eq!(cache.read(Key::of(&["other"])), None);
        std::fs::remove_file(cache.file(Key::of(&["other"])).unwrap()).unwrap();
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1, "no temporary file stays");
        Cache::none().write(key, &CompiledImage::Cubin(vec![1]));
        assert_eq!(Cache::none().read(key), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let (pipe, device, long) = (Key::of(&["pipe"]), Key::of(&["device"]), Key::of(&["long"]));
        let made = std::process::Command::new("mkfifo").arg(cache.file(pipe).unwrap()).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/zero", cache.file(device).unwrap()).unwrap();
        File::create(cache.file(long).unwrap()).unwrap().set_len(1 << 40).unwrap();
        for key in [pipe, device, long] {
            assert_eq!(cache.read(key), None);
            // The entry takes its place.
            cache.write(key, &CompiledImage::Cubin(vec![1]));
            assert_eq!(cache.read(key), Some(CompiledImage::Cubin(vec![1])));
        }
    }
}
