"""Builds items with a secret in them: keys of vendors, values that their name makes secret, passwords in commands, files
and URLs. Call leaks.build(). Each kind belongs to one split; each has variants in many contexts."""

import draw
import tokens
from draw import BASE62, HEX, URL64, Item, escaped, fill, human, jwt, mixed, password, seeded, strong, wild_password
from tokens import hex_of, simple

VENDOR_VARIANTS, NAMED_VARIANTS, SPECIAL_VARIANTS = 6, 8, 8

# kind, what people call it, variable, maker
VENDORS = [
    ("aws-access-key-id", "AWS access key", "AWS_ACCESS_KEY_ID", tokens.aws_id),
    ("github-classic", "GitHub token", "GITHUB_TOKEN", tokens.github("p")),
    ("github-fine-grained", "GitHub PAT", "GH_PAT", tokens.github_fine),
    ("github-oauth", "GitHub OAuth token", "GH_TOKEN", tokens.github("o")),
    ("github-app", "installation token", "GITHUB_APP_TOKEN", tokens.github("s")),
    ("gitlab-pat", "GitLab token", "GITLAB_TOKEN", simple(("gl", "pat-"), URL64, 20)),
    ("slack-bot", "Slack bot token", "SLACK_BOT_TOKEN", tokens.slack("b")),
    ("slack-user", "Slack user token", "SLACK_USER_TOKEN", tokens.slack("p")),
    ("stripe-secret", "Stripe key", "STRIPE_SECRET_KEY", tokens.stripe("s" + "k")),
    ("stripe-restricted", "restricted Stripe key", "STRIPE_RESTRICTED_KEY", tokens.stripe("r" + "k")),
    ("openai-project", "OpenAI key", "OPENAI_API_KEY", tokens.openai_project),
    ("openai-old", "OpenAI key", "OPENAI_KEY", tokens.openai_old),
    ("anthropic", "Anthropic key", "ANTHROPIC_API_KEY", tokens.anthropic),
    ("google-api", "Google Maps key", "GOOGLE_MAPS_API_KEY", simple(("AI", "za", "Sy"), URL64, 33)),
    ("google-oauth-secret", "Google client secret", "GOOGLE_CLIENT_SECRET", simple(("GOC", "SPX-"), URL64, 28)),
    ("azure-ad-secret", "Entra client secret", "AZURE_CLIENT_SECRET", tokens.azure_ad),
    ("npm-token", "npm token", "NPM_TOKEN", tokens.npm),
    ("pypi-token", "PyPI token", "PYPI_API_TOKEN", tokens.pypi),
    ("crates-token", "crates.io token", "CARGO_REGISTRY_TOKEN", simple(("c", "io"), BASE62, 32)),
    ("docker-pat", "Docker Hub token", "DOCKERHUB_TOKEN", simple(("dc", "kr_", "pat_"), URL64, 27)),
    ("hugging-face", "Hugging Face token", "HF_TOKEN", simple(("h", "f_"), BASE62[10:], 34)),
    ("twilio-api-key", "Twilio key", "TWILIO_API_KEY", tokens.twilio_key),
    ("sendgrid", "SendGrid key", "SENDGRID_API_KEY", tokens.sendgrid),
    ("mailgun", "Mailgun key", "MAILGUN_API_KEY", simple(("ke", "y-"), HEX, 32)),
    ("telegram-bot", "Telegram bot token", "TELEGRAM_BOT_TOKEN", tokens.telegram),
    ("discord-bot", "Discord bot token", "DISCORD_TOKEN", tokens.discord),
    ("shopify", "Shopify admin token", "SHOPIFY_ACCESS_TOKEN", simple(("sh", "pat_"), HEX, 32)),
    ("digitalocean", "DigitalOcean token", "DIGITALOCEAN_TOKEN", simple(("do", "p_v1_"), HEX, 64)),
    ("new-relic", "New Relic key", "NEW_RELIC_API_KEY", tokens.upper_of(("NR", "AK-"), 27)),
    ("sentry-token", "Sentry token", "SENTRY_AUTH_TOKEN", tokens.sentry),
    ("linear", "Linear key", "LINEAR_API_KEY", simple(("lin_", "api_"), BASE62, 40)),
    ("notion-new", "Notion token", "NOTION_TOKEN", simple(("nt", "n_"), BASE62, 46)),
    ("notion-old", "Notion secret", "NOTION_KEY", simple(("sec", "ret_"), BASE62, 43)),
    ("vault", "Vault token", "VAULT_TOKEN", tokens.vault),
    ("databricks", "Databricks token", "DATABRICKS_TOKEN", tokens.databricks),
    ("grafana-service", "Grafana token", "GRAFANA_TOKEN", tokens.grafana_service),
    ("grafana-cloud", "Grafana Cloud token", "GRAFANA_CLOUD_API_KEY", tokens.grafana_cloud),
    ("doppler", "Doppler token", "DOPPLER_TOKEN", simple(("dp", ".pt."), BASE62, 43)),
    ("fly", "Fly.io token", "FLY_API_TOKEN", tokens.fly),
    ("supabase", "Supabase token", "SUPABASE_ACCESS_TOKEN", simple(("sb", "p_"), HEX, 40)),
    ("planetscale", "PlanetScale token", "PLANETSCALE_SERVICE_TOKEN", simple(("pscale", "_tkn_"), URL64, 43)),
    ("stripe-webhook", "webhook signing secret", "STRIPE_WEBHOOK_SECRET", simple(("wh", "sec_"), BASE62, 32)),
    ("openrouter", "OpenRouter key", "OPENROUTER_API_KEY", simple(("sk-", "or-", "v1-"), HEX, 64)),
    ("groq", "Groq key", "GROQ_API_KEY", simple(("gs", "k_"), BASE62, 52)),
    ("tailscale", "Tailscale auth key", "TS_AUTHKEY", tokens.tailscale),
    ("atlassian", "Atlassian API token", "JIRA_API_TOKEN", tokens.atlassian),
    ("rubygems", "RubyGems key", "GEM_HOST_API_KEY", simple(("ruby", "gems_"), HEX, 48)),
    ("postman", "Postman key", "POSTMAN_API_KEY", tokens.postman),
    ("age-key", "age key", "SOPS_AGE_KEY", tokens.age_key),
    ("pulumi", "Pulumi token", "PULUMI_ACCESS_TOKEN", simple(("pu", "l-"), HEX, 40)),
    ("figma", "Figma token", "FIGMA_TOKEN", simple(("fi", "gd_"), URL64, 40)),
    ("pinecone", "Pinecone key", "PINECONE_API_KEY", tokens.pinecone),
    ("langsmith", "LangSmith key", "LANGSMITH_API_KEY", tokens.langsmith),
    ("tavily", "Tavily key", "TAVILY_API_KEY", simple(("tv", "ly-"), BASE62, 32)),
    ("resend", "Resend key", "RESEND_API_KEY", tokens.resend),
    ("sonarqube", "SonarQube token", "SONAR_TOKEN", simple(("sq", "p_"), HEX, 40)),
    ("netlify", "Netlify token", "NETLIFY_AUTH_TOKEN", simple(("nf", "p_"), BASE62, 40)),
    ("posthog", "PostHog key", "POSTHOG_API_KEY", simple(("ph", "x_"), BASE62, 43)),
    ("doppler-service", "Doppler service token", "DOPPLER_TOKEN", simple(("dp", ".st.prd."), BASE62, 43)),
    ("e2b", "E2B key", "E2B_API_KEY", simple(("e2", "b_"), HEX, 40)),
    ("neon", "Neon key", "NEON_API_KEY", simple(("na", "pi_"), draw.LOWER, 64)),
    ("elevenlabs", "ElevenLabs key", "ELEVENLABS_API_KEY", simple(("s", "k_"), HEX, 48)),
]

