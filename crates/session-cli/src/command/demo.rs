//! `demo`: the three levels on a small history that ships in the binary.

use crate::Found;
use crate::args::{Arguments, Command, DemoArgs, SearchArgs};
use crate::command::search::FormattedAnswer;
use crate::command::{refresh, search, show};
use crate::output::{json, width};
use anyhow::{Result, bail};
use clap::Parser;
use session_config::Home;
use session_display::short_id;
use session_embed::Embedder;
use session_export::shown_session;
use session_indexer::{Mode, Outcome, ReadPolicy};
use session_output::{JsonDemo, format_step};
use session_query::{Snapshot, embed_query};
use session_redact::Redactor;
use session_search::Exchange;
use session_sources::Env;
use session_store::SessionRow;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

macro_rules! demo_file {
    ($folder:literal, $session:literal) => {
        (
            concat!($folder, "/", $session, ".jsonl"),
            include_str!(concat!("../../demo/", $session, ".jsonl")),
        )
    };
}

/// The history: file below the home folder, and content. Hand-written.
const HISTORY: [(&str, &str); 6] = [
    demo_file!("-home-ann-homelab", "a1b2c3d4-1111-4a11-8a11-000000000001"),
    demo_file!("-home-ann-homelab", "b7e0f1a2-2222-4b22-8b22-000000000002"),
    demo_file!("-home-ann-parser", "c3d9e8f7-3333-4c33-8c33-000000000003"),
    demo_file!("-home-ann-parser", "d4a5b6c7-4444-4d44-8d44-000000000004"),
    demo_file!("-home-ann-shop", "e5f6a7b8-5555-4e55-8e55-000000000005"),
    demo_file!("-home-ann-shop", "f6a7b8c9-6666-4f66-8f66-000000000006"),
];

/// A history and its index, gone when dropped.
struct Demo {
    snapshot: Snapshot,
    embedder: Box<dyn Embedder>,
    refreshed: Outcome,
    _folder: TempDir,
}

impl Demo {
    fn new() -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("session-search-demo-")
            .tempdir()?;
        for (path, text) in HISTORY {
            write_file(
                &folder.path().join("home/.claude/projects").join(path),
                text,
            )?;
        }
        let env = Env::with_home(&folder.path().join("home"));
        let root = folder.path().join("index");
        let home = Home::new(env, root);
        let embedder = session_embed::bundled()?;
        let policy = ReadPolicy::default();
        let live = refresh::scratch_index(&home, embedder.as_ref(), &policy);
        let refreshed = live.refresh(Mode::Changes, None)?;
        let snapshot = live.snapshot()?;
        Ok(Self {
            snapshot,
            embedder,
            refreshed,
            _folder: folder,
        })
    }

    /// Runs a search as if it were typed.
    fn search(&self, words: &[&str]) -> Result<(SearchArgs, FormattedAnswer)> {
        let typed = std::iter::once("session-search").chain(words.iter().copied());
        let Some(Command::Search(args)) = Arguments::try_parse_from(typed)?.command else {
            bail!("`{}` is no search", words.join(" "));
        };
        let answer = self.answer(&args)?;
        Ok((*args, answer))
    }

    fn answer(&self, args: &SearchArgs) -> Result<FormattedAnswer> {
        let embed = |query: &str| {
            let embedding = embed_query(self.embedder.as_ref(), &self.snapshot.index, query)?;
            Ok(embedding.into_iter().collect())
        };
        search::answer(args, &self.snapshot, &[], embed)
    }

    fn print(&self, (args, answer): &(SearchArgs, FormattedAnswer)) -> Result<Found> {
        search::print(args, answer, &self.snapshot.sessions, Some(&self.refreshed))
    }
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    Ok(fs_err::write(path, text)?)
}

