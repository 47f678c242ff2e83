//! `history.jsonl`: every prompt that was typed, of all sessions and projects. It is all that is
//! left of a session whose transcript was deleted. Claude Code and Codex keep one.

use crate::call_result::clipped;
use crate::cursor::{CursorState, fingerprint, is_default};
use crate::json::record;
use crate::lenient_json::{LenientCount, LenientMembers, LenientObject, LenientText};
use crate::lines::{Line, Lines};
use crate::project::{PATH_LIMIT, project_root};
use crate::reading::{DamagedLines, next_line, open_lines};
use crate::session_announcer::ReadStart;
use crate::user_text::{UserText, unwrapped};
use crate::warning::{missing_turn_warning, unread_warning, warning};
use crate::{Cursor, CursorRedaction, IndexedSpan, Location, ShownTurns, Sink, file};
use serde::{Deserialize, Serialize};
use session_core::paste::PromptParts;
use session_core::{
    KnownTurns, PromptKind, SessionMeta, TEXT_LIMIT, ToolCall, Turn, TurnPart, TurnSpan, text,
};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Name of the file in a configuration folder.
pub(crate) const FILE_NAME: &str = "history.jsonl";

/// Longest time between two prompts of one session in a project, in milliseconds, where lines
/// have no session id. Of 594 neighbouring prompts of one session in real transcripts, 16 are
/// further apart. Of the gaps from 5 minutes to 8 hours, this one separated the fewest pairs wrongly.
const GAP_MS: i64 = 2 * 60 * 60 * 1000;

/// Commands after which the next prompt in the project is of another session.
const ENDINGS: [&str; 5] = ["/clear", "/new", "/reset", "/exit", "/quit"];

/// Version of the cursors.
const VERSION: u32 = 3;

const ID_LIMIT: usize = 128;

/// Returns true for a history of prompts: transcripts are named by ids.
pub(crate) fn is_prompt_history(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == FILE_NAME)
}

/// Reads a history of prompts into a sink, its sessions as they alternate in the file.
pub(crate) fn read(at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) -> ControlFlow<()> {
    let state: Option<CursorState<PromptSessions>> =
        from.and_then(|cursor| CursorState::parse(cursor, VERSION));
    let holds = state.as_ref().map(|state| state.matches_file(&at.path));
    let holds = match holds.transpose() {
        Ok(holds) => holds.unwrap_or_default(),
        Err(error) => {
            sink.warning(unread_warning(&at.path, &error));
            return ControlFlow::Continue(());
        }
    };
    let (resumed, replaced) = if holds { (state, None) } else { (None, state) };
    let resumed_at = resumed.as_ref().map(|state| state.offset);
    let start = ReadStart::new(from, resumed_at);
    let offset = resumed_at.unwrap_or_default();
    let Some(lines) = open_lines(&at.path, offset, sink) else {
        return ControlFlow::Continue(());
    };
    PromptHistoryReading {
        path: &at.path,
        pastes: PasteCache::new_for(&at.path),
        sink,
        sessions: resumed.map(|state| state.state).unwrap_or_default(),
        replaced: replaced.map(|state| state.state).unwrap_or_default(),
        start,
        opened: HashSet::new(),
        announced: None,
        damage: DamagedLines::new(&at.path),
    }
    .run(lines, offset)
}

/// Returns a redacted cursor without the excluded titles, and without the excluded sessions, whose prompts it numbers.
pub(crate) fn redact_cursor(cursor: &Cursor, redaction: &CursorRedaction<'_>) -> Cursor {
    CursorState::<PromptSessions>::redact(cursor, VERSION, |sessions| {
        let described = sessions.clone();
        let is_excluded = |id: &str| (redaction.excludes_session)(&described.meta(id));
        sessions.known.retain(|id, _| !is_excluded(id));
        let known = sessions.known.values_mut();
        known.for_each(|session| redaction.redact_title(&mut session.title));
    })
}

