//! Secrets that commands, statements and files hold by their position.

use crate::support::{assert_redacts, assert_unchanged};

#[test]
fn passwords_of_remote_desktops_shares_and_stores() {
    assert_redacts(
        "password-argument",
        &[
            r"net use x: \\srv\s /user:bob «Blue7fish»",
            r"net use \\srv\s «Blue7fish» /user:bob",
            "xfreerdp /u:bob /p:«Blue7fish» /v:host",
            "gh secret set FOO --body «Blue7fish»",
            "gh secret set FOO -b '«Blue7fish»'",
            "rclone obscure «Blue7fish»",
        ],
    );
    assert_unchanged(&[
        r"net use x: \\srv\s /user:bob *",
        r"net use x: \\srv\s /user:bob /savecred",
        "xfreerdp /u:bob /p:$PASSWORD /v:host",
        "gh secret set FOO --body \"$TOKEN\"",
        "gh secret set FOO --body-file key.txt",
        "gh pr create --body Blue7fish",
    ]);
}

#[test]
fn a_cookie_of_a_session_needs_no_header() {
    assert_redacts(
        "cookie",
        &[
            "laravel_session=«ro1EPr9KjqzFKfiXXPdBOLrnu9MymrCQ23bqlxGSMmI2qmyJMvUahaSaOvPrEGOb»",
            "sessionid=«9q3vb1ht2x0dkq7m4z6y8c5w1n0p2r4s»; theme=dark",
            "PHPSESSID=«el4ukv0kqbvoirg7nkp4dncpk3»",
            "connect.sid=«s%3AabcDEF1234567890.ghiJKL%2F12»",
            "/shop;jsessionid=«1A530637289A03B07199A44E8D531427»?x=1",
        ],
    );
    assert_unchanged(&[
        "sessionid=3f0c0000-0000-4000-8000-000000000001",
        "sessionId=ro1EPr9KjqzFKfiXXPdBOLrnu9MymrCQ",
        "SESSION_COOKIE_NAME=sessionid",
        "sessionid=name-of-the-cookie-of-a-session",
    ]);
}

#[test]
fn a_hash_of_a_password_file_is_a_secret() {
    let long =
        "JEjn4.Ej/hitUwmQeSCKp1xXd7.jlAOz3WbROJAAxqv7fqJoHSTNzbiAUN0zsjI2V0J6rpmS1E/pKpKk6C9Xz0";
    let sha512 = format!("root:«$6$abcdefgh${long}»:19000:0:99999:7:::");
    let yescrypt =
        "ann:«$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7»:1:";
    assert_redacts("password-hash", &[&sha512, yescrypt]);
    assert_unchanged(&["sed 's/x/$1$2$3/'", "echo $6$abcdefgh$short"]);
}

#[test]
fn a_hexadecimal_token_is_one_where_a_sentence_names_it() {
    assert_redacts(
        "secret",
        &[
            "use the token «5e95a7c5a930bf3fc0fc8fe12aff1408e12817c1» please",
            "apikey «ebfe164f0ec19515c6007df2e05a0591»",
            "config/master.key: «c1c93016f1c4261e5351d30b49895d1a»",
            "the master.key is `«c1c93016f1c4261e5351d30b49895d1a»`",
        ],
    );
    assert_unchanged(&[
        "the commit 5e95a7c5a930bf3fc0fc8fe12aff1408e12817c1 has a token",
        "token tree 5e95a7c5a930bf3fc0fc8fe12aff1408e12817c1",
        "master.key 5e95a7c5a930bf3fc0fc8fe12aff1408 is its digest",
    ]);
}

#[test]
fn a_statement_sets_a_password_without_quotes() {
    assert_redacts(
        "sql-password",
        &[
            "CREATE USER app IDENTIFIED BY «swordfish» ACCOUNT UNLOCK;",
            "alter user app identified by «Blue7fish»;",
        ],
    );
    assert_unchanged(&[
        "CREATE USER app IDENTIFIED BY &password;",
        "create user app identified by email",
        "ALTER USER app IDENTIFIED BY VALUES",
    ]);
}

/// Each of many keywords finds the same value, which is a variable.
#[test]
fn a_secret_in_or_behind_a_value_that_is_none_is_found() {
    let many = "curl ".repeat(1_000);
    let addresses: String = (0..21).map(|n| format!("https://a.example/{n} ")).collect();
    assert_redacts(
        "curl-user",
        &[
            &format!("{many}-u ann:$PASS; curl -u ann:«tr0ub4dor3» x"),
            &format!("{many}-u ann:$PASS;curl -u ann:«tr0ub4dor3» x"),
            &format!("curl -O {addresses}-u ann:$PASS,curl -u ann:«tr0ub4dor3» x"),
        ],
    );
}
