//! Notes on words of a query that no searched session holds.

use crate::columns::fit_line;
use session_core::is_agent_trailer_term;
use session_search::{SearchResults, SpellingCorrection, UnfoundTerms};
use session_store::SubstituteKind;

/// Most columns of a word.
const MAX_COLUMNS: usize = 48;
/// Most columns of a word that was corrected: at its end an address differs from the one that was searched.
const MAX_CORRECTED_COLUMNS: usize = 120;
/// Most words of a note.
const MAX_WORDS: usize = 8;

/// Hints on what a reader of the notes can do next, in the words of their interface.
#[derive(Clone, Copy)]
pub struct UnfoundHints<'h> {
    /// How the sessions of subagents are searched.
    pub subagents: &'h str,
    /// Formats the command or call that reads the session with an id.
    pub show: &'h dyn Fn(&str) -> String,
}

/// Formats the words of the query that no searched session holds, a note for each place where they are: what is
/// found is found without them. None where no session was searched.
pub fn format_unfound_terms(results: &SearchResults, hints: UnfoundHints<'_>) -> Vec<String> {
    match results.searched.sessions {
        0 => Vec::new(),
        _ => format_terms(&results.explanation.unfound, hints),
    }
}

fn format_terms(unfound: &UnfoundTerms, hints: UnfoundHints<'_>) -> Vec<String> {
    let is_substituted = |word: &&String| unfound.substituted.iter().any(|s| s.typed == **word);
    let missing = unfound.missing.iter().filter(|word| !is_substituted(word));
    // Commands hold these, and `commands` finds them.
    let (signing, missing): (Vec<_>, Vec<_>) =
        missing.partition(|word| is_agent_trailer_term(word));
    let signing = format_note(
        "lines by which agents sign commits are not searched, and no other line holds",
        signing.into_iter(),
    );
    let missing = format_note(
        "no prompt, answer, command, path or error line holds",
        missing.into_iter(),
    );
    let kinds = [
        SubstituteKind::LongerNames,
        SubstituteKind::NameWords,
        SubstituteKind::CompoundWords,
        SubstituteKind::OtherForms,
    ];
    let substituted = kinds
        .into_iter()
        .filter_map(|by| format_substituted(unfound, by));
    let ids = unfound.session_ids.iter().take(MAX_WORDS);
    let ids = ids.map(|id| {
        let show = (hints.show)(id);
        format!("a session has the id `{id}`; {show} reads it")
    });
    let subagents = format_note("only subagents hold", unfound.only_subagents.iter());
    let subagents = subagents.map(|note| format!("{note}; {}", hints.subagents));
    let filtered = format_note(
        "the filters leave out every turn that holds",
        unfound.filtered.iter(),
    );
    let corrected = format_corrections(&unfound.corrected);
    let notes = corrected
        .into_iter()
        .chain(missing)
        .chain(signing)
        .chain(substituted)
        .chain(ids);
    notes.chain(subagents).chain(filtered).collect()
}

/// Formats the terms that nothing holds, in whose place one kind of substitute was searched; `None` if there are none.
fn format_substituted(unfound: &UnfoundTerms, by: SubstituteKind) -> Option<String> {
    let searched = match by {
        SubstituteKind::LongerNames => "other spellings and longer names were",
        SubstituteKind::NameWords => "the words in the name were",
        SubstituteKind::CompoundWords => "the words in the compound were",
        SubstituteKind::OtherForms => "other forms were",
    };
    let is_of_kind = |word: &&String| {
        let mut substituted = unfound.substituted.iter();
        substituted.any(|s| s.typed == **word && s.by == by)
    };
    let words = unfound.missing.iter().filter(is_of_kind);
    format_note(&format!("{searched} searched, since nothing holds"), words)
}

/// Formats which words nothing holds, and what was searched in their place; `None` if none was corrected.
fn format_corrections(corrected: &[SpellingCorrection]) -> Option<String> {
    let format = |note, words| format_fitted(note, words, MAX_CORRECTED_COLUMNS);
    let typed: Vec<&String> = corrected.iter().map(|c| &c.typed).collect();
    let searched: Vec<&String> = corrected.iter().map(|c| &c.searched).collect();
    let typed = format("nothing holds", typed)?;
    let searched = format("searched", searched)?;
    Some(format!("{typed}; {searched}"))
}

/// Formats a note on the first words, which may be phrases; `None` if there are none.
fn format_note<'w>(note: &str, words: impl Iterator<Item = &'w String>) -> Option<String> {
    format_fitted(note, words, MAX_COLUMNS)
}

/// Formats a note on the first words, each in at most so many columns.
fn format_fitted<'w>(
    note: &str,
    words: impl IntoIterator<Item = &'w String>,
    columns: usize,
) -> Option<String> {
    let quoted = words.into_iter().take(MAX_WORDS);
    let quoted = quoted.map(|word| format!("`{}`", fit_line(word, columns)));
    let quoted: Vec<String> = quoted.collect();
    (!quoted.is_empty()).then(|| format!("{note} {}", quoted.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_search::SubstitutedTerm;

    fn substituted(typed: &str, by: SubstituteKind) -> SubstitutedTerm {
        let typed = typed.to_owned();
        SubstitutedTerm { typed, by }
    }

    #[test]
    fn a_note_names_who_holds_the_words() {
        let words = |words: &[&str]| words.iter().copied().map(str::to_owned).collect();
        let unfound = UnfoundTerms {
            missing: words(&[
                "EMFILE",
                "a\x1b[31mb",
                "2095544c",
                "LampCard",
                "LampOilService",
                "lampe",
                "Lampenschirm",
                "noreply@anthropic.com",
            ]),
            session_ids: words(&["2095544c"]),
            substituted: vec![
                substituted("LampCard", SubstituteKind::LongerNames),
                substituted("LampOilService", SubstituteKind::NameWords),
                substituted("lampe", SubstituteKind::OtherForms),
                substituted("Lampenschirm", SubstituteKind::CompoundWords),
            ],
            only_subagents: words(&["E0597"]),
            filtered: words(&["--no-verify"]),
            corrected: vec![SpellingCorrection {
                typed: "lnatern".to_owned(),
                searched: "lantern".to_owned(),
            }],
        };
        let hints = UnfoundHints {
            subagents: "search them with --subagents",
            show: &|id| format!("show({id})"),
        };
        assert_eq!(
            format_terms(&unfound, hints),
            [
                "nothing holds `lnatern`; searched `lantern`",
                "no prompt, answer, command, path or error line holds `EMFILE`, `ab`, `2095544c`",
                "lines by which agents sign commits are not searched, and no other line holds `noreply@anthropic.com`",
                "other spellings and longer names were searched, since nothing holds `LampCard`",
                "the words in the name were searched, since nothing holds `LampOilService`",
                "the words in the compound were searched, since nothing holds `Lampenschirm`",
                "other forms were searched, since nothing holds `lampe`",
                "a session has the id `2095544c`; show(2095544c) reads it",
                "only subagents hold `E0597`; search them with --subagents",
                "the filters leave out every turn that holds `--no-verify`",
            ]
        );
        let page = "https://git.example/ann/harbour-lamps/pull/91";
        let address = UnfoundTerms {
            corrected: vec![SpellingCorrection {
                typed: format!("{page}/files"),
                searched: page.to_owned(),
            }],
            ..UnfoundTerms::default()
        };
        let note = format!("nothing holds `{page}/files`; searched `{page}`");
        assert_eq!(format_terms(&address, hints), [note]);
        assert!(format_terms(&UnfoundTerms::default(), hints).is_empty());
    }
}