/// Reads the prompts at these spans.
pub(crate) fn show(path: &Path, spans: &[IndexedSpan]) -> ShownTurns {
    let mut shown = ShownTurns::default();
    for &IndexedSpan { index, span } in spans {
        match turn_at(path, span) {
            Ok(Some(turn)) => shown.turns.push(Turn { index, ..turn }),
            Ok(None) => shown.warnings.push(missing_turn_warning(path, span)),
            Err(error) => shown.warnings.push(warning(path, error)),
        }
    }
    shown
}

fn turn_at(path: &Path, span: TurnSpan) -> io::Result<Option<Turn>> {
    let mut lines = Lines::open(path, span.start)?;
    let Some(line) = lines.next()?.filter(|line| line.span() == span) else {
        return Ok(None);
    };
    let pastes = PasteCache::new_for(path);
    let mut repaired = String::new();
    let prompt: Option<PromptLine<'_>> = record(line.text.unwrap_or_default(), &mut repaired);
    Ok(prompt.and_then(|prompt| prompt.turn(span, &pastes)))
}

/// A line of the file, as Claude Code writes it, or Codex.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PromptLine<'a> {
    #[serde(borrow, alias = "text")]
    display: LenientText<'a>,
    #[serde(borrow)]
    pasted_contents: LenientMembers<'a, LenientObject<PastedText<'a>>>,
    /// Milliseconds since 1970.
    timestamp: LenientCount,
    /// Seconds since 1970.
    ts: LenientCount,
    #[serde(borrow)]
    project: LenientText<'a>,
    /// Absent in lines of old versions.
    #[serde(borrow, alias = "session_id")]
    session_id: LenientText<'a>,
}

/// A pasted text: its words, or the name of the file that holds them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PastedText<'a> {
    #[serde(borrow)]
    content: LenientText<'a>,
    #[serde(borrow)]
    content_hash: LenientText<'a>,
}

impl<'a> PromptLine<'a> {
    fn ms(&self) -> Option<i64> {
        let ms = self.timestamp.0.max(self.ts.0.saturating_mul(1000));
        i64::try_from(ms).ok().filter(|ms| *ms > 0)
    }

    /// Returns the prompt as a turn without its index, as one of a transcript would be.
    fn turn(&self, span: TurnSpan, pastes: &PasteCache) -> Option<Turn> {
        let tagged = self.tagged(pastes);
        let parts = PromptParts::split(&tagged);
        let (kind, typed) = match unwrapped(&parts.typed) {
            UserText::Typed(prompt) => (PromptKind::Typed, prompt.text),
            UserText::Command(prompt) => (PromptKind::Command, prompt.text),
            UserText::Nothing => (PromptKind::Typed, String::new()),
            UserText::Notice(_) | UserText::Summary(_) => return None,
        };
        let typed_bytes = (!parts.pasted.is_empty()).then_some(typed.len());
        let prompt = clipped(&PromptParts { typed, ..parts }.join());
        let is_empty = prompt.trim().is_empty();
        let ms = self.ms();
        let turn = Turn {
            started_ms: ms,
            ended_ms: ms,
            span,
            kind,
            parts: shell_escape(kind, &prompt).into_iter().collect(),
            prompt,
            typed_bytes,
            ..Turn::default()
        };
        (!is_empty).then_some(turn)
    }

    /// Returns the typed text, with each known paste in the tags of a transcript. Beyond what
    /// a turn holds, no more pastes are read.
    fn tagged(&self, pastes: &PasteCache) -> String {
        let mut rest = self.display.or_empty();
        let mut out = String::new();
        while let Some(at) = rest.find('[') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let found = placeholder(rest).filter(|_| out.len() < TEXT_LIMIT);
            let known = found.and_then(|found| Some((found.len, self.tags(found.id, pastes)?)));
            let (len, text) = known.unwrap_or_else(|| (1, "[".to_owned()));
            out.push_str(&text);
            rest = &rest[len..];
        }
        out + rest
    }

    /// Returns a paste in its tags, if it is known.
    fn tags(&self, id: &str, pastes: &PasteCache) -> Option<String> {
        let tag = format!("pasted_content id=\"{id}\"");
        let text = self.paste(id, pastes)?;
        Some(format!("<{tag}>{text}</{tag}>"))
    }

    fn paste(&self, id: &str, pastes: &PasteCache) -> Option<String> {
        let (_, paste) = self.pasted_contents.0.iter().find(|(key, _)| key == id)?;
        let paste = paste.0.as_ref()?;
        let inline = paste.content.get().map(str::to_owned);
        inline.or_else(|| pastes.read(paste.content_hash.get()?))
    }
}

