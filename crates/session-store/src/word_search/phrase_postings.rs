//! Reads the postings of a query's phrases, on two threads where there are many.
//!
//! To walk the postings of common words takes FTS5 most of a query by words over a million turns.
//! A second connection reads phrases meanwhile, where it sees the same state of the word index. For few postings it
//! does not pay: it costs some 20 ms of CPU time.

use crate::error::Result;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::word_search::lexical::fts5_string;
use crate::word_search::postings::{
    PositionLimit, Posting, PostingList, PostingsReader, WordPosition,
};
use session_core::parallel::run_both;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Postings after which the phrases that are left are worth a second connection.
const MIN_PARALLEL_POSTINGS: usize = 400_000;

/// The records of FTS5's sums and of its segments, which change with each write.
type WordState = Vec<(i64, Vec<u8>)>;

/// The phrases of a query, each taken by one thread.
struct SharedPhrases<'p> {
    phrases: &'p [String],
    limit: PositionLimit,
    next: AtomicUsize,
}

/// The postings of one of a query's phrases.
struct PhrasePostings {
    phrase: usize,
    list: PostingList,
}

impl SharedPhrases<'_> {
    /// Reads the phrases that no other thread has taken.
    fn read_by(&self, index: &Reader) -> Result<Vec<PhrasePostings>> {
        let mut read = Vec::new();
        loop {
            let phrase = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = self.phrases.get(phrase) else {
                return Ok(read);
            };
            let lists = index.read_postings(std::slice::from_ref(text), self.limit)?;
            let of_phrase = |list| PhrasePostings { phrase, list };
            read.extend(lists.into_iter().map(of_phrase));
        }
    }

    /// Reads phrases by another connection, unless that sees another state; none where it fails.
    fn read_by_second_connection(&self, index: &Path, state: &WordState) -> Vec<PhrasePostings> {
        let read = || {
            let other = Reader::open(index)?;
            other.begin_snapshot()?;
            if other.word_state()? == *state {
                self.read_by(&other)
            } else {
                Ok(Vec::new())
            }
        };
        read().unwrap_or_default()
    }
}

impl Reader {
    /// Returns the postings of phrases, each an FTS5 string, in their order.
    pub(crate) fn phrase_postings(&self, phrases: &[String]) -> Result<Vec<Vec<Posting>>> {
        let lists = self.posting_lists(phrases, PositionLimit::keep(0))?;
        Ok(lists.into_iter().map(|list| list.postings).collect())
    }

    /// Returns the postings of phrases in their order, with the positions of those that have few.
    pub(crate) fn posting_lists(
        &self,
        phrases: &[String],
        limit: PositionLimit,
    ) -> Result<Vec<PostingList>> {
        // A writer's own connection sees what no other does.
        if self.cache.is_none() {
            self.read_postings(phrases, limit)
        } else {
            self.read_phrases(phrases, limit, MIN_PARALLEL_POSTINGS)
        }
    }

    /// Reads phrases, those after the first `min_parallel` postings by two connections.
    fn read_phrases(
        &self,
        phrases: &[String],
        limit: PositionLimit,
        min_parallel: usize,
    ) -> Result<Vec<PostingList>> {
        let (mut read, mut count) = (Vec::new(), 0);
        for (phrase, left) in phrases.iter().zip((0..phrases.len()).rev()) {
            read.extend(self.read_postings(std::slice::from_ref(phrase), limit)?);
            count += read
                .last()
                .map_or(0, |list: &PostingList| list.postings.len());
            if count >= min_parallel && left > 1 {
                let rest = &phrases[phrases.len() - left..];
                read.extend(self.read_postings_in_parallel(rest, limit)?);
                break;
            }
        }
        Ok(read)
    }

    fn read_postings_in_parallel(
        &self,
        phrases: &[String],
        limit: PositionLimit,
    ) -> Result<Vec<PostingList>> {
        let shared = SharedPhrases {
            phrases,
            limit,
            next: AtomicUsize::new(0),
        };
        let (state, root) = (self.word_state()?, self.root());
        let by_second = || shared.read_by_second_connection(root, &state);
        let (first, second) = run_both(|| shared.read_by(self), by_second);
        let mut all: Vec<Option<PostingList>> = phrases.iter().map(|_| None).collect();
        for read in first?.into_iter().chain(second) {
            all[read.phrase] = Some(read.list);
        }
        // What the other connection had taken when it failed is read here.
        let read = |(list, phrase): (Option<PostingList>, &String)| match list {
            Some(list) => Ok(list),
            None => Ok(self
                .read_postings(std::slice::from_ref(phrase), limit)?
                .pop()
                .unwrap_or_default()),
        };
        all.into_iter().zip(phrases).map(read).collect()
    }

