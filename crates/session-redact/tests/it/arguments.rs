//! Secrets that commands take as arguments and from stdin, and that files hold under a name.

use crate::support::{assert_redacts, assert_unchanged, redact, redactor};

#[test]
fn an_option_behind_one_dash_has_a_value() {
    assert_redacts(
        "password",
        &[
            "influx -username bob -password «hunter2»",
            "influx -password «hunter2» -username bob",
            "influx -pass «Blue7fish»",
            "java -jar x.jar -password «q8Zr4TnW2vLx9K»",
            "Connect-Foo -Password '«Xk9$mPq2!»' -User x",
            "-password is «Xk9$mPq2»!",
        ],
    );
    assert_redacts(
        "secret",
        &[
            "Invoke-Foo -Token «q8Zr4TnW2vLx9K»",
            "nuget push a.nupkg -ApiKey «q8Zr4TnW2vLx9K»",
            r#"["rundeck", "-token", "«q8Zr4TnW2vLx9K»"]"#,
        ],
    );
    assert_unchanged(&[
        "the -password option is required and so on",
        "use -token to pass the token2",
        "-password required field in the diff",
        "Get-Foo -Credential $cred -Password (Read-Host)",
        "openssl req -key server2.key -passin file:x9",
        "java -jar x.jar -password $PASS2",
        "mysql -u root -psecret app_db2026",
        "mysql -u root -ppassword app_db2026",
        "ls -pwd path2024",
        "Get-Foo -Credential svc_deploy2024",
        "systemctl --no-ask-password --before2x",
        "openssl enc -pass env:MYVAR2",
        "openssl enc -pass file:key2.txt",
        "openssl pkcs8 --pass 'fd:3x9y8z'",
        "-password reset_v2 page",
        "old line\n-password reset_v2\n-signup form",
        "the -password reset_v2 page",
        "redis-cli -pass through2",
    ]);
    let mut input = serde_json::json!({ "args": ["-password", "hunter2", "-p", "hunter3"] });
    redactor().redact_json(&mut input);
    let args = ["-password", "[redacted:password]", "-p", "hunter3"];
    assert_eq!(input, serde_json::json!({ "args": args }));
}

#[test]
fn a_cookie_of_curl_is_redacted() {
    assert_redacts(
        "cookie",
        &[
            "curl --cookie \"auth=«q8Zr4TnW2vLx9K»\" http://x",
            "--cookie=auth=«q8Zr4TnW2vLx9K»",
        ],
    );
    assert_unchanged(&["curl --cookie jar9.txt http://x", "--cookie theme=dark"]);
}

#[test]
fn a_secret_that_a_program_reads_from_stdin_is_redacted() {
    assert_redacts(
        "password-argument",
        &[
            "docker login -u x --password-stdin <<< «Blue7fish»",
            "docker login -u x --password-stdin <<EOF\n«Blue7fish»\nEOF",
            "chpasswd <<'EOF'\n«bob:Blue7fish\nann:Red8fish»\nEOF\nls",
            "wrangler secret put FOO <<-END\\n«Blue7fish»\\nEND",
            "sudo -S ls <<< '«Blue7fish»'",
            "sudo chpasswd <<< '«bob:Blue7fish»'",
            "passwd <<< $'«Blue7fish\\nBlue7fish»'",
            "gh secret set K <<< \"«Blue7fish»\"",
            "echo «Blue7fish» | gh secret set K",
            "echo «Blue7fish» | gh auth login --with-token",
            "echo «Blue7fish» | cargo login",
            "echo «Blue7fish» | gpg --batch --passphrase-fd 0 -d a",
            "printf '«Blue7fish\\nBlue7fish»\\n' | passwd bob",
            "echo -e '«Blue7fish\\nBlue7fish»' | smbpasswd -s -a bob",
        ],
    );
    assert_unchanged(&[
        "echo \"$TOKEN\" | gh secret set K",
        "printf '%s' \"$(cat k)\" | gh secret set K",
        "gh secret set K <<< \"$V\"",
        "gh secret set K < key2.txt",
        "docker login --password-stdin < file9x",
        "docker login -u x --password-stdin <<EOF\n$TOKEN\nEOF",
        "cat > passwd <<EOF\nroot:x:0:0:root:/root:/bin/bash\nEOF",
        "cat /etc/passwd <<EOF\nabc2def\nEOF",
        "cat <<EOF > docs.md\nrun sudo -S ls2x\nEOF",
        "echo hello9 | grep passwd",
        "std::cout << \"secret set\" << value2x << endl;",
    ]);
}

