//! Passwords in statements, URLs, quoted values and commands.

use crate::support::{assert_redacts, assert_unchanged, redact, redactor};

#[test]
fn names_of_keys_of_rails_wireguard_and_wifi() {
    assert_redacts(
        "secret",
        &[
            "SECRET_KEY_BASE=«9f8a7b6c5d4e3f2a1b0c9f8a7b6c5d4e3f2a1b0c»",
            "secret_key_base: «9f8a7b6c5d4e3f2a1b0c9f8a7b6c5d4e»",
            "PresharedKey = «Fq9rT2mVx7Lk3Bz8Wc5Yd1Hg6Jn4Ps0Qt2Uw7Ra3Eb8=»",
            "\tpsk=\"«Tr0ub4dor9zz»\"",
            "psk=«9f8a7b6c5d4e3f2a1b0c9f8a7b6c5d4e»",
        ],
    );
    assert_unchanged(&[
        "secret_key_base: ENV.fetch(\"SECRET_KEY_BASE\")",
        "PresharedKey = <key of the peer>",
        "key_mgmt=WPA-PSK, proto=RSN",
        "TLS_RSA_PSK = 0x008C, psk: Option<Psk>",
    ]);
}

#[test]
fn passwords_of_netrc_and_words_around_login() {
    assert_redacts(
        "netrc-password",
        &[
            "machine example.com login bob password «swordfish»",
            "machine example.com\n  login bob\n  password «swordfish»\n",
            "  login bob\n  password «swordfish»",
            "ftp> user bob password «hunter2»",
        ],
    );
    assert_unchanged(&[
        "login with password authentication",
        "the user enters password twice, login and password fields",
        "create user with password reset and so on",
        "the page of the login\npassword reset flow",
    ]);
}

#[test]
fn statements_that_set_a_password() {
    assert_redacts(
        "sql-password",
        &[
            "ALTER USER app WITH PASSWORD '«Tr0ub4dor9zz»';",
            "create role app\n  login encrypted password '«swordfish»'",
            "psql -c \"ALTER ROLE app PASSWORD '«Tr0ub4dor9zz»'\"",
            "CREATE USER 'app'@'%' IDENTIFIED BY '«swordfish»';",
            "IDENTIFIED BY '«swordfish»'",
            "ALTER USER app IDENTIFIED WITH caching_sha2_password BY '«Tr0ub4dor9zz»'",
            "ALTER LOGIN sa WITH PASSWORD = N'«Tr0ub4dor9zz»'",
        ],
    );
    assert_unchanged(&[
        "ALTER USER app WITH PASSWORD '<password>';",
        "CREATE USER app IDENTIFIED BY '$DB_PASSWORD'",
        "CREATE USER app IDENTIFIED BY '%s'",
        "the row is identified by 'name' or 'id_2'",
        "create user app\n\nthen a password 'swordfish'",
        "ALTER USER app WITH PASSWORD NULL VALID UNTIL 'infinity'",
    ]);
}

#[test]
fn an_at_sign_in_the_password_of_a_url() {
    assert_redacts(
        "url-password",
        &[
            "git clone https://u:«p@ssw0rd»@host/x",
            "postgres://ann:«pa55@w0rd»@db:5432/app",
            "postgres://ann:«pa55»@db:5432/app",
        ],
    );
    assert_unchanged(&["mongodb://$USER:$PASS@db1,db2"]);
    assert_eq!(
        redact("postgres://ann:pa55@db?contact=ann@example.com"),
        "postgres://ann:[redacted:url-password]@db?contact=ann@example.com"
    );
}

#[test]
fn quotes_and_blanks_in_a_quoted_password() {
    assert_redacts(
        "password",
        &[
            r#""password": "«Tr0ub\"x\"9zz»""#,
            r#"DB_PASSWORD="«foo bar 9baz qux»""#,
        ],
    );
    assert_unchanged(&[
        r#""password": "must be \"strong\" and long""#,
        r#""password": "C:\Users\ann\9.txt""#,
        r#"DB_PASSWORD="foo bar baz qux""#,
        r#"DB_PASSWORD="the same as in 2024""#,
    ]);
    let mut value = serde_json::json!({ "password": "Tr0ub\"x\"9zz", "note": "a \"b\"" });
    redactor().redact_json(&mut value);
    assert_eq!(
        value,
        serde_json::json!({ "password": "[redacted:password]", "note": "a \"b\"" })
    );
}

