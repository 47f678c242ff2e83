//! Identifiers that one session alone holds, asked of an index alone and inside
//! sentences: how often is that session first? `benches/quality/identifiers.py`
//! makes the index and runs this.
//!
//! `identifiers INDEX_DIR [MOST]`: at most so many of each kind.

use anyhow::{Context, Result};
use session_core::TurnContent;
use session_embed::Embedder;
use session_search::{Filter, QueryEmbedding, Request, search};
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

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let root = args.next().context("usage: identifiers INDEX_DIR [MOST]")?;
    let most = args.next().map_or(Ok(300), |n| n.parse())?;
    let index = Reader::open(Path::new(&root))?;
    let sessions = index.sessions()?;
    let lone = lone(&index, &sessions)?;
    let model = session_embed::bundled()?;
    for (kind, names) in lone {
        let every = names.len().div_ceil(most).max(1);
        for sentence in SENTENCES {
            let some = names.iter().step_by(every);
            let missed = missed(&index, &sessions, model.as_ref(), sentence, some.clone())?;
            let asked = some.count();
            let first = asked - missed.len();
            let missed = missed.get(..missed.len().min(5)).unwrap_or_default();
            writeln!(
                anstream::stdout(),
                "{kind:10} {first:5} of {asked:5}  {sentence:34} {missed:?}"
            )?;
        }
    }
    Ok(())
}

/// The names that do not put their session first.
fn missed<'a>(
    index: &Reader,
    sessions: &[SessionRow],
    model: &dyn Embedder,
    sentence: &str,
    names: impl Iterator<Item = &'a (String, SessionId)>,
) -> Result<Vec<String>> {
    let mut missed = Vec::new();
    for (name, session) in names {
        let query = sentence.replace("{}", name);
        let request = Request {
            limit: 1,
            filter: Filter {
                subagents: true,
                ..Filter::default()
            },
            ..Request::new(&query)
        };
        let dense = dense(index, model, &query)?;
        let found = search(index, sessions, &request, &dense)?;
        if found.hits.first().map(|h| h.session.id) != Some(*session) {
            missed.push(name.clone());
        }
    }
    Ok(missed)
}

fn dense(index: &Reader, model: &dyn Embedder, query: &str) -> Result<Vec<QueryEmbedding>> {
    let spec = model.spec();
    let row = index.model(&spec.fingerprint())?;
    let vector = model.embed_query(query)?;
    let model_knows = model.known(query);
    Ok(row
        .map(|model| QueryEmbedding {
            model,
            vector,
            known: model_knows,
            read: spec.scripts.share(query),
            scale: spec.cosine,
            text_cosines: None,
        })
        .into_iter()
        .collect())
}

type Lone = BTreeMap<&'static str, Vec<(String, SessionId)>>;

/// The identifiers that one session alone holds, by kind.
fn lone(index: &Reader, sessions: &[SessionRow]) -> Result<Lone> {
    let mut holders: BTreeMap<String, BTreeSet<SessionId>> = BTreeMap::new();
    for session in sessions {
        for turn in index.turns(session.id)? {
            for word in words(&index.content(turn.id)?) {
                let small = word.to_lowercase();
                holders.entry(small).or_default().insert(session.id);
                holders.entry(word).or_default().insert(session.id);
            }
        }
    }
    let mut lone = Lone::new();
    let alone = |word: &str| holders.get(word).is_some_and(|of| of.len() == 1);
    for (word, of) in &holders {
        // A word in capitals is no code where others write it small.
        if !alone(&word.to_lowercase()) {
            continue;
        }
        if let (Some(kind), Some(session), 1) = (kind(word), of.first(), of.len()) {
            lone.entry(kind).or_default().push((word.clone(), *session));
        }
    }
    Ok(lone)
}

fn words(content: &TurnContent) -> BTreeSet<String> {
    let cut = |c: char| !(c.is_alphanumeric() || "_-.".contains(c));
    let words = content.searched_texts().flat_map(|text| text.split(cut));
    words
        .map(|w| w.trim_end_matches(['.', '-']).to_owned())
        .collect()
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
