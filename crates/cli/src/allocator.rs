//! The allocator of a program that has a budget of memory.

/// From this size on memory comes from the system and goes back to it at once, bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FROM_SYSTEM_BYTES: libc::c_int = 256 << 10;

/// Lets the allocator keep nothing large that is free: by itself glibc keeps the more, the larger the pieces were that it saw, and
/// what it keeps nobody else has.
pub fn keep_little() {
    // SAFETY: the call changes a parameter of the allocator, which may be changed at any time.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, FROM_SYSTEM_BYTES);
    }
}