# kind, what people call it, variable, maker: the value looks like anything, the name tells
NAMED = [
    ("aws-secret-key", "AWS secret access key", "AWS_SECRET_ACCESS_KEY", simple((), draw.BASE64, 40)),
    ("twilio-auth-token", "Twilio auth token", "TWILIO_AUTH_TOKEN", hex_of(32)),
    ("heroku-key", "Heroku API key", "HEROKU_API_KEY", tokens.heroku),
    ("cloudflare-token", "Cloudflare API token", "CLOUDFLARE_API_TOKEN", simple((), URL64, 40)),
    ("datadog-key", "Datadog API key", "DD_API_KEY", hex_of(32)),
    ("jwt-signing-key", "JWT secret", "JWT_SECRET", simple((), BASE62, 48)),
    ("rails-master-key", "Rails master key", "RAILS_MASTER_KEY", hex_of(32)),
    ("smtp-password", "SMTP password", "SMTP_PASSWORD", password),
    ("admin-password", "admin password", "ADMIN_PASSWORD", human),
    ("oauth-client-secret", "client secret", "OAUTH_CLIENT_SECRET", simple((), BASE62, 36)),
    ("encryption-key", "encryption key", "ENCRYPTION_KEY", lambda rng: draw.base64_bytes(rng, 32)),
    ("session-secret", "session secret", "SESSION_SECRET", strong),
]

