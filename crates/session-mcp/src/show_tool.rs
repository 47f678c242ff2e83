//! `show`: turns in full, in pages.

use crate::answer::{FencedText, MAX_DATA_CHARS, ToolAnswer, format_call};
use crate::arguments::ShowArguments;
use crate::call_error::CallError;
use crate::index_view::IndexView;
use session_core::{SessionReference, TurnAddress, TurnRange, TurnWindow};
use session_display::{Note, format_continuation};
use session_export::{TextLimit, format_heading, format_turn};
use session_output::{TurnItemKind, find_turn_with_items, format_items, format_no_items};
use session_query::find_continuation;
use session_store::{SessionRow, TurnRow};

/// A call of `show`, read.
pub(crate) struct ShowCall<'a> {
    session: &'a str,
    range: TurnWindow,
    brief: bool,
    only: Option<TurnItemKind>,
}

/// As many turns as an answer has room for.
struct TurnPage {
    data: FencedText,
    /// The turns that there was no room for, and where the first of them goes on; `None` if all are there.
    rest: Option<TurnWindow>,
}

impl<'a> ShowCall<'a> {
    /// Reads the turns of a call: `turns`, or else what follows the id's `:`.
    ///
    /// # Errors
    /// When they are no range, both name turns and not the same, or `id` names turns twice.
    pub(crate) fn new(arguments: &'a ShowArguments) -> Result<Self, CallError> {
        let reference = SessionReference::parse(&arguments.id);
        if reference.names_turns_twice() {
            let note = Note::new(format!("`{}` names turns twice", arguments.id));
            let hint = "write the id with :7 or :5-9, counted from 0";
            return Err(CallError::Invalid(note.with_hint(hint)));
        }
        let is_given = |turns: &&str| !turns.trim().is_empty();
        let in_id = reference.turns.filter(is_given);
        let turns = arguments.turns.as_deref().filter(is_given);
        if let (Some(in_id), Some(turns)) = (in_id, turns)
            && in_id.trim() != turns.trim()
        {
            let note = Note::new(format!("`id` names the turns {in_id} and `turns` {turns}"));
            return Err(CallError::Invalid(
                note.with_hint("name them in one of the two"),
            ));
        }
        let range = match turns.or(in_id) {
            None => TurnWindow::ALL,
            Some(typed) => typed.parse()?,
        };
        Ok(Self {
            session: reference.id,
            range,
            brief: arguments.brief,
            only: arguments.only,
        })
    }

