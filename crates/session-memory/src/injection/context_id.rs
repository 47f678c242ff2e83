//! The names of the contexts that memories are injected into.

use crate::content::memory::Memory;

/// The sign between the ids in a key.
const SEPARATOR: char = '/';

/// The context of an agent that memories are injected into: that of a session, or of a subagent of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextId {
    session: String,
    subagent: Option<String>,
}

impl ContextId {
    /// Names the context of a session by its full id, or that of a subagent of it; `None` if the session has no id.
    pub fn new(session: &str, subagent: Option<&str>) -> Option<Self> {
        (!session.is_empty()).then(|| Self {
            session: session.to_owned(),
            subagent: subagent.map(str::to_owned),
        })
    }

    /// Returns the full id of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns the key of its state and in the log: `session`, or `session/subagent`.
    pub fn key(&self) -> String {
        match &self.subagent {
            Some(subagent) => format!("{}{SEPARATOR}{subagent}", self.session),
            None => self.session.clone(),
        }
    }

    /// Returns the context of the session itself, for a subagent.
    pub fn parent(&self) -> Option<Self> {
        self.subagent.as_ref()?;
        Self::new(&self.session, None)
    }

    /// Returns true if a memory was saved from a context that has a name. What its session said a subagent does not know.
    pub(crate) fn is_source(context: Option<&Self>, memory: &Memory) -> bool {
        context.is_some_and(|it| it.subagent.is_none() && memory.was_saved_in(&it.session))
    }

    /// Returns the ids of the session and the subagent in a key.
    pub(crate) fn ids_in_key(key: &str) -> impl Iterator<Item = &str> {
        key.split(SEPARATOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subagent_has_a_key_of_its_own_and_a_parent() {
        assert_eq!(ContextId::new("", Some("a2")), None);
        let session = ContextId::new("s1", None).unwrap();
        assert_eq!((session.key().as_str(), session.parent()), ("s1", None));
        let subagent = ContextId::new("s1", Some("a2")).unwrap();
        assert_eq!(subagent.key(), "s1/a2");
        assert_eq!(subagent.session(), "s1");
        assert_eq!(subagent.parent(), Some(session));
        assert!(ContextId::ids_in_key("s1/a2").eq(["s1", "a2"]));
    }
}
