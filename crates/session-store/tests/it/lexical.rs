//! Queries are words, never syntax.

use crate::support::{Index, bash, deliver, found, meta, prompts, turn};
use proptest::prelude::*;
use session_core::{Query, ToolCall, Turn, TurnPart};
use session_store::{Reader, TermStats, TurnId, Writer};
use std::sync::LazyLock;

const PROMPTS: [&str; 5] = [
    "The café's naïve résumé parser crashes on Monday.",
    "データベースの移行をお願いします",
    "Deploy the backend network with docker compose.",
    "The network of the frontend is slow since the upgrade.",
    "yes",
];

fn filled() -> (Index, Writer) {
    let index = Index::new();
    let mut writer = index.writer();
    let mut turns: Vec<Turn> = (0u32..)
        .zip(PROMPTS)
        .map(|(n, p)| turn(n, p, &[]))
        .collect();
    turns[4].parts = vec![TurnPart::Call(ToolCall {
        name: "Read".into(),
        files: vec!["/home/ann/文書/app.rs".into()],
        ..ToolCall::default()
    })];
    deliver(&mut writer, &meta("a"), &turns);
    writer.commit().unwrap();
    (index, writer)
}

static FILLED: LazyLock<Index> = LazyLock::new(|| filled().0);

/// The history may have another checkout, or paths from its root.
#[test]
fn a_path_that_no_turn_holds_is_found_by_its_end() {
    let (_index, mut writer) = filled();
    for query in [
        "/home/ann/文書/app.rs",
        "/Users/ann/code/文書/app.rs",
        "/Users/ann/code/docs/app.rs",
    ] {
        let found = prompts(writer.reader().unwrap(), query);
        assert_eq!(found, ["yes"], "{query}");
    }
    let found = prompts(writer.reader().unwrap(), "/Users/ann/code/app.py");
    assert_eq!(found, [""; 0]);
}

#[test]
fn words_are_folded_and_stemmed() {
    let (_index, mut writer) = filled();
    for query in ["cafe", "CAFÉ", "resume", "crashed", "parsers"] {
        assert_eq!(
            prompts(writer.reader().unwrap(), query),
            [PROMPTS[0]],
            "{query}"
        );
    }
}

/// macOS and some editors write marks behind their letters.
#[test]
fn letters_with_marks_are_found_in_either_form() {
    let index = Index::new();
    let mut writer = index.writer();
    let composed = "Größe der й-Liste 데이터베이스";
    let decomposed = "Gro\u{308}ße der и\u{306}-Liste \u{1103}\u{1166}\u{110b}\u{1175}\u{1110}\u{1165}\u{1107}\u{1166}\u{110b}\u{1175}\u{1109}\u{1173}";
    deliver(
        &mut writer,
        &meta("a"),
        &[turn(0, composed, &[]), turn(1, decomposed, &[])],
    );
    let words = composed.split(' ').zip(decomposed.split(' '));
    for (one, other) in words.filter(|(one, other)| one != other) {
        for query in [one, other, &format!("\"{one}\""), &format!("\"{other}\"")] {
            let found = prompts(writer.reader().unwrap(), query);
            assert_eq!(found, [composed, composed], "{query}");
        }
    }
}

#[test]
fn scripts_without_spaces_are_found_by_parts() {
    let (_index, mut writer) = filled();
    assert_eq!(prompts(writer.reader().unwrap(), "移行"), [PROMPTS[1]]);
    assert_eq!(prompts(writer.reader().unwrap(), "行移"), [""; 0]);
    assert_eq!(
        prompts(writer.reader().unwrap(), "文書"),
        ["yes"],
        "also in paths"
    );
}

#[test]
fn a_phrase_stands_together_and_words_are_alternatives() {
    let (_index, mut writer) = filled();
    assert_eq!(
        prompts(writer.reader().unwrap(), "\"backend network\""),
        [PROMPTS[2]]
    );
    assert_eq!(
        prompts(writer.reader().unwrap(), "\"network backend\""),
        [""; 0]
    );
    assert_eq!(
        prompts(writer.reader().unwrap(), "docker network"),
        [PROMPTS[2], PROMPTS[3]]
    );
    assert_eq!(
        prompts(writer.reader().unwrap(), "yes"),
        [""; 0],
        "noise is kept, not searched"
    );
}

