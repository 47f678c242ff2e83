//! Token ids are those of the reference implementation.

use crate::{vocabulary, wordpiece};
use proptest::prelude::*;
use session_core::text::WordCache;
use std::sync::LazyLock;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{AddedToken, Tokenizer};

/// The reference over the bundled vocabulary, as the `tokenizer.json` of the
/// model sets it up.
static REFERENCE: LazyLock<Tokenizer> = LazyLock::new(|| {
    let vocabulary = vocabulary();
    let tokens = (0..vocabulary.len() as u32).map(|id| vocabulary.token(id).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vocab.txt");
    fs_err::write(&file, tokens.collect::<Vec<_>>().join("\n")).unwrap();
    let model = WordPiece::from_file(&file.to_string_lossy())
        .build()
        .unwrap();
    let mut tokenizer = Tokenizer::new(model);
    tokenizer
        .with_normalizer(Some(BertNormalizer::default()))
        .unwrap();
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
    tokenizer
        .add_special_tokens(special.map(|token| AddedToken::from(token, true)))
        .unwrap();
    tokenizer
});

static OURS: LazyLock<session_embed::WordPiece> = LazyLock::new(wordpiece);

/// The ids of a text, which all ways to encode it agree on.
fn ids(text: &str) -> Vec<u32> {
    let (mut ids, mut again) = (vec![7; 3], vec![7; 3]);
    OURS.encode(text, usize::MAX, &mut ids);
    let mut cache = WordCache::default();
    for _ in 0..2 {
        OURS.encode_cached(text, usize::MAX, &mut cache, &mut again);
        assert_eq!(again, ids, "{text:?}");
    }
    ids
}

fn reference(text: &str) -> Vec<u32> {
    REFERENCE
        .encode_fast(text, false)
        .unwrap()
        .get_ids()
        .to_vec()
}

fn check(text: &str) {
    assert_eq!(ids(text), reference(text), "{text:?}");
}

#[test]
fn known_ids() {
    assert_eq!(ids("Hello, world!"), [7592, 1010, 2088, 999]);
    assert_eq!(
        ids("[CLS]unaffable\u{0} [UNK]"),
        [101, 14477, 20961, 3468, 100]
    );
    assert!(ids("").is_empty());
}

#[test]
fn prose_and_code_have_the_ids_of_the_reference() {
    check("Why doesn't the server start? It's on port 8080, isn't it -- or 80?");
    check("ConnectionRefusedError: [Errno 111] connect ECONNREFUSED 127.0.0.1:5432");
    check(
        "fn main() -> Result<(), Box<dyn Error>> { let x_y = &mut v[..n]; x += 0x1F; }\r\n\tOk(())",
    );
    check("SELECT * FROM `users` WHERE e-mail LIKE '%@example.com' AND id<>3;");
    check("~/src/foo_bar/BazQux.test.tsx:42:7 – see https://example.com/a?b=c&d#e");
    check("");
    check(" \t\n\r ");
}

#[test]
fn all_scripts_have_the_ids_of_the_reference() {
    check("你好，世界。我喜欢Rust编程語言！𠀀𪜀");
    check("東京タワーへ行きましょう。カタカナ ﾊﾝｶｸ がぎぐ");
    check("안녕하세요 세계, 한국어 토큰화");
    check("مرحبا بالعالم، كيف حالك؟ السَّلَامُ عَلَيْكُمْ");
    check("Привет, мир! Ёлка й Й");
    check("नमस्ते दुनिया। ক্ষ த‌மிழ் ไทย ភាសា");
    check("שָׁלוֹם עוֹלָם");
    check("豈 更 車 丽 〇 々 ㈱ ㎏ ﬁ ﬀ");
}

#[test]
fn composed_and_decomposed_accents_have_the_ids_of_the_reference() {
    check("café naïve Zürich Ångström São Łódź ñandú");
    check("cafe\u{301} nai\u{308}ve Zu\u{308}rich A\u{30a}ngstro\u{308}m");
    check("İstanbul ıssız IŞIK ǅ ẞ ß K Å Ω ŉ");
    check("≠ ≮ ` ; · ᾿ ΐ Ὀδυσσεύς ΣΑΣ");
    check("a\u{302}\u{323}\u{301} \u{301}alone q\u{307}\u{323}");
}

#[test]
fn emoji_and_controls_have_the_ids_of_the_reference() {
    check("done 👍🏽 👩‍💻 👨‍👩‍👧‍👦 🇩🇪 ✅ ⚠️ ❤️ 1️⃣");
    check("nul\u{0}inside \u{7f}del \u{85}nel \u{1b}[31mred\u{1b}[0m \u{b}vt\u{c}ff");
    check(
        "line\u{2028}sep para\u{2029}sep nb\u{a0}sp \u{3000} \u{200b}zw\u{200d}j \u{feff}bom soft\u{ad}hyphen",
    );
    check("\u{fffd}bad \u{e000}private \u{f0000}plane \u{10ffff} \u{202e}rtl");
    check("‘quotes’ “double” «angle» … — – ‐ ¿que? ¡no! § ¶ † ‰ € £ ¥ © ® ™ ° ± × ÷");
}

#[test]
fn special_tokens_in_a_text_have_the_ids_of_the_reference() {
    check("[CLS] a [SEP] b [MASK] [PAD] [UNK]");
    check("x[SEP]y [SEP][SEP] [sep] [SEP [[SEP]] [S\u{0}EP] é[MASK]é [unused5] [CLS");
}

#[test]
fn long_words_have_the_ids_of_the_reference() {
    for len in [1, 63, 64, 65, 99, 100, 101, 399, 400, 401, 1000] {
        check(&"a".repeat(len));
        check(&"é".repeat(len));
        check(&format!("{}界b", "ab".repeat(len)));
        check(&format!("x{} y", "ж".repeat(len)));
        check(&format!("{}\u{301}{}", "a".repeat(len), "b".repeat(len)));
    }
}

/// Each character of the planes in use, and the edges of all blocks beyond,
/// inside a word and alone.
#[test]
fn every_character_has_the_ids_of_the_reference() {
    let in_use = |c: u32| c < 0x2_0000 || (0xe_0000..0xe_0200).contains(&c);
    let is_edge = |c: u32| matches!(c % 256, 0 | 253..=255);
    let chars: Vec<char> = ('\0'..=char::MAX)
        .filter(|&c| in_use(c.into()) || is_edge(c.into()))
        .collect();
    for some in chars.chunks(512) {
        let text: String = some.iter().map(|c| format!("ab{c}cd {c} ")).collect();
        if ids(&text) != reference(&text) {
            some.iter().for_each(|c| check(&format!("ab{c}cd {c} ")));
        }
    }
}

#[test]
fn limit_cuts_at_a_token() {
    let text = "unaffable words, and more unaffable words";
    let all = ids(text);
    for limit in 0..all.len() + 2 {
        let mut some = Vec::new();
        OURS.encode(text, limit, &mut some);
        assert_eq!(some, all[..limit.min(all.len())]);
        OURS.encode_cached(text, limit, &mut WordCache::default(), &mut some);
        assert_eq!(some, all[..limit.min(all.len())]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_has_the_ids_of_the_reference(text in any::<String>()) {
        prop_assert_eq!(ids(&text), reference(&text));
    }

    #[test]
    fn words_of_many_kinds_have_the_ids_of_the_reference(text in "([a-zA-Z0-9_]{1,12}|[ .,\\[\\]()'#-]|[à-ÿ]{1,4}|[\u{300}-\u{310}]|[一-龥]|[가-힣]|\\PC|\\[SEP\\]){0,40}") {
        prop_assert_eq!(ids(&text), reference(&text));
    }
}
