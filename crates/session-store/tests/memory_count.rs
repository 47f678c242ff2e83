//! A process of its own: SQLite's settings are those of a process, and no other thread may use it meanwhile.

use rusqlite::{Connection, ffi};
use session_store::disable_memory_count;

#[test]
fn a_database_that_is_opened_later_counts_no_memory() {
    // SAFETY: this process runs no other test.
    unsafe { disable_memory_count() };
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch("CREATE TABLE lamps(name)").unwrap();
    // SAFETY: a call without arguments.
    assert_eq!(unsafe { ffi::sqlite3_memory_used() }, 0);
}