#[test]
fn a_bare_command_is_found_where_it_is_answered() {
    let index = Index::new();
    let mut writer = index.writer();
    let turns = [
        turn(0, "/lanterns", &[]),
        turn(1, "/lanterns of the gate", &[]),
    ];
    deliver(&mut writer, &meta("a"), &turns);
    writer.commit().unwrap();
    let reader = writer.reader().unwrap();
    assert_eq!(prompts(reader, "lanterns"), ["/lanterns of the gate"]);
    let answered = [turn(0, "/lanterns", &["All lamps burn."])];
    deliver(&mut writer, &meta("b"), &answered);
    writer.commit().unwrap();
    let reader = writer.reader().unwrap();
    assert!(prompts(reader, "lanterns").contains(&"/lanterns".to_owned()));
}

#[test]
fn hits_come_best_first_up_to_the_limit() {
    let (_index, mut writer) = filled();
    let query = Query::new("docker network");
    let all = writer
        .reader()
        .unwrap()
        .search_lexical(&query, 10, |_| Ok(true))
        .unwrap();
    assert!(all.turns.len() == 2 && all.turns[0].score > all.turns[1].score);
    let one = writer
        .reader()
        .unwrap()
        .search_lexical(&query, 1, |_| Ok(true))
        .unwrap();
    assert_eq!(one.turns, all.turns[..1]);
    let best = all.turns[0].id;
    let other = writer
        .reader()
        .unwrap()
        .search_lexical(&query, 1, |turn| Ok(turn != best))
        .unwrap();
    assert_eq!(other.turns, all.turns[1..]);
}

#[test]
fn terms_are_counted_and_shares_follow_their_idf() {
    let (_index, mut writer) = filled();
    let query = Query::new("docker network quux");
    let found = writer
        .reader()
        .unwrap()
        .search_lexical(&query, 10, |_| Ok(true))
        .unwrap();
    let counts: Vec<(&str, u64)> = found
        .terms
        .iter()
        .map(|t| (t.term.as_str(), t.turns))
        .collect();
    assert_eq!(counts, [("docker", 1), ("network", 2), ("quux", 0)]);
    assert_eq!(found.total_turns, 5);
    // ln(1 + (n - df + 0.5) / (df + 0.5)), with n = 5.
    let idf = |df: f32| (1.0 + (5.5 - df) / (df + 0.5)).ln();
    let all = idf(1.0) + idf(2.0) + idf(0.0);
    let share = |hit: usize| found.idf_share(found.turns[hit].id);
    assert!((share(0) - (idf(1.0) + idf(2.0)) / all).abs() < 1e-6);
    assert!((share(1) - idf(2.0) / all).abs() < 1e-6);
    assert_eq!(found.idf_share(TurnId::new(-1)), 0.0);
}

/// Returns the rows of words of a query that some turn holds, each with the number of turns.
fn rows(index: &Reader, query: &str) -> Vec<(String, u64)> {
    let found = index.search_lexical(&Query::new(query), 10, |_| Ok(true));
    let rows = found
        .unwrap()
        .terms
        .into_iter()
        .filter(|term| term.is_word_run());
    rows.map(|row| (row.term, row.turns)).collect()
}

/// Turns that hold parts of the same sentences.
fn with_rows() -> (Index, Writer) {
    let index = Index::new();
    let mut writer = index.writer();
    let turns = [
        turn(
            0,
            "Hello",
            &["I only have to *approve* it once, and the harbour burns its lamps on every night."],
        ),
        turn(
            1,
            "We approve it.",
            &["The harbour is where the lamps of the gate burn on every night, in the cold."],
        ),
        turn(
            2,
            "Where is it?",
            &["It may be in the old shed of the harbour, or on every other gate."],
        ),
        turn(
            3,
            "We have the lamps.",
            &["What the gate is to a harbour. Night, cold, burn on."],
        ),
    ];
    deliver(&mut writer, &meta("a"), &turns);
    writer.commit().unwrap();
    (index, writer)
}

