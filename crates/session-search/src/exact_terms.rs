//! The exact terms of a query, such as identifiers and quoted phrases: which turns and sessions hold each as it was
//! typed. The word index knows stems and neighbours alone: `evaluation.ts` has the words of `evaluate.ts`.

use crate::exact_match::ExactMatch;
use crate::filtered_index::FilteredIndex;
use crate::lexical::LexicalCandidates;
use crate::search_results::HitId;
use rustc_hash::{FxHashMap, FxHashSet};
use session_core::parallel::map_on_two_threads;
use session_core::{FileAccess, Query, TurnContent};
use session_store::{PackedTurns, Reader, SessionId, SessionTurn, StoreError, TermStats, TurnId};

/// Greatest number of sessions that hold a rare term: their holders go first.
pub(crate) const FEW_SESSIONS: usize = 3;
/// Greatest number of texts that are searched for a query of one exact term; of several terms half of it.
const MAX_READ: usize = 2048;
/// The same for a term that more than [`FEW_SESSIONS`] hold, or whose words stand in more than [`MAX_READ`] turns.
const MAX_READ_COMMON: usize = 160;
/// Sessions that hold a term as typed from which on no more turns are read: more than are shown.
const ENOUGH_SESSIONS: usize = 12;
/// Number of turns that two threads read at once: what is read beyond enough sessions is read in vain.
const TURNS_AT_ONCE: usize = 16;

/// The exact terms of a query that some turn holds.
#[derive(Debug, Default)]
pub(crate) struct ExactTerms {
    pub(crate) terms: Vec<ExactTerm>,
    /// Numbers with signs whose digits turns hold in a row, and none of them the number: `1.4.2` where one has `4.1|4.2`.
    pub(crate) unheld_numbers: Vec<String>,
    /// The idf of the terms of the query that some turn holds, of each exact one by its holders.
    query_idf: f32,
}

/// An exact term with its holders, as a filter leaves them.
#[derive(Debug)]
pub(crate) struct ExactTerm {
    /// As typed.
    pub(crate) text: String,
    /// The idf of its words.
    pub(crate) word_idf: f32,
    /// The factor of its idf.
    pub(crate) weight: f32,
    /// Turns whose texts were read, each with how it holds the term.
    pub(crate) read_turns: Vec<ReadTurn>,
    /// True where all turns that hold its words were read.
    pub(crate) are_all_turns_read: bool,
    /// The idf by its holders: it is rarer than its words.
    idf: f32,
    /// In order.
    turns: Vec<TurnId>,
    sessions: FxHashSet<SessionId>,
}

/// A turn that holds the words of a term, as it is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadTurn {
    pub(crate) matched: ExactMatch,
    /// It changed a file of that name.
    pub(crate) changes_file: bool,
    pub(crate) session: SessionId,
    pub(crate) turn: TurnId,
}

impl ReadTurn {
    pub(crate) fn is_holder(&self) -> bool {
        self.matched != ExactMatch::Words
    }
}

impl ExactTerms {
    /// Reads who holds the exact terms of a query.
    pub(crate) fn read(
        index: &Reader,
        filtered: &FilteredIndex<'_>,
        query: &Query,
        lexical: &LexicalCandidates,
    ) -> Result<Self, StoreError> {
        let exact = find_exact_terms(query, lexical);
        let mut texts = TextReader {
            index,
            filtered,
            contents: FxHashMap::default(),
            budget: MAX_READ / exact.len().clamp(1, 2),
        };
        let held = lexical.matches.terms.iter().filter(|term| term.turns > 0);
        let mut found = Self {
            terms: Vec::new(),
            unheld_numbers: Vec::new(),
            query_idf: held.map(|term| term.idf).sum(),
        };
        for stats in exact {
            let read = texts.read_turns(lexical, stats)?;
            let term = ExactTerm::new(stats, filtered, lexical, read);
            // A run of words that texts hold only with signs between them (`action-summary-table`) is another name.
            let is_of_other_name = stats.is_word_run() && term.is_held_by_words_alone();
            if is_number_with_signs(&term.text)
                && term.are_all_turns_read
                && term.is_held_by_words_alone()
            {
                found.unheld_numbers.push(term.text);
            } else if !term.turns.is_empty() && !is_of_other_name {
                found.query_idf += term.idf - term.word_idf;
                found.terms.push(term);
            }
        }
        Ok(found)
    }

    /// Returns the share of [`query_idf`](Self::query_idf) in exact terms, 0 to 1.
    pub(crate) fn idf_share(&self) -> f32 {
        // The sum of no numbers is -0.
        let idf = self.terms.iter().fold(0.0, |sum, term| sum + term.idf);
        idf / self.query_idf.max(f32::EPSILON)
    }

