//! `inject`: what is put before a prompt.

mod past;
mod text;

use crate::Found;
use crate::args::InjectArgs;
use crate::memories::Memories;
use crate::output::json;
use anyhow::Result;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session_core::noise::is_notification;
use session_core::paste::PromptParts;
use session_memory::log::{self, Entry};
use session_memory::{
    Block, Decision, Disabled, Injection, Known, Memory, Prompt, SessionState, Signal, Verdict,
    commonplace, decide, recalled,
};
use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Most bytes of a hook's JSON that are read. With the memories, the configuration and the state of
/// a session a hook reads 8 MB in all.
const STDIN_LIMIT: u64 = 2 << 20;
/// Longest beginning of a prompt that is looked at, and longest paragraph at its ends, in bytes.
const PROMPT: usize = 2000;
const PARAGRAPH: usize = 1000;
/// Time that is left, when the making of vectors stops, to keep those that were made.
const MARGIN: Duration = Duration::from_millis(40);
/// The variable that switches it off.
const SWITCH: &str = "SESSION_SEARCH_INJECT";

/// A hook's question.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// What the user typed.
    pub prompt: String,
    /// The session's full id.
    pub session_id: Option<String>,
    /// The folder that the session is in.
    pub cwd: Option<PathBuf>,
    /// When the hook asks.
    pub hook_event_name: String,
    /// The cause of a `SessionStart`: `startup`, `resume`, `clear`, `compact`.
    pub source: Option<String>,
}

/// What was decided, and what is to be kept of it.
pub struct Outcome {
    /// What is put before the prompt, and why.
    pub decision: Decision,
    /// Where memories are, if that is known.
    pub memories: Option<Memories>,
    candidates: Vec<Memory>,
    session: Option<String>,
    began: Instant,
}

#[derive(Serialize)]
struct Answer<'a> {
    block: Option<&'a str>,
    ids: &'a [String],
    truncated: bool,
    injected_count: usize,
    injected_chars: usize,
    retrieval_ms: u64,
    disabled_reason: Option<Disabled>,
    signals: &'a [Signal],
    commonplace: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<&'a [Verdict]>,
}

/// Runs the command.
///
/// # Errors
/// Only where a prompt is typed: what stdin asks gets an answer, or none.
pub fn run(args: &InjectArgs) -> Result<Found> {
    if let (true, Some(session)) = (args.off || args.on, &args.session) {
        return switch(session, args.off, args.json);
    }
    let Some(prompt) = &args.prompt else {
        return from_stdin(args);
    };
    let asked = Asked {
        prompt: prompt.clone(),
        session_id: args.session.clone(),
        ..Asked::default()
    };
    let began = Instant::now();
    let memories = Memories::of(&std::env::current_dir()?)?;
    let outcome = outcome(&asked, memories, began, None)?;
    answer(&outcome, args)
}

/// Answers a hook; whatever happens, nothing stands in the prompt's way.
fn from_stdin(args: &InjectArgs) -> Result<Found> {
    let found = crate::command::hook::guarded(|asked, outcome| {
        if asked.hook_event_name.is_empty() || asked.hook_event_name == "UserPromptSubmit" {
            let _ = answer(outcome, args);
        }
    });
    Ok(found)
}

fn switch(session: &str, off: bool, as_json: bool) -> Result<Found> {
    let root = session_config::Home::unconfigured()?.root;
    let mut state = SessionState::of(&root, session);
    state.off = off;
    state.keep(&root, session)?;
    if as_json {
        json::print(&serde_json::json!({"session": session, "off": off}))?;
    }
    Ok(Found::Something)
}