# [[s]] the secret, [[label]] what people call it, [[NAME]] the variable, [[name]] in lower case, [[camel]] in camelCase
CHAT_VENDOR = [
    "Here is the [[label]]: [[s]] – please wire it into the [[app]] config.",
    "I see the key `[[s]]` in your .env. That file is tracked by git, so you should rotate it at once.",
    "use this one [[s]] its from the [[app]] account, the old one is dead",
    "Nimm bitte diesen [[label]] hier: [[s]] und trag ihn in die Konfiguration ein.",
    "Ich habe im Verlauf den Schlüssel `[[s]]` gefunden. Er sollte sofort ersetzt werden.",
    'The [[label]] ("[[s]]") still works, so the 401 must come from the scope.',
    "Warum bekomme ich 403? Der Token ist ([[s]]), und der Nutzer hat alle Rechte.",
]
CHAT_NAMED = [
    "The [[label]] is [[s]] – please wire it into the [[app]] config.",
    "I see [[NAME]]=[[s]] in your .env. That file is tracked by git, so you should rotate it at once.",
    "[[label]]: [[s]]\nthe rest is as before",
    "Ich habe `[[NAME]]` auf `[[s]]` gesetzt und den Dienst neu gestartet.",
    "Setz bitte [[NAME]] = [[s]], dann sollte der Login gehen.",
    "The [[label]] (`[[s]]`) is the one that [[app]] uses in production.",
    "Hier ist der Wert für [[NAME]]: [[s]]",
]
GENERIC = {
    "env": [
        "NODE_ENV=production\nPORT=[[port]]\n[[NAME]]=[[s]]\nLOG_LEVEL=info",
        '# [[app]]\n[[NAME]]="[[s]]"\nTIMEOUT=30',
        "export [[NAME]]='[[s]]'\nexport PATH=$HOME/bin:$PATH",
        "[[NAME]] = [[s]]",
    ],
    "shell": [
        "export [[NAME]]=[[q]] && ./deploy.sh staging",
        "[[NAME]]=[[q]] npm run test:integration -- --grep login",
        "docker run --rm -e [[NAME]]=[[q]] -p 8080:80 acme/[[app]]:latest",
        "gh secret set [[NAME]] --body [[q]] --repo acme/[[app]]",
        "echo '[[NAME]]=[[s]]' >> .env && docker compose up -d",
        "fly secrets set [[NAME]]=[[q]] -a [[app]]",
    ],
    "json": [
        '{\n  "name": "[[app]]",\n  "[[camel]]": "[[s]]",\n  "timeout": 30\n}',
        '{"env":{"[[NAME]]":"[[s]]","NODE_ENV":"test"},"args":["-y","server"]}',
        r'{"type":"event","body":"{\"[[name]]\":\"[[s]]\",\"retry\":true}","status":200}',
        '{"mcpServers": {"[[app]]": {"command": "npx", "env": {"[[NAME]]": "[[s]]"}}}}',
    ],
    "diff": [
        "--- a/.env\n+++ b/.env\n@@ -1,3 +1,4 @@\n PORT=[[port]]\n-LOG_LEVEL=debug\n+LOG_LEVEL=info\n+[[NAME]]=[[s]]",
        (
            "diff --git a/[[file]] b/[[file]]\nindex [[hex_7]]..[[hex_7]] 100644\n@@ -12,4 +12,4 @@ class Config:\n"
            '     debug = False\n-    [[name]] = "[[s]]"\n+    [[name]] = os.environ["[[NAME]]"]'
        ),
    ],
    "trace": [
        (
            'Traceback (most recent call last):\n  File "/srv/[[app]]/main.py", line [[n]], in <module>\n    run()\n'
            "  File \"/srv/[[app]]/client.py\", line [[nn]], in run\n    raise AuthError(msg)\nclient.AuthError: rejected {'[[name]]': '[[s]]'}"
        ),
        (
            "Error: Request failed with status code 401\n    at createError (/app/node_modules/axios/lib/core/createError.js:16:15)\n"
            "  config: { baseURL: 'https://[[host]]', [[camel]]: '[[s]]', timeout: 3000 }"
        ),
        'panic: unexpected status 403: [[NAME]]="[[s]]"\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:[[n]] +0x1d2',
    ],
    "log": [
        "[[time]] INFO  [[[app]]] starting with [[NAME]]=[[s]] pool=8",
        '[[time]] DEBUG http: > POST /v1/items [[name]]="[[s]]" attempt=2',
        "[[app]]-1  | config loaded: {[[camel]]: '[[s]]', region: 'eu-central-1'}",
    ],
    "code": [
        'import os\n\nos.environ["[[NAME]]"] = "[[s]]"\nclient = Client(timeout=30)',
        "const client = new Client({\n  [[camel]]: '[[s]]',\n  retries: 3,\n});",
        'const [[camel]] = "[[s]]"\n\nfunc main() {\n\trun([[camel]])\n}',
        'let [[name]] = "[[s]]".to_string();\nlet client = Client::new(&[[name]]);',
        '[[NAME]]: str = "[[s]]"  # TODO move to the vault',
    ],
    "yaml": [
        "services:\n  [[app]]:\n    image: acme/[[app]]:[[ver]]\n    environment:\n      [[NAME]]: [[s]]\n      TZ: UTC",
        'env:\n  - name: [[NAME]]\n    value: "[[s]]"\n  - name: PORT\n    value: "8080"',
        "    environment:\n      - [[NAME]]=[[s]]\n      - LOG_LEVEL=info",
        "[[name]]: '[[s]]'\nregion: eu-central-1",
    ],
    "fence": [
        "Put this into your shell profile:\n\n```bash\nexport [[NAME]]=[[q]]\n```\n\nThen open a new terminal.",
        "So sieht die Datei jetzt aus:\n\n```ini\n[[[app]]]\n[[name]] = [[s]]\nregion = eu\n```",
        '```ts\nprocess.env.[[NAME]] = "[[s]]";\nawait main();\n```',
    ],
}
URL_VENDOR = [
    "https://api.[[domain]]/v1/items?limit=20&access_token=[[s]]",
    "GET https://[[host]]/v2/geocode/json?address=Berlin&key=[[s]] 200 41ms",
    "curl -s 'https://[[host]]/hook?api_key=[[s]]&dry=1' | jq .",
]
URL_NAMED = [
    "https://api.[[domain]]/v1/items?limit=20&access_token=[[s]]",
    "curl -s 'https://[[host]]/hook?api_key=[[s]]&dry=1' | jq .",
]
HEADERS = [
    "curl -sS https://api.[[domain]]/v1/users \\\n  -H 'Accept: application/json' \\\n  -H 'Authorization: Bearer [[s]]' \\\n  -d '{\"limit\": 5}'",
    'curl -X POST https://[[host]]/v1/messages -H "x-api-key: [[s]]" -H "content-type: application/json" -d @body.json',
]


def url_safe(secret):
    return all(c.isalnum() or c in "-._~:" for c in secret)


def camel_of(name):
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def pick(rng, templates, size):
    """Draws as many contexts as asked for, chat always, and a template of each."""
    contexts = ["chat"] + rng.sample([c for c in templates if c != "chat"], size - 1)
    return [(context, rng.choice(templates[context])) for context in contexts]


