//! Finds turns by the hashes of their dedup keys and last messages.
//!
//! An index of SQLite by hash changes a page somewhere for each key: three of them took a fourth of the time in which a
//! million turns were stored. Here keys lie in buckets by their first bits, a row each, and those of many turns are written
//! at once, as buckets of their own: a layer, which is merged with those before where there are [`MAX_LAYERS`]. A bucket holds
//! a part of each hash: what is found are candidates, to be compared by the columns of their rows.

use crate::dedup_keys::DedupKeys;
use crate::error::Result;
use crate::hash::text_hash;
use crate::id::TurnId;
use crate::key_filter::KeyFilter;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::{Connection, Row, params};
use rustc_hash::{FxHashMap, FxHashSet};
use session_core::Turn;
use std::cell::{Cell, RefCell};

/// First bits of a hash, which are the number of its bucket.
pub(crate) const BUCKET_BITS: u32 = 12;
const BUCKET_MASK: i64 = (1 << BUCKET_BITS) - 1;
/// Bits of an entry that hold the turn; the others hold the bits of the hash that follow those of the bucket.
const TURN_BITS: u32 = 40;
const TURN_MASK: u64 = (1 << TURN_BITS) - 1;

/// Layers of buckets, at most: a look-up reads a bucket of each.
const MAX_LAYERS: i64 = 8;
/// Changed buckets from which on they become a layer, instead of being written again each.
const MIN_LAYER_BUCKETS: usize = 1 << (BUCKET_BITS - 1);

/// Most turns that are found for one hash, the first of all: where a program gives a prompt many times at once, each of its
/// turns would be compared with all others.
const MAX_CANDIDATES: usize = 128;

/// Entries that wait in memory for the next commit, at most: 8 bytes each.
const MAX_PENDING: usize = 1 << 18;
/// Entries that a writer adds before it has a filter of all.
const MIN_FILTERED: usize = 1 << 16;

/// The hashes by which a turn is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TurnHashes {
    pub(crate) dedup_keys: DedupKeys,
    /// The hash of its last message, by which other files give it a title.
    pub(crate) leaf: Option<i64>,
}

impl TurnHashes {
    pub(crate) fn from_turn(turn: &Turn) -> Self {
        Self {
            dedup_keys: DedupKeys::from_turn(turn),
            leaf: turn.leaf.as_deref().map(text_hash),
        }
    }

    /// Reads the hashes from a row that begins with `origin, prompt_time, leaf`.
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            dedup_keys: DedupKeys::from_row(row)?,
            leaf: row.get(2)?,
        })
    }

    fn all(self) -> impl Iterator<Item = i64> {
        let DedupKeys {
            origin,
            prompt_time,
        } = self.dedup_keys;
        [origin, prompt_time, self.leaf].into_iter().flatten()
    }
}

/// A stored turn with its hashes.
struct HashedTurn {
    turn: TurnId,
    hashes: TurnHashes,
}

/// Keys that are not yet in the database.
pub(crate) struct PendingTurnKeys {
    /// Entries to add, by bucket.
    added: FxHashMap<i64, Vec<u64>>,
    /// Entries to remove before, by bucket.
    removed: FxHashMap<i64, Vec<u64>>,
    count: usize,
    /// Entries added since the writer was opened.
    all_added: usize,
    /// Hashes for which [`MAX_CANDIDATES`] turns were found. Others with such a hash get no entry: each look-up reads the whole
    /// bucket, and a history of 200,000 turns with one prompt and time would take minutes.
    full: RefCell<FxHashSet<i64>>,
    /// The layers of buckets; none where nobody has looked.
    layers: Cell<Option<i64>>,
    /// As [`MIN_LAYER_BUCKETS`].
    min_layer_buckets: usize,
    /// Holds all keys.
    filter: Option<KeyFilter>,
}

impl Default for PendingTurnKeys {
    fn default() -> Self {
        Self {
            added: FxHashMap::default(),
            removed: FxHashMap::default(),
            count: 0,
            all_added: 0,
            full: RefCell::default(),
            layers: Cell::default(),
            min_layer_buckets: MIN_LAYER_BUCKETS,
            filter: None,
        }
    }
}

impl PendingTurnKeys {
    fn add(&mut self, hash: i64, turn: TurnId) {
        if self.full.get_mut().contains(&hash) {
            return;
        }
        let (bucket, entry) = (bucket(hash), entry(hash, turn));
        let added = self.added.entry(bucket).or_default();
        // Two hashes of a turn may be the same.
        if added.last() != Some(&entry) {
            added.push(entry);
            self.count += 1;
            self.all_added += 1;
        }
        if let Some(filter) = &mut self.filter {
            filter.insert(bucket, entry);
        }
    }

