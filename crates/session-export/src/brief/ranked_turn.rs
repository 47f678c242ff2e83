//! A turn whose parts are ranked, for a choice of those that are kept where not all have room.

use crate::kept_text::TextLimit;
use session_agents::quote_word;
use session_core::{ToolCall, Turn, TurnAddress, TurnPart};
use session_display::pluralize;
use session_search::{Exchange, TurnOrigin};
use std::collections::{BTreeMap, BTreeSet};

/// How much is kept of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeptParts {
    /// Most parts, thoughts not among them.
    pub(super) parts: usize,
    /// Most bytes of a prompt, and of each text but the closing answer.
    pub(super) text_bytes: usize,
    /// Most bytes of the closing answer.
    pub(super) answer_bytes: usize,
}

impl KeptParts {
    /// Keeps all but thoughts.
    pub(super) const WITHOUT_THOUGHTS: Self = Self {
        parts: usize::MAX,
        text_bytes: usize::MAX,
        answer_bytes: usize::MAX,
    };

    /// Returns what so many turns keep together where each keeps as many parts.
    pub(super) fn times(self, turns: usize) -> Self {
        let parts = self.parts * turns;
        Self { parts, ..self }
    }
}

/// The kinds of parts that are kept, by rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PartKind {
    /// The last text of the turn.
    Answer,
    /// A call that failed, or an error.
    Failure,
    /// A call that changed files.
    Change,
    /// A text before the closing answer.
    Text,
    /// Reads, other calls that succeeded, notices.
    Other,
}

impl PartKind {
    /// Returns the kind of a part that is not the closing answer; `None` for a thought, which is never kept.
    fn classify(part: &TurnPart) -> Option<Self> {
        match part {
            TurnPart::Thinking { .. } => None,
            TurnPart::Text { .. } | TurnPart::Recap { .. } => Some(Self::Text),
            TurnPart::Error { .. } => Some(Self::Failure),
            TurnPart::Call(call) if call.status.is_failed() => Some(Self::Failure),
            TurnPart::Call(call) if call.count_changed_files() > 0 => Some(Self::Change),
            TurnPart::Call(_) | TurnPart::Notice { .. } | TurnPart::Summary { .. } => {
                Some(Self::Other)
            }
        }
    }

    /// Returns the rank of the `nth` part of this kind, from 1; the least is the best. Failures, changes and texts take
    /// turns: many of one kind do not displace the few of another.
    fn rank(self, nth: usize) -> (u8, usize) {
        match self {
            Self::Answer => (0, nth),
            Self::Failure | Self::Change | Self::Text => (1, nth),
            Self::Other => (2, nth),
        }
    }
}

/// A turn whose parts are ranked.
pub(super) struct RankedTurn {
    /// The turn without its parts.
    turn: Turn,
    origin: TurnOrigin,
    parts: Vec<TurnPart>,
    /// The position of the closing answer.
    answer: Option<usize>,
    /// Positions of all parts but thoughts, the best part first.
    best_first: Vec<usize>,
}

impl RankedTurn {
    /// Ranks the parts of a turn.
    pub(super) fn new(exchange: Exchange) -> Self {
        let Exchange { mut turn, origin } = exchange;
        let parts = std::mem::take(&mut turn.parts);
        let is_text = |part: &TurnPart| matches!(part, TurnPart::Text { .. });
        let answer = parts.iter().rposition(is_text);
        Self {
            turn,
            origin,
            best_first: rank_parts(&parts, answer),
            parts,
            answer,
        }
    }

    /// Returns how many parts it has, thoughts not among them.
    pub(super) fn count_parts(&self) -> usize {
        self.best_first.len()
    }

    /// Returns the bytes of the closing answer.
    pub(super) fn answer_bytes(&self) -> usize {
        match self.answer.and_then(|at| self.parts.get(at)) {
            Some(TurnPart::Text { text }) => text.len(),
            _ => 0,
        }
    }

    /// Returns the turn with its best parts. A notice in the place of the first one that is left out says how many
    /// are, and the command that shows them; `id` is the session's.
    pub(super) fn keep(&self, kept: KeptParts, id: &str) -> Exchange {
        let best: BTreeSet<usize> = self.best_first.iter().take(kept.parts).copied().collect();
        let (shown, left_out): (Vec<_>, Vec<_>) = self
            .parts
            .iter()
            .enumerate()
            .partition(|(at, _)| best.contains(at));
        let mut turn = self.turn.clone();
        turn.prompt = limit_bytes(kept.text_bytes).shorten(&turn.prompt);
        let shown = shown.into_iter().map(|(at, part)| {
            let bytes = if self.answer == Some(at) {
                kept.answer_bytes
            } else {
                kept.text_bytes
            };
            shorten_text(part, limit_bytes(bytes))
        });
        turn.parts = shown.collect();
        if let Some((first, _)) = left_out.first() {
            let address = TurnAddress::new(id, turn.index).to_string();
            let left_out: Vec<&TurnPart> = left_out.iter().map(|(_, part)| *part).collect();
            let text = format_left_out(&left_out, &address);
            turn.parts.insert(*first, TurnPart::Notice { text });
        }
        let origin = self.origin;
        Exchange { turn, origin }
    }
}

/// Returns the positions of all parts but thoughts, the best part first. Of one kind, those near either end of the turn
/// are better.
fn rank_parts(parts: &[TurnPart], answer: Option<usize>) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..parts.len()).collect();
    positions.sort_by_key(|at| (*at).min(parts.len() - 1 - at));
    let mut counts: BTreeMap<PartKind, usize> = BTreeMap::new();
    let ranked = positions.into_iter().filter_map(|at| {
        let kind = if answer == Some(at) {
            PartKind::Answer
        } else {
            PartKind::classify(parts.get(at)?)?
        };
        let count = counts.entry(kind).or_default();
        *count += 1;
        Some((kind.rank(*count), at))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, at)| at).collect()
}

fn limit_bytes(bytes: usize) -> TextLimit {
    TextLimit {
        bytes,
        ..TextLimit::UNLIMITED
    }
}

/// Returns a part, cut if somebody said it. Calls and asides are cut before.
fn shorten_text(part: &TurnPart, limit: TextLimit) -> TurnPart {
    let mut part = part.clone();
    if let TurnPart::Text { text } | TurnPart::Error { text } | TurnPart::Recap { text } = &mut part
    {
        *text = limit.shorten(text);
    }
    part
}

/// Formats how many parts are left out, and the command that lists the files or commands of the turn where some are
/// among them, or else shows the whole turn.
fn format_left_out(left_out: &[&TurnPart], address: &str) -> String {
    let is_thought = |part: &&TurnPart| matches!(part, TurnPart::Thinking { .. });
    let noun = if left_out.iter().all(is_thought) {
        "thought"
    } else {
        "part"
    };
    let calls = || {
        left_out.iter().filter_map(|part| match part {
            TurnPart::Call(call) => Some(call),
            _ => None,
        })
    };
    let only = if calls().any(|call| call.count_changed_files() > 0) {
        " --only files"
    } else if calls().any(|call| call.kept_command().is_some()) {
        " --only commands"
    } else if calls().any(|call: &ToolCall| !call.files.is_empty()) {
        " --only files"
    } else {
        ""
    };
    format!(
        "[session-search: {} left out by --brief; next: session-search show {}{only}]",
        pluralize(left_out.len(), noun),
        quote_word(address)
    )
}