    /// Reads the turns again from the history.
    ///
    /// # Errors
    /// When the session or its turns are not there, or the index fails.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let mut session = view.find_session(self.session)?;
        view.engine
            .redact_session_row(&view.snapshot.index, &mut session)?;
        let range = self.range.resolve(session.turns);
        let Some(end) = session
            .turns
            .checked_sub(1)
            .filter(|end| range.first() <= *end)
        else {
            let uid = view.short_id(&session);
            let count = session.turns;
            let note = Note::new(format!("session {uid} has no such turn"));
            let hint = format!("it has {count}, counted from 0");
            return Err(note.with_hint(hint).into());
        };
        let range = TurnWindow {
            turns: TurnRange(range.first()..=range.last().min(end)),
            ..range
        };
        let page = self.read_page(view, &session, &range)?;
        if let Some(kind) = self.only.filter(|_| page.data.as_str().is_empty()) {
            return answer_without_items(view, &session, &range, kind);
        }
        let sessions = view.sessions();
        let continuation = find_continuation(&view.snapshot.index, &session, sessions)?;
        let note = |next| format_continuation(&session, next, view.ids);
        Ok(ToolAnswer {
            notes: continuation.map(note).into_iter().collect(),
            data: page.data,
            next: self.format_next_call(view, &session, &range, page.rest),
            ..ToolAnswer::default()
        })
    }

    fn read_page(
        &self,
        view: IndexView<'_>,
        session: &SessionRow,
        range: &TurnWindow,
    ) -> Result<TurnPage, CallError> {
        let index = &view.snapshot.index;
        let mut rows = index.turns(session.id)?;
        rows.retain(|row| range.turns.0.contains(&row.index));
        let mut data = FencedText::default();
        // Items have the address of their turn alone.
        if range.offset == 0 && self.only.is_none() {
            data = FencedText::new(&format_heading(session)).page(0, MAX_DATA_CHARS / 4);
        }
        for row in &rows {
            let rest = range.rest_window_from(row.index);
            let turn = self.read_turn(view, session, row)?;
            let room = MAX_DATA_CHARS.saturating_sub(data.char_count() + 1);
            let part = turn.page(rest.offset, room);
            let end = rest.offset + part.char_count();
            if rest.offset > 0 && rest.offset >= turn.char_count() {
                return Err(make_offset_error(row.index, turn.char_count()));
            }
            let is_whole = end >= turn.char_count();
            // A page ends with a turn where that leaves little of it empty.
            if !is_whole && room < MAX_DATA_CHARS / 2 {
                let rest = Some(rest);
                return Ok(TurnPage { data, rest });
            }
            data.push_line(&part);
            if !is_whole {
                let rest = Some(TurnWindow {
                    offset: end,
                    ..rest
                });
                return Ok(TurnPage { data, rest });
            }
        }
        Ok(TurnPage { data, rest: None })
    }

    /// Reads a turn, or its items of the kind that is asked for: nothing where it has none. Its heading has the id by which
    /// it is shown again.
    fn read_turn(
        &self,
        view: IndexView<'_>,
        session: &SessionRow,
        row: &TurnRow,
    ) -> Result<FencedText, CallError> {
        let limit = if self.brief {
            TextLimit::BRIEF
        } else {
            TextLimit::with_lines(usize::MAX)
        };
        let (engine, index) = (view.engine, &view.snapshot.index);
        let read = engine.show(index, session, std::slice::from_ref(row))?;
        if let Some(kind) = self.only {
            let limit = self.brief.then_some(TextLimit::BRIEF);
            let items = format_items(&read, &view.short_id(session), kind, limit);
            return Ok(FencedText::new(&items));
        }
        let address = TurnAddress::new(view.short_id(session), row.index).to_string();
        let format = |exchange| format_turn(exchange, &address, session.turns, limit);
        Ok(FencedText::new(
            &read.iter().map(format).collect::<String>(),
        ))
    }

    /// Returns the call for the rest, or for the turns that follow; `None` at the end of the session. Turns before are not
    /// named: who came from there would never reach an end.
    fn format_next_call(
        &self,
        view: IndexView<'_>,
        session: &SessionRow,
        range: &TurnWindow,
        rest: Option<TurnWindow>,
    ) -> Option<String> {
        let following =
            (range.last() + 1 < session.turns).then(|| range.following_window(session.turns));
        let range = rest.or(following)?;
        let id = TurnAddress::new(view.short_id(session), range).to_string();
        let brief = self.brief.then_some(true);
        let only = self.only.map(TurnItemKind::name);
        Some(format_call(
            "show",
            &[
                ("id", id.into()),
                ("brief", brief.into()),
                ("only", only.into()),
            ],
        ))
    }
}

/// Says that turns have no item of a kind, and leads to the last turn before them that has one, else to the turns.
fn answer_without_items(
    view: IndexView<'_>,
    session: &SessionRow,
    range: &TurnWindow,
    kind: TurnItemKind,
) -> Result<ToolAnswer, CallError> {
    let index = &view.snapshot.index;
    let rows = index.turns(session.id)?;
    let last = find_turn_with_items(&rows, range.first(), kind, |turn| index.content(turn))?;
    let last = last.map(|turn| view.turn_address(session, turn));
    let note = format_no_items(kind, last.as_ref());
    let turns = TurnAddress::new(view.short_id(session), range.clone()).to_string();
    let next = match last {
        Some(last) => [
            ("id", last.to_string().into()),
            ("only", kind.name().into()),
        ],
        None => [("id", turns.into()), ("brief", true.into())],
    };
    Ok(ToolAnswer {
        notes: note.sentences(),
        next: Some(format_call("show", &next)),
        ..ToolAnswer::default()
    })
}

/// Returns the error of an offset behind the end of a turn.
fn make_offset_error(turn: u32, count: usize) -> CallError {
    Note::new(format!("turn {turn} has {count} characters"))
        .with_hint("leave the offset out, or go on with the next turn")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_named_once() {
        let range = |id: &str, turns: Option<&str>| {
            let arguments = ShowArguments {
                id: id.to_owned(),
                turns: turns.map(str::to_owned),
                brief: false,
                only: None,
            };
            let call =
                ShowCall::new(&arguments).map(|call| (call.range.first(), call.range.last()));
            call.map_err(|error| match error {
                CallError::Invalid(note) => note.to_string(),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(range("a1:5-6", None), Ok((5, 6)));
        assert_eq!(range("a1:", Some("5-6")), Ok((5, 6)));
        assert_eq!(range("a1:5-6", Some(" 5-6")), Ok((5, 6)));
        assert_eq!(range("`a1:5-6`", None), Ok((5, 6)));
        assert_eq!(
            range("a1:14:2", None),
            Err(
                "`a1:14:2` names turns twice\nhint: write the id with :7 or :5-9, counted from 0"
                    .into()
            )
        );
        assert_eq!(
            range("a1:5-6", Some("7")),
            Err("`id` names the turns 5-6 and `turns` 7\nhint: name them in one of the two".into())
        );
    }
}