    /// Returns the positions of words in their order; none of a word that has more than `max`.
    pub(crate) fn rare_positions(
        &self,
        words: &[&str],
        max: usize,
    ) -> Result<Vec<Vec<WordPosition>>> {
        let limit = PositionLimit {
            max,
            ends_reading: true,
        };
        let read = |word: &&str| {
            let lists = self.read_postings(&[fts5_string(word)], limit)?;
            Ok(lists.into_iter().flat_map(|list| list.positions).collect())
        };
        words.iter().map(read).collect()
    }

    fn read_postings(&self, phrases: &[String], limit: PositionLimit) -> Result<Vec<PostingList>> {
        let reader = match self.postings.get() {
            Some(reader) => reader,
            None => {
                let reader = PostingsReader::register(&self.db)?;
                self.postings.get_or_init(|| reader)
            }
        };
        reader.read(&self.db, phrases, limit)
    }

    fn word_state(&self) -> Result<WordState> {
        let select = "SELECT id, block FROM words_data WHERE id IN (1, 10) ORDER BY id";
        self.db
            .rows(select, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use proptest::prelude::*;
    use session_core::{FileStamp, KnownTurns, SessionMeta, Turn};

    const WORDS: [&str; 5] = ["harbour", "lamp", "gate", "gauge", "tide"];

    /// A turn for each mask, with the words of its bits.
    fn write(writer: &mut Writer, masks: &[u8]) {
        let source = "claude";
        let file = writer.upsert_file(source, "/h/a.jsonl").unwrap();
        let meta = SessionMeta {
            id: "a".into(),
            ..SessionMeta::default()
        };
        let session = writer
            .open_session(file, source, &meta, KnownTurns::Keep)
            .unwrap();
        for (index, mask) in (0..).zip(masks) {
            let words = WORDS
                .iter()
                .enumerate()
                .filter(|(bit, _)| mask & 1 << bit != 0);
            let words: Vec<&str> = words.map(|(_, word)| *word).collect();
            let turn = Turn {
                index,
                prompt: format!("Where is it? {}", words.join(" ")),
                ..Turn::default()
            };
            writer.add_turn(session, &turn).unwrap();
        }
        writer.checkpoint(file, "", FileStamp::default()).unwrap();
        writer.commit().unwrap();
    }

    fn phrases() -> Vec<String> {
        let words = WORDS.iter().chain(&["nowhere"]);
        words
            .map(|word| crate::word_search::lexical::fts5_string(word))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn two_connections_read_what_one_does(
            masks in prop::collection::vec(0..32u8, 0..40),
            min_parallel in 0..100usize,
            max_positions in 0..60usize,
        ) {
            let root = tempfile::tempdir().unwrap();
            let mut writer = Writer::open(root.path()).unwrap();
            write(&mut writer, &masks);
            let index = Reader::open(root.path()).unwrap();
            let limit = PositionLimit::keep(max_positions);
            let read = index.read_postings_in_parallel(&phrases(), limit).unwrap();
            prop_assert_eq!(&read, &index.read_postings(&phrases(), limit).unwrap());
            prop_assert_eq!(read, index.read_phrases(&phrases(), limit, min_parallel).unwrap());
        }
    }

    #[test]
    fn a_snapshot_reads_its_own_state_while_another_is_written() {
        let root = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(root.path()).unwrap();
        write(&mut writer, &[1, 3, 7]);
        let index = Reader::open(root.path()).unwrap();
        index.begin_snapshot().unwrap();
        let before = index
            .read_postings(&phrases(), PositionLimit::keep(9))
            .unwrap();
        write(&mut writer, &[31, 31, 31, 31]);
        assert_eq!(
            index
                .read_postings_in_parallel(&phrases(), PositionLimit::keep(9))
                .unwrap(),
            before
        );
        index.end_snapshot().unwrap();
        assert_ne!(
            index
                .read_postings_in_parallel(&phrases(), PositionLimit::keep(9))
                .unwrap(),
            before
        );
    }

    #[test]
    fn positions_are_kept_up_to_a_number() {
        let root = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(root.path()).unwrap();
        write(&mut writer, &[3, 1]);
        let index = Reader::open(root.path()).unwrap();
        let read = |max| {
            index
                .read_postings(&phrases()[..2], PositionLimit::keep(max))
                .unwrap()
        };
        let all = read(9).remove(0);
        let at = |turn: usize, column| WordPosition::new(all.postings[turn].turn, column, 3);
        let (prompt, title) = (1, 2);
        assert_eq!(all.positions, [at(0, prompt), at(0, title), at(1, prompt)]);
        assert_eq!(read(3)[0], all);
        assert_eq!(read(2)[0].positions, []);
        assert_eq!(read(2)[1].positions.len(), 2);
        assert_eq!(read(0)[0].positions, []);
        let rare = |max| index.rare_positions(&["harbour", "lamp"], max).unwrap();
        assert_eq!(rare(3), [all.positions, read(2)[1].positions.clone()]);
        assert_eq!(rare(2), [Vec::new(), read(2)[1].positions.clone()]);
    }
}
