//! Past turns of the history for injection.

use crate::output::session::rfc3339;
use anyhow::Result;
use session_config::Home;
use session_core::Band;
use session_memory::{BlockItem, FrontmatterTime, PastTurn};
use session_query::QueryModels;
use session_search::{Hit, Level, Request, search};

/// The most past turns of a prompt.
const TURNS: usize = 3;

/// Finds the turns in the strong band for a prompt, except those of its own session. The index is
/// searched as it is: a prompt does not wait for a refresh.
///
/// # Errors
/// When there is no index, or it fails.
pub fn find_turns(prompt: &str, home: &Home, own: Option<&str>) -> Result<Vec<BlockItem>> {
    let index = home.index()?;
    let sessions = index.sessions()?;
    let models = QueryModels::new(home.catalogue()?, &home.config.model, &home.root)?;
    let embeddings = models.without_endpoint().embed(&index, prompt)?;
    let mut request = Request {
        level: Level::Turn,
        limit: TURNS,
        ..Request::new(prompt)
    };
    let is_own =
        |uid: &str, parent: Option<&str>| own == Some(uid) || (parent.is_some() && own == parent);
    let own = sessions
        .iter()
        .filter(|s| is_own(&s.uid, s.parent.as_deref()));
    request.filter.exclude = own.map(|s| s.id).collect();
    let found = search(&index, &sessions, &request, &embeddings)?;
    let certain = found.hits.iter().filter(|hit| hit.band == Band::Strong);
    Ok(certain.filter_map(item).collect())
}

fn item(hit: &Hit) -> Option<BlockItem> {
    let turn = hit.turn.as_ref()?;
    let at = rfc3339(turn.started_ms.or(hit.session.ended_ms));
    Some(BlockItem::from_past_turn(PastTurn {
        text: hit.preview.clone(),
        id: format!("{}:{}", hit.session.uid, turn.index),
        started: FrontmatterTime::parse(&at?)?,
        score: hit.score,
    }))
}
