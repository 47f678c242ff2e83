//! Secrets as people and programs write them every day: in lists, objects, several lines, sentences and commands.

use crate::support::{assert_redacts, assert_unchanged, redact, redactor};

#[test]
fn each_string_of_a_list_is_a_value() {
    assert_redacts(
        "password",
        &[
            r#"{"password":["«Yk9$mPq2!»"]}"#,
            r#"passwords = ["«Yk9$mPq2!»"]"#,
            r#"{\"passwords\": [\"«Yk9$mPq2!»\", \"none\"]}"#,
            "let passwords = vec![\"«Yk9$mPq2!»\"];",
            "passwords: string[] = [\n  '«Yk9$mPq2!»',\n]",
        ],
    );
    assert_redacts("secret", &[r#"api_keys: ["", "«q8Zr4TnW2vLx9K»"]"#]);
    let redacted = redact(r#"passwords = ["Yk9$mPq2!", 'Zt4#wLn8?', "test"]"#);
    let expected = r#"passwords = ["[redacted:password]", '[redacted:password]', "test"]"#;
    assert_eq!(redacted, expected);
    assert_unchanged(&[
        "tokens = [\"Hello5\", \"##world22\", \"q8Zr4TnW2v\"]",
        r#"passwords: ["must be long", "$PASSWORD"]"#,
        "passwords = [first1, second2]",
        r#"stop_tokens: ["<|im_end9|>x"]"#,
        "secrets: [\"db-user\", \"api-name-2\"]",
        "passwords = [",
        "MTLRenderPass = [\"MTLAccess4!x\"]",
        "PASSWORD=[\"']([a-z]{2}[\"'] and so on",
    ]);
}

#[test]
fn an_object_has_the_value_in_a_field() {
    assert_redacts(
        "password",
        &[
            r#"curl -d '{"password":{"value":"«Yk9$mPq2!»"}}' https://a.example"#,
            r#"{"db_password": {"sensitive": true, "type": "string", "value": "«Yk9$mPq2!»"}}"#,
            r#"{\"password\":{\"plain\":\"«Yk9$mPq2!»\"}}"#,
            "password:\n  value: «Yk9$mPq2!»\n",
        ],
    );
    assert_redacts("secret", &[r#"{"secret":{"value":"«q8Zr4TnW2vLx9K»"}}"#]);
    assert_unchanged(&[
        r#"password: { value: "", label: "Password1!" }"#,
        "password: { value: props.password1, valid: false }",
        r#"{"password": {"type": "string"}, "value": "q8Zr4TnW2vLx9K"}"#,
        r#"{"password": {"nested": {"value": "q8Zr4TnW2vLx9K"}}}"#,
    ]);
}

#[test]
fn a_quoted_value_may_have_several_lines() {
    assert_redacts(
        "secret",
        &[
            "SECRET=\"«line1\nXk9$mPq2!xZ»\"\necho done",
            "export API_TOKEN='«first\nq8Zr4TnW2vLx9K\n»'",
            r#"SECRET="«line1\nXk9$mPq2!xZ»""#,
            r#"{"client_secret": "«line1\nq8Zr4TnW2vLx9K»", "b": "c"}"#,
        ],
    );
    assert_redacts(
        "password",
        &[
            "DB_PASSWORD=\"«alpha\nXk9$mPq2!»\" run",
            r#""password": "«Xk9$mPq2!\n»""#,
        ],
    );
    assert_unchanged(&[
        r#""password": "Choose one.\nIt has 8 letters!""#,
        r#"["password", "line one\nstep2 is done\n"]"#,
        r#""password": "D:\\new\\notes2!.txt""#,
        r#""password": "D:\new\notes2!.txt""#,
        "password = \"\nthe words of a text with q8Zr4TnW2vLx9K in it\n\"",
        "PASSWORD=\"\n\nXk9$mPq2!\"",
    ]);
}

#[test]
fn short_names_of_passwords_need_a_value_that_is_nothing_else() {
    assert_redacts(
        "password",
        &[
            "user: bob pwd: «Xk9$mPq2!»",
            "prod pw = «Xk9$mPq2!»",
            "the pw for prod is «Xk9$mPq2»!",
            "the `pw` is `«Xk9$mPq2!»`",
            "prod pw «kT9mQ2xLw7»".replace("pw ", "pw is ").as_str(),
            "pw: «hunter2»",
        ],
    );
    assert_unchanged(&[
        "pwd: $HOME/app2",
        "pwd: ${ROOT}1",
        "let pw = page.width2;",
        "the pw = width1*height2",
        "the pw is stored as sha256",
        "the pw for prod is changed on 2026-01-10",
        "a pw of 12 characters",
    ]);
}

#[test]
fn languages_without_spaces_join_a_name_and_its_value() {
    assert_redacts(
        "password",
        &[
            "パスワードは «Xk9$mPq2»! です",
            "パスワードは«Xk9$mPq2»!です",
            "パスワードは「«Xk9$mPq2»!」です",
            "密码是«kT9mQ2xLw7»，请登录",
            "비밀번호는 «Xk9$mPq2»! 입니다",
        ],
    );
    assert_unchanged(&[
        "パスワードは 12文字以上です",
        "パスワードはSHA256でハッシュする",
        "密码是base64编码的",
        "パスワードは passwords.txt にあります",
    ]);
}

#[test]
fn seeds_of_one_time_passwords_are_secrets() {
    assert_redacts(
        "secret",
        &[
            "TOTP_SEED=«JBSWY3DPEHPK3PXP»",
            "\"mfaSeed\": \"«JBSWY3DPEHPK3PXP»\"",
            "the TOTP seed: «JBSWY3DPEHPK3PXP»",
        ],
    );
    assert_unchanged(&["RANDOM_SEED=q8Zr4TnW2vLx", "seed: 4711abcd99"]);
}

#[test]
fn secrets_of_further_commands() {
    assert_redacts(
        "password-argument",
        &[
            "snowsql -a acme -u bob -p «Blue7fish»",
            "smbclient -L host -U 'CORP\\bob%«Blue7fish»'",
            "smbclient -L host --user=bob%«Blue7fish»",
            "smbclient //s/x -U bob%«Blue7fish»",
        ],
    );
    assert_redacts(
        "npm-auth",
        &[
            "npm config set //npm.corp/:_authToken «3f9c1e7a-5b2d-4c8e-9a1f-7d6e5c4b3a2f»",
            "pnpm set \"//npm.corp/:_password\" \"«Ymx1ZTdmaXNo»\"",
        ],
    );
    assert_unchanged(&[
        "npm config set //npm.corp/:_authToken $NPM_TOKEN",
        "npm config set //npm.corp/:_authToken ${NPM_TOKEN}",
        "npm config get //npm.corp/:_authToken and so on",
        "snowsql -a acme -p $SNOWSQL_PWD",
        "smbclient -L host -U bob%$PASSWORD",
    ]);
}

#[test]
fn lists_and_objects_of_tool_inputs() {
    let mut input = serde_json::json!({
        "password": ["Yk9$mPq2!", {"value": "Yk9$mPq2?"}],
        "passwords": ["Yk9$mPq2!"],
        "tokens": ["Yk9$mPq2w"],
        "labels": ["bug2"],
    });
    redactor().redact_json(&mut input);
    let expected = serde_json::json!({
        "password": ["[redacted:password]", {"value": "[redacted:password]"}],
        "passwords": ["[redacted:password]"],
        "tokens": ["Yk9$mPq2w"],
        "labels": ["bug2"],
    });
    assert_eq!(input, expected);
}

#[test]
fn a_key_of_letters_in_the_name_of_a_field_goes() {
    let key = ["h", "f_", "qRsTuVwXyZaBcDeFgHiJkLmNoPqRsTuVwX"].concat();
    let mut input = serde_json::json!({ key: 1, "a_name_of_a_field_of_letters": 2 });
    redactor().redact_json(&mut input);
    let names: Vec<&String> = input.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "[redacted:huggingface-access-token]",
            "a_name_of_a_field_of_letters"
        ]
    );
}