#[test]
fn a_command_that_stores_secrets_has_them_under_any_name() {
    assert_redacts(
        "secret",
        &[
            "kubectl create secret generic x --from-literal=key1=«Blue7fish»",
            "kubectl create secret generic x -n a \\\n  --from-literal db='«Blue7fish»' -o yaml",
            "fly secrets set FOO=«Blue7fish» PORT=8080 NODE_ENV=production",
            "supabase secrets set \"FOO=«Blue7 fish»\"",
            "doppler secrets set STRIPE «Blue7fish»",
            "dotnet user-secrets set \"Db:Password\" \"«Blue7fish»\"",
            "vault kv put secret/x value=«Blue7fish» ttl=1h",
            "bao kv put secret/x value=«Blue7fish»",
            "doppler secrets set DB_PASSWORD «hunter2»",
            "dotnet user-secrets set \"Db:Password\" \"«hunter2»\"",
            "fly secrets set A=«Blue7fish»; ls",
            "fly secrets set A='«Blue7&fish|9;x»' | cat",
            "fly secrets set DB=«postgres://app:s3cr3t9x@db/app»",
            "fly secrets set HOOK=«https://x.acme.io/q8Zr4TnW2vLx9K»",
            "vault login «q8Zr4TnW2vLx9K»",
            "aws ssm put-parameter --name /db --type SecureString --value «Blue7fish»",
            "aws ssm put-parameter --name /prod/db/password --value '«Blue7fish»' --type SecureString",
        ],
    );
    assert_redacts("password-argument", &["gh secret set K -b«Blue7fish»"]);
    assert_eq!(
        redact("fly secrets set A=Blue7fish B=$B C='Red8 fish'"),
        "fly secrets set A=[redacted:secret] B=$B C='[redacted:secret]'"
    );
    assert_unchanged(&[
        "secrets set --help",
        "fly secrets set RELEASE=v1.2.3 IMAGE=node:20-alpine3.18 NEXT=2.0.0-rc1",
        "fly secrets set DATABASE_URL=postgres://localhost:5432/app2?sslmode=disable",
        "dotnet user-secrets set \"Logging:Level\" \"Debug2x\"",
        "doppler secrets set LOG_LEVEL debug2x",
        "gh secret set NPM_TOKEN before the release of v2",
        "kubectl create secret generic x --from-literal=mode=blue2green",
        "consul kv put app/flags feature=new_checkout_v2",
        "consul kv put app/flags value=Blue7fish",
        "etcd kv put name=\"item42x\" works",
        "we use kv put(key=\"user_id2\", value=\"abc2\")",
        "gh secret set FOO --app dependabot --env prod2x",
        "gh secret set -f .env2x",
        "a secret set for OAuth2 clients",
        "the secret set by user2 is big",
        "fly secrets set PORT=8080 NODE_ENV=production REGION=eu-west-1 --app=web2app",
        "fly secrets set FOO=$FOO BAR=${BAR2} BAZ=<your-value2>",
        "kubectl create configmap x --from-literal=key1=abc123def456",
        "kubectl create secret generic x --from-file=key1=./abc9/def.txt -n team2x",
        "aws ssm put-parameter --name /prod/db/url --type String --value Blue7fish",
        "aws ssm put-parameter --name /db --type SecureString --value \"$(cat x)\"",
        "vault login -method=userpass username=bob2xyz",
        "vault login failed with error 403forbidden",
        "vault kv put -mount=secret2 x @data9.json",
        "vault kv get -field=value9 secret/x9",
    ]);
}

