//! Cycles of memories that replace each other, as an edit by hand makes them: all of a cycle are hidden.

use crate::content::memory::Memory;
use crate::content::memory_change::REPLACEMENT_KEY;
use crate::error::DamagedFile;
use std::collections::{HashMap, HashSet};

/// Finds the cycles among some memories, and names each by one of its files.
pub(crate) fn find_replacement_cycles(memories: &[Memory]) -> Vec<DamagedFile> {
    let replaced = memories
        .iter()
        .filter(|memory| memory.front.is_superseded());
    let by_id: HashMap<&str, &Memory> = replaced.map(|memory| (memory.id(), memory)).collect();
    let mut seen = HashSet::new();
    let mut cycles = Vec::new();
    for memory in memories {
        let next = |one: &&Memory| {
            let by = one.front.superseded_by.as_deref()?;
            by_id.get(by).copied()
        };
        let start = by_id.get(memory.id()).copied();
        let mut path: Vec<&Memory> = Vec::new();
        let mut positions: HashMap<&str, usize> = HashMap::new();
        for step in std::iter::successors(start, next) {
            if let Some(first) = positions.get(step.id()) {
                cycles.push(describe(&path[*first..]));
            }
            if !seen.insert(step.id()) {
                break;
            }
            positions.insert(step.id(), path.len());
            path.push(step);
        }
    }
    cycles
}

fn describe(cycle: &[&Memory]) -> DamagedFile {
    let ids: Vec<&str> = cycle.iter().map(|memory| memory.id()).collect();
    let is_key = |line: &str| line.starts_with(REPLACEMENT_KEY);
    let line = cycle[0].raw_text.lines().position(is_key);
    DamagedFile {
        path: cycle[0].path.clone(),
        line: Some(line.map_or(1, |line| line + 1)),
        reason: format!(
            "each of {} is superseded by another of them, so that none counts",
            ids.join(", ")
        ),
        hint: Some(format!(
            "remove `{REPLACEMENT_KEY}` from the one that is right"
        )),
    }
}
