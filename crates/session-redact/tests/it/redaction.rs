//! Secrets are redacted, everything else is left.

use crate::support::{assert_redacts, assert_unchanged, redact, redactor};
use proptest::prelude::*;
use session_core::text::sanitize_text;
use session_core::{ToolCall, Turn, TurnPart};
use session_redact::{RedactionSettings, Redactor};

/// Joins parts, so that no scanner takes this file for a leak.
fn join(parts: &[&str]) -> String {
    parts.concat()
}

#[test]
fn secrets_are_replaced_by_their_kind() {
    let aws = join(&["AKIA", "Q3EGKZXV", "7WMLP5RT"]);
    let pat = join(&["ghp", "_", "a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8"]);
    let cases = [
        (
            format!("key {aws} here"),
            "key [redacted:aws-access-token] here".to_owned(),
        ),
        (
            format!("use {pat}."),
            "use [redacted:github-token].".to_owned(),
        ),
        (
            "DB_PASSWORD=correct-horse-9".into(),
            "DB_PASSWORD=[redacted:password]".into(),
        ),
        (
            r#"{"api_key": "q8Zr4TnW2vLx9K"}"#.into(),
            r#"{"api_key": "[redacted:secret]"}"#.into(),
        ),
        (
            r#"{\"password\":\"s3cr3t!pw\"}"#.into(),
            r#"{\"password\":\"[redacted:password]\"}"#.into(),
        ),
        (
            "postgres://ann:pa55@db:5432/app".into(),
            "postgres://ann:[redacted:url-password]@db:5432/app".into(),
        ),
        (
            "curl -u ann:hunter2 https://api".into(),
            "curl -u ann:[redacted:curl-user] https://api".into(),
        ),
        (
            "mysql -u root -phunter2 app".into(),
            "mysql -u root -p[redacted:password-argument] app".into(),
        ),
        (
            "app --token 9f8a7b6c5d4e3f2a1b0c".into(),
            "app --token [redacted:secret]".into(),
        ),
        (
            "Das Passwort lautet Gx7!kelle-9.".into(),
            "Das Passwort lautet [redacted:password].".into(),
        ),
        (
            "the password is `Tr0ub4dor&3`".into(),
            "the password is `[redacted:password]`".into(),
        ),
        (
            "let api_key: &str = \"q8Zr4TnW2vLx9K\";".into(),
            "let api_key: &str = \"[redacted:secret]\";".into(),
        ),
        (
            "<password>Tr0ub4dor&amp;3</password>".into(),
            "<password>[redacted:password]</password>".into(),
        ),
        (
            "PASSWORD=a1b2c3d4\\nUSER=x".into(),
            "PASSWORD=[redacted:password]\\nUSER=x".into(),
        ),
        (
            "Cookie: theme=dark; sid=s%3A9f8a7b6c5d4e".into(),
            "Cookie: theme=dark; sid=[redacted:cookie]".into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(&text), expected);
    }
}

#[test]
fn a_secret_of_letters_alone_is_found_among_words() {
    let netrc = "machine example.com login bob password swordfish";
    let redacted = "machine example.com login bob password [redacted:netrc-password]";
    assert_eq!(redact(netrc), redacted);
    let redis = redact("requirepass swordfish");
    assert_eq!(redis, "requirepass [redacted:redis-password]");
}

/// As coloured output and text that was copied from a page have them.
#[test]
fn secrets_are_found_beneath_what_nobody_sees() {
    let aws = join(&["AKIA", "Q3EGKZXV", "7WMLP5RT"]);
    let (head, tail) = aws.split_at(7);
    for hidden in [
        format!("\u{1b}[1;33m{aws}\u{1b}[0m"),
        format!("{head}\u{1b}[0m{tail}"),
        format!("{head}\u{200b}{tail}"),
        format!("{head}\u{8}{tail}"),
    ] {
        let text = format!("key {hidden} here");
        let redacted = redact(&text);
        let shown = "key [redacted:aws-access-token] here";
        assert_eq!(sanitize_text(&redacted), shown);
    }
    let text = "\u{1b}[32mDB_PASSWORD=correct-horse-9\u{1b}[0m";
    assert_eq!(redact(text), "DB_PASSWORD=[redacted:password]");
    let harmless = "\u{1b}[32mgreen\u{1b}[0m";
    assert_eq!(redact(harmless), harmless);
}