/// The window of a rule ends somewhere in a long command, whose values are secrets up to their ends.
#[test]
fn no_secret_of_many_is_cut_in_two() {
    const MARK: &str = "[redacted:secret]";
    let pairs = |count: usize, value: &str| -> String {
        let pairs = (0..count).map(|number| format!(" VAR_{number:03}={value}"));
        pairs.collect()
    };
    for padding in 0..50 {
        for before in ["", "run\\n"] {
            let command = format!("{before}secrets set A{}=1234", "A".repeat(padding));
            let secrets = pairs(120, "q8Zr4TnW2vLx9KfB6mHc3YpD7sJg5E");
            let whole = redact(&format!("{command}{secrets}"));
            let found = whole.matches(MARK).count();
            assert!((90..120).contains(&found), "{found}");
            let behind = whole.strip_prefix(&(command.clone() + &pairs(found, MARK)));
            assert!(behind.unwrap().starts_with(" VAR_"), "{whole}");
            let secrets = pairs(40, "q8Zr4TnW2vLx9KfB6mHc3YpD7sJg5E");
            let whole = redact(&format!("{command}{secrets}"));
            assert_eq!(whole, command + &pairs(40, MARK));
        }
    }
}

#[test]
fn an_argument_of_a_program_is_a_secret_by_its_position() {
    assert_redacts(
        "password-argument",
        &[
            "mysqladmin -u root password «Blue7fish»",
            "rabbitmqctl add_user bob «swordfish»",
            "sudo rabbitmqctl change_password bob '«Blue7fish»'",
            "composer config http-basic.x.com bob «Blue7fish»",
            "mc alias set my http://h AKIAX «Blue7fish»",
            "nmcli con mod x wifi-sec.psk «Blue7fish»",
            "wpa_passphrase Home «Blue7fish»",
            "twine upload -u __token__ -p «Blue7fish» dist/*",
            "cypher-shell -u neo4j -p «Blue7fish»",
            "evil-winrm -i h -u bob -p '«Blue7fish»'",
            "mosquitto_pub -u u -p 1883 -P «Blue7fish» -t a",
            "ipmitool -H h -U root -P «Blue7fish» power",
        ],
    );
    assert_redacts(
        "secret",
        &[
            "wandb login «24bd0b3de5d53e2fbb325be6f4f56a7ed9fc0dc7»",
            "ngrok config add-authtoken «q8Zr4TnW2vLx9K»",
            "poetry config pypi-token.pypi «q8Zr4TnW2vLx9K»",
            "netlify deploy --prod --auth «q8Zr4TnW2vLx9K»",
        ],
    );
    assert_unchanged(&[
        "mysqladmin to change the password for root2",
        "mysqladmin -u root password $PW",
        "rabbitmqctl add_user <name2> <password2>",
        "mc alias set my https://h9 $KEY $SECRET",
        "nmcli con mod x wifi-sec.key-mgmt wpa-psk",
        "wpa_passphrase Home <passphrase2>",
        "docker run -u root -p 8080:80 img2",
        "docker run -u 1000 -p 127.0.0.1:18080:80/tcp img2",
        "psql -U postgres -p 5433 db2",
        "sudo -u bob mkdir -p Abc123def456",
        "mkdir -p Abc123def456",
        "evil-winrm -u bob -P 5985 -i h2",
        "twine upload -u __token__ -p $TOKEN dist2/*",
        "wandb login failed-again-and-again",
        "ngrok config add-authtoken <token>",
        "netlify deploy --auth $TOKEN",
    ]);
}