#[test]
fn words_that_a_turn_holds_in_a_row_are_terms() {
    let (_index, mut writer) = with_rows();
    let index = writer.reader().unwrap();
    for (query, expected) in [
        // One word that is no stop word.
        (
            "only have to approve it once",
            vec![("only have to approve it once", 1)],
        ),
        (
            "so we only have to approve it once",
            vec![("only have to approve it once", 1)],
        ),
        (
            "I only had to approve it once",
            vec![("to approve it once", 1)],
        ),
        ("I only had to approve of it once", vec![]),
        ("to approve it", vec![]),
        // All of a sentence, and what is left of it where a word is wrong.
        (
            "the lamps of the gate burn on every night in the cold",
            vec![("the lamps of the gate burn on every night in the cold", 1)],
        ),
        (
            "harbour where the lamps of the gate shine on every night in the cold",
            vec![
                ("on every night in the cold", 1),
                ("where the lamps of the gate", 1),
            ],
        ),
        // Several turns hold it.
        (
            "did the lamps burn on every night of the cold",
            vec![("burn on every night", 1)],
        ),
        // Words that stand elsewhere, or say too little of the query.
        (
            "did the night burn the cold gate of the harbour lamps",
            vec![],
        ),
        (
            "is it or on every other gate that night cold burn lamps harbour approve shed",
            vec![],
        ),
    ] {
        let expected: Vec<(String, u64)> = expected
            .into_iter()
            .map(|(row, turns)| (row.to_owned(), turns))
            .collect();
        assert_eq!(rows(index, query), expected, "{query}");
    }
}

/// A part of the query counts by its share of the query's idf.
#[test]
fn the_rows_of_a_query_count_at_most_as_the_whole_does() {
    let index = Index::new();
    let mut writer = index.writer();
    let turns = [
        turn(0, "The lamp of the harbour is at the gate.", &[]),
        turn(1, "The gauge of the tide is at the pier.", &[]),
    ];
    deliver(&mut writer, &meta("a"), &turns);
    writer.commit().unwrap();
    let index = writer.reader().unwrap();
    for (query, weights) in [
        ("the lamp of the harbour is at the gate", vec![1.0]),
        (
            "the gauge of the tide is not like the lamp of the harbour",
            vec![0.5, 0.5],
        ),
    ] {
        let found = index
            .search_lexical(&Query::new(query), 10, |_| Ok(true))
            .unwrap();
        let rows = || found.terms.iter().filter(|term| term.is_word_run());
        assert_eq!(
            rows().map(TermStats::weight).collect::<Vec<_>>(),
            weights,
            "{query}"
        );
        let word = found.terms.iter().find(|term| !term.is_word_run()).unwrap();
        assert!(
            rows().all(|row| row.idf == word.idf * row.weight()),
            "{query}"
        );
    }
}

fn holds(index: &Reader, query: &str) -> bool {
    !found(index, query).is_empty()
}

/// Text that FTS5 would take for syntax, among any other.
fn query() -> impl Strategy<Value = String> {
    let syntax = prop::sample::select(vec![
        "\"",
        "*",
        "(",
        ")",
        "^",
        "-",
        "+",
        ":",
        "{",
        "}",
        ",",
        "NEAR",
        "NEAR(a b, 2)",
        "AND",
        "OR",
        "NOT",
        "prompt:",
        "{prompt title}:",
        "docker",
        "\0",
        "'",
        "\\",
        "--",
        ";",
        "文",
        "é",
    ]);
    let piece = prop_oneof![3 => syntax.prop_map(str::to_owned), 1 => ".{0,8}"];
    prop::collection::vec((piece, prop::sample::select(vec!["", " "])), 0..12)
        .prop_map(|pieces| pieces.into_iter().map(|(p, s)| p + s).collect())
}

proptest! {
    #[test]
    fn any_text_is_a_query(text in query()) {
        let reader = FILLED.reader();
        let found = reader.search_lexical(&Query::new(&text), 10, |_| Ok(true));
        prop_assert!(found.is_ok(), "{:?}", found.err());
    }

    #[test]
    fn what_stands_beside_a_word_does_not_hide_it(before in query(), after in query()) {
        let reader = FILLED.reader();
        // Quotes would make a phrase of it.
        let text = format!("{before} upgrade {after}").replace('"', " ");
        prop_assert!(holds(&reader, &text), "{text:?}");
    }
}

