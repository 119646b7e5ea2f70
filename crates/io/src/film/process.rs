//! The process of `ffmpeg`: started, listened to, and ended.

use super::complaints::Complaints;
use super::log::LogLine;
use super::source::FilmSource;
use crate::error::{IoError, Result};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use veloxel_core::Control;

/// The program.
const PROGRAM: &str = "ffmpeg";
/// Formats of pixels that Y4M holds, of which `ffmpeg` takes the one that loses least.
pub(super) const PIXELS: &str = "gray|gray9le|gray10le|gray12le|gray16le|yuv420p|yuv422p|yuv444p|yuv411p|yuvj420p|yuvj422p|\
     yuvj444p|yuv420p9le|yuv422p9le|yuv444p9le|yuv420p10le|yuv422p10le|yuv444p10le|yuv420p12le|yuv422p12le|yuv444p12le|\
     yuv420p14le|yuv422p14le|yuv444p14le|yuv420p16le|yuv422p16le|yuv444p16le";
/// How often it is asked whether the run goes on, and whether the process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A longer line of the log is cut: films write texts of their own there.
const LINE_LIMIT: u64 = 1 << 14;

/// A process that decodes a film; it ends at the latest when this is dropped.
#[derive(Debug)]
pub(crate) struct FilmProcess {
    running: Mutex<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    /// How it ended; none while it runs.
    status: Option<ExitStatus>,
    /// Whether it was ended from here.
    is_killed: bool,
}

/// A process with what it sends.
pub(super) struct Started {
    pub process: Arc<FilmProcess>,
    /// Its pictures, until they are taken.
    pub pictures: Option<ChildStdout>,
    pub log: Receiver<LogLine>,
    pub complaints: Arc<Mutex<Complaints>>,
}

impl FilmProcess {
    /// Starts `ffmpeg` to send pixels in one of these formats, and threads that listen to its log and end it after a stop.
    ///
    /// # Errors
    /// [`IoError::NoProgram`] where it is not installed; [`IoError::Open`] where the system gives no process.
    pub(super) fn start(
        source: &FilmSource,
        pixels: &str,
        name: &Path,
        control: &Control,
    ) -> Result<Started> {
        let filter = format!("format={pixels},showinfo=checksum=0,settb=1/25,setpts=N");
        let mut command = Command::new(PROGRAM);
        command.args(["-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+info"]);
        command.args(source.arguments());
        // Every frame has a tick of its own behind the filter that tells of it: none is doubled or left out for an even rate.
        command.args(["-map", "0:V:0", "-an", "-sn", "-dn", "-vf", &filter, "-r", "25"]);
        command.args(["-strict", "-1", "-f", "yuv4mpegpipe", "pipe:1"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let no_program = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => IoError::NoProgram { program: PROGRAM, path: name.to_owned() },
            _ => IoError::open(name)(error),
        };
        let mut child = command.spawn().map_err(no_program)?;
        let (pictures, messages) = (child.stdout.take(), child.stderr.take());
        let process =
            Arc::new(Self { running: Mutex::new(Running { child, status: None, is_killed: false }) });
        let (Some(_), Some(messages)) = (&pictures, messages) else {
            return Err(IoError::open(name)(std::io::Error::other("no pipe to ffmpeg")));
        };
        let (tell, log) = channel();
        let complaints = Arc::<Mutex<Complaints>>::default();
        let listening = Listening { messages, tell, complaints: complaints.clone() };
        // Where there is no thread, the process ends when it is dropped here.
        std::thread::Builder::new().spawn(move || listening.run()).map_err(IoError::open(name))?;
        let (watched, control) = (Arc::downgrade(&process), control.clone());
        let watch = move || {
            while let Some(process) = watched.upgrade()
                && !process.has_ended()
            {
                if control.check().is_err() {
                    process.end();
                }
                drop(process);
                std::thread::sleep(LOOK_EVERY);
            }
        };
        std::thread::Builder::new().spawn(watch).map_err(IoError::open(name))?;
        Ok(Started { process, pictures, log, complaints })
    }

    /// Kills the process, if it still runs, and takes its end from the system.
    pub fn end(&self) {
        let mut running = self.lock();
        if running.status.is_none() {
            running.is_killed = true;
            // One that has ended by itself cannot be killed, and is reaped all the same.
            let _ = running.child.kill();
            running.status = running.child.wait().ok();
        }
    }

    /// Whether it was ended from here.
    pub fn was_ended(&self) -> bool {
        self.lock().is_killed
    }

    /// Waits until the process has ended by itself, and tells whether it was content.
    ///
    /// # Errors
    /// [`IoError::Stopped`]; [`IoError::Read`] where the system says nothing of it.
    pub fn wait(&self, name: &Path, control: &Control) -> Result<bool> {
        loop {
            control.check()?;
            let mut running = self.lock();
            if running.status.is_none() {
                running.status = running.child.try_wait().map_err(IoError::read(name))?;
            }
            if let Some(status) = running.status {
                return Ok(status.success());
            }
            drop(running);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn has_ended(&self) -> bool {
        let mut running = self.lock();
        if running.status.is_none() {
            running.status = running.child.try_wait().ok().flatten();
        }
        running.status.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FilmProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Listens to the log until its end.
struct Listening {
    messages: ChildStderr,
    tell: Sender<LogLine>,
    complaints: Arc<Mutex<Complaints>>,
}

impl Listening {
    fn run(self) {
        let mut messages = BufReader::new(self.messages);
        let mut line = Vec::new();
        loop {
            line.clear();
            match (&mut messages).take(LINE_LIMIT).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            match LogLine::parse(String::from_utf8_lossy(&line).trim_end()) {
                Some(LogLine::Complaint(text)) => {
                    self.complaints.lock().unwrap_or_else(PoisonError::into_inner).add(text);
                }
                // Where nobody takes frames any more, the log is still read: a full pipe would hold the process.
                Some(told) => drop(self.tell.send(told)),
                None => {}
            }
        }
    }
}