/// Reads what a hook asks from stdin.
///
/// # Errors
/// When it is no JSON object of a hook.
pub fn asked() -> Result<Asked> {
    let mut text = Vec::new();
    std::io::stdin().take(STDIN_LIMIT).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Decides what is put before a prompt.
///
/// # Errors
/// When the model fails.
pub fn outcome(
    asked: &Asked,
    memories: Memories,
    began: Instant,
    until: Option<Instant>,
) -> Result<Outcome> {
    let mut outcome = Outcome {
        decision: Decision::nothing(Disabled::SwitchOff),
        memories: None,
        candidates: Vec::new(),
        session: asked.session_id.clone().filter(|id| !id.is_empty()),
        began,
    };
    let state = outcome
        .session
        .as_ref()
        .map(|id| SessionState::of(&memories.home.root, id));
    let state = state.unwrap_or_default();
    if !is_on(&memories) || state.off {
        outcome.memories = Some(memories);
        return Ok(outcome);
    }
    let all = candidates(&memories);
    outcome.decision = decision(asked, &all, &memories, state, until)?;
    outcome.candidates = all;
    outcome.memories = Some(memories);
    Ok(outcome)
}

/// The active memories that are trusted and new enough. What is damaged is left out: a
/// prompt is no place to talk of it.
pub fn candidates(memories: &Memories) -> Vec<Memory> {
    let mut all = memories.store.list_trusted();
    if let Ok(days) = u32::try_from(memories.home.config.retrieval.scope_days) {
        let now = Timestamp::now();
        all.retain(|memory| memory.updated().days_to(now) < days.max(1));
    }
    all
}

/// True when nobody switched it off.
pub fn is_on(memories: &Memories) -> bool {
    let config = &memories.home.config;
    let switch = memories
        .home
        .env
        .get(SWITCH)
        .unwrap_or_default()
        .to_lowercase();
    config.enabled
        && config.auto_retrieve
        && !["0", "false", "off", "no"].contains(&switch.as_str())
}

/// Decides by the parts of the prompt, one after the other, until one finds something.
fn decision(
    asked: &Asked,
    all: &[Memory],
    memories: &Memories,
    state: SessionState,
    until: Option<Instant>,
) -> Result<Decision> {
    let how: &Injection = &memories.home.config.injection;
    let prompt = typed(&asked.prompt);
    if prompt.trim().is_empty() || (all.is_empty() && !how.past_turns) {
        return Ok(Decision::nothing(Disabled::EmptyResult));
    }
    let model = memories.model()?;
    let meaning = memories.meaning(model.as_ref(), until);
    let known = Known {
        session: asked.session_id.as_deref(),
        injected: state.injected.into_iter().collect(),
    };
    let mut first = None;
    for part in asking(&prompt) {
        if first.is_some() && until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        let subject = session_memory::subject(&part);
        let Some(ranked) = memories.rank(&subject, all, &meaning)? else {
            break;
        };
        let Some(commonplace) = commonplace(&subject, &ranked.asked, &meaning)? else {
            break;
        };
        let prompt = Prompt::new(&part, commonplace);
        let others = match how.past_turns {
            true => past::turns(&part, &memories.home, known.session).unwrap_or_default(),
            false => Vec::new(),
        };
        let next = decide(&prompt, all, ranked.matches, others, &known, how);
        if next.block.is_some() || next.disabled == Some(Disabled::SwitchOff) {
            return Ok(next);
        }
        first.get_or_insert(next);
    }
    Ok(first.unwrap_or_else(|| Decision::nothing(Disabled::Timeout)))
}

/// The user's own words: nothing of a notification, and of a prompt with pastes what stands beside
/// them. A paste alone speaks for itself.
fn typed(prompt: &str) -> Cow<'_, str> {
    if is_notification(prompt) {
        return Cow::Borrowed("");
    }
    let parts = PromptParts::split(prompt);
    match (parts.pasted.is_empty(), parts.typed.is_empty()) {
        (true, _) => Cow::Borrowed(prompt),
        (false, true) => Cow::Owned(parts.joined()),
        (false, false) => Cow::Owned(parts.typed),
    }
}

