//! The comparison of many memories' triggers with one event.

use crate::error::Result;
use crate::triggers::trigger_glob::{TriggerGlob, longest_literal};
use crate::triggers::{TriggerEvent, Triggers};
use session_core::text::compose;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

/// Compares triggers with an event, and compiles each glob at most once: that takes most of the time.
pub(crate) struct EventMatcher<'a> {
    pub(crate) event: &'a TriggerEvent,
    paths: GlobMatches<'a>,
    commands: GlobMatches<'a>,
}

impl<'a> EventMatcher<'a> {
    pub(crate) fn new(event: &'a TriggerEvent) -> Self {
        Self {
            event,
            paths: GlobMatches::new(&event.paths, TriggerGlob::for_paths),
            commands: GlobMatches::new(&event.commands, TriggerGlob::for_commands),
        }
    }

    /// Returns true if the event is one of the triggers.
    pub(crate) fn matches(&self, triggers: &Triggers) -> bool {
        self.matching_globs(triggers).next().is_some() || self.matches_error(triggers)
    }

    /// Lists the triggers that match the event.
    pub(crate) fn list_matching(&self, triggers: &Triggers) -> Vec<String> {
        let errors = self.event.errors.iter();
        let errors = errors.flat_map(|text| triggers.errors_in(text));
        let globs = self.matching_globs(triggers).chain(errors);
        globs.map(str::to_owned).collect()
    }

    /// Returns the globs that match a path or a command of the event. Invalid globs match nothing.
    pub(crate) fn matching_globs<'t>(
        &self,
        triggers: &'t Triggers,
    ) -> impl Iterator<Item = &'t str> {
        self.matching_paths(triggers)
            .chain(self.matching_commands(triggers))
    }

    /// Returns the globs that match a path of the event.
    pub(crate) fn matching_paths<'t>(
        &self,
        triggers: &'t Triggers,
    ) -> impl Iterator<Item = &'t str> {
        let paths = triggers.paths.iter().filter(|glob| self.paths.has(glob));
        paths.map(String::as_str)
    }

    /// Returns the globs that match a command of the event.
    pub(crate) fn matching_commands<'t>(
        &self,
        triggers: &'t Triggers,
    ) -> impl Iterator<Item = &'t str> {
        let commands = triggers.commands.iter();
        let commands = commands.filter(|glob| self.commands.has(glob));
        commands.map(String::as_str)
    }

    /// Returns true if an error of the event is one of the triggers.
    pub(crate) fn matches_error(&self, triggers: &Triggers) -> bool {
        let mut errors = self.event.errors.iter();
        errors.any(|text| triggers.matches_error(text))
    }
}

/// The globs that were compared with some texts, and whether they match one.
struct GlobMatches<'a> {
    /// Composed, as globs are.
    texts: Vec<Cow<'a, str>>,
    compile: fn(&str) -> Result<TriggerGlob>,
    compared: RefCell<HashMap<String, bool>>,
}

impl<'a> GlobMatches<'a> {
    fn new(texts: &'a [String], compile: fn(&str) -> Result<TriggerGlob>) -> Self {
        Self {
            texts: texts.iter().map(|text| compose(text)).collect(),
            compile,
            compared: RefCell::default(),
        }
    }

    /// Returns true if a glob matches one of the texts.
    fn has(&self, glob: &str) -> bool {
        let literal = compose(longest_literal(glob));
        if !self.texts.iter().any(|text| text.contains(&*literal)) {
            return false;
        }
        if let Some(is_match) = self.compared.borrow().get(glob) {
            return *is_match;
        }
        let compiled = (self.compile)(glob);
        let is_match = compiled.is_ok_and(|glob| self.texts.iter().any(|text| glob.is_match(text)));
        self.compared.borrow_mut().insert(glob.to_owned(), is_match);
        is_match
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_with_marks_match_in_either_form() {
        let forms = ["Prüfung", "Pru\u{308}fung"];
        for (path, glob) in [(forms[0], forms[1]), (forms[1], forms[0])] {
            let event = TriggerEvent {
                paths: vec![format!("{path}/a.go")],
                ..TriggerEvent::default()
            };
            let triggers = Triggers {
                paths: vec![format!("{glob}/")],
                ..Triggers::default()
            };
            assert!(EventMatcher::new(&event).matches(&triggers), "{glob}");
        }
    }

    #[test]
    fn each_glob_is_compiled_once() {
        let event = TriggerEvent {
            paths: vec!["src/lib.rs".into()],
            commands: vec!["make src".into()],
            ..TriggerEvent::default()
        };
        let matcher = EventMatcher::new(&event);
        let triggers = Triggers {
            paths: vec!["src/*.rs".into(), "docs/".into(), "?.rs".into()],
            commands: vec!["src".into(), "make *".into()],
            ..Triggers::default()
        };
        for _ in 0..2 {
            let matching: Vec<&str> = matcher.matching_globs(&triggers).collect();
            assert_eq!(matching, ["src/*.rs", "make *"]);
        }
        let compared = |matches: &GlobMatches<'_>| matches.compared.borrow().len();
        assert_eq!(compared(&matcher.paths), 2, "no path holds `docs`");
        assert_eq!(compared(&matcher.commands), 2);
    }
}
