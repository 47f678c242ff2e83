//! Memory that was freed and that the C library keeps.

/// Returns freed memory to the system. For a process that goes on after a large piece of work.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn release_freed_memory() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // SAFETY: glibc's function takes any number, locks what it changes, and frees nothing that is in use.
    unsafe { malloc_trim(0) };
}

/// Does nothing: other C libraries return it by themselves, or cannot be asked.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn release_freed_memory() {}