#[test]
fn private_keys_go_whole_also_without_their_end() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";
    let begin = join(&["-----BEGIN RSA PRIV", "ATE KEY-----"]);
    let end = join(&["-----END RSA PRIV", "ATE KEY-----"]);
    for text in [
        format!("{begin}\n{body}\n{body}\nkQ==\n{end}\nand so on"),
        format!("{begin}\\n{body}\\n{body}\\nkQ==\\n{end}"),
        format!("{begin}\n{body}\n{body}"),
    ] {
        let redacted = redact(&text);
        assert!(
            !redacted.contains("MIIEvQ") && redacted.contains("[redacted:private-key]"),
            "{redacted}"
        );
    }
    let header = format!("look for `{begin}` in the repository");
    assert_eq!(redact(&header), header);
}

/// As the tools of agents, `cat -n`, `grep -n` and `bat` show a file.
#[test]
fn a_private_key_goes_whole_whatever_stands_before_its_lines() {
    let lines = ["MIIEpAIBAAKCAQEA7x0qk1pZ2mVb9dYtW8sJc3nLf5gHr6uXeT4oKiPaQwRzDyBv"; 3];
    let [begin, end] =
        ["BEGIN", "END"].map(|edge| join(&["-----", edge, " RSA PRIV", "ATE KEY-----"]));
    for (before, after) in [
        ("-", ""),
        ("# ", ""),
        (" * ", ""),
        ("app_1  | ", ""),
        ("b\"", "\\n\""),
        ("a1b2c3d4 (Ann 2026-01-10 10:00:00 +0000 12) ", ""),
        ("│ ", " │"),
    ] {
        let all = [&[begin.as_str()], &lines[..], &["QwRzDyBv8s=", &end]].concat();
        let text: String = all
            .iter()
            .map(|line| format!("{before}{line}{after}\n"))
            .collect();
        let redacted = redact(&text);
        assert!(
            !redacted.contains("kCAQEA") && !redacted.contains("MIIE"),
            "{redacted}"
        );
        assert!(redacted.contains("[redacted:private-key]"), "{redacted}");
    }
}

#[test]
fn names_of_branches_models_and_tools_hold_no_key() {
    let key = join(&["gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"]);
    let call = ToolCall {
        name: key.clone(),
        id: key.clone(),
        ..ToolCall::default()
    };
    let mut turn = Turn {
        branch: Some(format!("fix/{key}")),
        parts: vec![TurnPart::Call(call)],
        ..Turn::default()
    };
    turn.turn_stats.add_model(&key);
    redactor().redact_turn(&mut turn);
    assert!(!format!("{turn:?}").contains("aB3dE5"), "{turn:?}");
}

#[test]
fn secrets_of_tool_inputs_are_known_by_their_neighbours() {
    let mut input = serde_json::json!({
        "args": ["--user", "ann", "--password", "kT9mQ2xLw7"],
        "env": [{"name": "DB_PASSWORD", "value": "kT9mQ2xLw8"}, {"name": "DB_USER", "value": "kT9"}],
        "password": {"plain": "kT9mQ2xLw9"},
    });
    redactor().redact_json(&mut input);
    let text = input.to_string();
    assert!(!text.contains("kT9mQ2xLw"), "{text}");
    assert!(text.contains("ann") && text.contains("\"kT9\""), "{text}");
}

#[test]
fn a_secret_in_the_name_of_a_field_goes() {
    let mut input = serde_json::json!({
        "DB_PASSWORD=Blue7!fish": {"sk-proj-a1b2C3d4E5f6G7h8I9j0K1l2M3n4o5P6": 1},
        "file_path": "/w/a.rs",
        "description of the file": "none",
    });
    redactor().redact_json(&mut input);
    let expected = serde_json::json!({
        "DB_PASSWORD=[redacted:password]": {"[redacted:openai-api-key]": 1},
        "file_path": "/w/a.rs",
        "description of the file": "none",
    });
    assert_eq!(input, expected);
}

