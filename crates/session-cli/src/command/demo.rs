//! `demo`: searches sessions and turns, and shows one, on a small history that ships in the binary.

use crate::Found;
use crate::args::{Arguments, Command, DemoArgs, SearchArgs};
use crate::command::search::FormattedAnswer;
use crate::command::{refresh, search, show};
use crate::output::{json, notes, width};
use anyhow::{Result, bail};
use clap::Parser;
use session_display::short_id;
use session_export::shown_session;
use session_output::{JsonDemo, format_demo_command, format_step};
use session_query::DemoIndex;
use session_redact::Redactor;
use session_search::Exchange;
use session_store::SessionRow;
use std::io::Write;

/// Runs a search as if it were typed.
fn search_words(demo: &DemoIndex, words: &[&str]) -> Result<(SearchArgs, FormattedAnswer)> {
    let typed = std::iter::once("session-search").chain(words.iter().copied());
    let Some(Command::Search(args)) = Arguments::try_parse_from(typed)?.command else {
        bail!("`{}` is not a search", words.join(" "));
    };
    let answer = answer(demo, &args)?;
    Ok((*args, answer))
}

fn answer(demo: &DemoIndex, args: &SearchArgs) -> Result<FormattedAnswer> {
    let mut answer = search::answer(args, &demo.snapshot, &[], |query| demo.embed(query))?;
    answer.is_demo = true;
    Ok(answer)
}

fn print_answer(demo: &DemoIndex, args: &SearchArgs, answer: &FormattedAnswer) -> Result<Found> {
    search::print(args, answer, &demo.snapshot.sessions, Some(&demo.refreshed))
}

/// Runs the command.
///
/// # Errors
/// When the temporary folder or the index fails.
pub fn run(args: &DemoArgs) -> Result<Found> {
    let demo = DemoIndex::create(&refresh::new_bar)?;
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
fn find_turns(demo: &DemoIndex, query: &str) -> Result<DemoWalk> {
    let sessions = search_words(demo, &sessions_words(query))?;
    let mut walk = DemoWalk {
        sessions,
        turns: None,
        shown: None,
    };
    let Some(best) = walk.sessions.1.answer.results.hits.first() else {
        return Ok(walk);
    };
    let id = short_id(&best.session, &demo.snapshot.sessions);
    let turns = search_words(demo, &turns_words(query, &id))?;
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
    fn json<'a>(&'a self, demo: &'a DemoIndex) -> JsonDemo<'a> {
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

    fn print(&self, demo: &DemoIndex, query: &str) -> Result<()> {
        writeln!(
            notes::stderr(),
            "note: a built-in history answers these commands; it is not in your index"
        )?;
        step("Level 1: which session was it?", &sessions_words(query))?;
        let (args, answer) = &self.sessions;
        print_answer(demo, args, answer)?;
        if let Some((id, (args, answer))) = &self.turns {
            step("Level 2: which exchange in it?", &turns_words(query, id))?;
            print_answer(demo, args, answer)?;
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
    let demo = DemoIndex::create(&refresh::new_bar)?;
    let answer = answer(&demo, args)?;
    let found = print_answer(&demo, args, &answer)?;
    if found == Found::Something && !args.json {
        let next = format_demo_command(&search::query(args), width());
        write!(anstream::stdout(), "{next}")?;
    }
    Ok(found)
}

fn step(title: &str, words: &[&str]) -> Result<()> {
    Ok(write!(
        anstream::stdout(),
        "{}",
        format_step(title, words, width())
    )?)
}