/// Returns a shell escape as the command that ran.
fn shell_escape(kind: PromptKind, prompt: &str) -> Option<TurnPart> {
    let command = prompt.strip_prefix('!')?.trim();
    let is_shell = kind == PromptKind::Command && !command.is_empty();
    is_shell.then(|| {
        TurnPart::Call(ToolCall {
            name: "Bash".into(),
            command: Some(command.to_owned()),
            ..ToolCall::default()
        })
    })
}

/// The placeholder of a pasted text in a prompt.
struct Placeholder<'t> {
    id: &'t str,
    /// Bytes of it.
    len: usize,
}

/// Returns the `[Pasted text #1 +40 lines]` or `[...Truncated text #1 +40 lines...]` that a text begins with.
fn placeholder(text: &str) -> Option<Placeholder<'_>> {
    let begins = ["[Pasted text #", "[...Truncated text #"];
    let rest = begins.iter().find_map(|begin| text.strip_prefix(begin))?;
    let inner = &rest[..rest.find(']')?];
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let (id, lines) = inner.split_at(digits);
    let is_one =
        digits > 0 && lines.len() < 40 && (lines.is_empty() || lines.starts_with([' ', '.']));
    let len = text.len() - rest.len() + inner.len() + 1;
    is_one.then_some(Placeholder { id, len })
}

/// The folder `paste-cache` beside a history. Nothing outside of it is ever read.
struct PasteCache(PathBuf);

impl PasteCache {
    fn new_for(history: &Path) -> Self {
        Self(history.with_file_name("paste-cache"))
    }

