//! The choice among the titles that were given to sessions and those that their prompts give.

use super::BEFORE_GIVEN;
use crate::error::Result;
use crate::reader::Reader;
use crate::row::SessionRow;
use session_core::text::sanitize_text;
use std::collections::{BTreeSet, HashMap};

/// Fewest sessions of one title, with different first prompts, that it does not tell apart.
const MIN_SHARED: usize = 3;

/// A session with the title that was given to it, and the one that its first prompt gives.
pub(crate) struct TitleCandidates {
    pub(crate) session: SessionRow,
    pub(crate) by_prompt: Option<String>,
}

impl Reader {
    /// Returns all sessions, by number.
    ///
    /// # Errors
    /// When the database fails.
    pub fn sessions(&self) -> Result<Vec<SessionRow>> {
        Ok(choose_titles(self.read_session_blocks()?))
    }
}

/// Chooses for each session the title that tells it best from the others.
fn choose_titles(mut all: Vec<TitleCandidates>) -> Vec<SessionRow> {
    for named in &mut all {
        let is_blank = |title: &mut String| sanitize_text(title).trim().is_empty();
        let _ = named.session.title.take_if(is_blank);
    }
    for named in &mut all {
        let by_prompt = named.by_prompt.as_deref();
        if let Some(title) = by_prompt.and_then(|title| title.strip_prefix(BEFORE_GIVEN)) {
            named.session.title = None;
            named.by_prompt = Some(title.to_owned());
        }
    }
    let common = common_titles(&all);
    let is_common: Vec<bool> = all
        .iter()
        .map(|named| {
            let given = named.session.title.as_deref();
            given.is_none_or(|title| common.contains(title))
        })
        .collect();
    for (named, is_common) in all.iter_mut().zip(is_common) {
        if is_common && named.by_prompt.is_some() {
            named.session.title = named.by_prompt.take();
        }
    }
    all.into_iter().map(|named| named.session).collect()
}

/// Returns the given titles that [`MIN_SHARED`] sessions have whose first prompts are not all the same.
fn common_titles(all: &[TitleCandidates]) -> BTreeSet<String> {
    let mut having: HashMap<&str, Vec<Option<&str>>> = HashMap::new();
    for named in all {
        if let Some(title) = &named.session.title {
            let prompts = having.entry(title).or_default();
            prompts.push(named.by_prompt.as_deref());
        }
    }
    let is_common = |prompts: &[Option<&str>]| {
        let different: BTreeSet<&str> = prompts.iter().copied().flatten().collect();
        prompts.len() >= MIN_SHARED && different.len() > 1
    };
    let common = having.iter().filter(|(_, prompts)| is_common(prompts));
    common.map(|(title, _)| (*title).to_owned()).collect()
}
