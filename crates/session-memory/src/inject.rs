//! What is put before a prompt, and why.

use crate::block::{Block, Item, block};
use crate::gate::{Injection, Marks, Reason, reached};
use crate::memory::{Importance, Memory};
use crate::rank::Match;
use crate::signals::{self, Signal};
use serde::Serialize;
use std::collections::HashSet;

/// Why nothing is put before a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Disabled {
    /// Switched off, or the prompt says so.
    SwitchOff,
    /// There is nothing that has anything in common with it.
    EmptyResult,
    /// Nothing passes the gate.
    LowRelevance,
    /// What passes has no room in the block.
    NoRoom,
    /// What passes has been put before an earlier prompt of this session.
    AlreadyInjected,
    /// The search failed.
    QueryFailed,
    /// It took too long.
    Timeout,
}

/// A candidate and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Its id.
    pub id: String,
    /// Its topic.
    pub topic: String,
    /// Why it passed, or not.
    pub reason: Reason,
    /// How well it matches.
    #[serde(flatten)]
    pub found: Match,
    /// What it reached: its match, a tenth for each of up to four common words, less what the
    /// prompt loses that is like those that need no memory.
    pub reached: f32,
    /// What it had to reach.
    pub marks: Marks,
    /// How much it matters.
    pub importance: Importance,
}

/// What is put before a prompt, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The block, if there is one.
    pub block: Option<Block>,
    /// Why there is none.
    pub disabled: Option<Disabled>,
    /// The signs that the prompt gives.
    pub signals: Vec<Signal>,
    /// How near it is to what needs no memory, 0 to 1.
    pub commonplace: f32,
    /// The candidates, the best match first.
    pub verdicts: Vec<Verdict>,
}

impl Decision {
    /// Nothing, for this reason.
    pub fn nothing(why: Disabled) -> Self {
        Self {
            block: None,
            disabled: Some(why),
            signals: Vec::new(),
            commonplace: 0.0,
            verdicts: Vec::new(),
        }
    }
}

/// A prompt before which something may be put.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The signs that it gives.
    pub signals: Vec<Signal>,
    /// How near it is to what needs no memory, 0 to 1 ([`crate::commonplace`]).
    pub commonplace: f32,
}

impl Prompt {
    /// What a prompt's words say, and how common it is.
    pub fn new(text: &str, commonplace: f32) -> Self {
        Self {
            signals: signals::of(text),
            commonplace,
        }
    }
}

/// What is known of the session that the prompt belongs to.
#[derive(Debug, Clone, Default)]
pub struct Known<'a> {
    /// Its full id.
    pub session: Option<&'a str>,
    /// What has been put before its prompts.
    pub injected: HashSet<String>,
}

/// Decides what is put before a prompt. `matches` are those of `memories`, ranked;
/// `others` are items from elsewhere that have passed a gate of their own.
pub fn decide(
    prompt: &Prompt,
    memories: &[Memory],
    matches: Vec<Match>,
    others: Vec<Item>,
    known: &Known<'_>,
    how: &Injection,
) -> Decision {
    if prompt.signals.contains(&Signal::Exclusion) {
        return Decision {
            signals: prompt.signals.clone(),
            ..Decision::nothing(Disabled::SwitchOff)
        };
    }
    let judge = |found: Match| {
        let memory = &memories[found.memory];
        Verdict {
            id: memory.id().to_owned(),
            topic: memory.front.topic.clone(),
            reason: reason(memory, &found, prompt, known, how),
            reached: reached(&found, prompt.commonplace),
            marks: how.marks(memory, &found, &prompt.signals),
            importance: memory.front.importance,
            found,
        }
    };
    let mut verdicts: Vec<Verdict> = matches.into_iter().map(judge).collect();
    let passed = verdicts.iter().filter(|v| v.reason == Reason::Passed);
    let mut items: Vec<Item> = passed
        .map(|v| Item::of(&memories[v.found.memory], v.found.matched))
        .collect();
    let is_new = |item: &Item| !known.injected.contains(&item.id);
    items.extend(others.into_iter().filter(is_new));
    let block = block(items, how);
    let said = block.as_ref().map_or(&[][..], |block| &block.ids);
    for verdict in &mut verdicts {
        if verdict.reason == Reason::Passed && !said.contains(&verdict.id) {
            verdict.reason = Reason::NoRoom;
        }
    }
    let disabled = match &block {
        Some(_) => None,
        None => Some(disabled(&verdicts)),
    };
    Decision {
        block,
        disabled,
        signals: prompt.signals.clone(),
        commonplace: prompt.commonplace,
        verdicts,
    }
}

fn reason(
    memory: &Memory,
    found: &Match,
    prompt: &Prompt,
    known: &Known<'_>,
    how: &Injection,
) -> Reason {
    match how.judge(memory, found, prompt) {
        Reason::Passed if memory.is_of(known.session) => Reason::OwnSession,
        Reason::Passed if known.injected.contains(memory.id()) => Reason::AlreadyInjected,
        other => other,
    }
}

fn disabled(verdicts: &[Verdict]) -> Disabled {
    let any = |reason| verdicts.iter().any(|v| v.reason == reason);
    match () {
        () if verdicts.is_empty() => Disabled::EmptyResult,
        () if any(Reason::NoRoom) => Disabled::NoRoom,
        () if any(Reason::AlreadyInjected) || any(Reason::OwnSession) => Disabled::AlreadyInjected,
        () => Disabled::LowRelevance,
    }
}