    fn read(&self, hash: &str) -> Option<String> {
        let is_name = hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let path = self.0.join(format!("{hash}.txt"));
        let is_regular = || fs_err::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if !is_name || !is_regular() {
            return None;
        }
        let bytes = file::read_limited(&path, TEXT_LIMIT as u64).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The sessions so far: what a cursor says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PromptSessions {
    /// By id.
    known: BTreeMap<String, PromptSession>,
    /// The session that a prompt without an id may go on with, by project.
    #[serde(default, skip_serializing_if = "is_default")]
    unnamed: BTreeMap<String, UnnamedSession>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PromptSession {
    /// Index of the next turn.
    next: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    project: Option<String>,
    /// Set by the user.
    #[serde(default, skip_serializing_if = "is_default")]
    title: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct UnnamedSession {
    id: String,
    last_ms: Option<i64>,
}

impl PromptSessions {
    /// Returns the id of the session that a line belongs to.
    fn id(&mut self, line: &PromptLine<'_>) -> String {
        match line.session_id.get() {
            Some(id) => text::clip(id, ID_LIMIT).to_owned(),
            None => self.unnamed_id(line),
        }
    }

    /// Returns the id of a session that has none: a hash of its project and first time.
    fn unnamed_id(&mut self, line: &PromptLine<'_>) -> String {
        let project = text::clip(line.project.or_empty(), PATH_LIMIT);
        let ms = line.ms();
        let known = self.unnamed.remove(project);
        let goes_on = |known: &UnnamedSession| !is_past_gap(known.last_ms, ms);
        let mut session = known.filter(goes_on).unwrap_or_else(|| UnnamedSession {
            id: format!("{:016x}", fingerprint(format!("{ms:?}\n{project}"))),
            last_ms: None,
        });
        session.last_ms = session.last_ms.max(ms);
        let id = session.id.clone();
        if !ENDINGS.contains(&line.display.or_empty().trim()) {
            self.unnamed.insert(project.to_owned(), session);
        }
        id
    }

    /// Takes a prompt into its session, and gives the index of its turn.
    fn note(&mut self, id: &str, line: &PromptLine<'_>, turn: &Turn) -> u32 {
        let session = self.known.entry(id.to_owned()).or_default();
        if session.cwd.is_none() {
            let cwd = line.project.get().map(|path| text::clip(path, PATH_LIMIT));
            session.cwd = cwd.map(str::to_owned);
            session.project = cwd.and_then(project_root);
        }
        let is_command = turn.kind == PromptKind::Command;
        if let Some(name) = turn.prompt.strip_prefix("/rename ").filter(|_| is_command) {
            session.title = crate::turn_writer::session_title(name);
        }
        session.next = session.next.saturating_add(1);
        session.next - 1
    }

    fn meta(&self, id: &str) -> SessionMeta {
        let session = self.known.get(id).cloned().unwrap_or_default();
        SessionMeta {
            id: id.to_owned(),
            title: session.title,
            cwd: session.cwd,
            project: session.project,
            prompts_only: true,
            ..SessionMeta::default()
        }
    }
}

/// Returns true when so much time passed that the session is another one.
fn is_past_gap(before: Option<i64>, now: Option<i64>) -> bool {
    let (Some(before), Some(now)) = (before, now) else {
        return false;
    };
    now.saturating_sub(before) > GAP_MS
}

struct PromptHistoryReading<'a> {
    path: &'a Path,
    pastes: PasteCache,
    sink: &'a mut dyn Sink,
    sessions: PromptSessions,
    /// The sessions of another content of the file.
    replaced: PromptSessions,
    start: ReadStart,
    /// Ids of the sessions that this read has opened.
    opened: HashSet<String>,
    /// The session as it was opened last.
    announced: Option<SessionMeta>,
    damage: DamagedLines,
}

impl PromptHistoryReading<'_> {
    /// Reads from an offset on. What an error keeps from being read makes no session gone, and comes with the next read.
    fn run(mut self, mut lines: Lines, offset: u64) -> ControlFlow<()> {
        let mut done = offset;
        loop {
            match next_line(&mut lines, self.path.into()) {
                Ok(Some(line)) => {
                    self.read_line(&line)?;
                    done = line.end;
                }
                Ok(None) => return self.finish(done),
                Err(error) => return self.report_unread(&error),
            }
        }
    }

    fn report_unread(self, error: &io::Error) -> ControlFlow<()> {
        self.sink.warning(unread_warning(self.path, error));
        ControlFlow::Continue(())
    }

    fn read_line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        let mut repaired = String::new();
        match record::<PromptLine<'_>>(line.text.unwrap_or_default(), &mut repaired) {
            Some(prompt) => self.deliver_prompt(&prompt, line.span()),
            None => {
                self.damage.add_line(line);
                ControlFlow::Continue(())
            }
        }
    }

    fn deliver_prompt(&mut self, line: &PromptLine<'_>, span: TurnSpan) -> ControlFlow<()> {
        let Some(turn) = line.turn(span, &self.pastes) else {
            return ControlFlow::Continue(());
        };
        let id = self.sessions.id(line);
        let index = self.sessions.note(&id, line, &turn);
        self.open(&id)?;
        self.sink.turn(Turn { index, ..turn })
    }

    /// Opens a session in the sink, unless it is open as it is.
    fn open(&mut self, id: &str) -> ControlFlow<()> {
        let meta = self.sessions.meta(id);
        if self.announced.as_ref() == Some(&meta) {
            return ControlFlow::Continue(());
        }
        let known = if self.opened.insert(id.to_owned()) {
            self.start.known_turns()
        } else {
            KnownTurns::Keep
        };
        let flow = self.sink.session(&meta, known);
        self.announced = Some(meta);
        flow
    }

    fn finish(mut self, done: u64) -> ControlFlow<()> {
        let mut gone = std::mem::take(&mut self.replaced.known);
        gone.retain(|id, _| !self.sessions.known.contains_key(id));
        let sessions = std::mem::take(&mut self.sessions);
        let end = match CursorState::read_at(self.path, VERSION, done, sessions) {
            Ok(state) => state.cursor(),
            Err(error) => return self.report_unread(&error),
        };
        gone.keys()
            .try_for_each(|id| self.sink.report_gone_session(id))?;
        self.damage.report(self.sink);
        self.sink.checkpoint(end)
    }
}