def generic(kind, split, row, chat, size):
    _, label, name, make = row
    rng = seeded(kind)
    templates = dict(GENERIC, chat=chat)
    if url_safe(make(rng)):
        templates["url"] = URL_VENDOR if chat is CHAT_VENDOR else URL_NAMED
    if chat is CHAT_VENDOR:
        templates["shell"] = GENERIC["shell"] + HEADERS
    for context, template in pick(rng, templates, size):
        secret = make(rng)
        quoted = secret if url_safe(secret) else f"'{secret}'"
        given = {"s": secret, "q": quoted, "label": label, "NAME": name, "name": name.lower(), "camel": camel_of(name)}
        yield Item(kind, split, context, fill(rng, template, **given), secret)


# Wrappers: context, before, prefix of each line after the first, after, how often JSON escapes it
ONE_LINE = [
    ("chat", "I ran `", "", "` and it still fails with the same error. What am I missing?", 0),
    ("chat", "Kannst du mir sagen, warum das nicht geht? ", "", "", 0),
    (
        "trace",
        "subprocess.CalledProcessError: Command '",
        "",
        "' returned non-zero exit status 1.\nmake: *** [deploy] Error 1",
        0,
    ),
    ("trace", "Error: Command failed: ", "", "\n    at ChildProcess.exithandler (node:child_process:422:12)", 0),
    ("log", "2026-03-02T09:14:07Z INFO  [worker-3] executing: ", "", "", 0),
    ("log", "+ set -e\n+ ", "", "\n+ echo done", 0),
    ("json", '{"type":"exec","command":"', "", '","cwd":"/srv/app"}', 1),
    ("json", r'{"event":"tool","payload":"{\"cmd\":\"', "", r'\",\"ok\":true}"}', 2),
]
RUN = ONE_LINE + [
    ("chat", "So rufe ich es auf:\n\n", "", "\n\nLeider kommt dann nur ein Timeout.", 0),
    (
        "diff",
        "@@ -4,6 +4,7 @@ jobs:\n     steps:\n-      - run: make deploy\n+      - run: ",
        "+          ",
        "\n       - run: make smoke",
        0,
    ),
    ("code", 'import subprocess\n\nsubprocess.run("', "", '", shell=True, check=True)', 1),
    ("code", 'cmd := exec.Command("sh", "-c", "', "", '")', 1),
    ("code", 'let out = Command::new("sh").arg("-c").arg("', "", '").output()?;', 1),
    ("yaml", "steps:\n  - name: deploy\n    run: |\n      ", "      ", "\n      echo done", 0),
    ("fence", "Run this once:\n\n```bash\n", "", "\n```\n", 0),
]
FILE = [
    ("chat", "Das steht bei uns in der Datei, stimmt das so?\n\n", "", "\n\nDanke!", 0),
    ("chat", "this is what I have right now:\n", "", "\nand it says access denied", 0),
    ("diff", "diff --git a/conf b/conf\nindex 3f1c2aa..91be04d 100644\n@@ -0,0 +1,9 @@\n+", "+", "\n+# end", 0),
    ("shell", "cat > conf.tmp <<'EOF'\n", "", "\nEOF\nchmod 600 conf.tmp", 0),
    ("json", '{"file_path":"/srv/app/conf","content":"', "", '"}', 1),
    ("code", 'Path("conf").write_text("', "", '")', 1),
    ("log", "$ cat conf\n", "", "\n$ echo $?\n0", 0),
    ("fence", "The file now reads:\n\n```\n", "", "\n```\n", 0),
    ("yaml", "write_files:\n  - path: /etc/app/conf\n    content: |\n      ", "      ", "\n    owner: root", 0),
]