    /// Returns the factor of a hit's score, `1 - penalty * lacking share`.
    pub(crate) fn score_factor(&self, hit: HitId, penalty: f32) -> f32 {
        1.0 - penalty * self.lacking_share(hit)
    }

    /// Returns the share of [`query_idf`](Self::query_idf) in exact terms that a hit lacks, 0 to 1.
    pub(crate) fn lacking_share(&self, hit: HitId) -> f32 {
        let lacks = |term: &&ExactTerm| match hit {
            HitId::Turn(turn) => term.turns.binary_search(&turn).is_err(),
            HitId::Session(session) => !term.sessions.contains(&session),
        };
        let lacking: f32 = self.terms.iter().filter(lacks).map(|term| term.idf).sum();
        lacking / self.query_idf.max(f32::EPSILON)
    }
}

impl ExactTerm {
    /// Returns true if turns were read, and all have the words of the term but not the term.
    fn is_held_by_words_alone(&self) -> bool {
        !self.read_turns.is_empty() && !self.read_turns.iter().any(ReadTurn::is_holder)
    }

    /// Makes a term with its holders. Where no turn that was read holds it, all turns with its words count as holders. Else
    /// a turn that was read is one if it holds the term, and any other if more than half of those that were read do.
    fn new(
        stats: &TermStats,
        filtered: &FilteredIndex<'_>,
        lexical: &LexicalCandidates,
        read: Vec<ReadTurn>,
    ) -> Self {
        let held = read.iter().filter(|turn| turn.is_holder()).count();
        let by_words = held == 0 || held * 2 > read.len();
        let is_holder = read.iter().map(|t| (t.turn, held == 0 || t.is_holder()));
        let is_holder: FxHashMap<TurnId, bool> = is_holder.collect();
        let shown = stats
            .postings()
            .filter_map(|turn| filtered.resolve_turn(turn));
        let mut shown_turns = 0;
        let shown = shown.inspect(|_| shown_turns += 1);
        let (mut turns, sessions): (Vec<TurnId>, _) = shown
            .filter(|shown| is_holder.get(&shown.turn).copied().unwrap_or(by_words))
            .map(|shown| (shown.turn, shown.session))
            .unzip();
        turns.sort_unstable();
        let estimate = match held {
            0 => stats.turns,
            _ => stats.turns * held as u64 / read.len() as u64,
        };
        Self {
            text: stats.term.clone(),
            word_idf: stats.idf,
            weight: stats.weight(),
            idf: lexical.matches.idf(estimate.max(1)) * stats.weight(),
            are_all_turns_read: read.len() == shown_turns,
            read_turns: read,
            turns,
            sessions,
        }
    }
}

/// Returns true for a version, an address or another number in which signs stand: only these tell it from its digits.
fn is_number_with_signs(term: &str) -> bool {
    let has = |is_wanted: fn(&u8) -> bool| term.bytes().any(|byte| is_wanted(&byte));
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_punctuation)
        && !term.contains(|c: char| c.is_alphabetic() || c.is_whitespace())
}

/// Returns the exact terms of a query as they were found, those of the fewest turns first.
fn find_exact_terms<'a>(query: &Query, lexical: &'a LexicalCandidates) -> Vec<&'a TermStats> {
    let exact = query.terms.iter().filter(|term| term.exact);
    let exact: Vec<&String> = exact
        .map(|term| &term.text)
        .chain(&query.error_line)
        .collect();
    let mut found: Vec<&TermStats> = lexical.matches.terms.iter().collect();
    found.retain(|stats| stats.is_word_run() || exact.contains(&&stats.term));
    found.sort_by_key(|stats| stats.turns);
    found
}

/// Reads the texts of turns, each once, for all exact terms of a query.
struct TextReader<'a> {
    index: &'a Reader,
    filtered: &'a FilteredIndex<'a>,
    contents: FxHashMap<TurnId, TurnContent>,
    /// Number of searches of a text that are left.
    budget: usize,
}

impl<'a> TextReader<'a> {
    /// Looks for a term in turns that hold its words, the best by word first.
    fn read_turns(
        &mut self,
        lexical: &LexicalCandidates,
        stats: &TermStats,
    ) -> Result<Vec<ReadTurn>, StoreError> {
        let filtered = self.filtered;
        let turns = turns_by_rank(lexical, stats);
        let mut turns = turns.filter_map(|turn| Some((turn, filtered.resolve_turn(turn)?)));
        let mut found = TermHolders::default();
        while !found.are_enough(stats) {
            let at_once = TURNS_AT_ONCE.min(self.budget);
            let next: Vec<(TurnId, SessionTurn)> = turns.by_ref().take(at_once).collect();
            if next.is_empty() {
                break;
            }
            for turn in self.match_turns(&next, &stats.term)? {
                if !found.are_enough(stats) {
                    self.budget -= 1;
                    found.add(turn, &stats.term);
                }
            }
        }
        Ok(found.read)
    }

