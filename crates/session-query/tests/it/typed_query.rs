//! Filters typed in a query.

use jiff::Zoned;
use proptest::prelude::*;
use session_query::{FilterField, InvalidFilter, TypedCondition, TypedQuery};
use session_search::{FilterClause, FilterCondition, ProjectPattern};

fn now() -> Zoned {
    "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
}

/// Writes a query as its text and its filters.
fn written(query: &TypedQuery) -> String {
    let filter = |condition: &TypedCondition| {
        let minus = if condition.negated { "-" } else { "" };
        format!(" {minus}{}={}", condition.field.name(), condition.value)
    };
    let filters: String = query.conditions.iter().map(filter).collect();
    format!("{}|{filters}", query.text)
}

fn check(typed: &str, expected: &str) {
    assert_eq!(written(&TypedQuery::parse(typed)), expected, "{typed:?}");
}

#[test]
fn a_field_whose_value_is_still_to_be_typed_is_no_text() {
    for (typed, text) in [
        ("docker project:", "docker"),
        ("docker -Branch:", "docker"),
        ("docker file:\"", "docker"),
        ("since:", ""),
        ("docker project: dns", "docker project: dns"),
        ("docker https:", "docker https:"),
    ] {
        assert_eq!(TypedQuery::parse_unfinished(typed).text, text, "{typed}");
    }
    let with_filter = TypedQuery::parse_unfinished("oil agent:claude branch:");
    assert_eq!(with_filter, TypedQuery::parse("oil agent:claude"));
}

