//! Keys of vendors are known by their format, and what only begins as they do is left.

use crate::support::{assert_unchanged, redact};

const LETTERS: &str = "q7Zr4TnW2vLx9KbM5cYd8HgJ3fRpS6tVwXzAeB1uNiPoQkDmFhGjLsCyEa0UvRbTnMkZxW";
const LOWER: &str = "q7zr4tnw2vlx9kbm5cyd8hgj3frps6tvwxzaeb1unipoqkdmfhgjlscyea0uvrbtnmkzxw";
const UPPER: &str = "Q7ZR4TNW2VLX9KBM5CYD8HGJ3FRPS6TVWXZAEB1UNIPOQKDMFHGJLSCYEA0UVRBTNMKZXW";
const HEX: &str = "7c3e9a1f5b8d2046e7a9c1f3b5d80264f1e3a5c79b8d6042c4e6a8f01b3d5972f8a6c4e2";

/// A key's kind, its beginning in two parts, so that no scanner takes this file for a leak, and the rest.
type VendorKey = (&'static str, [&'static str; 2], String);

fn uuid() -> String {
    format!(
        "{}-{}-{}-{}-{}",
        &HEX[..8],
        &HEX[8..12],
        &HEX[12..16],
        &HEX[16..20],
        &HEX[20..32]
    )
}

fn vendor_keys() -> Vec<VendorKey> {
    vec![
        ("figma-token", ["fig", "d_"], LETTERS[..40].into()),
        (
            "pinecone-api-key",
            ["pcs", "k_"],
            format!("{}_{}", &LETTERS[..6], &LETTERS[6..69]),
        ),
        (
            "langsmith-api-key",
            ["lsv2", "_pt_"],
            format!("{}_{}", &HEX[..32], &HEX[32..42]),
        ),
        (
            "langsmith-api-key",
            ["lsv2", "_sk_"],
            format!("{}_{}", &HEX[..32], &HEX[32..42]),
        ),
        ("tavily-api-key", ["tv", "ly-"], LETTERS[..32].into()),
        ("tavily-api-key", ["tv", "ly-dev-"], LETTERS[..32].into()),
        (
            "resend-api-key",
            ["r", "e_"],
            format!("{}_{}", &LETTERS[..8], &LETTERS[8..32]),
        ),
        ("sonar-api-token", ["sq", "u_"], HEX[..40].into()),
        ("sonar-api-token", ["sq", "p_"], HEX[..40].into()),
        ("new-relic-user-api-key", ["NR", "AK-"], UPPER[..27].into()),
        ("netlify-access-token", ["nf", "p_"], LETTERS[..40].into()),
        ("posthog-api-key", ["ph", "x_"], LETTERS[..43].into()),
        ("posthog-api-key", ["ph", "c_"], LETTERS[..43].into()),
        ("doppler-api-token", ["dp.", "pt."], LETTERS[..43].into()),
        (
            "doppler-api-token",
            ["dp.", "st.prd_eu."],
            LETTERS[..43].into(),
        ),
        ("heroku-api-key", ["HR", "KU-"], uuid()),
        ("e2b-api-key", ["e2", "b_"], HEX[..40].into()),
        ("neon-api-key", ["na", "pi_"], LOWER[..64].into()),
        ("elevenlabs-api-key", ["s", "k_"], HEX[..48].into()),
    ]
}

fn newer_vendor_keys() -> Vec<VendorKey> {
    vec![
        (
            "circleci-token",
            ["CCI", "PAT_"],
            format!("{}_{}", &LETTERS[..22], &HEX[..40]),
        ),
        ("buildkite-token", ["bk", "ua_"], HEX[..40].into()),
        ("vercel-token", ["vc", "p_"], LETTERS[..56].into()),
        ("cloudflare-token", ["cf", "ut_"], LETTERS[..48].into()),
        ("render-api-key", ["rn", "d_"], LETTERS[..32].into()),
        ("firecrawl-api-key", ["f", "c-"], HEX[..32].into()),
        ("fireworks-api-key", ["f", "w_"], LETTERS[..24].into()),
        ("context7-api-key", ["ctx7", "sk-"], uuid()),
        ("apify-token", ["apify", "_api_"], LETTERS[..36].into()),
        ("ory-token", ["ory", "_at_"], LETTERS[..43].into()),
        ("kaggle-token", ["KG", "AT_"], HEX[..32].into()),
        (
            "firebase-server-key",
            ["AAAAxbKT8nX", ":APA91b"],
            format!("{LETTERS}{}", &LETTERS[..60]),
        ),
        (
            "mailchimp-api-key",
            [&HEX[..16], &HEX[16..32]],
            "-us10".into(),
        ),
        ("linear-token", ["lin_", "oauth_"], HEX[..64].into()),
        ("google-api-key", ["AQ.", "Ab"], LETTERS[..50].into()),
        (
            "aws-amazon-bedrock-api-key-short-lived",
            ["bedrock-api-", "key-YmVkcm9jay5hbWF6b25hd3MuY29t"],
            format!("Lz9BY3Rpb249{}%3D", &LETTERS[..60]),
        ),
        (
            "jwe",
            ["eyJhbGciOiJ", "SU0EtT0FFUCJ9"],
            format!(
                ".{}.{}.{}.{}",
                &LETTERS[..60],
                &LETTERS[..16],
                &LETTERS[..40],
                &LETTERS[..22]
            ),
        ),
    ]
}