    /// Finds how turns, each shown as the other one of its pair, hold a term.
    fn match_turns(
        &mut self,
        turns: &[(TurnId, SessionTurn)],
        term: &str,
    ) -> Result<Vec<ReadTurn>, StoreError> {
        let texts = turns
            .iter()
            .map(|(turn, shown)| self.find_text(*turn, *shown));
        let texts: Vec<TurnText<'_>> = texts.collect::<Result<_, _>>()?;
        let matched = map_on_two_threads(&texts, |text| text.match_term(term));
        let (read, unpacked): (Vec<ReadTurn>, Vec<_>) = matched.into_iter().unzip();
        let unpacked = turns.iter().map(|(turn, _)| *turn).zip(unpacked);
        let unpacked = unpacked.filter_map(|(turn, content)| Some((turn, content?)));
        drop(texts);
        self.contents.extend(unpacked);
        Ok(read)
    }

    fn find_text(&self, turn: TurnId, shown: SessionTurn) -> Result<TurnText<'_>, StoreError> {
        let session = self.filtered.session(shown.session);
        let content = match self.contents.get(&turn) {
            Some(known) => TextContent::Unpacked(known),
            None => TextContent::Packed(self.index.packed_turn(turn)?),
        };
        Ok(TurnText {
            content,
            title: session.and_then(|session| session.title.as_deref()),
            shown,
        })
    }
}

/// The turns that were read for a term.
#[derive(Default)]
struct TermHolders {
    read: Vec<ReadTurn>,
    /// Those that hold the term as typed.
    sessions: FxHashSet<SessionId>,
}

impl TermHolders {
    fn add(&mut self, turn: ReadTurn, term: &str) {
        // Smart case: a term with capitals is case-sensitive.
        let is_as_typed = if term.contains(char::is_uppercase) {
            turn.matched == ExactMatch::Whole
        } else {
            turn.matched.is_whole()
        };
        if is_as_typed {
            self.sessions.insert(turn.session);
        }
        self.read.push(turn);
    }

    /// Returns true where no more turns are read.
    fn are_enough(&self, stats: &TermStats) -> bool {
        let is_common = stats.turns > MAX_READ as u64 || self.sessions.len() > FEW_SESSIONS;
        self.sessions.len() >= ENOUGH_SESSIONS || (is_common && self.read.len() >= MAX_READ_COMMON)
    }
}

/// The text of a turn in which a term is looked for.
struct TurnText<'a> {
    content: TextContent<'a>,
    title: Option<&'a str>,
    shown: SessionTurn,
}

enum TextContent<'a> {
    Unpacked(&'a TurnContent),
    Packed(PackedTurns<'a>),
}

impl TurnText<'_> {
    /// Finds how the turn holds a term; the second is its content, where that had to be unpacked.
    fn match_term(&self, term: &str) -> (ReadTurn, Option<TurnContent>) {
        match &self.content {
            TextContent::Unpacked(content) => (self.match_content(content, term), None),
            TextContent::Packed(packed) => {
                let content = packed.unpack_first();
                (self.match_content(&content, term), Some(content))
            }
        }
    }

    fn match_content(&self, content: &TurnContent, term: &str) -> ReadTurn {
        ReadTurn {
            matched: ExactMatch::find(content, self.title, term),
            changes_file: changes_file(content, term),
            session: self.shown.session,
            turn: self.shown.turn,
        }
    }
}

/// Returns true if a turn changed a file whose path a term with an extension ends.
fn changes_file(content: &TurnContent, term: &str) -> bool {
    if !term.contains('.') {
        return false;
    }
    let term = term.replace('\\', "/");
    let ends = |path: &str| {
        let path = path.replace('\\', "/");
        let before = path.strip_suffix(&term);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let mut files = content.accessed_files();
    files.any(|file| file.access > FileAccess::Read && ends(file.path))
}

/// Returns the turns that hold the words of a term: of the lexical candidates by their rank, then all others.
fn turns_by_rank(lexical: &LexicalCandidates, stats: &TermStats) -> impl Iterator<Item = TurnId> {
    let best = lexical.matches.turns.iter().map(|found| found.id);
    let best: Vec<TurnId> = best.filter(|turn| stats.holds(*turn)).collect();
    let is_best: FxHashSet<TurnId> = best.iter().copied().collect();
    let others = stats.postings().filter(move |turn| !is_best.contains(turn));
    best.into_iter().chain(others)
}