#[test]
fn a_filter_is_a_field_with_its_value() {
    check(
        r#"docker dns agent:claude -project:homelab since:2w file:"src/my file.rs""#,
        "docker dns| agent=claude -project=homelab since=2w file=src/my file.rs",
    );
    check("branch:fix/a:b until:today", "| branch=fix/a:b until=today");
    check("docker agent:claude  dns", "docker dns| agent=claude");
    check("a\tproject:.\nb", "a\tb| project=.");
    check("file:日本.rs 語", "語| file=日本.rs");
    check("project：app 語", "語| project=app");
    check(
        "Project:app -Agent:claude Since:2w oil",
        "oil| project=app -agent=claude since=2w",
    );
    check(
        "FILE:lamp.c AGENT:claude pRoject:oil",
        "FILE:lamp.c AGENT:claude pRoject:oil|",
    );
    check(r#"-file:"a b""#, "| -file=a b");
}

#[test]
fn a_field_has_the_names_that_options_and_other_programs_have() {
    check(
        "oil after:2026-05-01 before:today -source:claude when:\"last june\"",
        "oil| since=2026-05-01 before=today -agent=claude when=last june",
    );
    check("aftermath before noon", "aftermath before noon|");
    let words = TypedQuery::join_words(&["oil", "when:last week"]);
    assert_eq!(words, "oil when:\"last week\"");
}

#[test]
fn an_agent_is_named_as_its_makers_do() {
    for name in ["claude-code", "\"Claude Code\"", "claude_code", "CLAUDE"] {
        let expected = vec![FilterClause::new(FilterCondition::Agent("claude".into()))];
        assert_eq!(clauses(&format!("agent:{name}")), Ok(expected), "{name}");
    }
    check("agent:code agent:claude!", "agent:code agent:claude!|");
}

#[test]
fn a_range_is_one_filter() {
    let days = "2026-03-28..2026-03-29";
    let since: Zoned = "2026-03-28T00:00+01:00[Europe/Berlin]".parse().unwrap();
    let until: Zoned = "2026-03-30T00:00+02:00[Europe/Berlin]".parse().unwrap();
    let within = FilterCondition::Time {
        since_ms: Some(since.timestamp().as_millisecond()),
        until_ms: Some(until.timestamp().as_millisecond()),
    };
    let clause = |negated| FilterClause {
        conditions: vec![within.clone()],
        negated,
    };
    assert_eq!(clauses(&format!("when:{days}")), Ok(vec![clause(false)]));
    assert_eq!(clauses(&format!("-when:{days}")), Ok(vec![clause(true)]));
    check("when:ever", "when:ever|");
}

#[test]
fn all_else_is_text() {
    for text in [
        "",
        "  spaces  stay ",
        "file: x",
        "file:",
        "-file:",
        "http://example.org foo:bar a::b",
        "xfile:a --project:x AGENT:claude",
        r#"file:"" agent"#,
        r#""agent:claude""#,
        r#"say "so file:x" and"#,
        r#"half"quoted file:x"word"#,
        r#"-"project:x""#,
        "level=error agent:default",
        "since:undefined, until:7",
        r#"agent:"not there" -agent:nobody"#,
    ] {
        check(text, &format!("{text}|"));
    }
}

#[test]
fn quotes_that_are_not_closed_are_characters() {
    check(r#"an "open file:x"#, r#"an "open| file=x"#);
    check(r#"docker file:"src/my fi"#, "docker| file=src/my fi");
    check(r#"file:" x"#, "| file= x");
    check(r#"file:""#, r#"file:"|"#);
}

#[test]
fn what_follows_a_closed_value_is_text() {
    check(r#"file:"a b"c d"#, "c d| file=a b");
    check(r#"file:a"b c""#, r#"c"| file=a"b"#);
}

#[test]
fn words_of_a_command_line_are_whole_filters() {
    let check = |words: &[&str], expected: &str| {
        let typed = TypedQuery::join_words(words);
        assert_eq!(written(&TypedQuery::parse(&typed)), expected);
    };
    check(
        &["docker", "file:src/my file.rs"],
        "docker| file=src/my file.rs",
    );
    check(&["-project:my app", "dns"], "dns| -project=my app");
    check(&["a", r#"file:"b c""#, "d"], "a d| file=b c");
    check(&["file:a docker"], "docker| file=a");
    check(&["see", "note: a b"], "see note: a b|");
    check(&["source:Claude Code", "dns"], "dns| agent=Claude Code");
}

#[test]
fn a_word_of_a_command_line_stays_as_typed_but_for_the_quotes_of_a_filter() {
    let check = |word: &str, expected: &str| {
        let joined = TypedQuery::join_words(&[word, "docker"]);
        assert_eq!(joined, format!("{expected} docker"));
    };
    check("before:each hook runs", "before:each hook runs");
    check("source:map files", "source:map files");
    check("source: the file is missing", "source: the file is missing");
    check("file: the file is missing", "file: the file is missing");
    check("-before:last week", "-before:\"last week\"");
    check("project：my app", "project：\"my app\"");
}

fn clauses(typed: &str) -> Result<Vec<FilterClause>, String> {
    let clauses = TypedQuery::parse(typed).clauses(now);
    clauses.map_err(|error| format!("{error}; {}", error.hint().unwrap_or_default()))
}

#[test]
fn values_of_a_field_are_alternatives() {
    let part = |name: &str| FilterCondition::Project(ProjectPattern::Part(name.into()));
    let typed = "project:a agent:Claude project:b -project:c -project:d file:x";
    let clause = |conditions: Vec<FilterCondition>, negated| FilterClause {
        conditions,
        negated,
    };
    let expected = vec![
        clause(vec![FilterCondition::Agent("claude".into())], false),
        clause(vec![part("a"), part("b")], false),
        clause(vec![part("c"), part("d")], true),
        clause(vec![FilterCondition::File("x".into())], false),
    ];
    assert_eq!(clauses(typed), Ok(expected));
    assert_eq!(clauses("docker dns"), Ok(vec![]));
}

#[test]
fn times_are_those_of_the_options() {
    let ms = |time: &str| {
        let time = format!("{time}+02:00[Europe/Berlin]");
        time.parse::<Zoned>().unwrap().timestamp().as_millisecond()
    };
    let check = |typed: &str, expected: FilterCondition| {
        assert_eq!(clauses(typed).unwrap()[0].conditions, [expected], "{typed}");
    };
    let since = |time| FilterCondition::since(ms(time));
    check("since:2026-03-29T12:00", since("2026-03-29T12:00"));
    check("since:3h", since("2026-03-30T09:00"));
    // It had 23 hours.
    let yesterday = ms("2026-03-30T00:00") - 23 * 3_600_000;
    check("since:yesterday", FilterCondition::since(yesterday));
    check(r#"since:"this week""#, since("2026-03-30T00:00"));
    // In winter.
    let new_year: Zoned = "2026-01-01T00:00+01:00[Europe/Berlin]".parse().unwrap();
    let new_year = new_year.timestamp().as_millisecond();
    check("since:2026", FilterCondition::since(new_year));
    // As `--days 1`.
    check("since:1", since("2026-03-30T00:00"));
    check(
        "until:today",
        FilterCondition::until(ms("2026-03-31T00:00")),
    );
    // `before` is no `until`: its day is not included.
    check(
        "before:today",
        FilterCondition::until(ms("2026-03-30T00:00")),
    );
}

#[test]
fn a_mistake_is_told_with_a_hint() {
    let check = |typed: &str, error: &str, hint: &str| {
        let found = clauses(typed).unwrap_err();
        assert!(found.starts_with(&format!("{error}; ")), "{found}");
        assert!(found.contains(hint), "{found}");
    };
    check(
        "since:today until:yesterday",
        "`since:today until:yesterday` ends before it begins",
        "earlier time first",
    );
    check(
        "after:\"last week\" before:2025",
        "`after:\"last week\" before:2025` ends before it begins",
        "earlier time first",
    );
    check(
        "since:today before:today until:today",
        "`since:today before:today until:today` ends before it begins",
        "earlier time first",
    );
    assert!(clauses("-since:today until:yesterday").is_ok());
    assert!(clauses("since:today since:2w until:yesterday").is_ok());
}

#[test]
fn a_value_that_a_field_cannot_have_is_text_with_a_note() {
    let check = |typed: &str, word: &str, hint: &str| {
        let query = TypedQuery::parse(typed);
        assert_eq!(query.text, typed);
        let notes: Vec<String> = query.invalid.iter().map(InvalidFilter::note).collect();
        let [note] = notes.as_slice() else {
            panic!("{notes:?}");
        };
        assert!(
            note.starts_with(&format!("`{word}` is searched as text; ")),
            "{note}"
        );
        assert!(note.contains(hint), "{note}");
    };
    check("agent:nobody", "agent:nobody", "the agents are claude, ");
    check("a since:soon b", "since:soon", "a time is 2026-01-15, 3d");
    check("since:20260", "since:20260", "a time is");
    check("until:7", "until:7", "a time is");
    check("since:0", "since:0", "a time is");
    for range in ["since:monday..today", "until:..2026-02"] {
        check(range, range, "for a range write `since:FROM until:TO`");
    }
    let reversed = "when:yesterday..2025";
    check(reversed, reversed, "it ends before it begins");
    let long = format!("agent:{}", "é".repeat(99));
    check(&long, &format!("agent:{}…", "é".repeat(37)), "claude");
    assert_eq!(
        written(&TypedQuery::parse("oil agent:nobody file:a")),
        "oil agent:nobody| file=a"
    );
    assert_eq!(
        TypedQuery::parse("agent:claude since:2w agents").invalid,
        []
    );
}

#[test]
fn a_filter_that_is_still_being_typed_is_no_text() {
    let check = |typed: &str, expected: &str| {
        assert_eq!(
            written(&TypedQuery::parse_unfinished(typed)),
            expected,
            "{typed:?}"
        );
    };
    check("oil agent:cl", "oil| agent=cl");
    check("oil since:\"last mo", "oil| since=last mo");
    check("oil agent:cl ", "oil agent:cl |");
    check("oil since:\"last mo\"", "oil since:\"last mo\"|");
    check("agent:cl oil", "agent:cl oil|");
    for typed in [
        "since:2026-0",
        "when:monday..tod",
        "after:\"two w",
        "since:y",
        "when:..2",
    ] {
        assert_eq!(TypedQuery::parse_unfinished(typed).text, "", "{typed}");
    }
    for typed in [
        "before:each",
        "map source:map",
        "agent:default",
        "since:undefined",
    ] {
        assert_eq!(TypedQuery::parse_unfinished(typed).text, typed);
    }
}

const FILTERS: [&str; 4] = ["agent:claude", "-project:a", "file:\"x y\"", "branch:b"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_once_for_all(
        parts in prop::collection::vec("([a-z :\"\u{e9}\u{3000}-]|agent:|-file:\"|since:){0,6}", 0..8)
    ) {
        let typed = parts.concat();
        let query = TypedQuery::parse(&typed);
        if query.conditions.is_empty() {
            prop_assert_eq!(&query.text, &typed);
        }
        // Each character of the text was typed, in this order.
        let mut rest = typed.chars();
        prop_assert!(query.text.chars().all(|c| rest.any(|typed| typed == c)));
        let again = TypedQuery::parse(&query.text);
        prop_assert_eq!(again.text, query.text);
        prop_assert_eq!(again.conditions, vec![]);
    }

    #[test]
    fn words_keep_their_order_among_filters(
        words in prop::collection::vec(("[a-z:/.]{1,8}|\"[a-z :]{1,8}\"", prop::option::of(0..FILTERS.len())), 0..8)
    ) {
        let is_plain = |word: &str| TypedQuery::parse(word).conditions.is_empty();
        let words: Vec<_> = words.iter().filter(|(word, _)| is_plain(word)).collect();
        let typed = words.iter().flat_map(|(word, n)| [Some(word.as_str()), n.map(|n| FILTERS[n])]);
        let typed: Vec<&str> = typed.flatten().collect();
        let query = TypedQuery::parse(&typed.join(" "));
        let plain: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        prop_assert_eq!(query.text, plain.join(" "));
        prop_assert_eq!(query.conditions.len(), words.iter().filter(|(_, n)| n.is_some()).count());
    }
}

#[test]
fn a_query_is_typed_again_with_the_filters_that_are_kept() {
    let query = TypedQuery::parse("dns project:\"my app\" -agent:codex since:2w lamps after:3d");
    let typed = query.format_with_fields(|_| true);
    assert_eq!(
        typed,
        "dns lamps project:\"my app\" -agent:codex since:2w since:3d"
    );
    let kept = query.format_with_fields(|field| field != FilterField::Since);
    assert_eq!(kept, "dns lamps project:\"my app\" -agent:codex");
    assert_eq!(
        TypedQuery::parse("since:2w").format_with_fields(|_| false),
        ""
    );
}