/// The parts of a prompt that may ask something: its beginning, and of a long one, in which
/// something is pasted, the last and the first two paragraphs, or one, where they are short.
fn asking(prompt: &str) -> Vec<Cow<'_, str>> {
    let prompt = prompt.trim();
    let mut parts = vec![Cow::Borrowed(session_core::text::clip(prompt, PROMPT))];
    if prompt.len() > PROMPT {
        let gaps = ["\n\n", "\r\n\r\n", "\n"];
        let gap = gaps.into_iter().find(|gap| prompt.contains(gap));
        let paragraphs = prompt.split(gap.unwrap_or("\n")).map(str::trim);
        let paragraphs: Vec<&str> = paragraphs.filter(|part| !part.is_empty()).collect();
        let count = paragraphs.len();
        let last = [2, 1].map(|n| &paragraphs[count.saturating_sub(n)..]);
        let first = [2, 1].map(|n| &paragraphs[..n.min(count)]);
        let short = |end: [&[&str]; 2]| {
            let mut joined = end.into_iter().map(|part| part.join("\n\n"));
            joined.find(|part| part.len() <= PARAGRAPH)
        };
        parts.extend([last, first].into_iter().filter_map(short).map(Cow::Owned));
        parts.dedup();
    }
    parts
}

impl Outcome {
    /// Notes what is put before the prompt, so that it is not said twice, and
    /// counts it. False where it cannot be noted: then it is not to be said.
    pub fn note(&self) -> bool {
        let Some(memories) = &self.memories else {
            return false;
        };
        let root = &memories.home.root;
        if let Some(block) = &self.decision.block {
            let noted = |session| SessionState::note(root, session, &block.ids).unwrap_or(false);
            if !self.session.as_deref().is_none_or(noted) {
                return false;
            }
            let is_used = |m: &&Memory| block.ids.iter().any(|id| id == m.id());
            let used: Vec<&Memory> = self.candidates.iter().filter(is_used).collect();
            recalled(&memories.store, &used, Timestamp::now());
        }
        let _ = log::write(root, &self.entry());
        true
    }

    fn entry(&self) -> Entry {
        let block = self.decision.block.as_ref();
        entry(
            self.session.clone(),
            self.began,
            block,
            self.decision.disabled,
            self.candidates.len(),
        )
    }
}

/// A line of the log.
pub fn entry(
    session: Option<String>,
    began: Instant,
    block: Option<&Block>,
    disabled_reason: Option<Disabled>,
    candidates: usize,
) -> Entry {
    Entry {
        at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        session,
        injected_count: block.map_or(0, |block| block.ids.len()),
        injected_chars: block.map_or(0, Block::chars),
        retrieval_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        disabled_reason,
        candidates,
    }
}

/// When the making of vectors has to stop.
pub fn last_moment(began: Instant, how: &Injection) -> Instant {
    let whole = Duration::from_millis(how.timeout_ms);
    began + whole.saturating_sub(MARGIN)
}

fn answer(outcome: &Outcome, args: &InjectArgs) -> Result<Found> {
    let decision = &outcome.decision;
    let noted = args.explain || outcome.note();
    let block = decision.block.as_ref().filter(|_| noted);
    if args.json {
        let entry = outcome.entry();
        json::print(&Answer {
            block: block.map(|block| block.text.as_str()),
            ids: block.map_or(&[], |block| &block.ids),
            truncated: block.is_some_and(|block| block.truncated),
            injected_count: entry.injected_count,
            injected_chars: entry.injected_chars,
            retrieval_ms: entry.retrieval_ms,
            disabled_reason: entry.disabled_reason,
            signals: &decision.signals,
            commonplace: decision.commonplace,
            candidates: args.explain.then_some(&decision.verdicts),
        })?;
    } else {
        let block = block.map_or("", |block| &block.text);
        write!(anstream::stdout(), "{block}")?;
        if args.explain {
            let width = crate::output::layout::width();
            write!(anstream::stdout(), "{}", text::explained(decision, width))?;
        }
    }
    match block {
        Some(_) => Ok(Found::Something),
        None => Ok(Found::Nothing),
    }
}