#[test]
fn a_private_key_with_line_numbers_goes_whole() {
    let row = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let lines = [
        join(&["-----BEGIN RSA PRIV", "ATE KEY-----"]),
        "Proc-Type: 4,ENCRYPTED".to_owned(),
        String::new(),
        row.to_owned(),
        row.to_owned(),
        "c2hvcnQgbGluZQ+ofTheKey".to_owned(),
        "=kQ9a".to_owned(),
        join(&["-----END RSA PRIV", "ATE KEY-----"]),
        "a line behind it".to_owned(),
    ];
    type Number = fn(usize, &str) -> String;
    let numbers: [Number; 9] = [
        |n, line| format!("{n:6}→{line}"),
        |n, line| format!("{n}\t{line}"),
        |n, line| format!("{n:6}\t{line}"),
        |n, line| format!("{n}:{line}"),
        |n, line| format!("id_rsa:{n}:{line}"),
        |n, line| format!("/home/ann/.ssh/id_rsa-{n}-{line}"),
        |n, line| format!("{n:4}   │ {line}"),
        |n, line| format!("{n}\t{line}\r"),
        |n, line| format!("{n:3} {line}"),
    ];
    for number in numbers {
        let shown: Vec<String> = (1..).zip(&lines).map(|(n, line)| number(n, line)).collect();
        let escaped = shown.join("\n").replace('\r', "\\r").replace('\n', "\\n");
        for text in [shown.join("\n"), escaped, shown[..6].join("\n")] {
            let redacted = redact(&text);
            let is_gone = !redacted.contains("MIIEvQ") && !redacted.contains("ofTheKey");
            assert!(is_gone && !redacted.contains("kQ9a"), "{redacted}");
            assert!(redacted.contains("[redacted:private-key]"), "{redacted}");
            assert_eq!(redacted.contains("behind it"), text.contains("behind it"));
        }
    }
}

#[test]
fn lines_that_were_found_beside_the_beginning_of_a_private_key_stay() {
    let begin = join(&["-----BEGIN RSA PRIV", "ATE KEY-----"]);
    for text in [
        format!(
            "crates/session-redact/src/a.rs:12:{begin}\ncrates/session-redact/src/b.rs:128:let x = 1;"
        ),
        format!(
            "crates/session-redact/src/a.rs:12:{begin}\ncrates/session-redact/src/b.rs:128:someFunctionOfTheKey();"
        ),
        format!(
            "     1→{begin}\n     2→\n     3→It is the header of a key, and no key follows here."
        ),
        format!("1. {begin}\n2. Then the body follows\n3. Then the end of the key in question"),
    ] {
        assert_eq!(redact(&text), text);
    }
}

#[test]
fn a_variable_of_code_and_a_count_of_tokens_are_no_secrets() {
    assert_unchanged(&[
        "sign({ privateKey: ed25519Seed, message })",
        "  secretKey: kp25519Private,\n",
        r#"Original token count: 286 [{"id": "msg_018iS28kLq7ZpXw3Vb9TnRyc"}]"#,
        r#"{"output": "token usage: 12\n[{\"id\": \"msg_018iS28kLq7ZpXw3Vb9TnRyc\"}]"}"#,
    ]);
    for secret in [
        "privateKey: q8Zr4TnW2vLx9K,",
        "privateKey: \"ed25519Seed\",",
        "password: hunter2Seed,",
        "API_KEY=ed25519Seed,",
        "the token counted is q8Zr4TnW2vLx9K",
    ] {
        assert!(redact(secret).contains("[redacted:"), "{secret}");
    }
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    assert_unchanged(&[
        "password: string",
        "TOKEN=$TOKEN docker run",
        "const token = process.env.API_TOKEN;",
        "api_key = os.environ[\"API_KEY\"]",
        "API_KEY=<your-key>",
        "\"password\": \"Passwort vergessen?\"",
        "max_tokens: 4096, temperature: 0.2",
        "the token expires after 15 minutes",
        "if (password === confirmPassword) {",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "secretKeyRef:\n  name: db-credentials\n  key: password",
        "postgres://localhost:5432/app and postgres://ann:$PASS@db",
        "token: TokenKind::Ident",
        "PRIVATE_KEY_PATH=/etc/ssl/private/server.key",
        "Authorization: Bearer ${TOKEN}",
        "password=password, token=self.token",
        "key: \"user_profile_header\"",
        "  ownerPrivateKey: Uint8Array,\n  privateKey: Uint8Array",
        "const secret = process.env.TEST_LOGIN_SECRET!;",
        "--- PASS: TestRestore1 (0.00s)",
        "HKDF(privateKey, \"vault-root-v1\")",
        "prompt --pwd \"D:\\oh-my-posh\" and \"pwd\": \"osc99\"",
        "[redacted:password] and DB_PASSWORD=[redacted:password]",
    ]);
}

#[test]
fn a_password_stands_beside_its_user() {
    assert_redacts(
        "password",
        &[
            "user bob / «Tr0ub4dor&3»",
            "creds: admin / «tiger#2024»",
            "The login is admin, password «summer#2025»",
            "credentials: bob / «winter#99x»",
            "Zugangsdaten: otto / «sommer#2024»",
            "user bob with password «secret@1.2.3»",
            "echo «tiger#2024» | base64",
            "login: admin/«Winter2029!»",
            "credentials for staging: admin / «Winter2029!»",
            "user `bob` and password «Winter2029!»",
        ],
    );
}