#[test]
fn keys_are_known_by_their_format() {
    for (kind, beginning, rest) in vendor_keys().into_iter().chain(newer_vendor_keys()) {
        let key = format!("{}{rest}", beginning.concat());
        let text = format!("I see `{key}` in the settings.");
        let expected = format!("I see `[redacted:{kind}]` in the settings.");
        assert_eq!(redact(&text), expected);
    }
}

#[test]
fn a_key_is_redacted_and_its_name_is_left() {
    let token = format!("{}{}", ["sq", "p_"].concat(), &HEX[..40]);
    for name in ["sonar.login", "sonar.token", "SONAR_TOKEN"] {
        let text = format!("{name}={token}");
        assert_eq!(redact(&text), format!("{name}=[redacted:sonar-api-token]"));
    }
}

#[test]
fn what_only_begins_as_a_key_is_left() {
    assert_unchanged(&[
        "sk-learn-intro-to-machine-learning-with-python",
        "figd_plugin_settings_of_the_current_document_and_page",
        "pcsk_enum_value and pcsk_index",
        "lsv2_pt_<your-key>",
        "tvly-search-results-of-the-last-seven-days",
        "tvly-YOUR_API_KEY",
        "re_compiled_regularexpressionpattern",
        "squ_root and sqp_solver_options",
        "NRAK-<27 characters>",
        "nfp_enabled, phx_router_helpers_module_of_the_web_app",
        "dp.pt.xxxx and self.dp.st.values",
        "e2b_sandbox_template_of_the_team",
        "napi_create_threadsafe_function(env)",
        "sk_buff_head_init, sk_live",
        "fw_updateFirmwareVersionOfAll and rnd_nextIntegerBetweenTwoBounds",
        "fc-list, fc-cache and vcp_settings_of_the_monitor",
        "eyJhbGciOiJSU0EtT0FFUCJ9.a.b",
    ]);
}

#[test]
fn a_vault_token_may_begin_with_letters() {
    let letters = "qZrTnWvLxKbMcYdHgJfRpStVw";
    let token = format!("{}.{letters}{}", "hvs", &LETTERS[..70]);
    let text = format!("VAULT: {token}");
    assert_eq!(redact(&text), "VAULT: [redacted:vault-service-token]");
    let method = format!("s.{}", &letters[..24]);
    assert_eq!(redact(&method), method);
}

#[test]
fn tokens_of_facebook_begin_with_any_letter_behind_three() {
    for letter in ["B", "G", "Z"] {
        let token = format!("{}{letter}{}{}", "EAA", LETTERS, &LETTERS[..50]);
        let text = format!("https://graph.example/me?access_token={token}&x=1");
        let redacted = redact(&text);
        assert!(!redacted.contains(&LETTERS[..20]), "{redacted}");
        let text = format!("post as {token} then");
        assert_eq!(
            redact(&text),
            "post as [redacted:facebook-access-token] then"
        );
        let base64 = format!("AAAA+{token}/AAA=");
        assert_eq!(redact(&base64), base64);
    }
}

/// The end of an escape sequence looks like a part of the word behind it.
#[test]
fn a_key_right_behind_an_escape_sequence_is_known() {
    let token = format!("{}{}", ["sq", "p_"].concat(), &HEX[..40]);
    let before = [
        r"a\n",
        r"a\t",
        r"a\\n",
        r"\u001b[32m",
        r"\x1b[1m",
        r"\e[33m",
        "^[[32m",
        "%0A",
        "%3D",
        "%22",
        r"\u003d",
        "key_",
        r"\x0a",
        "[38;5;12m",
    ];
    for before in before {
        let text = format!("see {before}{token} there");
        let expected = format!("see {before}[redacted:sonar-api-token] there");
        assert_eq!(redact(&text), expected);
    }
    for before in ["an", "m", "3D", "003d", "2m"] {
        let text = format!("see {before}{token} there");
        assert_eq!(redact(&text), text);
    }
}
