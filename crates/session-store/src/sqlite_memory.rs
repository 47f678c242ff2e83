//! SQLite's own count of the memory that it uses.

use rusqlite::ffi;
use std::ffi::c_int;

/// Turns off the count of allocated bytes that SQLite keeps for the process: each allocation takes a mutex which all
/// connections share, and a query reads by two threads while a third refreshes. Once a database was opened it changes
/// nothing.
///
/// # Safety
/// No other thread may use SQLite meanwhile.
pub unsafe fn disable_memory_count() {
    let enabled: c_int = 0;
    // SAFETY: this option takes one int. The caller rules out other threads.
    unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, enabled) };
}
