//! A server of one store on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Whether parts of a file are sent when they are asked for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ranges {
    Always,
    Never,
}

/// Serves the store at its own name, refuses names that begin with `forbidden`, and never answers those that begin with `never`.
pub(super) struct Server {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    folder: PathBuf,
    ranges: Ranges,
    requests: AtomicUsize,
    asked: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Server {
    pub fn of(store: &Path, ranges: Ranges) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let folder = store.parent().unwrap().to_owned();
        let shared =
            Arc::new(Shared { folder, ranges, requests: AtomicUsize::new(0), asked: Mutex::new(None) });
        let own = shared.clone();
        // It ends with the program of the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = own.clone();
                std::thread::spawn(move || serve(&shared, stream));
            }
        });
        Self { port, shared }
    }

    pub fn address(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// Does something when a name is asked for that is never answered.
    pub fn when_asked(&self, work: impl Fn() + Send + 'static) {
        *self.shared.asked.lock().unwrap() = Some(Box::new(work));
    }
}

/// Answers the requests of one connection.
fn serve(shared: &Shared, mut stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut line, mut range) = (String::new(), None);
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let name = line.split(' ').nth(1)?.trim_start_matches('/').to_owned();
        let is_head = line.starts_with("HEAD ");
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            range = line.strip_prefix("range: bytes=").map(str::to_owned).or(range);
        }
        shared.requests.fetch_add(1, Ordering::SeqCst);
        if name.starts_with("never") {
            if let Some(work) = &*shared.asked.lock().unwrap() {
                work();
            }
            std::thread::park();
        }
        let found =
            if name.starts_with("forbidden") { None } else { Some(std::fs::read(shared.folder.join(&name))) };
        let (head, body) = match found {
            None => ("403 Forbidden".to_owned(), Vec::new()),
            Some(Err(_)) => ("404 Not Found".to_owned(), Vec::new()),
            Some(Ok(bytes)) => answer(bytes, range.filter(|_| shared.ranges == Ranges::Always)),
        };
        let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(if is_head { &[] } else { &body }).ok()?;
    }
}

/// All of a file, or the part of it that is asked for.
fn answer(bytes: Vec<u8>, range: Option<String>) -> (String, Vec<u8>) {
    let Some((begin, end)) = range.as_deref().and_then(|range| range.split_once('-')) else {
        return ("200 OK".to_owned(), bytes);
    };
    let (begin, end): (usize, usize) = (begin.parse().unwrap(), end.parse().unwrap());
    let end = (end + 1).min(bytes.len());
    let head = format!("206 Partial Content\r\nContent-Range: bytes {begin}-{}/{}", end - 1, bytes.len());
    (head, bytes[begin..end].to_vec())
}
