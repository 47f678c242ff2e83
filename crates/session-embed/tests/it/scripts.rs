//! The scripts that the models in the binary read.

use crate::{vocabulary, wordpiece};
use session_embed::{ModelSpec, Scripts, TokenVocabulary, WordPiece, read_specs_where};

/// Sentences as people write them, by the full name of their script.
const SAMPLES: [(&str, &str); 11] = [
    (
        "Latin",
        "the watcher runs out of file handles; der Dienst startet nach dem Neustart nicht",
    ),
    (
        "Cyrillic",
        "служба не запускается после перезагрузки сервера",
    ),
    ("Greek", "η υπηρεσία δεν ξεκινά μετά την επανεκκίνηση"),
    ("Arabic", "الخدمة لا تعمل بعد إعادة تشغيل الخادم"),
    ("Hebrew", "השירות לא עולה אחרי הפעלה מחדש של השרת"),
    ("Devanagari", "सर्वर पुनः आरंभ करने के बाद सेवा शुरू नहीं होती"),
    ("Hangul", "서버를 다시 시작한 뒤에 서비스가 실행되지 않는다"),
    ("Han", "重启服务器之后服务无法启动"),
    ("Hiragana", "さいきどうしてもうごかない"),
    ("Katakana", "ダークモード サーバー エラー"),
    ("Thai", "บริการไม่เริ่มทำงานหลังจากรีสตาร์ทเซิร์ฟเวอร์"),
];

/// The share of a text's characters that become `[UNK]` or lone pieces, which mean nothing.
fn lost(text: &str, wordpiece: &WordPiece, vocabulary: &TokenVocabulary) -> f32 {
    let (mut lost, mut all) = (0, 0);
    for word in text.split_whitespace() {
        let mut ids = Vec::new();
        wordpiece.encode(word, usize::MAX, &mut ids);
        for token in ids.iter().filter_map(|id| vocabulary.token(*id)) {
            let (is_unknown, piece) = (token == "[UNK]", token.trim_start_matches("##"));
            let chars = if is_unknown { word } else { piece }.chars().count();
            lost += if is_unknown || chars == 1 { chars } else { 0 };
            all += chars;
        }
    }
    lost as f32 / all as f32
}

fn of(name: &str) -> ModelSpec {
    let mut specs = read_specs_where(|known| known == name).unwrap();
    specs.remove(0)
}

/// Both models of the binary have one vocabulary.
#[test]
fn a_model_reads_the_scripts_that_its_vocabulary_has_words_of() {
    let (wordpiece, vocabulary) = (wordpiece(), vocabulary());
    for (script, text) in SAMPLES {
        let lost = lost(text, &wordpiece, &vocabulary);
        for model in ["table", "all-minilm-l6-v2"] {
            let read = of(model).scripts.readable_letter_share(text);
            assert_eq!(read > 0.5, lost < 0.5, "{model}, {script}: {lost} lost");
        }
    }
}

#[test]
fn what_a_model_does_not_read_is_left_out() {
    let latin = of("table").scripts;
    let cases = [
        ("", ""),
        ("2024-01-01", "2024-01-01"),
        ("naïve 🙂 “café”", "naïve 🙂 “café”"),
        ("dockerの設定", "docker   "),
        ("ダークモード 2024", ""),
        ("ー", ""),
    ];
    for (text, read) in cases {
        assert_eq!(latin.blank_unreadable(text), read, "{text}");
        assert_eq!(Scripts::default().blank_unreadable(text), text);
    }
    let shares = [
        ("", 1.0),
        ("2024", 1.0),
        ("toggle", 1.0),
        ("設定ab", 0.5),
        ("モード", 0.0),
    ];
    for (text, share) in shares {
        assert_eq!(latin.readable_letter_share(text), share, "{text}");
    }
    assert_eq!(of("qwen3-embedding-0.6b").scripts, Scripts::default());
}

#[test]
fn a_script_that_is_none_is_named() {
    let text = fs_err::read_to_string("../../models/table.toml").unwrap();
    let error = ModelSpec::from_toml(&text.replace("\"Latin\"", "\"Latinum\"")).unwrap_err();
    assert!(
        error.to_string().contains("`Latinum` is no Unicode script"),
        "{error}"
    );
}