#[test]
fn a_path_beside_a_user_is_no_password() {
    assert_unchanged(&[
        "the user wrote docs/guide-v2.md#setup-3 yesterday",
        "tell the user to install @types/node@20.1.0 first",
        "user opened owner/repo#1234 today",
        "for each user see src/auth.rs#L120 please",
        "login fails since acme/web#482 was merged",
        "the user path: src/Auth.rs#L120, the login of acme/web#482.",
        "User-to-User Sharing\n.planning/ROADMAP.md:128:### Phase 15",
        "user-owned storage.\napps/web/x.mdx:279:| Slow",
        "step 3/user admin / 2nd-page#4",
        "https://user:pass@domain.com:9742/path/file.ext?key=val#fragment-2",
        "https://user:pass@domain.com/path/file.ext?key=val#fragment-2",
        "for one user: see guide-v2/a.md?x=1",
    ]);
}

#[test]
fn the_users_patterns_and_allow_list_count() {
    let settings = RedactionSettings {
        patterns: vec![r"\bACME-(\d{6})\b".into()],
        allow: vec!["^hunter2$".into()],
        ..RedactionSettings::default()
    };
    let redactor = Redactor::new(&settings).unwrap();
    assert_eq!(
        redactor.redact("ACME-123456 and DB_PASSWORD=hunter2"),
        "ACME-[redacted:custom] and DB_PASSWORD=hunter2"
    );
    let refuse = |pattern: &str| {
        let wrong = RedactionSettings {
            allow: vec![pattern.into()],
            ..RedactionSettings::default()
        };
        Redactor::new(&wrong).unwrap_err().to_string()
    };
    assert!(refuse("(").starts_with("`(` in redaction.allow is not a regular expression"));
    for any in ["EXAMPLE|", "", "x*"] {
        let error = format!("`{any}` in redaction.allow matches the empty text, and so any text");
        assert_eq!(refuse(any), error);
    }
}

#[test]
fn a_redactor_that_is_off_changes_nothing() {
    let settings = RedactionSettings {
        enabled: false,
        patterns: vec!["ACME".into()],
        ..RedactionSettings::default()
    };
    let text = "ACME: DB_PASSWORD=hunter2";
    for redactor in [Redactor::off(), Redactor::new(&settings).unwrap()] {
        assert_eq!(redactor.redact(text), text);
        let mut value = serde_json::json!({ "password": "hunter2", "text": text });
        let before = value.clone();
        redactor.redact_json(&mut value);
        assert_eq!(value, before);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn redaction_is_idempotent_and_never_panics(
        text in "((DB_|api|my)?(password|TOKEN|secret|key|пароль|://|Bearer |cookie: |-p)[\"'\\\\]{0,3} ?[=:,>]{0,2} ?[\"'`\\\\]{0,2}[a-z0-9A-Z@!;&,%+=/ é字]{0,24}|\\PC{0,12}|\\n){0,6}",
    ) {
            let once = redact(&text);
        prop_assert_eq!(redact(&once), once.clone());
    }
}

/// A terminal of 80 columns wraps a long one, and what it copies has a line break there.
#[test]
fn the_rest_of_a_wrapped_secret_is_replaced() {
    let key = "q8Zr4TnW2vLx9KbM5cYd8HgJ3fRpS6tVwXzAeB1uNiPoQkDmFh";
    let wrapped = format!("export INTERNAL_SERVICE_API_TOKEN={key}\n7c3e9a1f5b8d next");
    let redacted = "export INTERNAL_SERVICE_API_TOKEN=[redacted:secret] next";
    assert_eq!(redact(&wrapped), redacted);
    for next in [
        "next words 12",
        "12 items",
        "a1b2c3d4: a hash",
        "\nq8Zr4TnW2v",
    ] {
        let text = format!("export INTERNAL_SERVICE_API_TOKEN={key}\n{next}");
        let expected = format!("export INTERNAL_SERVICE_API_TOKEN=[redacted:secret]\n{next}");
        assert_eq!(redact(&text), expected);
    }
}

#[test]
fn the_end_of_a_private_key_is_replaced() {
    let line = "q8Zr4TnW2vLx9KbM5cYd8HgJ3fRpS6tVwXzAeB1uNiPoQkDmFhGjLsCyEa0UvRbT\n";
    let end = format!("-----END {} KEY-----", "RSA PRIVATE");
    let text = format!("$ tail -3 key.pem\n{line}{line}{end}");
    let expected = format!("$ tail -3 key.pem\n[redacted:private-key]{end}");
    assert_eq!(redact(&text), expected);
    let public = format!("{line}-----END CERTIFICATE-----");
    assert_eq!(redact(&public), public);
}
