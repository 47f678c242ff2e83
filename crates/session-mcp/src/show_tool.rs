//! `show`: turns in full, in pages.

use crate::answer::{Answer, Fenced, MAX_DATA_CHARS, format_call};
use crate::arguments::ShowArguments;
use crate::call_error::CallError;
use crate::index_view::IndexView;
use crate::turn_window::TurnWindow;
use anyhow::anyhow;
use session_export::{ExportedSession, TextLimit, write_markdown};
use session_search::Exchange;
use session_store::SessionRow;

/// A call of `show`, read.
pub(crate) struct ShowCall<'a> {
    id: &'a str,
    range: TurnWindow,
    brief: bool,
}

/// As many turns as an answer has room for.
struct Page {
    data: Fenced,
    /// The character at which the rest begins.
    rest: Option<TurnWindow>,
}

impl<'a> ShowCall<'a> {
    /// Reads the turns of a call: `turns`, or else what follows the id's `:`.
    ///
    /// # Errors
    /// When they are no range, or both name turns and not the same.
    pub(crate) fn new(arguments: &'a ShowArguments) -> Result<Self, CallError> {
        let (id, in_id) = match arguments.id.split_once(':') {
            Some((id, turns)) => (id, Some(turns)),
            None => (arguments.id.as_str(), None),
        };
        let given = |turns: &&str| !turns.trim().is_empty();
        let (in_id, turns) = (
            in_id.filter(given),
            arguments.turns.as_deref().filter(given),
        );
        if let (Some(in_id), Some(turns)) = (in_id, turns)
            && in_id.trim() != turns.trim()
        {
            return Err(CallError::Invalid(format!(
                "`id` names the turns {in_id} and `turns` {turns}\nhint: name them in one of the two"
            )));
        }
        let range = match turns.or(in_id) {
            None => TurnWindow::ALL,
            Some(typed) => TurnWindow::parse(typed).ok_or_else(|| {
                CallError::Invalid(format!(
                    "`{typed}` is not a turn or a range of turns\nhint: write 7 or 5-9, counted from 0"
                ))
            })?,
        };
        let brief = arguments.brief;
        Ok(Self { id, range, brief })
    }

    /// Reads the turns again from the history.
    ///
    /// # Errors
    /// When the session or its turns are not there, or the index fails.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<Answer, CallError> {
        let session = view.find_session(self.id)?;
        let Some(end) = session
            .turns
            .checked_sub(1)
            .filter(|end| self.range.first <= *end)
        else {
            let uid = view.short_id(&session);
            let count = session.turns;
            return Err(anyhow!(
                "session {uid} has no such turn\nhint: it has {count}, counted from 0"
            )
            .into());
        };
        let range = TurnWindow {
            last: self.range.last.min(end),
            ..self.range
        };
        let page = self.page(view, &session, range)?;
        Ok(Answer {
            notes: Vec::new(),
            data: page.data,
            next: self.next_call(view, &session, range, page.rest),
        })
    }

    fn page(
        &self,
        view: IndexView<'_>,
        session: &SessionRow,
        range: TurnWindow,
    ) -> Result<Page, CallError> {
        let heading = self.markdown(session, &[])?;
        let mut data = Fenced::default();
        if range.offset == 0 {
            data = Fenced::new(&heading).page(0, MAX_DATA_CHARS / 4);
        }
        for first in range.first..=range.last {
            let rest = range.rest_from(first);
            let turn = self.turn(view, session, first, &heading)?;
            let room = MAX_DATA_CHARS.saturating_sub(data.char_count() + 1);
            let part = turn.page(rest.offset, room);
            let end = rest.offset + part.char_count();
            if rest.offset > 0 && rest.offset >= turn.char_count() {
                return Err(missing_character(first, turn.char_count()));
            }
            let is_whole = end >= turn.char_count();
            // A page ends with a turn where that leaves little of it empty.
            if !is_whole && room < MAX_DATA_CHARS / 2 {
                let rest = Some(rest);
                return Ok(Page { data, rest });
            }
            data.push_line(&part);
            if !is_whole {
                let rest = Some(TurnWindow {
                    offset: end,
                    ..rest
                });
                return Ok(Page { data, rest });
            }
        }
        Ok(Page { data, rest: None })
    }

    /// Reads a turn. Its heading has the id by which it is shown again.
    fn turn(
        &self,
        view: IndexView<'_>,
        session: &SessionRow,
        index: u32,
        heading: &str,
    ) -> Result<Fenced, CallError> {
        let turns = view
            .engine
            .show(&view.snapshot.index, session, index..=index)?;
        let text = self.markdown(session, &turns)?;
        let text = text.strip_prefix(heading).unwrap_or(&text);
        let number = format!("## {}/{}, ", index + 1, session.turns);
        let id = format!("## {}:{index}, ", view.short_id(session));
        Ok(Fenced::new(&text.replacen(&number, &id, 1)))
    }

    fn markdown(&self, session: &SessionRow, turns: &[Exchange]) -> Result<String, CallError> {
        let limit = match self.brief {
            true => TextLimit::BRIEF,
            false => TextLimit::with_lines(usize::MAX),
        };
        let mut out = Vec::new();
        let session = ExportedSession::new(session, turns);
        write_markdown(&session, limit, &mut out).map_err(anyhow::Error::from)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// Returns the call for the rest, or for the turns that follow; at the end of the session a search. Turns before are
    /// not named: who came from there would never reach an end.
    fn next_call(
        &self,
        view: IndexView<'_>,
        session: &SessionRow,
        range: TurnWindow,
        rest: Option<TurnWindow>,
    ) -> String {
        let following = (range.last + 1 < session.turns).then(|| range.following(session.turns));
        let Some(range) = rest.or(following) else {
            return format_call("search", &[("query", "project:.".into())]);
        };
        let id = format!("{}:{range}", view.short_id(session));
        let brief = self.brief.then_some(true);
        format_call("show", &[("id", id.into()), ("brief", brief.into())])
    }
}

/// Returns the error of an offset behind the end of a turn.
fn missing_character(turn: u32, count: usize) -> CallError {
    anyhow!("turn {turn} has {count} characters\nhint: leave the offset out, or go on with the next turn")
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
            };
            let call = ShowCall::new(&arguments).map(|call| (call.range.first, call.range.last));
            call.map_err(|error| match error {
                CallError::Invalid(text) => text,
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(range("a1:5-6", None), Ok((5, 6)));
        assert_eq!(range("a1:", Some("5-6")), Ok((5, 6)));
        assert_eq!(range("a1:5-6", Some(" 5-6")), Ok((5, 6)));
        assert_eq!(
            range("a1:5-6", Some("7")),
            Err("`id` names the turns 5-6 and `turns` 7\nhint: name them in one of the two".into())
        );
    }
}
