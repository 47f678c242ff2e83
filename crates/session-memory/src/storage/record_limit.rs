//! The size limit of a directory's record, and what is forgotten where it would be larger.

use crate::error::{MemoryError, Result};
use crate::storage::directory_records::DirectoryRecord;
use std::path::Path;

/// The most bytes of a record.
pub(crate) const RECORD_LIMIT: usize = 8 << 20;

/// Encodes a record as JSON of at most `limit` bytes. Where it would be larger, memories that are not
/// `kept` are forgotten, and then the older contents of the others, the oldest memories first.
///
/// # Errors
/// When it is too large without these, too.
pub(crate) fn encode_record(
    record: &mut DirectoryRecord,
    limit: usize,
    is_kept: &dyn Fn(&str) -> bool,
    path: &Path,
) -> Result<Vec<u8>> {
    let mut json = to_json(record);
    for forget in [forget_lost_memories, forget_older_contents] {
        if json.len() <= limit {
            break;
        }
        forget(record, json.len() - limit, is_kept);
        json = to_json(record);
    }
    if json.len() <= limit {
        Ok(json)
    } else {
        Err(MemoryError::refused_with_hint(
            format!("`{}` would be larger than {limit} bytes", path.display()),
            "`session-search memory delete --purge` removes memories that nobody needs",
        ))
    }
}

fn to_json(record: &DirectoryRecord) -> Vec<u8> {
    serde_json::to_vec(record).unwrap_or_default()
}

/// Forgets memories that are not `kept`, until `excess` bytes are free.
fn forget_lost_memories(
    record: &mut DirectoryRecord,
    excess: usize,
    is_kept: &dyn Fn(&str) -> bool,
) {
    let lost: Vec<String> = (record.all_ids().into_iter())
        .filter(|id| !is_kept(id))
        .collect();
    let mut freed = 0;
    for id in lost {
        if freed >= excess {
            break;
        }
        freed += record.forget(&id);
    }
}

/// Forgets all contents of memories but the newest, until `excess` bytes are free.
fn forget_older_contents(record: &mut DirectoryRecord, excess: usize, _: &dyn Fn(&str) -> bool) {
    let mut freed = 0;
    for id in record.all_ids() {
        if freed >= excess {
            break;
        }
        freed += record.forget_older_contents(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::directory_records::ContentOrigin;

    fn record() -> DirectoryRecord {
        let mut record = DirectoryRecord::default();
        for id in ["mem-1", "mem-2", "mem-3"] {
            for text in ["old", "new"] {
                record.add_content(id, text, ContentOrigin::User);
            }
        }
        record
    }

    fn encode(record: &mut DirectoryRecord, limit: usize) -> Result<Vec<u8>> {
        encode_record(record, limit, &|id| id != "mem-2", Path::new("record.json"))
    }

    #[test]
    fn a_record_that_is_too_large_forgets_lost_memories_and_older_contents() {
        let whole = to_json(&record()).len();
        let mut same = record();
        assert_eq!(encode(&mut same, whole).unwrap().len(), whole);
        assert_eq!(same, record());

        let mut without_lost = record();
        encode(&mut without_lost, whole - 1).unwrap();
        assert!(!without_lost.has_memory("mem-2"));
        assert!(without_lost.find_origin("mem-1", "old").is_some());

        let mut newest = record();
        let json = encode(&mut newest, whole / 2).unwrap();
        assert!(json.len() <= whole / 2);
        assert_eq!(newest.find_origin("mem-1", "old"), None);
        assert!(newest.find_origin("mem-1", "new").is_some());
        assert!(newest.find_origin("mem-3", "new").is_some());

        let error = encode(&mut record(), 100).unwrap_err().to_string();
        assert!(error.contains("larger than 100 bytes"), "{error}");
    }
}