# kind, wrappers, maker, [(context, core)]
SPECIALS = [
    (
        "curl-user",
        RUN,
        password,
        [
            ("shell", "curl -u [[user]]:[[s]] https://[[host]]/api/health"),
            ("shell", 'curl -sS --user "[[user]]:[[s]]" -X PUT https://[[host]]/items/[[n]]'),
        ],
    ),
    (
        "mysql-p",
        RUN,
        password,
        [
            ("shell", "mysql -h [[host]] -u [[user]] -p[[s]] [[app]] < dump.sql"),
            ("shell", "mysqldump -u[[user]] -p'[[s]]' --single-transaction [[app]] > dump.sql"),
        ],
    ),
    (
        "pgpassword",
        RUN,
        password,
        [
            ("shell", "PGPASSWORD=[[s]] psql -h [[host]] -U [[user]] -d [[app]] -c 'select 1'"),
            ("shell", "PGPASSWORD='[[s]]' pg_dump -h [[ip]] -U [[user]] [[app]] | gzip > dump.gz"),
        ],
    ),
    (
        "sshpass",
        RUN,
        password,
        [
            ("shell", "sshpass -p '[[s]]' ssh -o StrictHostKeyChecking=no [[user]]@[[ip]] uptime"),
            ("shell", "sshpass -p [[s]] scp build.tgz [[user]]@[[host]]:/srv/"),
        ],
    ),
    (
        "flag-password",
        RUN,
        password,
        [
            ("shell", "keycloak-admin create user --username [[user]] --password [[s]] --realm [[app]]"),
            ("shell", "python manage.py load --password='[[s]]' --host [[host]]"),
        ],
    ),
    (
        "flag-token",
        RUN,
        lambda rng: mixed(rng, 40),
        [
            ("shell", "k3s agent --server https://[[ip]]:6443 --token=[[s]]"),
            ("shell", "sonar-scanner --url https://[[host]] --token [[s]] --verbose"),
        ],
    ),
    (
        "docker-login",
        RUN,
        password,
        [
            ("shell", "docker login registry.[[domain]] -u [[user]] -p [[s]]"),
            ("shell", "echo '[[s]]' | docker login -u [[user]] --password-stdin [[host]]"),
        ],
    ),
    (
        "bearer-header",
        RUN,
        lambda rng: mixed(rng, rng.randint(32, 64)),
        [
            ("shell", "curl -H 'Authorization: Bearer [[s]]' https://[[host]]/v1/me"),
            ("code", "headers = {'Authorization': 'Bearer [[s]]', 'Accept': 'application/json'}"),
            ("log", "> GET /v1/me HTTP/1.1\n> Host: [[host]]\n> authorization: Bearer [[s]]\n> accept: */*"),
        ],
    ),
    (
        "basic-header",
        RUN,
        tokens.basic,
        [
            ("shell", "curl -H 'Authorization: Basic [[s]]' https://[[host]]/v2/_catalog"),
            ("code", "headers: { Authorization: 'Basic [[s]]', Accept: '*/*' }"),
            ("log", "> GET /v2/ HTTP/1.1\n> Host: [[host]]\n> Authorization: Basic [[s]]"),
        ],
    ),
    (
        "cookie",
        RUN,
        lambda rng: draw.chars(rng, URL64, 43),
        [
            ("shell", "curl -b 'sessionid=[[s]]' https://[[host]]/account"),
            ("shell", "curl https://[[host]]/orders -H 'Cookie: lang=de; connect.sid=[[s]]'"),
            ("log", "GET /account HTTP/1.1\nHost: [[host]]\nCookie: theme=dark; session=[[s]]\nAccept: text/html"),
        ],
    ),
    (
        "set-cookie",
        FILE,
        lambda rng: mixed(rng, 40),
        [
            ("log", "HTTP/1.1 200 OK\nSet-Cookie: session=[[s]]; Path=/; HttpOnly; Secure\nContent-Length: 12"),
            ("log", "< set-cookie: auth_token=[[s]]; Max-Age=3600; SameSite=Lax\n< vary: Accept"),
            ("json", '{"status":200,"headers":{"set-cookie":["PHPSESSID=[[s]]; path=/"]}}'),
        ],
    ),
    (
        "url-postgres",
        RUN,
        password,
        [
            ("shell", "psql postgres://[[user]]:[[s]]@[[host]]:5432/[[app]]?sslmode=require"),
            ("env", "DATABASE_URL=postgresql://[[user]]:[[s]]@[[ip]]:5432/[[app]]"),
            (
                "trace",
                'sqlalchemy.exc.OperationalError: could not connect to "postgres://[[user]]:[[s]]@[[host]]/[[app]]"',
            ),
            ("url", "postgresql+asyncpg://[[user]]:[[s]]@[[host]]:5432/[[app]]"),
        ],
    ),
    (
        "url-redis",
        FILE,
        password,
        [
            ("env", "REDIS_URL=redis://:[[s]]@[[host]]:6379/0"),
            ("url", "rediss://default:[[s]]@[[host]]:6380"),
            ("log", "[[time]] INFO celery: Connected to redis://:[[s]]@[[ip]]:6379/1"),
        ],
    ),
    (
        "url-git",
        RUN,
        lambda rng: mixed(rng, 32),
        [
            ("shell", "git clone https://[[user]]:[[s]]@git.[[domain]]/acme/[[app]].git"),
            ("shell", "git remote set-url origin https://oauth2:[[s]]@git.[[domain]]/acme/[[app]].git"),
            ("log", "origin  https://ci:[[s]]@git.[[domain]]/acme/[[app]].git (fetch)"),
        ],
    ),
    (
        "url-mongo-amqp",
        FILE,
        lambda rng: human(rng, "-_.") + rng.choice(["%40", "%21", "%23"]) + "x",
        [
            ("env", "MONGO_URI=mongodb+srv://[[user]]:[[s]]@cluster0.[[low_5]].mongodb.net/[[app]]"),
            ("url", "amqps://[[user]]:[[s]]@[[host]]:5671/vhost"),
            ("code", 'const url = "mongodb://[[user]]:[[s]]@[[host]]:27017/[[app]]?authSource=admin";'),
        ],
    ),
    (
        "jdbc",
        FILE,
        password,
        [
            ("url", "jdbc:postgresql://[[host]]:5432/[[app]]?user=[[user]]&password=[[s]]&ssl=true"),
            ("env", "SPRING_DATASOURCE_URL=jdbc:mysql://[[host]]/[[app]]?user=[[user]]&password=[[s]]"),
        ],
    ),
    (
        "ado-net",
        FILE,
        wild_password,
        [
            (
                "json",
                '{"ConnectionStrings": {"Default": "Server=[[host]];Database=[[app]];User Id=[[user]];Password=[[s]];Encrypt=true"}}',
            ),
            ("env", "ConnectionStrings__Main=Data Source=[[ip]],1433;Initial Catalog=[[app]];UID=[[user]];PWD=[[s]];"),
        ],
    ),
    (
        "azure-storage",
        FILE,
        tokens.azure_storage,
        [
            (
                "env",
                "AZURE_STORAGE_CONNECTION_STRING=DefaultEndpointsProtocol=https;AccountName=acme[[n]];AccountKey=[[s]];EndpointSuffix=core.windows.net",
            ),
            (
                "json",
                '{"AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=files[[n]];AccountKey=[[s]]"}',
            ),
        ],
    ),
    (
        "env-password",
        FILE,
        password,
        [
            ("env", "DB_HOST=[[host]]\nDB_USER=[[user]]\nDB_PASSWORD=[[s]]\nDB_NAME=[[app]]"),
            ("env", "POSTGRES_USER=[[user]]\nPOSTGRES_PASSWORD=[[s]]"),
            ("shell", "export MYSQL_ROOT_PASSWORD='[[s]]'; docker compose up -d db"),
        ],
    ),
    (
        "env-quoted",
        FILE,
        wild_password,
        [
            ("env", 'DB_USER="[[user]]"\nDB_PASS="[[s]]"\nDB_PORT=5432'),
            ("env", "MAIL_PASSWORD='[[s]]'\nMAIL_FROM=noreply@[[domain]]"),
            ("env", 'export APP_SECRET="[[s]]"'),
        ],
    ),
    (
        "json-field",
        FILE,
        password,
        [
            ("json", '{\n  "host": "[[host]]",\n  "user": "[[user]]",\n  "password": "[[s]]"\n}'),
            ("json", r'{"request":{"body":"{\"username\":\"[[user]]\",\"password\":\"[[s]]\"}"},"status":401}'),
            ("json", '{"client_id":"[[app]]","client_secret":"[[s]]","grant_type":"client_credentials"}'),
            ("code", 'requests.post(url, json={"username": "[[user]]", "password": "[[s]]"})'),
        ],
    ),
    (
        "yaml-field",
        FILE,
        wild_password,
        [
            ("yaml", 'database:\n  host: [[host]]\n  username: [[user]]\n  password: "[[s]]"'),
            ("yaml", "spring:\n  datasource:\n    username: [[user]]\n    password: '[[s]]'"),
            ("yaml", "oauth:\n  client_id: [[app]]\n  client_secret: '[[s]]'"),
        ],
    ),
    (
        "toml-field",
        FILE,
        password,
        [
            ("env", '[database]\nhost = "[[host]]"\npassword = "[[s]]"'),
            ("env", '[smtp]\nuser = "[[user]]"\npasswd = "[[s]]"\nport = 587'),
            ("env", '[auth]\napi_key = "[[s]]"\nenabled = true'),
        ],
    ),
    (
        "properties-xml",
        FILE,
        password,
        [
            ("env", "spring.datasource.username=[[user]]\nspring.datasource.password=[[s]]"),
            (
                "env",
                "<server>\n  <id>nexus</id>\n  <username>[[user]]</username>\n  <password>[[s]]</password>\n</server>",
            ),
            ("code", "define('DB_USER', '[[user]]');\ndefine('DB_PASSWORD', '[[s]]');"),
        ],
    ),
    (
        "code-password",
        FILE,
        wild_password,
        [
            ("code", 'conn = psycopg2.connect(host="[[host]]", user="[[user]]", password="[[s]]")'),
            ("code", "const pool = new Pool({ user: '[[user]]', password: '[[s]]', port: 5432 });"),
            ("code", 'cfg := Config{User: "[[user]]", Password: "[[s]]"}'),
            ("code", 'let opts = PgConnectOptions::new().username("[[user]]").password("[[s]]");'),
        ],
    ),
    (
        "terraform-var",
        FILE,
        password,
        [
            ("code", 'variable "db_password" {\n  type    = string\n  default = "[[s]]"\n}'),
            ("env", 'region      = "eu-central-1"\ndb_password = "[[s]]"\nreplicas    = [[n]]'),
            ("shell", "terraform apply -var 'db_password=[[s]]' -auto-approve"),
        ],
    ),
    (
        "ansible-var",
        FILE,
        password,
        [
            ("yaml", "ansible_user: [[user]]\nansible_ssh_pass: [[s]]\nansible_port: 22"),
            ("env", "web1 ansible_host=[[ip]] ansible_user=[[user]] ansible_become_password=[[s]]"),
            ("shell", "ansible-playbook site.yml -e 'ansible_become_pass=[[s]]'"),
        ],
    ),
    (
        "kubectl-secret",
        FILE,
        tokens.encoded_password,
        [
            (
                "yaml",
                "apiVersion: v1\nkind: Secret\nmetadata:\n  name: [[app]]-db\ntype: Opaque\ndata:\n  username: YXBw\n  password: [[s]]",
            ),
            (
                "json",
                '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"[[app]]"},"data":{"db-password":"[[s]]"}}',
            ),
        ],
    ),
    (
        "kubectl-literal",
        RUN,
        password,
        [
            ("shell", "kubectl create secret generic [[app]] --from-literal=password=[[s]]"),
            (
                "shell",
                "kubectl -n prod create secret docker-registry regcred --docker-username=[[user]] --docker-password='[[s]]'",
            ),
        ],
    ),
    (
        "netrc",
        FILE,
        password,
        [
            ("env", "machine git.[[domain]] login [[user]] password [[s]]"),
            ("env", "machine [[host]]\n  login [[user]]\n  password [[s]]"),
        ],
    ),
    (
        "npmrc",
        FILE,
        lambda rng: draw.new_uuid(rng) if rng.random() < 0.5 else mixed(rng, 44),
        [
            ("env", "registry=https://npm.acme.io/\n//npm.acme.io/:_authToken=[[s]]\nalways-auth=true"),
            ("shell", "npm config set //registry.npmjs.org/:_authToken=[[s]]"),
        ],
    ),
    (
        "pypirc",
        FILE,
        password,
        [
            ("env", "[internal]\nrepository = https://pypi.[[domain]]/\nusername = [[user]]\npassword = [[s]]"),
            ("env", "[distutils]\nindex-servers = internal\n\n[internal]\nusername: [[user]]\npassword: [[s]]"),
        ],
    ),
    (
        "docker-config",
        FILE,
        tokens.basic,
        [
            ("json", '{\n  "auths": {\n    "registry.[[domain]]": {\n      "auth": "[[s]]"\n    }\n  }\n}'),
            ("json", '{"auths":{"https://index.docker.io/v1/":{"auth":"[[s]]"}},"credsStore":""}'),
        ],
    ),
    (
        "chat-password",
        None,
        password,
        [
            ("chat", "the password is [[s]] and the user is [[user]]"),
            ("chat", "Das Passwort lautet [[s]], der Benutzer heißt [[user]]."),
            ("chat", "login: [[user]]\npassword: [[s]]"),
            ("chat", "Zugangsdaten für Staging:\nBenutzer: [[user]]\nPasswort: [[s]]"),
            ("chat", "You can log in with [[user]] / password `[[s]]` on [[host]]."),
            ("chat", "Mein Kennwort ist „[[s]]“, damit klappt es aber auch nicht."),
            ("chat", "I reset it, new password: [[s]]"),
            ("chat", "pw=[[s]] user=[[user]] host=[[host]] – still denied"),
        ],
    ),
    (
        "passphrase",
        RUN,
        human,
        [
            ("shell", "openssl pkcs12 -export -in cert.pem -out cert.p12 -passout pass:[[s]]"),
            ("shell", "gpg --batch --passphrase '[[s]]' --decrypt backup.gpg"),
            ("env", "SSH_KEY_PASSPHRASE=[[s]]"),
        ],
    ),
    (
        "redis-cli",
        RUN,
        password,
        [
            ("shell", "redis-cli -h [[host]] -a [[s]] ping"),
            ("shell", "REDISCLI_AUTH=[[s]] redis-cli -h [[host]] info"),
            ("env", "bind 0.0.0.0\nrequirepass [[s]]\nappendonly yes"),
        ],
    ),
    (
        "jwt",
        RUN,
        jwt,
        [
            ("json", '{"access_token":"[[s]]","token_type":"Bearer","expires_in":3600}'),
            ("url", "https://[[host]]/reset?token=[[s]]"),
            ("log", "[[time]] WARN  auth: expired [[s]] for user [[nn]]"),
            ("code", 'const token = "[[s]]";\nexpect(decode(token).sub).toBe("[[n]]");'),
            ("chat", "Warum ist dieser Token ungültig? [[s]]"),
            ("chat", "I get 401 with [[s]] although it has not expired."),
        ],
    ),
    (
        "slack-webhook",
        RUN,
        lambda rng: mixed(rng, 24),
        [
            ("url", "https://hooks.[[slack]].com/services/T[[up_8]]/B[[up_10]]/[[s]]"),
            (
                "shell",
                'curl -X POST -d \'{"text":"done"}\' https://hooks.[[slack]].com/services/T[[up_8]]/B[[up_10]]/[[s]]',
            ),
            ("env", "SLACK_WEBHOOK_URL=https://hooks.[[slack]].com/services/T[[up_10]]/B[[up_10]]/[[s]]"),
        ],
    ),
    (
        "sentry-dsn",
        FILE,
        hex_of(32),
        [
            ("env", "SENTRY_DSN=https://[[hex_32]]:[[s]]@sentry.[[domain]]/[[n]]"),
            ("code", 'sentry_sdk.init(dsn="https://[[hex_32]]:[[s]]@sentry.[[domain]]/[[n]]", environment="prod")'),
            ("trace", "raven.exceptions.InvalidDsn: https://[[hex_32]]:[[s]]@sentry.[[domain]]/x"),
        ],
    ),
    ("pem-rsa", FILE, tokens.der_body("MII" + "EpAIBAAKCAQEA", 1170), [("env", "[[rsa]]")]),
    ("pem-ec", FILE, tokens.der_body("MHc" + "CAQEEI", 115), [("env", "[[ec]]")]),
    ("pem-pkcs8", FILE, tokens.der_body("MII" + "EvQIBADANBgkqhkiG9w0BAQEFAASC", 1190), [("env", "[[pkcs8]]")]),
    ("pem-openssh", FILE, tokens.openssh_body, [("env", "[[openssh]]")]),
    ("pgp-private", FILE, tokens.pgp_body, [("env", "[[pgp]]")]),
    (
        "gcp-service-account",
        FILE,
        lambda rng: escaped(tokens.der_body("MII" + "EvQIBADANBgkqhkiG9w0BAQEFAASC", 1190)(rng)),
        [
            (
                "json",
                (
                    '{\n  "type": "service_account",\n  "project_id": "[[app]]-[[n]]",\n  "private_key_id": "[[hex_40]]",\n  "private_key": "[[gcp]]",\n'
                    '  "client_email": "[[app]]@[[app]]-[[n]].iam.gserviceaccount.com"\n}'
                ),
            ),
            ("env", 'GOOGLE_PRIVATE_KEY="[[gcp]]"\nGOOGLE_EMAIL=ci@[[app]].iam.gserviceaccount.com'),
        ],
    ),
    (
        "numbered-key",
        None,
        tokens.der_body("MII" + "EpAIBAAKCAQEA", 1170),
        [
            ("chat", "The Read tool shows\n[[arrows]]\nSo it is tracked by git."),
            ("shell", "$ cat -n id_rsa\n[[tabs]]"),
            ("log", "$ grep -n '' deploy/id_rsa\n[[colons]]"),
            ("json", '{"tool_use_id":"toolu_[[nn]]","content":"[[escaped_arrows]]"}'),
        ],
    ),
    (
        "sql-statement",
        RUN,
        password,
        [
            ("shell", "psql -h [[host]] -c \"ALTER USER [[user]] WITH PASSWORD '[[s]]'\""),
            ("shell", "mysql -e \"CREATE USER '[[user]]'@'%' IDENTIFIED BY '[[s]]'\""),
            ("code", 'cursor.execute("ALTER ROLE [[user]] PASSWORD \'[[s]]\'")'),
        ],
    ),
    (
        "url-with-at",
        RUN,
        lambda rng: human(rng, "@"),
        [
            ("shell", "git clone https://[[user]]:[[s]]@git.[[domain]]/[[app]].git"),
            ("env", "DATABASE_URL=postgres://[[user]]:[[s]]@[[host]]:5432/[[app]]"),
        ],
    ),
    (
        "keystore",
        RUN,
        password,
        [
            ("shell", "keytool -importcert -file ca.pem -keystore [[app]].jks -storepass [[s]] -noprompt"),
            ("shell", "jarsigner -keystore [[app]].jks -storepass '[[s]]' [[app]].jar release"),
        ],
    ),
    (
        "htpasswd",
        RUN,
        password,
        [
            ("shell", "htpasswd -b -c /etc/nginx/.htpasswd [[user]] [[s]]"),
            ("shell", "htpasswd -nbB [[user]] '[[s]]' > auth/[[app]]"),
        ],
    ),
    (
        "sqlcmd",
        RUN,
        password,
        [
            ("shell", "sqlcmd -S [[host]] -U [[user]] -P [[s]] -Q 'select 1'"),
            ("shell", "/opt/mssql-tools/bin/sqlcmd -S [[ip]] -U sa -P '[[s]]' -i init.sql"),
        ],
    ),
    (
        "wireguard",
        FILE,
        lambda rng: draw.base64_bytes(rng, 32),
        [
            ("env", "[Peer]\nPublicKey = [[b64x_43]]=\nPresharedKey = [[s]]\nAllowedIPs = [[ip]]/32"),
            ("env", "[Interface]\nAddress = [[ip]]/24\nPrivateKey = [[s]]\nListenPort = 51820"),
        ],
    ),
]


