//! What the program does where the system has no memory left: one line, no unfinished output, exit code 1.
//!
//! Allocations whose failure the caller handles ([`fallible`]) are left to it; all others would abort the program. One thread ends it and
//! says why: others that have no memory either, those whose callers handle that among them, wait for the end. What the standard library
//! keeps of a thread it takes from the system past this allocator, and aborts where there is none; so threads are started once there is
//! room for one ([`fallible::room_for_thread`]).

use crate::interrupt;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;
use veloxel::fallible;

/// Memory that is given back for the removal of unfinished outputs, bytes; it is never touched before.
const RESERVE: Layout = Layout::new::<[u8; 1 << 19]>();
/// Time that the removal may take. The thread that ran out of memory may hold what it waits for.
const MOST_TIME: Duration = Duration::from_secs(2);

/// The reserve, while there is one.
static HELD: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
/// Whether the process is the command's own: in a process of Python's its errors are exceptions, and this ends nothing.
static IS_COMMAND: AtomicBool = AtomicBool::new(false);
/// Whether a thread ends the program.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

#[global_allocator]
static ALLOCATOR: Ending = Ending;

/// The system's allocator, which ends the program where it has nothing left.
struct Ending;

// SAFETY: every call is the system allocator's own, with the arguments that came.
unsafe impl GlobalAlloc for Ending {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        handled(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        handled(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        handled(unsafe { System.realloc(pointer, layout, bytes) }, bytes)
    }
}

#[inline]
fn handled(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() && IS_COMMAND.load(Ordering::Relaxed) {
        // An error that its caller made of it would be a second line.
        if !fallible::handles_failure() || IS_ENDING.load(Ordering::SeqCst) {
            end(bytes)
        }
    }
    pointer
}

/// Says that this thread ends the program with an error of its own: from here on a lack of memory adds no line to it. Where another
/// thread ends the program already, this one waits for that.
pub fn says_why() {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        wait_for_end()
    }
}

/// Waits until the thread that ends the program has done so.
fn wait_for_end() -> ! {
    std::thread::sleep(MOST_TIME);
    exit()
}

/// Takes the reserve; where it cannot be had, the program runs without one. From here on a lack of memory ends the program.
pub fn prepare() {
    IS_COMMAND.store(true, Ordering::Relaxed);
    // SAFETY: its size is not zero.
    HELD.store(unsafe { System.alloc(RESERVE) }, Ordering::Relaxed);
}

/// Says that memory is short, removes unfinished outputs, and ends the program.
#[cold]
fn end(bytes: usize) -> ! {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is at it, or this one ran out once more.
        wait_for_end()
    }
    let reserve = HELD.swap(std::ptr::null_mut(), Ordering::Relaxed);
    if !reserve.is_null() {
        // SAFETY: it was allocated with this layout, and is given back once.
        unsafe { System.dealloc(reserve, RESERVE) };
    }
    let mut line = [0; 200];
    let room = line.len();
    let mut left = &mut line[..];
    let _ = writeln!(
        left,
        "error: not enough memory ({bytes} more bytes could not be had): give it more, or smaller inputs, or fewer --threads"
    );
    let length = room - left.len();
    write(&line[..length]);
    exit_after(MOST_TIME);
    interrupt::pending().remove_all();
    exit()
}

/// Writes to standard error without a lock, which this thread may hold.
#[cfg(unix)]
fn write(line: &[u8]) {
    // SAFETY: the pointer and the length are those of the line.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
}

#[cfg(not(unix))]
fn write(line: &[u8]) {
    let _ = std::io::stderr().write_all(line);
}

/// Ends the program at once, without what waits for its end.
#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: the call has no conditions.
    unsafe { libc::_exit(1) }
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(1)
}

/// Lets the program end after a time, whatever this thread waits for then.
#[cfg(unix)]
fn exit_after(time: Duration) {
    extern "C" fn ring(_: libc::c_int) {
        exit()
    }
    // SAFETY: the handler calls nothing but what a handler may call.
    unsafe {
        libc::signal(libc::SIGALRM, ring as extern "C" fn(libc::c_int) as libc::sighandler_t);
        libc::alarm(time.as_secs() as libc::c_uint);
    }
}

#[cfg(not(unix))]
fn exit_after(_: Duration) {}