#[test]
fn passwords_of_commands() {
    assert_redacts(
        "password-argument",
        &[
            "keytool -list -keystore x.jks -storepass «Tr0ub4dor9»",
            "keytool -genkey -keypass '«Tr0ub4dor9»' -alias a",
            "sqlcmd -S host -U sa -P «Tr0ub4dor9» -Q 'select 1'",
            "htpasswd -b /etc/apache2/.htpasswd ann «Tr0ub4dor9»",
            "htpasswd -c -b users9.htpasswd ann «Tr0ub4dor9»",
            "htpasswd -cbB -C 12 users9.htpasswd ann '«Tr0ub4dor9»'",
            "htpasswd -nbB ann «Tr0ub4dor9»",
            "docker run --rm --entrypoint htpasswd httpd:2 -Bbn ann «Tr0ub4dor9» > auth",
        ],
    );
    assert_unchanged(&[
        "keytool -list -keystore x.jks -storepass changeit",
        "keytool -storepass $STOREPASS -keypass:env KEYPASS -alias a9",
        "sqlcmd -S host -U sa -P $SA_PASSWORD",
        "sqlcmd -E -S host -i create9.sql",
        "htpasswd -b users9.htpasswd ann $PASSWORD",
        "htpasswd -c users9.htpasswd ann",
        "htpasswd -b users9.htpasswd\n\nann Tr0ub4dor9",
        "htpasswd -b users9.htpasswd",
    ]);
}

#[test]
fn passwords_behind_bold_names_and_other_signs() {
    assert_redacts(
        "password",
        &[
            "**Password:** «kT9mQ2xLw7»",
            "**Password:** `«kT9mQ2xLw7»`",
            "password＝«kT9mQ2xLw7»",
            "db.createUser({user: 'app', pwd: \"«kT9mQ2xLw7»\"})",
        ],
    );
    assert_unchanged(&[
        "**Password:** is asked twice",
        "pwd: /home/ann/app2",
        "{\"pwd\": \"projects\"}",
    ]);
}

#[test]
fn passwords_that_are_named_in_other_languages() {
    assert_redacts(
        "password",
        &[
            "mot de passe : «kT9mQ2xLw7»",
            "Mot de passe=\"«kT9mQ2xLw7»\"",
            "contraseña: «kT9mQ2xLw7»",
            "senha: «kT9mQ2xLw7»",
            "mật khẩu: «kT9mQ2xLw7»",
            "hasło: «kT9mQ2xLw7»",
            "Пароль: «kT9mQ2xLw7»",
            "数据库密码：«kT9mQ2xLw7»",
            "root密码是：«kT9mQ2xLw7»",
            "我的密码: «kT9mQ2xLw7»",
            "管理者パスワード：«kT9mQ2xLw7»",
            "관리자비밀번호는: «kT9mQ2xLw7»",
            // The rest of the sentence stays.
            "密码：«kT9mQ2xLw7»，请登录服务器看看日志，然后修复。",
            "password: «kT9mQ2xLw7»を使ってログインする",
            "password=«kT9mQ2xLw7»。然后",
        ],
    );
    assert_redacts("secret", &["api_key=«kT9mQ2xLw7vB4nRz8cYd5»，修复连接池"]);
    assert_unchanged(&[
        "密码：登录页面需要两次输入",
        "密码过期的处理",
        "le mot de passe: il faut le changer",
        "パスワード：リセット画面",
    ]);
}

#[test]
fn secrets_of_settings_and_addresses() {
    for (kind, text, secret) in [
        (
            "set-secret",
            "aws configure set aws_secret_access_key kT9mQ2xLw7",
            "kT9mQ2xLw7",
        ),
        ("set-secret", "set -gx MY_TOKEN kT9mQ2xLw7", "kT9mQ2xLw7"),
        (
            "npm-auth",
            "//registry.example/:_auth=kT9mQ2xLw7==",
            "kT9mQ2xLw7==",
        ),
        (
            "url-token",
            "git clone https://kT9mQ2xLw7vB4nR8sYd3@git.example/a.git",
            "kT9mQ2xLw7vB4nR8sYd3",
        ),
        ("url-password", "root:kT9mQ2x@tcp(db:3306)/app", "kT9mQ2x"),
        (
            "url-password",
            "postgres://app:ab/kT9mQ2x@db/app",
            "ab/kT9mQ2x",
        ),
        (
            "url-password",
            r#""https:\/\/ann:kT9mQ2x@host\/""#,
            "kT9mQ2x",
        ),
        (
            "url-password",
            "postgres%3A%2F%2Fapp%3AkT9mQ2x%40db",
            "kT9mQ2x",
        ),
        (
            "authorization",
            "Authorization: kT9mQ2xLw7vB4nR8sYd3",
            "kT9mQ2xLw7vB4nR8sYd3",
        ),
    ] {
        let redacted = redact(text);
        assert_eq!(
            redacted,
            text.replace(secret, &format!("[redacted:{kind}]"))
        );
    }
    for harmless in [
        "Authorization: the header that a client sends",
        "https://ann@git.example/a.git",
        "set -e token handling stays",
        "mysql://localhost:3306/app and ann@host",
    ] {
        assert_eq!(redact(harmless), harmless);
    }
}