#[test]
fn a_row_that_is_inserted_has_a_password_in_its_column() {
    assert_redacts(
        "password",
        &[
            "INSERT INTO users (name, password) VALUES ('bob2x', '«Blue7fish»');",
            "insert into `u` (`password`, `mail`)\nvalues ('«Blue7fish»', 'a9@b.example')",
        ],
    );
    assert_redacts(
        "secret",
        &["INSERT INTO a(email,password_hash,api_key) VALUES('a@b','x9y8z7w6','«q8Zr4TnW2vLx9K»')"],
    );
    assert_unchanged(&[
        "INSERT INTO users (name, email) VALUES ('bob2x', 'a9@b.example')",
        "INSERT INTO users (name, password) VALUES ($1, $2)",
        "INSERT INTO users (name, password) VALUES ('bob2x', '$2b$10$abc')",
    ]);
}

#[test]
fn files_hold_secrets_under_a_telling_name() {
    let hash = "ieDRNctQe2WQXvBHfjzSgT9Vdcs6XQiHgSeuk0IM1AkplyWZBTvxh";
    assert_redacts(
        "password",
        &[
            "export BW_SESSION=«WaUdpBip7Wap50wpXf1ELyBvEW==»",
            "<key>Password</key>\n\t<string>«Blue7fish»</string>",
            "<name>db.password</name><value>«Blue7fish»</value>",
            "  storePassword '«Blue7fish»'\n  keyAlias 'k'",
            "keyPassword \"«Blue7fish»\"",
        ],
    );
    assert_redacts(
        "password-hash",
        &[
            &format!("admin:«$2y$05${hash}»"),
            "admin:«$apr1$5pDJhfq8$V85U5yEo9lMZsWDzTmUYiV»",
        ],
    );
    assert_redacts(
        "kaggle-token",
        &[r#"{"username":"b","key":"«fdfbf06b9956226b42418a596e73302e»"}"#],
    );
    assert_redacts(
        "private-key",
        &[&format!("«xprv9s21ZrQH143K{}»", "q8Zr4TnW2vLx9K".repeat(7))],
    );
    let words = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    assert_redacts(
        "secret",
        &[
            &format!("MNEMONIC=\"«{words}»\""),
            &format!("seed phrase: «{words}»"),
        ],
    );
    assert_unchanged(&[
        "BW_SESSION=$(bw unlock --raw)",
        "<key>Label</key><string>com.example.app9x</string>",
        "<key>PasswordField</key><string>abc123def456</string>",
        "storePassword keystoreProperties['storePassword']",
        "storePassword 'android'",
        "password 'reset' flow",
        "password 'correct'",
        "resetPassword \"dialog\"",
        "enterPassword 'username_field'",
        "validatePassword \"minLength8\"",
        r#"{"username":"b","key":"user_2"}"#,
        &format!("hash $2y$05${hash}"),
        "xprv9 is its prefix",
        "mnemonic: the first letters of these words are the names for your seven planets today",
        "Recovery phrase: write down these twelve words and keep them",
    ]);
}

#[test]
fn a_sentence_names_a_secret() {
    assert_redacts(
        "password",
        &["la password è «kT9mQ2xLw7»", "a senha é «kT9mQ2xLw7»"],
    );
    assert_redacts(
        "secret",
        &[
            "use this key: «q8Zr4TnW2vLx9K».",
            "user bob, pass «q8Zr4TnW2vLx9K»",
            "credentials: bob:«q8Zr4TnW2vLx9K»",
        ],
    );
    assert_unchanged(&[
        "la password è sbagliata",
        "a senha é obrigatória",
        "use this key: user_profile_header_v2_of_all",
        "use this key: 5e95a7c5a930bf3fc0fc8fe12aff1408e12817c1",
        "use this key: userProfileHeader2",
        "user bob, pass the tests2x please",
        "credentials: aws:profile2default",
        "creds: bob:2026-01-01T10:00:00Z",
        "kubernetes credentials: ServiceAccount:DefaultNamespace2024Prod",
        "creds: AwsProfile:ProdAccountReadOnly2024x",
    ]);
}
