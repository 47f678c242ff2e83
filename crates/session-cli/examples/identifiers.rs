//! Identifiers and quoted phrases that few or many sessions hold, asked of an index alone and inside
//! sentences: does a session that holds it go first, and how many of the first hits are such sessions?
//! `benches/quality/identifiers.py` makes the index and runs this.
//!
//! `identifiers INDEX_DIR [MOST]`: at most so many of each kind and number of holders.

use anyhow::{Context, Result};
use session_core::TurnContent;
use session_embed::Embedder;
use session_search::{QueryEmbedding, SearchFilter, SearchRequest, search};
use session_store::{Reader, SessionId, SessionRow};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

const SENTENCES: [&str; 4] = [
    "{}",
    "how did we fix {} last time",
    "where did we talk about {} before",
    "what was the problem with {}?",
];
const ENDINGS: &str = "rs py ts tsx js go md toml json yml yaml sh sql css html";
/// Greatest numbers of sessions that hold a name, by group.
const GROUPS: [usize; 4] = [1, 3, 10, 50];
/// Hits that are looked at.
const SHOWN: usize = 10;
/// One phrase in so many is asked.
const PHRASES: usize = 64;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let root = args.next().context("usage: identifiers INDEX_DIR [MOST]")?;
    let most = args.next().map_or(Ok(300), |n| n.parse())?;
    let index = Reader::open(Path::new(&root))?;
    let sessions = index.sessions()?;
    let model = session_embed::open_bundled_table()?;
    for ((kind, group), names) in held_names(&index, &sessions)? {
        let every = names.len().div_ceil(most).max(1);
        for sentence in SENTENCES {
            let mut count = Count::default();
            for (name, holders) in names.iter().step_by(every) {
                let query = sentence.replace("{}", name);
                let found = ask(&index, &sessions, model.as_ref(), &query)?;
                count.add(name, holders, &found);
            }
            count.print(&format!("{kind:10} {group:3}  {sentence:33}"))?;
        }
    }
    Ok(())
}

/// How often holders were found.
#[derive(Default)]
struct Count {
    asked: usize,
    first: usize,
    /// Sum over all names: the share of holders in the first hits, as many as there are holders.
    precision: f64,
    missed: Vec<String>,
}