    fn remove(&mut self, hash: i64, turn: TurnId) {
        self.full.get_mut().remove(&hash);
        let (bucket, entry) = (bucket(hash), entry(hash, turn));
        if let Some(added) = self.added.get_mut(&bucket) {
            added.retain(|other| *other != entry);
        }
        self.removed.entry(bucket).or_default().push(entry);
        self.count += 1;
    }

    /// Returns the first turns that may have a key with this hash, in order.
    pub(crate) fn find(&self, db: &Connection, hash: i64) -> Result<Vec<TurnId>> {
        let bucket = bucket(hash);
        let is_new = |filter: &KeyFilter| !filter.may_hold(bucket, entry(hash, TurnId::default()));
        if self.filter.as_ref().is_some_and(is_new) {
            return Ok(Vec::new());
        }
        let stored = read_layers(db, self.layers(db)?, bucket)?;
        let added = self.added.get(&bucket).into_iter().flatten().copied();
        let mut found: Vec<TurnId> = entries(&stored)
            .chain(added)
            .filter(|entry| entry >> TURN_BITS == fingerprint(hash))
            .take(MAX_CANDIDATES)
            .map(|entry| TurnId::new((entry & TURN_MASK).cast_signed()))
            .collect();
        if found.len() == MAX_CANDIDATES {
            self.full.borrow_mut().insert(hash);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns the number of layers in the database.
    fn layers(&self, db: &Connection) -> Result<i64> {
        if let Some(known) = self.layers.get() {
            return Ok(known);
        }
        let select = "SELECT coalesce(max(bucket), -1) FROM turn_keys";
        let last: i64 = db.query_row(select, [], |row| row.get(0))?;
        let layers = ((last >> BUCKET_BITS) + 1).min(MAX_LAYERS);
        self.layers.set(Some(layers));
        Ok(layers)
    }

    /// Reads all keys into the filter where so many are added that looking each up would take longer.
    fn build_filter(&mut self, db: &Connection) -> Result<()> {
        if self.filter.is_some() || self.all_added < MIN_FILTERED {
            return Ok(());
        }
        let mut filter = KeyFilter::default();
        let mut find = db.prepare("SELECT bucket, keys FROM turn_keys")?;
        let mut rows = find.query([])?;
        while let Some(row) = rows.next()? {
            let (bucket, keys): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let bucket = bucket & BUCKET_MASK;
            entries(&keys).for_each(|entry| filter.insert(bucket, entry));
        }
        for (bucket, added) in &self.added {
            let added = added.iter();
            added.for_each(|entry| filter.insert(*bucket, *entry));
        }
        self.filter = Some(filter);
        Ok(())
    }

    /// Writes what is pending into the buckets.
    pub(crate) fn flush(&mut self, db: &Connection) -> Result<()> {
        let mut layers = self.layers(db)?;
        self.layers.set(None);
        self.count = 0;
        for (bucket, removed) in std::mem::take(&mut self.removed) {
            (0..layers).try_for_each(|layer| remove_stored(db, row_of(layer, bucket), &removed))?;
        }
        let mut added: Vec<(i64, Vec<u64>)> = std::mem::take(&mut self.added).into_iter().collect();
        added.sort_unstable_by_key(|(bucket, _)| *bucket);
        let is_layer = added.len() >= self.min_layer_buckets;
        if is_layer && layers >= MAX_LAYERS {
            merge_layers(db, layers)?;
            layers = 1;
        }
        let layer = if is_layer {
            layers
        } else {
            (layers - 1).max(0)
        };
        for (bucket, added) in added {
            let row = row_of(layer, bucket);
            let mut keys = if is_layer {
                Vec::new()
            } else {
                read_bucket(db, row)?
            };
            keys.extend(added.into_iter().flat_map(u64::to_le_bytes));
            write_bucket(db, row, &keys)?;
        }
        Ok(())
    }
}

/// Returns the row of a bucket in a layer.
fn row_of(layer: i64, bucket: i64) -> i64 {
    layer << BUCKET_BITS | bucket
}

/// Reads the entries of a bucket in all layers.
fn read_layers(db: &Connection, layers: i64, bucket: i64) -> Result<Vec<u8>> {
    let mut keys = Vec::new();
    for layer in 0..layers {
        keys.extend(read_bucket(db, row_of(layer, bucket))?);
    }
    Ok(keys)
}

fn remove_stored(db: &Connection, row: i64, removed: &[u64]) -> Result<()> {
    let keys = read_bucket(db, row)?;
    let is_kept = |entry: &u64| !removed.contains(entry);
    if entries(&keys).all(|entry| is_kept(&entry)) {
        return Ok(());
    }
    let kept = entries(&keys).filter(is_kept).flat_map(u64::to_le_bytes);
    match kept.collect::<Vec<u8>>() {
        kept if kept.is_empty() => delete_bucket(db, row),
        kept => write_bucket(db, row, &kept),
    }
}

/// Deletes a bucket without entries: its number is the first bits of the hashes that it had.
fn delete_bucket(db: &Connection, row: i64) -> Result<()> {
    let delete = "DELETE FROM turn_keys WHERE bucket = ?1";
    db.run(delete, [row])
}

/// Merges all layers to one.
fn merge_layers(db: &Connection, layers: i64) -> Result<()> {
    for bucket in 0..1 << BUCKET_BITS {
        let keys = read_layers(db, layers, bucket)?;
        if !keys.is_empty() {
            write_bucket(db, bucket, &keys)?;
        }
    }
    let delete = "DELETE FROM turn_keys WHERE bucket >= ?1";
    db.run(delete, [row_of(1, 0)])
}

/// Returns the bits of a hash, the first of the 63 first.
fn bits(hash: i64) -> u64 {
    hash.cast_unsigned() << 1
}

/// Returns the number of a hash's bucket.
fn bucket(hash: i64) -> i64 {
    (bits(hash) >> (u64::BITS - BUCKET_BITS)).cast_signed()
}

/// Returns the bits of a hash that an entry holds.
fn fingerprint(hash: i64) -> u64 {
    bits(hash) << BUCKET_BITS >> TURN_BITS
}

/// Returns the entry of a turn with this hash.
fn entry(hash: i64, turn: TurnId) -> u64 {
    fingerprint(hash) << TURN_BITS | i64::from(turn).cast_unsigned() & TURN_MASK
}

fn entries(keys: &[u8]) -> impl Iterator<Item = u64> {
    let (entries, _) = keys.as_chunks();
    entries.iter().map(|bytes| u64::from_le_bytes(*bytes))
}

fn read_bucket(db: &Connection, bucket: i64) -> Result<Vec<u8>> {
    let select = "SELECT keys FROM turn_keys WHERE bucket = ?1";
    let keys = db.first(select, [bucket], |row| row.get(0))?;
    Ok(keys.unwrap_or_default())
}

fn write_bucket(db: &Connection, bucket: i64, keys: &[u8]) -> Result<()> {
    let insert = "INSERT OR REPLACE INTO turn_keys(bucket, keys) VALUES(?1, ?2)";
    db.run(insert, params![bucket, keys])
}

impl Reader {
    /// Returns the hashes of a stored turn.
    pub(crate) fn turn_hashes(&self, turn: TurnId) -> Result<TurnHashes> {
        let select = "SELECT origin, prompt_time, leaf FROM turns WHERE id = ?1";
        let found = self.db.first(select, [turn], TurnHashes::from_row)?;
        Ok(found.unwrap_or_default())
    }
}

impl Writer {
    /// Adds the keys of a turn that was inserted.
    pub(crate) fn add_turn_keys(&mut self, turn: TurnId, hashes: TurnHashes) -> Result<()> {
        hashes
            .all()
            .for_each(|hash| self.pending.turn_keys.add(hash, turn));
        self.pending.turn_keys.build_filter(&self.reader.db)?;
        if self.pending.turn_keys.count > MAX_PENDING {
            self.pending.turn_keys.flush(&self.reader.db)
        } else {
            Ok(())
        }
    }

    /// Replaces the keys of a turn that had others before its row was changed or deleted.
    pub(crate) fn update_turn_keys(&mut self, turn: TurnId, before: TurnHashes) -> Result<()> {
        let after = self.reader.turn_hashes(turn)?;
        if after == before {
            return Ok(());
        }
        before
            .all()
            .for_each(|hash| self.pending.turn_keys.remove(hash, turn));
        self.add_turn_keys(turn, after)
    }

    /// Makes the buckets anew: their bytes may have been damaged, which no check of SQLite tells.
    pub(crate) fn renew_turn_keys(&mut self) -> Result<()> {
        self.pending.turn_keys = PendingTurnKeys::default();
        self.db().execute("DELETE FROM turn_keys", [])?;
        self.add_all_turn_keys()
    }

    /// Adds the keys of all turns to the buckets.
    fn add_all_turn_keys(&mut self) -> Result<()> {
        let mut last = TurnId::default();
        loop {
            let turns = self.hashes_after(last)?;
            for hashed in &turns {
                self.add_turn_keys(hashed.turn, hashed.hashes)?;
            }
            match turns.last() {
                Some(hashed) => last = hashed.turn,
                None => return Ok(()),
            }
        }
    }

    /// Returns the hashes of the next thousand turns.
    fn hashes_after(&self, turn: TurnId) -> Result<Vec<HashedTurn>> {
        let select =
            "SELECT origin, prompt_time, leaf, id FROM turns WHERE id > ?1 ORDER BY id LIMIT 1000";
        self.db().rows(select, [turn], |row| {
            Ok(HashedTurn {
                turn: row.get(3)?,
                hashes: TurnHashes::from_row(row)?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn database() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        let table = "CREATE TABLE turn_keys(bucket INTEGER PRIMARY KEY, keys BLOB NOT NULL)";
        db.execute_batch(table).unwrap();
        db
    }

    #[derive(Debug, Clone)]
    enum KeyChange {
        Add(i64, i64),
        Remove(i64, i64),
        Flush,
    }

    fn change() -> impl Strategy<Value = KeyChange> {
        // Few hashes, some of which differ in bits that no entry holds or share a bucket.
        let hash = (0..4_i64, 0..3_i64).prop_map(|(high, low)| (high << 49) + low);
        prop_oneof![
            4 => (hash.clone(), 1..5_i64).prop_map(|(hash, turn)| KeyChange::Add(hash, turn)),
            2 => (hash, 1..5_i64).prop_map(|(hash, turn)| KeyChange::Remove(hash, turn)),
            1 => Just(KeyChange::Flush),
        ]
    }

    #[test]
    fn of_many_turns_with_one_hash_the_first_are_found() {
        let db = database();
        let mut keys = PendingTurnKeys::default();
        (1..1000).for_each(|turn| keys.add(7, TurnId::new(turn)));
        keys.flush(&db).unwrap();
        (1000..2000).for_each(|turn| keys.add(7, TurnId::new(turn)));
        let first: Vec<TurnId> = (1..).take(MAX_CANDIDATES).map(TurnId::new).collect();
        assert_eq!(keys.find(&db, 7).unwrap(), first);
    }

    #[test]
    fn turns_beyond_those_that_are_found_have_no_entry() {
        let db = database();
        let mut keys = PendingTurnKeys::default();
        for turn in 1..1000 {
            keys.find(&db, 7).unwrap();
            keys.add(7, TurnId::new(turn));
        }
        keys.flush(&db).unwrap();
        let stored = read_layers(&db, keys.layers(&db).unwrap(), bucket(7)).unwrap();
        assert_eq!(entries(&stored).count(), MAX_CANDIDATES);
        keys.remove(7, TurnId::new(1));
        keys.flush(&db).unwrap();
        keys.add(7, TurnId::new(1000));
        let found = keys.find(&db, 7).unwrap();
        assert_eq!(found.last(), Some(&TurnId::new(1000)));
    }

    proptest! {
        #[test]
        fn what_was_added_is_found_and_what_was_removed_leaves_no_entry(
            changes in prop::collection::vec(change(), 0..120),
            is_filtered: bool,
            min_layer_buckets in prop_oneof![Just(1), Just(MIN_LAYER_BUCKETS)],
        ) {
            let db = database();
            let mut keys = PendingTurnKeys {
                min_layer_buckets,
                ..PendingTurnKeys::default()
            };
            if is_filtered {
                keys.all_added = MIN_FILTERED;
            }
            let mut held = std::collections::BTreeSet::new();
            for change in changes {
                match change {
                    KeyChange::Add(hash, turn) if !held.contains(&entry(hash, TurnId::new(turn))) => {
                        keys.add(hash, TurnId::new(turn));
                        held.insert(entry(hash, TurnId::new(turn)));
                        prop_assert!(keys.find(&db, hash).unwrap().contains(&TurnId::new(turn)));
                    }
                    KeyChange::Add(..) => {}
                    KeyChange::Remove(hash, turn) => {
                        keys.remove(hash, TurnId::new(turn));
                        held.remove(&entry(hash, TurnId::new(turn)));
                    }
                    KeyChange::Flush => {
                        keys.flush(&db).unwrap();
                        keys.build_filter(&db).unwrap();
                    }
                }
            }
            keys.flush(&db).unwrap();
            let mut stored = Vec::new();
            let layers = keys.layers(&db).unwrap();
            prop_assert!(layers <= MAX_LAYERS);
            for bucket in 0..1 << BUCKET_BITS {
                stored.extend(entries(&read_layers(&db, layers, bucket).unwrap()));
            }
            stored.sort_unstable();
            let held: Vec<u64> = held.into_iter().collect();
            prop_assert_eq!(stored, held);
        }
    }
}
