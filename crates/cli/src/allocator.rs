//! The allocator of a program that has a budget of memory.

/// Size from which on memory comes from the system and goes back to it at once, bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FROM_SYSTEM_BYTES: libc::c_int = 256 << 10;

/// Makes glibc return large free blocks to the system. By default it keeps more free memory the larger the blocks were that the
/// program freed, and no other program can use what it keeps.
pub fn keep_little() {
    // SAFETY: the call changes a parameter of the allocator, which may be changed at any time.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, FROM_SYSTEM_BYTES);
    }
}
