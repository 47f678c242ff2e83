//! Prints what the sources find below a home folder, and how long it takes.
//!
//! `dump [--source NAME] [--turns] [--show] HOME`
//!
//! With `--turns` what the index takes, with `--show` everything.
#![expect(clippy::print_stdout, reason = "an example prints")]

use session_core::{SessionMeta, Turn, TurnPart, text};
use session_sources::{Collected, Env, IndexedSpan, Location, Source, sources};
use std::time::Instant;

#[derive(Default)]
struct Options {
    source: Option<String>,
    turns: bool,
    show: bool,
    home: String,
}

fn options() -> Options {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--source" => options.source = arguments.next(),
            "--turns" => options.turns = true,
            "--show" => options.show = true,
            _ => options.home = argument,
        }
    }
    options
}

fn main() {
    let options = options();
    let env = Env {
        home: options.home.clone().into(),
        vars: std::env::vars().collect(),
        other_homes: Vec::new(),
    };
    let wanted = |source: &&&dyn Source| {
        options
            .source
            .as_ref()
            .is_none_or(|name| source.name() == name)
    };
    for source in sources().iter().filter(wanted) {
        dump(*source, &env, &options);
    }
}

fn dump(source: &dyn Source, env: &Env, options: &Options) {
    let start = Instant::now();
    let listing = source.locate(env);
    let located = start.elapsed();
    let start = Instant::now();
    let found: Vec<(&Location, Collected)> = listing
        .locations
        .iter()
        .map(|at| (at, read(source, at)))
        .collect();
    let read = start.elapsed();
    for (at, collected) in &found {
        print_sessions(source, at, collected, options);
    }
    listing
        .warnings
        .iter()
        .for_each(|warning| println!("{warning:?}"));
    let turns: usize = found
        .iter()
        .map(|(_, collected)| collected.turns.len())
        .sum();
    let bytes: u64 = listing.locations.iter().map(|at| at.stamp.size).sum();
    println!(
        "{}: {} locations, {} MB, {turns} turns; located in {located:?}, read in {read:?}",
        source.name(),
        listing.locations.len(),
        bytes / 1_000_000,
    );
}

fn read(source: &dyn Source, at: &Location) -> Collected {
    let mut collected = Collected::default();
    source.read(at, None, &mut collected);
    collected
}

fn print_sessions(source: &dyn Source, at: &Location, found: &Collected, options: &Options) {
    if !options.turns && !options.show {
        return;
    }
    for meta in &found.sessions {
        println!("\n== {} {meta:?}", at.path.display());
        let turns = found
            .turns
            .iter()
            .filter(|collected| collected.session == meta.id)
            .map(|collected| &collected.turn);
        if options.show {
            shown(source, at, meta, turns).iter().for_each(print_turn);
        } else {
            turns.for_each(print_turn);
        }
    }
    println!("{:?} {:?}", found.warnings, found.titles);
}

fn shown<'t>(
    source: &dyn Source,
    at: &Location,
    meta: &SessionMeta,
    turns: impl Iterator<Item = &'t Turn>,
) -> Vec<Turn> {
    let spans: Vec<_> = turns.map(IndexedSpan::from).collect();
    let shown = source.show(&at.path, meta, &spans);
    shown
        .warnings
        .iter()
        .for_each(|warning| println!("{warning:?}"));
    shown.turns
}

fn print_turn(turn: &Turn) {
    let prompt = line(&turn.prompt);
    println!("-- {} {:?} {:?} {prompt}", turn.index, turn.kind, turn.span);
    for part in &turn.parts {
        match part {
            TurnPart::Text { text } => println!("   text: {}", line(text)),
            TurnPart::Thinking { text } => println!("   thinking: {}", line(text)),
            TurnPart::Notice { text } => println!("   notice: {}", line(text)),
            TurnPart::Error { text } => println!("   error: {}", line(text)),
            TurnPart::Recap { text } => println!("   recap: {}", line(text)),
            TurnPart::Summary { text } => println!("   summary: {}", line(text)),
            TurnPart::Call(call) => println!(
                "   {}: {} {:?} {:?} {:?} {:?}",
                call.name,
                line(call.command.as_deref().unwrap_or_default()),
                call.files,
                call.output.as_deref().map(line),
                call.status,
                call.subagent,
            ),
        }
    }
}

fn line(words: &str) -> String {
    let line = text::collapse_whitespace(&text::sanitize_text(words));
    text::clip(&line, 160).to_owned()
}
