//! Programs that take a subcommand, and their options before it.

/// A program that takes a subcommand, as it is called, with the options before that whose value is the next word.
struct SubcommandProgram {
    name: &'static str,
    value_options: &'static [&'static str],
}

const fn program(name: &'static str, value_options: &'static [&'static str]) -> SubcommandProgram {
    SubcommandProgram {
        name,
        value_options,
    }
}

const CONTAINER_OPTIONS: &[&str] = &[
    "-H",
    "--host",
    "-c",
    "--context",
    "--config",
    "-l",
    "--log-level",
];
const COMPOSE_OPTIONS: &[&str] = &[
    "-f",
    "--file",
    "-p",
    "--project-name",
    "--profile",
    "--env-file",
    "--project-directory",
];
const CLUSTER_OPTIONS: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--kube-context",
    "--kubeconfig",
    "--cluster",
    "--user",
    "-s",
    "--server",
];
const GIT_OPTIONS: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];
/// The programs whose options before a subcommand say nothing about the work: a folder, a project, a host. Of any other
/// one the word after an option may be what it works on (`psql -h host`), so that its name is the program alone.
const SUBCOMMAND_PROGRAMS: &[SubcommandProgram] = &[
    program(
        "aws",
        &["--profile", "--region", "--output", "--endpoint-url"],
    ),
    program("az", &["--subscription", "--output", "-o"]),
    program("bun", &["--cwd"]),
    program("bundle", &[]),
    program("cargo", &["-C", "--config", "--color", "-Z"]),
    program("composer", &["-d", "--working-dir"]),
    program("docker", CONTAINER_OPTIONS),
    program("docker compose", COMPOSE_OPTIONS),
    program("docker-compose", COMPOSE_OPTIONS),
    program("flyctl", &["-a", "--app", "-c", "--config"]),
    program("gcloud", &["--project", "--account", "--configuration"]),
    program("gh", &["-R", "--repo"]),
    program("git", GIT_OPTIONS),
    program("go", &["-C"]),
    program("gradle", &["-p", "--project-dir"]),
    program("gradlew", &["-p", "--project-dir"]),
    program("helm", CLUSTER_OPTIONS),
    program("just", &["-f", "--justfile", "-d", "--working-directory"]),
    program("kubectl", CLUSTER_OPTIONS),
    program(
        "make",
        &["-C", "--directory", "-f", "--file", "--makefile", "-I"],
    ),
    program(
        "mvn",
        &[
            "-f",
            "--file",
            "-pl",
            "--projects",
            "-P",
            "-s",
            "--settings",
        ],
    ),
    program("npm", &["-C", "--prefix", "-w", "--workspace"]),
    program("nx", &[]),
    program("pip", &["--python"]),
    program("pnpm", &["-C", "--dir", "-F", "--filter"]),
    program("podman", CONTAINER_OPTIONS),
    program("podman compose", COMPOSE_OPTIONS),
    program("poetry", &["-C", "--directory", "-P", "--project"]),
    program("systemctl", &["-H", "--host", "-M", "--machine"]),
    program("terraform", &[]),
    program("tofu", &[]),
    program("turbo", &["--cwd"]),
    program("uv", &["--directory", "--project", "--config-file"]),
    program("yarn", &["--cwd"]),
];

/// Returns the words behind the options of a program before its subcommand, as command triggers are compared without these;
/// all words where nothing is known of the program, or only options follow.
pub(crate) fn skip_leading_options<'w>(name: &str, words: &'w [&'w str]) -> &'w [&'w str] {
    let program = SUBCOMMAND_PROGRAMS.iter().find(|known| known.name == name);
    let Some(program) = program else {
        return words;
    };
    let mut rest = words;
    while let [option, after @ ..] = rest {
        if !option.starts_with(['-', '+']) {
            return rest;
        }
        let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
        // `make -j 4 all`
        let has_value =
            program.value_options.contains(option) || after.first().is_some_and(is_number);
        rest = after.get(usize::from(has_value)..).unwrap_or_default();
    }
    words
}

/// Returns the subcommand among the arguments of git: `commit` of `-C app commit -m x`.
pub fn git_subcommand<'w>(arguments: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let mut arguments = arguments.into_iter();
    loop {
        match arguments.next()? {
            option if GIT_OPTIONS.contains(&option) => drop(arguments.next()),
            option if option.starts_with('-') => {}
            subcommand => return Some(subcommand),
        }
    }
}
