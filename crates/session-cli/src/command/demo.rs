//! `demo`: searches sessions and turns, and shows one, on a small history that ships in the binary.

use crate::CommandOutcome;
use crate::args::{Arguments, Command, DemoArgs, SearchArgs};
use crate::command::search::AnswerWithPreviews;
use crate::command::show::SessionExchanges;
use crate::command::{search, show};
use crate::output::notes::print_note;
use crate::output::progress::IndexProgressBar;
use crate::output::{self, json, terminal_width};
use anyhow::{Result, bail};
use clap::Parser;
use session_core::TurnAddress;
use session_display::SessionIds;
use session_export::make_shown_session;
use session_output::{JsonDemo, format_demo_command, format_step};
use session_query::DemoIndex;
use session_redact::Redactor;

/// Runs a search as if it were typed.
fn run_search(demo: &DemoIndex, words: &[&str]) -> Result<DemoSearch> {
    let typed = std::iter::once("session-search").chain(words.iter().copied());
    let Some(Command::Search(args)) = Arguments::try_parse_from(typed)?.command else {
        bail!("`{}` is not a search", words.join(" "));
    };
    let answer = answer_from_demo(demo, &args)?;
    let args = *args;
    Ok(DemoSearch { args, answer })
}

fn answer_from_demo(demo: &DemoIndex, args: &SearchArgs) -> Result<AnswerWithPreviews> {
    let mut answer = search::answer_search(
        args,
        &search::parse_query(args)?,
        &demo.snapshot,
        &[],
        |query| demo.embed(query),
    )?;
    answer.is_demo = true;
    Ok(answer)
}

fn print_demo_search(
    demo: &DemoIndex,
    args: &SearchArgs,
    answer: &AnswerWithPreviews,
) -> Result<CommandOutcome> {
    search::print_search(args, answer, &demo.snapshot.sessions, Some(&demo.refreshed))
}

/// Runs the command.
pub fn run(args: &DemoArgs) -> Result<CommandOutcome> {
    let demo = DemoIndex::create(&IndexProgressBar::boxed)?;
    let walk = walk_levels(&demo, &args.query)?;
    let found = search::outcome_of_results(&walk.sessions.answer.answer.results);
    if args.json {
        json::print(&walk.to_json(&demo))?;
    } else {
        walk.print(&demo, &args.query)?;
    }
    Ok(found)
}

/// A search of the demo with its answer.
struct DemoSearch {
    args: SearchArgs,
    answer: AnswerWithPreviews,
}

/// The turns that the demo shows, with the address by which they are named.
struct DemoTurns {
    address: String,
    turns: SessionExchanges,
}

/// The answers of the three levels.
struct DemoWalk {
    sessions: DemoSearch,
    /// The search of the best session's turns.
    turns: Option<DemoSearch>,
    shown: Option<DemoTurns>,
}

/// Goes from the best session to its best turn, and to that turn in full.
fn walk_levels(demo: &DemoIndex, query: &str) -> Result<DemoWalk> {
    let sessions = run_search(demo, &session_search_words(query))?;
    let mut walk = DemoWalk {
        sessions,
        turns: None,
        shown: None,
    };
    let Some(best) = walk.sessions.answer.answer.results.hits.first() else {
        return Ok(walk);
    };
    let id = SessionIds::new(&demo.snapshot.sessions).short_id(&best.session);
    let turns = run_search(demo, &turn_search_words(query, &id))?;
    let best = turns.answer.answer.results.hits.first().or(Some(best));
    let turn = best.and_then(|hit| hit.turn.as_ref());
    let address = TurnAddress::new(&id, turn.map_or(0, |turn| turn.index)).to_string();
    let shown_turns = show::read_turns(&address, 0, &demo.snapshot, &Redactor::off())?;
    walk.shown = Some(DemoTurns {
        address,
        turns: shown_turns,
    });
    walk.turns = Some(turns);
    Ok(walk)
}

fn session_search_words(query: &str) -> [&str; 4] {
    ["search", query, "--limit", "3"]
}

fn turn_search_words<'a>(query: &'a str, id: &'a str) -> [&'a str; 8] {
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
    fn to_json<'a>(&'a self, demo: &'a DemoIndex) -> JsonDemo<'a> {
        let answer = |search: &'a DemoSearch| {
            let sessions = &demo.snapshot.sessions;
            let listing = &search.answer;
            listing
                .make_listing(&search.args, sessions, Some(&demo.refreshed))
                .to_json()
        };
        JsonDemo {
            sessions: answer(&self.sessions),
            turns: self.turns.as_ref().map(answer),
            shown: self
                .shown
                .as_ref()
                .map(|shown| make_shown_session(&shown.turns.session, &shown.turns.exchanges)),
        }
    }

    fn print(&self, demo: &DemoIndex, query: &str) -> Result<()> {
        print_note("a built-in history answers these commands; it is not in your index")?;
        print_step(
            "Level 1: which session was it?",
            &session_search_words(query),
        )?;
        let DemoSearch { args, answer } = &self.sessions;
        print_demo_search(demo, args, answer)?;
        if let Some(DemoSearch { args, answer }) = &self.turns {
            let id = args.filter.session.as_deref().unwrap_or_default();
            print_step("Level 2: which turn of it?", &turn_search_words(query, id))?;
            print_demo_search(demo, args, answer)?;
        }
        if let Some(DemoTurns { address, turns }) = &self.shown {
            print_step("Level 3: what was said and done in it", &["show", address])?;
            let typed = ["session-search", "show", address, "--no-pager"];
            if let Some(Command::Show(args)) = Arguments::try_parse_from(typed)?.command {
                turns.print(&args, &demo.snapshot)?;
            }
        }
        Ok(())
    }
}

/// Answers a search from the demo history.
pub fn run_search_in_demo(args: &SearchArgs) -> Result<CommandOutcome> {
    let demo = DemoIndex::create(&IndexProgressBar::boxed)?;
    let answer = answer_from_demo(&demo, args)?;
    let found = print_demo_search(&demo, args, &answer)?;
    if found == CommandOutcome::Found && !args.json {
        let next = format_demo_command(&search::query_text(args), terminal_width());
        output::print(next)?;
    }
    Ok(found)
}

fn print_step(title: &str, words: &[&str]) -> Result<()> {
    output::print(format_step(title, words, terminal_width()))
}