/// The turn that is found first among turns of several languages.
fn first(query: &str) -> Option<String> {
    static MIXED: LazyLock<Index> = LazyLock::new(|| {
        let index = Index::new();
        let mut writer = index.writer();
        let turns: Vec<Turn> = (0u32..)
            .zip(LANGUAGES)
            .map(|(n, text)| turn(n, text, &[]))
            .collect();
        deliver(&mut writer, &meta("m"), &turns);
        writer.commit().unwrap();
        index
    });
    prompts(&MIXED.reader(), query).into_iter().next()
}

const LANGUAGES: [&str; 9] = [
    "dockerのネットワークが再起動のたびに切れてしまいます",
    "データベースの移行を夜間に実行してください",
    "支付回调超时以后订单状态没有更新",
    "用户上传的图片压缩得太慢",
    "세션이 만료되면 로그인 화면으로 돌아가지 않습니다",
    "배포 스크립트가 테스트를 건너뜁니다",
    "แก้ปัญหาการเชื่อมต่อฐานข้อมูลหมดเวลา",
    "Очередь сообщений переполняется ночью",
    "The parseRetryHeader of upload.service.ts ignores dates, see HTTPClient",
];

#[test]
fn inflected_words_of_languages_without_spaces_are_found() {
    for (query, at) in [
        ("ネットワークを再起動したら切れた", 0),
        ("dockerの切れるネットワーク", 0),
        ("夜間実行のデータベース移行", 1),
        ("订单没更新 回调超时", 2),
        ("压缩上传图片慢", 3),
        ("만료된 세션", 4),
        ("테스트 건너뛰는 배포", 5),
        ("ฐานข้อมูลเชื่อมต่อไม่ได้", 6),
        ("переполненные очереди сообщениями", 7),
    ] {
        assert_eq!(
            first(query).as_deref(),
            LANGUAGES.get(at).copied(),
            "{query}"
        );
    }
}

#[test]
fn identifiers_are_found_by_their_parts_and_whole_first() {
    for query in [
        "retry header",
        "parse the retry",
        "upload service",
        "http client",
        "parseRetryHeader",
    ] {
        assert_eq!(first(query).as_deref(), Some(LANGUAGES[8]), "{query}");
    }
    let index = Index::new();
    let mut writer = index.writer();
    let turns = [
        turn(0, "the header says retry, so parse it", &[]),
        turn(1, "call parseRetryHeader there", &[]),
        turn(2, "a header", &[]),
    ];
    deliver(&mut writer, &meta("a"), &turns);
    writer.commit().unwrap();
    assert_eq!(
        prompts(writer.reader().unwrap(), "parseRetryHeader"),
        ["call parseRetryHeader there"]
    );
    assert_eq!(
        prompts(writer.reader().unwrap(), "header retry")
            .first()
            .unwrap(),
        "the header says retry, so parse it"
    );
}

#[test]
fn what_signs_a_commit_is_no_text_of_its_turn() {
    let index = Index::new();
    let mut writer = index.writer();
    let commit = "git commit -m \"trim the wick\n\n\
        🤖 Generated with [Claude Code](https://claude.com/claude-code)\n\n\
        Co-Authored-By: Claude Opus <noreply@anthropic.com>\"";
    let mut signed = turn(0, "Commit the lamp.", &[]);
    signed.parts = vec![bash(commit, "")];
    let named = turn(1, "Ask Claude Opus of Anthropic.", &[]);
    deliver(&mut writer, &meta("a"), &[signed, named]);
    writer.commit().unwrap();
    let reader = writer.reader().unwrap();
    for query in ["opus", "claude", "anthropic"] {
        assert_eq!(prompts(reader, query), ["Ask Claude Opus of Anthropic."]);
    }
    assert_eq!(prompts(reader, "co-authored-by"), [""; 0]);
    assert_eq!(prompts(reader, "trim wick"), ["Commit the lamp."]);
}
