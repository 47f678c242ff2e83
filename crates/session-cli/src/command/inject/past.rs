//! Past turns of the history, for who wants them before a prompt, too.

use crate::output::session::rfc3339;
use anyhow::Result;
use session_config::Home;
use session_core::Band;
use session_memory::{Importance, Item, Moment};
use session_search::{Hit, Level, Request, search};

/// Most past turns that are looked at.
const TURNS: usize = 3;

/// The turns that answer a prompt with certainty, those of its own session left
/// out. The index is taken as it is: a prompt does not wait for it.
///
/// # Errors
/// When there is no index, or it fails.
pub fn turns(prompt: &str, home: &Home, own: Option<&str>) -> Result<Vec<Item>> {
    let index = home.index()?;
    let sessions = index.sessions()?;
    let models = crate::command::fresh::query_models(home)?.without_endpoint();
    let embeddings = models.embed(&index, prompt)?;
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

fn item(hit: &Hit) -> Option<Item> {
    let turn = hit.turn.as_ref()?;
    let at = rfc3339(turn.started_ms.or(hit.session.ended_ms));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 100"
    )]
    let relevance = (hit.score.clamp(0.0, 1.0) * 100.0).round() as u32;
    Some(Item {
        label: "past turn".to_owned(),
        text: hit.preview.clone(),
        id: format!("{}:{}", hit.session.uid, turn.index),
        origin: "from your history",
        updated: Moment::parse(&at?)?,
        importance: Importance::Low,
        relevance,
    })
}