def numbered(body, row):
    """A private key as a tool shows it, with a number before each line."""
    lines = tokens.pem("RSA")(body).split("\n")
    return "\n".join(row.format(number, line) for number, line in enumerate(lines, 1))


BLOCKS = {
    "rsa": tokens.pem("RSA"),
    "ec": tokens.pem("EC"),
    "pkcs8": tokens.pem(""),
    "openssh": tokens.pem("OPENSSH"),
    "pgp": tokens.pgp,
    "arrows": lambda body: numbered(body, "{:6}→{}"),
    "escaped_arrows": lambda body: escaped(numbered(body, "{:6}→{}")),
    "tabs": lambda body: numbered(body, "{:6}\t{}"),
    "colons": lambda body: numbered(body, "{}:{}"),
    "gcp": lambda body: escaped(tokens.pem("")("@").replace("@", "\0")).replace("\\u0000", body) + "\\n",
}


def wrap(wrapper, text):
    _, before, prefix, after, times = wrapper
    for _ in range(times):
        text = escaped(text)
    return before + text.replace("\n", "\n" + prefix) + after


def wrapped_secret(wrapper, secret):
    for _ in range(wrapper[4]):
        secret = escaped(secret)
    return secret.replace("\n", "\n" + wrapper[2])


def layouts(rng, wrappers, cores, size):
    """Each core as it is, then cores in wrappers of other contexts as long as there are any."""
    plain = [(context, core, None) for context, core in cores][:size]
    seen = {context for context, _, _ in plain}
    ordered = rng.sample(wrappers or [], len(wrappers or []))
    ordered.sort(key=lambda w: w[0] in seen)
    fresh, later = [], []
    for wrapper in ordered:
        (later if wrapper[0] in seen else fresh).append(wrapper)
        seen.add(wrapper[0])
    for number, wrapper in enumerate((fresh + later)[: size - len(plain)]):
        core = wrappable(cores, wrapper, number)
        plain.append((wrapper[0], core, wrapper))
    return plain