impl Count {
    #[expect(clippy::cast_precision_loss, reason = "counts of hits")]
    fn add(&mut self, name: &str, holders: &BTreeSet<SessionId>, found: &[SessionId]) {
        let places = holders.len().min(SHOWN);
        let held = found.iter().take(places).filter(|s| holders.contains(s));
        self.asked += 1;
        self.precision += held.count() as f64 / places as f64;
        if found.first().is_some_and(|first| holders.contains(first)) {
            self.first += 1
        } else {
            self.missed.push(name.to_owned())
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of hits")]
    fn print(&self, what: &str) -> Result<()> {
        let precision = self.precision / self.asked.max(1) as f64;
        let missed = self.missed.get(..self.missed.len().min(3));
        writeln!(
            anstream::stdout(),
            "{what} {:5} of {:5}  {precision:.3}  {:?}",
            self.first,
            self.asked,
            missed.unwrap_or_default()
        )?;
        Ok(())
    }
}

/// Returns the first sessions found.
fn ask(
    index: &Reader,
    sessions: &[SessionRow],
    model: &dyn Embedder,
    query: &str,
) -> Result<Vec<SessionId>> {
    let request = SearchRequest {
        limit: SHOWN,
        filter: SearchFilter {
            includes_subagents: true,
            ..SearchFilter::default()
        },
        ..SearchRequest::new(query)
    };
    let dense = dense(index, model, query)?;
    let found = search(index, sessions, &request, &dense)?;
    Ok(found.hits.iter().map(|hit| hit.session.id).collect())
}

fn dense(index: &Reader, model: &dyn Embedder, query: &str) -> Result<Vec<QueryEmbedding>> {
    let spec = model.spec();
    let row = index.model(&spec.fingerprint())?;
    let vector = model.embed_query(query)?;
    let model_knows = model.known_word_share(query);
    Ok(row
        .map(|model| QueryEmbedding {
            model,
            vector,
            known_word_share: model_knows,
            readable_letter_share: spec.scripts.readable_letter_share(query),
            scale: spec.cosine,
            text_cosines: None,
        })
        .into_iter()
        .collect())
}

type HolderCounts = BTreeMap<String, BTreeSet<SessionId>>;
/// Names with the sessions that hold them, by kind and greatest number of these.
type HeldNames = BTreeMap<(&'static str, usize), Vec<(String, BTreeSet<SessionId>)>>;

/// Returns the identifiers and some phrases with the sessions that hold them.
fn held_names(index: &Reader, sessions: &[SessionRow]) -> Result<HeldNames> {
    let (mut words, mut phrases) = (HolderCounts::new(), HolderCounts::new());
    for session in sessions {
        for turn in index.turns(session.id)? {
            let content = index.content(turn.id)?;
            for word in words_of(&content) {
                let small = word.to_lowercase();
                words.entry(small).or_default().insert(session.id);
                words.entry(word).or_default().insert(session.id);
            }
            for phrase in phrases_of(&content) {
                phrases.entry(phrase).or_default().insert(session.id);
            }
        }
    }
    let mut held = HeldNames::new();
    let mut add = |kind, name: String, of: &BTreeSet<SessionId>| {
        if let Some(group) = GROUPS.into_iter().find(|most| of.len() <= *most) {
            held.entry((kind, group))
                .or_default()
                .push((name, of.clone()));
        }
    };
    for (word, of) in &words {
        // A word in capitals is no code where others write it small.
        let folded = words.get(&word.to_lowercase());
        if let (Some(kind), true) = (kind(word), folded.is_none_or(|f| f.len() == of.len())) {
            add(kind, word.clone(), of);
        }
    }
    for (phrase, of) in &phrases {
        add("phrase", format!("\"{phrase}\""), of);
    }
    Ok(held)
}

fn words_of(content: &TurnContent) -> BTreeSet<String> {
    let cut = |c: char| !(c.is_alphanumeric() || "_-.".contains(c));
    let words = content.searched_texts().flat_map(|text| text.split(cut));
    words
        .map(|w| w.trim_end_matches(['.', '-']).to_owned())
        .collect()
}

/// Returns some runs of three words with a space between them, in small letters.
fn phrases_of(content: &TurnContent) -> BTreeSet<String> {
    let mut phrases = BTreeSet::new();
    for text in content.searched_texts() {
        let text = text.to_lowercase();
        let words: Vec<&str> = text.split(' ').collect();
        for run in words.windows(3) {
            let is_word = |w: &&str| !w.is_empty() && w.chars().all(char::is_alphabetic);
            let is_long = run.iter().any(|word| word.len() > 6);
            let phrase = run.join(" ");
            if is_long && run.iter().all(is_word) && is_asked(&phrase) {
                phrases.insert(phrase);
            }
        }
    }
    phrases
}

fn is_asked(phrase: &str) -> bool {
    let hash = phrase.bytes().fold(7_usize, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(usize::from(byte))
    });
    hash.is_multiple_of(PHRASES)
}

/// Returns the kind of an identifier.
fn kind(word: &str) -> Option<&'static str> {
    let of = |allowed: &str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || allowed.contains(c))
    };
    let capitals = |w: &str| {
        w.starts_with(|c: char| c.is_ascii_uppercase())
            && !w.contains(|c: char| c.is_ascii_lowercase())
    };
    let ending = word
        .rsplit_once('.')
        .map(|(stem, ending)| (stem.len(), ending));
    match ending {
        Some((stem, ending))
            if stem > 2 && ENDINGS.split(' ').any(|e| e == ending) && of("_-.") =>
        {
            Some("file name")
        }
        _ if word.starts_with("--") && !word.starts_with("---") && word.len() > 4 && of("-") => {
            Some("flag")
        }
        _ if capitals(word) && of("_") && (4..40).contains(&word.len()) => {
            let coded = word.contains('_') || word.contains(|c: char| c.is_ascii_digit());
            (coded || word.starts_with('E')).then_some("error code")
        }
        _ => None,
    }
}
