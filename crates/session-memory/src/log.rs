//! A local log of what was put before prompts: counts and times, no text.

use crate::error::Result;
use crate::inject::Disabled;
use serde::{Deserialize, Serialize};
use session_files::private;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes of the log from which on it begins anew; the one before is kept.
const LIMIT: u64 = 1 << 20;

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// When, RFC 3339.
    pub at: String,
    /// The session's id, if it has one.
    pub session: Option<String>,
    /// Items.
    pub injected_count: usize,
    /// Characters of the block.
    pub injected_chars: usize,
    /// How long it took, in milliseconds.
    pub retrieval_ms: u64,
    /// Why there was none.
    pub disabled_reason: Option<Disabled>,
    /// Memories that were compared.
    pub candidates: usize,
}

/// What the log says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Prompts.
    pub prompts: usize,
    /// Prompts that something was put before.
    pub injected: usize,
    /// Items in all.
    pub items: usize,
    /// Characters in all.
    pub chars: usize,
    /// The time that half of the prompts took at most, and 95 of 100.
    pub retrieval_ms_p50: u64,
    /// See above.
    pub retrieval_ms_p95: u64,
    /// Prompts without, by reason.
    pub disabled: BTreeMap<String, usize>,
}

/// A line as it is read back; what is missing in it is as nothing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    injected_count: usize,
    injected_chars: usize,
    retrieval_ms: u64,
    disabled_reason: Option<String>,
}

/// Adds a line.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(root: &Path, entry: &Entry) -> Result<()> {
    let path = file(root);
    if fs_err::metadata(&path).is_ok_and(|meta| meta.len() > LIMIT) {
        fs_err::rename(&path, path.with_extension("old.jsonl"))?;
    }
    let mut file = private::append(&path)?;
    let mut line = serde_json::to_vec(entry).unwrap_or_default();
    line.push(b'\n');
    Ok(file.write_all(&line)?)
}

/// What the log says in all.
pub fn usage(root: &Path) -> Usage {
    let path = file(root);
    let texts =
        [path.with_extension("old.jsonl"), path].map(|path| private::read_text(&path, 2 * LIMIT));
    let text: String = texts.into_iter().flatten().flatten().collect();
    let lines: Vec<Line> = text
        .lines()
        .filter_map(|l| serde_json::from_str(l).ok())
        .collect();
    let mut usage = Usage {
        prompts: lines.len(),
        ..Usage::default()
    };
    let mut times: Vec<u64> = lines.iter().map(|line| line.retrieval_ms).collect();
    times.sort_unstable();
    let at = |hundredth: usize| times.get(times.len() * hundredth / 100).or(times.last());
    usage.retrieval_ms_p50 = at(50).copied().unwrap_or(0);
    usage.retrieval_ms_p95 = at(95).copied().unwrap_or(0);
    for line in lines {
        usage.injected += usize::from(line.injected_count > 0);
        usage.items += line.injected_count;
        usage.chars += line.injected_chars;
        if let Some(reason) = line.disabled_reason {
            *usage.disabled.entry(reason).or_default() += 1;
        }
    }
    usage
}

/// The file of the log.
pub fn file(root: &Path) -> PathBuf {
    root.join("injection").join("log.jsonl")
}