#[test]
fn a_capitalized_word_with_a_number_is_a_password_unless_the_number_is_a_width() {
    assert_redacts(
        "password",
        &[
            "password: «Welcome123»",
            "password=«Welcome123»",
            "mot de passe : «Welcome123»",
            "비밀번호는 «Welcome123» 입니다",
            "パスワードは«Welcome123»です",
            "the password is «Hunter2xyz9»",
            "password: «Hunter2xyz9»",
            "password: «Summer24»",
        ],
    );
    assert_unchanged(&[
        "password: Utf8",
        "db.password=Sha1",
        "password_hash = Int8Sha256",
        "password: Step1Form, Password2",
        "password: Password2, next: Token2",
        "password: Sha256,",
        "password: Uint8Array,",
        "password: Argon2PasswordHasher,",
        "passwordHash: Base64Url512",
        "password: OAuth2,",
        "パスワードはBase64です",
    ]);
}

#[test]
fn a_capitalized_word_with_a_digit_is_a_password_in_each_everyday_form() {
    for password in ["Welcome1", "Password1", "Dragon7", "Secret8", "Blue7fish"] {
        for form in [
            "password: {}",
            "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: {}\n",
            "spring.datasource.password={}",
            "ansible_become_password: {}",
            "helm install shop ./shop --set auth.password={}",
            "curl -F user=ann -F password={} https://shop.example/login",
            "terraform apply -var db_password={}",
            "mount -t cifs -o username=ann,password={} //nas/a /mnt/a",
            "http POST :80/login user=ann password={}",
            "java -Dspring.datasource.password={} -jar shop.jar",
            "vault login -method=userpass username=ann password={}",
            "pw: {}",
        ] {
            let redacted = redact(&form.replace("{}", password));
            assert_eq!(redacted, form.replace("{}", "[redacted:password]"));
        }
    }
    assert_redacts("secret", &["client_secret=«Blue7fish9xyzABC»"]);
}

#[test]
fn words_with_a_digit_behind_each_are_a_password() {
    assert_redacts(
        "password",
        &[
            "POSTGRES_PASSWORD: «Maria_1_Luis_2»",
            "DB_PASSWORD: «Blue_7_Fish_9»",
            "spring.datasource.password=«Maria_1_Luis_2»",
            "{password: «Maria_1_Luis_2», user: x}",
            "password: «Monkey3Version2»",
        ],
    );
}

#[test]
fn a_folder_and_a_part_of_a_program_with_a_number_are_no_passwords() {
    assert_unchanged(&[
        "pwd: Project2, branch: main",
        "[pwd: Sprint12, venv: py3]",
        "(pwd: checkout15, branch main)",
        "render_pass: Bloom2, depth_pass: Shadow1",
        "render_pass: Bloom2",
        "first_pass = document10;",
    ]);
    assert_redacts(
        "password",
        &[
            "{db_pass: «Welcome1», port: 5432}",
            "{wifi_pass: «Welcome1», ssid: y}",
            "x: 1, signing_pass=«Welcome1», y",
            "{user: app, pwd: \"«Project2»\"}",
        ],
    );
}

#[test]
fn a_word_with_a_number_within_a_line_is_a_password_where_no_variable_is_so_called() {
    assert_redacts(
        "password",
        &[
            "user: ann pass: «hunter22»",
            "The password: «letmein99», use it",
            "db.password = «Welcome1»",
            "{user: ann, password: «Welcome1», port: 5432}",
        ],
    );
    assert_unchanged(&[
        "{password: password12, token: token12}",
        "{password: field10, pass: node18}",
        "{password: string16, port: 5432}",
        "{password: OAuth2, next: STEP2}",
    ]);
}

