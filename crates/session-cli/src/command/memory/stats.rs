//! `memory stats`.

use crate::Found;
use crate::args::PlainArgs;
use crate::memories::Memories;
use crate::output::json;
use crate::output::layout::safe_line;
use crate::output::style::{FAINT, TITLE, paint};
use anyhow::Result;
use serde::Serialize;
use session_memory::{
    InjectionLog, InjectionStats, Memory, MemoryState, most_common_keywords, render_context_sheet,
    render_index,
};
use std::collections::BTreeMap;
use std::io::Write;

/// Keywords that the skill's description may hold.
const KEYWORDS: usize = 15;

#[derive(Serialize)]
struct Stats {
    active: usize,
    archived: usize,
    trash: usize,
    damaged: usize,
    /// Memories of the repository that are not trusted.
    waiting: usize,
    places: BTreeMap<&'static str, Place>,
    kinds: BTreeMap<&'static str, usize>,
    importance: BTreeMap<&'static str, usize>,
    keywords: Vec<String>,
    layers: Layers,
    injection: InjectionStats,
}

#[derive(Serialize)]
struct Place {
    path: String,
    memories: usize,
}

/// Characters of each layer, from the least that is told to all.
#[derive(Serialize)]
struct Layers {
    keywords: usize,
    index: usize,
    context: usize,
    summaries: usize,
    conversations: usize,
}

/// Runs the command.
///
/// # Errors
/// When the answer cannot be written.
pub fn run(args: &PlainArgs, memories: &Memories) -> Result<Found> {
    let stats = stats(memories)?;
    match args.json {
        true => json::print(&stats)?,
        false => write!(anstream::stdout(), "{}", text(&stats))?,
    }
    Ok(Found::Something)
}

fn stats(memories: &Memories) -> Result<Stats> {
    let listing = memories.store.list(&MemoryState::ALL);
    let all = &listing.memories;
    let in_state = |state| all.iter().filter(|m| m.state == state).count();
    let places = memories.store.directories().iter().map(|place| {
        let own = all.iter().filter(|m| m.scope == place.scope).count();
        let path = place.path.display().to_string();
        (
            place.scope.label(),
            Place {
                path,
                memories: own,
            },
        )
    });
    let active: Vec<Memory> = all
        .iter()
        .filter(|m| m.state == MemoryState::Active)
        .cloned()
        .collect();
    let mut stats = Stats {
        active: active.len(),
        archived: in_state(MemoryState::Archive),
        trash: in_state(MemoryState::Trash),
        damaged: listing.damaged.len(),
        waiting: all.iter().filter(|m| !m.trust.is_trusted()).count(),
        places: places.collect(),
        kinds: BTreeMap::new(),
        importance: BTreeMap::new(),
        keywords: most_common_keywords(&active, KEYWORDS),
        layers: layers(&active, memories)?,
        injection: InjectionLog::new(&memories.home.root).stats(),
    };
    for memory in &active {
        *stats.kinds.entry(memory.front.kind.label()).or_default() += 1;
        *stats
            .importance
            .entry(memory.front.importance.label())
            .or_default() += 1;
    }
    Ok(stats)
}

fn layers(active: &[Memory], memories: &Memories) -> Result<Layers> {
    let chars = |text: &str| text.chars().count();
    let mut conversations = 0;
    for memory in active {
        let raw = memories.store.read_conversation(memory).ok().flatten();
        conversations += raw.as_deref().map_or(0, chars);
    }
    Ok(Layers {
        keywords: chars(&most_common_keywords(active, KEYWORDS).join(", ")),
        index: chars(&render_index(&active.iter().collect::<Vec<_>>())),
        context: chars(&render_context_sheet(active)),
        summaries: active.iter().map(|m| chars(&m.text)).sum(),
        conversations,
    })
}

fn text(stats: &Stats) -> String {
    let list = |map: &BTreeMap<&'static str, usize>| {
        let parts: Vec<String> = map.iter().map(|(name, n)| format!("{n} {name}")).collect();
        parts.join(", ")
    };
    let row =
        |name: &str, value: String| format!("  {} {value}\n", paint(FAINT, format!("{name:<13}")));
    let damaged = match stats.damaged {
        0 => String::new(),
        n => format!(", {n} damaged"),
    };
    let waiting = match stats.waiting {
        0 => String::new(),
        n => format!(", {n} waiting for `session-search trust`"),
    };
    let (layers, usage) = (&stats.layers, &stats.injection);
    let mut out = format!("{}\n", paint(TITLE, "MEMORIES"));
    out += &row(
        "kept",
        format!(
            "{} active, {} archived, {} in the trash{damaged}{waiting}",
            stats.active, stats.archived, stats.trash
        ),
    );
    for (scope, place) in &stats.places {
        out += &row(
            scope,
            format!("{} in {}", place.memories, safe_line(&place.path)),
        );
    }
    out += &row("kinds", list(&stats.kinds));
    out += &row("importance", list(&stats.importance));
    out += &row("keywords", safe_line(&stats.keywords.join(", ")));
    out += &row(
        "characters",
        format!(
            "keywords {}, index {}, context sheet {}, memories {}, conversations {}",
            layers.keywords, layers.index, layers.context, layers.summaries, layers.conversations
        ),
    );
    out += &format!("{}\n", paint(TITLE, "BEFORE PROMPTS"));
    out += &row(
        "prompts",
        format!(
            "{}, {} with memories ({} items, {} characters)",
            usage.prompts, usage.injected, usage.items, usage.chars
        ),
    );
    out += &row(
        "time",
        format!(
            "{} ms in the middle, {} ms at the 95th of 100",
            usage.retrieval_ms_p50, usage.retrieval_ms_p95
        ),
    );
    for (reason, count) in &usage.disabled {
        out += &row(&reason.replace('_', " "), count.to_string());
    }
    out
}