/// Runs the command.
///
/// # Errors
/// When the temporary folder or the index fails.
pub fn run(args: &DemoArgs) -> Result<Found> {
    let demo = Demo::new()?;
    let walk = find_turns(&demo, &args.query)?;
    let found = search::found(&walk.sessions.1.answer.results);
    if args.json {
        json::print(&walk.json(&demo))?;
    } else {
        walk.print(&demo, &args.query)?;
    }
    Ok(found)
}

/// The answers of the three levels.
struct DemoWalk {
    sessions: (SearchArgs, FormattedAnswer),
    /// With the id that was typed.
    turns: Option<(String, (SearchArgs, FormattedAnswer))>,
    /// With the place that was typed.
    shown: Option<(String, (SessionRow, Vec<Exchange>))>,
}

/// Goes from the best session to its best turn, and to that turn in full.
fn find_turns(demo: &Demo, query: &str) -> Result<DemoWalk> {
    let sessions = demo.search(&sessions_words(query))?;
    let mut walk = DemoWalk {
        sessions,
        turns: None,
        shown: None,
    };
    let Some(best) = walk.sessions.1.answer.results.hits.first() else {
        return Ok(walk);
    };
    let id = short_id(&best.session, &demo.snapshot.sessions);
    let turns = demo.search(&turns_words(query, &id))?;
    let best = turns.1.answer.results.hits.first().or(Some(best));
    let turn = best.and_then(|hit| hit.turn.as_ref());
    let place = format!("{id}:{}", turn.map_or(0, |t| t.index));
    let shown = show::turns_of(
        &place,
        0,
        &demo.snapshot.index,
        &demo.snapshot.sessions,
        &Redactor::off(),
    )?;
    walk.shown = Some((place, shown));
    walk.turns = Some((id, turns));
    Ok(walk)
}

fn sessions_words(query: &str) -> [&str; 4] {
    ["search", query, "--limit", "3"]
}

fn turns_words<'a>(query: &'a str, id: &'a str) -> [&'a str; 8] {
    [
        "search",
        query,
        "--depth",
        "2",
        "--session",
        id,
        "--limit",
        "3",
    ]
}

impl DemoWalk {
    fn json<'a>(&'a self, demo: &'a Demo) -> JsonDemo<'a> {
        let answer = |(args, answer): &'a (SearchArgs, FormattedAnswer)| {
            answer
                .listing(args, &demo.snapshot.sessions, Some(&demo.refreshed))
                .json()
        };
        JsonDemo {
            sessions: answer(&self.sessions),
            turns: self.turns.as_ref().map(|(_, turns)| answer(turns)),
            shown: self
                .shown
                .as_ref()
                .map(|(_, (session, exchanges))| shown_session(session, exchanges)),
        }
    }

    fn print(&self, demo: &Demo, query: &str) -> Result<()> {
        step("Level 1: which session was it?", &sessions_words(query))?;
        demo.print(&self.sessions)?;
        if let Some((id, turns)) = &self.turns {
            step("Level 2: which exchange in it?", &turns_words(query, id))?;
            demo.print(turns)?;
        }
        if let Some((place, (session, exchanges))) = &self.shown {
            step("Level 3: everything around it", &["show", place])?;
            let typed = ["session-search", "show", place, "--no-pager"];
            if let Some(Command::Show(args)) = Arguments::try_parse_from(typed)?.command {
                show::print(&args, session, exchanges, &demo.snapshot.sessions)?;
            }
        }
        Ok(())
    }
}

/// Answers a search from the demo history.
///
/// # Errors
/// As [`run`].
pub fn search(args: &SearchArgs) -> Result<Found> {
    let demo = Demo::new()?;
    let answer = demo.answer(args)?;
    search::print(
        args,
        &answer,
        &demo.snapshot.sessions,
        Some(&demo.refreshed),
    )
}

fn step(title: &str, words: &[&str]) -> Result<()> {
    Ok(write!(
        anstream::stdout(),
        "{}",
        format_step(title, words, width())
    )?)
}
