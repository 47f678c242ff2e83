//! `demo`: the three levels on a small history that ships in the binary.

use crate::Found;
use crate::args::{Arguments, Command, DemoArgs, SearchArgs};
use crate::command::{fresh, search, show};
use crate::home::Home;
use crate::output::session::short_id;
use crate::output::style::{FAINT, TITLE, paint};
use anyhow::{Result, bail};
use clap::Parser;
use session_indexer::Mode;
use session_search::{Request, search as find};
use session_sources::Env;
use session_store::Reader;
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
    home: Home,
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
        let home = Home {
            env,
            root: folder.path().join("index"),
        };
        fresh::run(
            &home,
            session_embed::bundled()?.as_ref(),
            Mode::Changes,
            None,
        )?;
        Ok(Self {
            home,
            _folder: folder,
        })
    }

    fn index(&self) -> Result<Reader> {
        Ok(Reader::open(&self.home.root)?)
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
    let index = demo.index()?;
    let sessions = index.sessions()?;
    let best = find(&index, &sessions, &Request::new(&args.query), None)?
        .hits
        .into_iter()
        .next();
    step(
        "Level 1: which session was it?",
        &["search", &args.query, "--limit", "3"],
    )?;
    if level(&index, &["search", &args.query, "--limit", "3"])? == Found::Nothing {
        return Ok(Found::Nothing);
    }
    let Some(best) = best else {
        return Ok(Found::Something);
    };
    let id = short_id(&best.session, &sessions);
    let turns = [
        "search",
        &args.query,
        "--depth",
        "2",
        "--session",
        &id,
        "--limit",
        "3",
    ];
    step("Level 2: which exchange in it?", &turns)?;
    level(&index, &turns)?;
    let place = format!("{id}:{}", best.turn.map_or(0, |t| t.index));
    step("Level 3: everything around it", &["show", &place])?;
    level(&index, &["show", &place])
}

/// Answers a search from the demo history.
///
/// # Errors
/// As [`run`].
pub fn search(args: &SearchArgs) -> Result<Found> {
    let demo = Demo::new()?;
    let index = demo.index()?;
    search::answer(
        args,
        &index,
        &index.sessions()?,
        session_embed::bundled()?.as_ref(),
    )
}

fn step(title: &str, words: &[&str]) -> Result<()> {
    let typed: Vec<String> = words
        .iter()
        .map(|w| {
            if w.contains(' ') {
                format!("\"{w}\"")
            } else {
                (*w).to_owned()
            }
        })
        .collect();
    let command = paint(FAINT, format!("$ session-search {}", typed.join(" ")));
    Ok(writeln!(
        anstream::stdout(),
        "\n{}\n{command}\n",
        paint(TITLE, title)
    )?)
}

/// Runs the command that was shown on the demo's index.
fn level(index: &Reader, words: &[&str]) -> Result<Found> {
    let typed = std::iter::once("session-search").chain(words.iter().copied());
    match Arguments::try_parse_from(typed)?.command {
        Command::Search(args) => search::answer(
            &args,
            index,
            &index.sessions()?,
            session_embed::bundled()?.as_ref(),
        ),
        Command::Show(args) => show::print(&args, index),
        _ => bail!("the demo shows search and show only"),
    }
}