def wrappable(cores, wrapper, number):
    """A core for this wrapper: one-line wrappers take one line."""
    fit = [c for _, c in cores if wrapper not in ONE_LINE or "\n" not in c]
    return fit[number % len(fit)]


def special(kind, split, row, size):
    _, wrappers, make, cores = row
    rng = seeded(kind)
    for context, core, wrapper in layouts(rng, wrappers, cores, size):
        secret = make(rng)
        blocks = {name: block(secret) for name, block in BLOCKS.items()}
        text = fill(rng, core, s=secret, slack="sl" + "ack", **blocks)
        if wrapper:
            text, secret = wrap(wrapper, text), wrapped_secret(wrapper, secret)
        yield Item(kind, split, context, text, secret)


def dealt(rows):
    """Gives every second row to the other split."""
    return [(row, ("choosing", "judging")[number % 2]) for number, row in enumerate(rows)]


def build():
    items = []
    for row, split in dealt(VENDORS):
        items += generic(row[0], split, row, CHAT_VENDOR, VENDOR_VARIANTS)
    for row, split in dealt(NAMED):
        items += generic(row[0], split, row, CHAT_NAMED, NAMED_VARIANTS)
    for row, split in dealt(SPECIALS):
        items += special(row[0], split, row, SPECIAL_VARIANTS)
    return items