#[test]
fn a_password_may_begin_as_a_placeholder_does() {
    assert_redacts(
        "password",
        &[
            "DB_PASSWORD=«%Zk81xyQQ!»",
            "DB_PASSWORD=«[Zk81xyQQ!»",
            "DB_PASSWORD='«$Zk81xyQQ!»'",
            "DB_PASSWORD=«*Zk81xyQQ!»",
            "DB_PASSWORD='«<Zk81xyQQ!»'",
            "DB_PASSWORD=«Zk%s81xyQQ!»",
            "DB_PASSWORD='«Zk\\81xyQQ!»'",
            "{\"password\": \"«#{Zk81xyQQ!»\"}",
            "DB_PASSWORD=«Unreplaceable77!»",
            "DB_PASSWORD=«Sample!9xQz77»",
            "password: \"«Dummy-Load-4471!»\"",
            "DB_PASSWORD=«Irreplaceable77»",
        ],
    );
    assert_unchanged(&[
        "DB_PASSWORD=$DB_PASSWORD2",
        "DB_PASSWORD=${DB_PASSWORD2:-x!}",
        "DB_PASSWORD=%DB_PASSWORD_2%",
        "password: \"<your password!1>\"",
        "password: \"[Password 1!]\"",
        "password: \"#{ENV['PW1!']}\"",
        "DB_PASSWORD=replace-me-77",
        "DB_PASSWORD=sample-password-1",
        "password = \"%s1\"",
        "password: \"C:\\Users\\ann1\\pw.txt\"",
    ]);
    let url = redact("https://ann:%24Zk81xyQQ@example.com/");
    assert_eq!(url, "https://ann:[redacted:url-password]@example.com/");
    assert_eq!(
        redact("https://ann:$ZK81@example.com/"),
        "https://ann:$ZK81@example.com/"
    );
}

#[test]
fn passwords_of_more_commands() {
    assert_redacts(
        "password-argument",
        &[
            "mongosh --username ann -p «Blue7fish»",
            "ldapsearch -x -D cn=admin -w «Blue7fish» -b dc=x",
            "zip -P «Blue7fish» out.zip d",
            "7z a -p«Blue7fish» out.7z d",
            "ssh-keygen -t ed25519 -N '«Blue7fish»' -f id",
            "sqlplus scott/«Blue7fish»@db",
            "smbclient //s/x -U ann%«Blue7fish»",
            "ConvertTo-SecureString '«Blue7fish»' -AsPlainText -Force",
            "az keyvault secret set --name db --value «Blue7fish»",
            "pulumi config set --secret dbPassword «Blue7fish»",
            "pulumi config set dbPassword «Blue7fish» --secret",
            "plink -pw «Blue7fish» host",
            "echo «Blue7fish» | docker secret create db -",
        ],
    );
    assert_unchanged(&[
        "mongosh --port 27017 -p",
        "ssh-keygen -t ed25519 -N '' -f id",
        "ssh-keygen -N \"$PASSPHRASE\" -f id",
        "zip -r out.zip d",
        "7z x out.7z -y",
        "sqlplus / as sysdba",
        "smbclient //s/x -U ann",
        "pulumi config set aws:region eu-west-1",
    ]);
}

#[test]
fn secrets_of_files_and_tables() {
    for (text, secret) in [
        ("FROM x\nENV DB_PASSWORD Blue7fish\n", "Blue7fish"),
        ("setx DB_PASSWORD Blue7fish", "Blue7fish"),
        ("SSHPASS=tulips sshpass -e ssh x", "tulips"),
        (
            "const p = process.env.DB_PASSWORD ?? 'Blue7fish'",
            "Blue7fish",
        ),
        (
            "BORG_PASSPHRASE='blue fish in rivers' borg create",
            "blue fish in rivers",
        ),
        ("localhost:5432:shop:ann:Blue7fish\n", "Blue7fish"),
        ("psql 'host=h user=a password=tulips dbname=x'", "tulips"),
        ("ｐａｓｓｗｏｒｄ＝Blue7fish9", "Blue7fish9"),
    ] {
        assert!(!redact(text).contains(secret), "{text}");
    }
    for text in [
        "ENV NODE_ENV production",
        "ENV TOKEN_FILE /run/token",
        "process.env.API_TOKEN || 'no token given'",
        "PASSPHRASE='your passphrase goes here'",
        "localhost:5432:shop",
        "host=h user=a dbname=x password=$PASSWORD",
    ] {
        assert_eq!(redact(text), text);
    }
    let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8mTnBvKe";
    let id = ["AKIA", "IOSFODNN7QWERTYU"].concat();
    let hash = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    for around in [
        format!("Access key ID,Secret access key\n{id},SECRET"),
        format!("| AccessKeyId | {id} |\n| SecretAccessKey | SECRET |"),
        format!("ACCESSKEY\t{id}\t2026-11-27T10:00:00Z\tSECRET\tActive"),
    ] {
        let redacted = redact(&around.replace("SECRET", secret));
        assert!(!redacted.contains(&secret[..13]), "{redacted}");
        assert!(redact(&around.replace("SECRET", hash)).contains(hash));
    }
    let signature = "247a2aa45f169edf4d187d54e7cc46e4731b1e6273242c4f4c39a1d2507a0e58";
    let url = format!("https://storage.example/b/k?X-Goog-Signature={signature}");
    assert!(!redact(&url).contains(signature));
    let key = r#"{"kty":"EC","crv":"P-256","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}"#;
    assert!(!redact(key).contains("870MB6"));
}
