//! How values are written behind names: marks within, prefixes, fields, entities, and names of other languages.

use crate::support::{assert_redacts, assert_unchanged, redact};
use proptest::prelude::*;

#[test]
fn any_forty_characters_behind_its_name_are_an_aws_secret_key() {
    for secret in [
        "+OuOjSXXMUHyQ2pqaWkwfV6Wf3gV/O116cFBIj2C",
        "/Dvl6esjw26fIEdOslPEfI4DaAY/kEN2T853TCov",
        "JaBcvGycfxwfVJYAi13Tjg26NXJ3xZVGWOUYzApn",
        // Without a digit, and with parts that look like words.
        "mkjofrYGLiVtteimqqGjJMB/EBvLNuwwbhtbSrUc",
        "ycolmtiFvjudilBaDuuuqM+s/FdBNFZiawvKedwl",
    ] {
        for name in [
            "aws_secret_access_key = ",
            "secretAccessKey: ",
            "AWS_SECRET_ACCESS_KEY=",
            "export AWS_SECRET_ACCESS_KEY=\"",
            "\"SecretAccessKey\": \"",
            "\\\"SecretAccessKey\\\":\\\"",
            "Secret access key: ",
        ] {
            let redacted = redact(&format!("{name}{secret}"));
            assert!(
                redacted.starts_with(&format!("{name}[redacted:")),
                "{redacted}"
            );
            assert!(redacted.ends_with(']'), "{redacted}");
        }
    }
    assert_unchanged(&[
        "secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "secret_access_key = \"/home/ann/secrets/awssecretaccesskeyfile\"",
    ]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn no_aws_secret_key_is_left_behind_its_name(secret in "[A-Za-z0-9+/]{40}") {
        for name in ["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=", "\"SecretAccessKey\": \""] {
            let redacted = redact(&format!("{name}{secret}"));
            prop_assert!(!redacted.contains(&secret[30..]), "{redacted}");
        }
    }
}

#[test]
fn a_mark_within_a_password_does_not_end_it() {
    assert_redacts(
        "password",
        &[
            "password: «mkGQkhg&JIh7y3JG»",
            "password: «KHk8P,d5Dxx2»",
            "password: «Tr0ub;4dor9Kx»",
            "the password is «Kd9x&Tr0ub4Q», as before",
            "DB_PASSWORD=«r&mA7jf5#@S6VC&h»",
            "DB_PASSWORD=«&Inx3#jm%mMk_Vm9»",
            "PGPASSWORD=«z8;GUWrq@A06&5Zj7» psql",
            "deploy --password «Tr0ub&4dor9Kx» --now",
        ],
    );
    assert_redacts(
        "url-password",
        &["https://bob:«@DN8HYn&U6BM#9i»@example.com/"],
    );
    assert_redacts("secret", &["export API_TOKEN=«b8^Ie;Yn7Ad8zitQ»"]);
}

#[test]
fn a_mark_ends_a_value_before_a_word_a_field_or_code() {
    assert_redacts(
        "password",
        &[
            "password=«hunter2»&user=bob",
            "password=«hunter2»&amp;user=bob",
            "password=«hunter2»&v2=x1&n",
            "Server=db;Password=«Blue7!fish»;Encrypt=true;",
            "PASSWORD=«Tr0ub4dor»;./deploy.sh 2",
            "PASSWORD=«Tr0ub4dor»&& make",
            "password=«abc1defG»,user2",
            "password: «kT9mQ2xLw7», then the rest",
            "?password=«kT9mQ2xLw7»&Kd9xTr0ub4",
        ],
    );
    assert_unchanged(&[
        "{password:e,token:t3x,secret:n2}",
        "login(user, password=a,b2cD)",
        "secret: foo,sha256:1a2b",
        "token:t,x0:1e3",
    ]);
}

#[test]
fn a_password_may_begin_as_an_operator_does() {
    assert_redacts(
        "password",
        &[
            "password: «!JtsdgGIbLtE_F3d»",
            "password: «+2GD8OOxX82DlJSA»",
            "password: \"«*90P4hVV1y1ZHGS»\"",
            "DB_PASSWORD=«%Ga1wxClXmxbfdxs»",
        ],
    );
    assert_unchanged(&[
        "secret: &config.secretKey2,",
        "token: *tokenPtr2",
        "password: !Ref DbPassword2",
        "password: *anchor2",
        "password: \"%d items 2\"",
        "password: %DB_PASSWORD_2%",
    ]);
}

#[test]
fn the_name_of_a_secret_stands_in_another_field() {
    assert_redacts(
        "password",
        &[
            r#"{"name":"DB_PASSWORD","value":"«B3AXzYW3aKq8F7x9»"}"#,
            r#"{ "Name" : "DB_PASSWORD", "Value" : "«B3AXzYW3aKq8F7x9»" }"#,
            r#"[{"key":"DB_PASSWORD","value":"«B3AXzYW3aKq8F7x9»"}]"#,
            r#"{\"name\":\"DB_PASSWORD\",\"value\":\"«B3AXzYW3aKq8F7x9»\"}"#,
            "\"environment\": [\n  {\n    \"name\": \"DB_PASSWORD\",\n    \"value\": \"«B3AXzYW3aKq8F7x9»\"\n  }\n]",
        ],
    );
    assert_redacts(
        "secret",
        &[
            r#"{"value":"«B3AXzYW3aKq8F7x9»","name":"DB_PASSWORD"}"#,
            r#"{"Value": "«B3AXzYW3aKq8F7x9»", "Key": "API_SECRET"}"#,
            r#"{"Name": "/prod/db", "Type": "SecureString", "Value": "«swordfish»"}"#,
        ],
    );
    assert_unchanged(&[
        r#"{"name":"DB_PASSWORD","valueFrom":"arn:aws:ssm:eu-west-1:123456789012:parameter/x9"}"#,
        r#"{"name":"NPM_TOKEN","value":"${NPM_TOKEN}"}"#,
        r#"{"value":"Enter your password 2","name":"password"}"#,
        r#"{"value":"user_2","name":"token_count"}"#,
    ]);
}

#[test]
fn a_literal_may_have_a_prefix() {
    assert_redacts(
        "secret",
        &[
            "SECRET_KEY = b\"«LxHUvHRwDPp74AlmjnqCEoY6vlp7Q9»\"",
            "secret = b'«LxHUvHRwDPp74AlmjnqCEoY6vlp7Q9»'",
            r#"{"code":"secret = b\"«LxHUvHRwDPp74AlmjnqCEoY6vlp7Q9»\""}"#,
        ],
    );
    assert_redacts(
        "password",
        &[
            "password = r\"«Tr0ub4dor&3»\"",
            "var password = @\"«Tr0ub4dor&3»\";",
        ],
    );
    assert_unchanged(&[
        "password = f\"{user}{n2}\"",
        "password = b",
        "token = bytes(12)",
    ]);
}

#[test]
fn names_and_values_may_be_encoded() {
    assert_redacts(
        "password",
        &[
            "&quot;password&quot;: &quot;«Blue7fish»&quot;,",
            "password=&#39;«Blue7fish»&#39;",
            "user%3Dbob%26password%3D«kT9mQ2xLw7»",
        ],
    );
    assert_unchanged(&["password&quot; is a word", "password%3Dstring"]);
}

#[test]
fn passwords_that_are_named_in_more_languages() {
    assert_redacts(
        "password",
        &[
            "la clave es «kT9mQ2xLw7»",
            "Clave: «kT9mQ2xLw7»",
            "รหัสผ่าน: «kT9mQ2xLw7»",
            "كلمة المرور: «kT9mQ2xLw7»",
            "كلمة السر: «kT9mQ2xLw7»",
            "पासवर्ड: «kT9mQ2xLw7»",
        ],
    );
    assert_unchanged(&[
        "enclave: kT9mQ2xLw7",
        "clave: valor",
        "la clave es sencilla",
    ]);
}
