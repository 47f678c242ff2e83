//! The manual: the help of each command.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

pub fn help(command: &[&str]) -> String {
    TestEnvironment::new()
        .run(&[command, &["--help"]].concat())
        .succeeded()
        .stdout()
}

#[test]
fn help_of_the_program() {
    assert_snapshot!(help(&[]), @r#"
    Find what you did with Claude Code and OpenCode: by meaning and by word, offline

    Three levels: which session was it, which exchange in it, and everything around it. The index is
    kept up to date by each search; there is nothing to set up.

    Usage: session-search <COMMAND>

    Commands:
      search       Find sessions, or turns with --depth 2
      show         Show turns of a session in full: words, calls, edits, commands, outputs
      files        Find the turns that read or changed a file, newest first
      commands     Find the turns that ran a command, newest first, and whether it worked
      resume       Take a session up again, with its agent and in its folder
      digest       Report what was done on a day, by project and session: for a stand-up
      stats        Count sessions, turns, projects and hours over time
      memory       Keep what is worth it, and find it again
      inject       Print the memories to put before a prompt, if any helps
      hook         Have an agent ask for memories by itself
      config       Show every setting with who decided it
      index        Bring the index up to date now
      status       Say what is indexed, by what, and how fresh it is
      model        List models, choose one, bring one here
      setup        Choose a model, keep history longer, install the skill; all optional
      skill        Teach an agent to search: install, upgrade or remove the skill
      demo         Walk the three levels on a small built-in history
      eval         Measure how well search answers questions with known answers
      completions  Print completions for a shell
      man          Print the man page, or write those of all commands
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Examples:
      session-search search "docker bridge networking"
      session-search search "docker bridge" --depth 2 --session a1b2c3d4
      session-search show a1b2c3d4:5-9
      session-search demo

    Exit codes: 0 found, 1 nothing found, 2 error.
    "#);
}

#[test]
fn help_of_search() {
    assert_snapshot!(help(&["search"]), @r#"
    Find sessions, or turns with --depth 2

    Usage: session-search search [OPTIONS] <QUERY>

    Arguments:
      <QUERY>  What you remember of it. Any text; double quotes make a phrase

    Options:
          --depth <LEVEL>  1 finds sessions, 2 finds turns [default: 1]
      -n, --limit <N>      Most hits shown [default: 10]
          --with <PARTS>   Also print what was done: a list of parts, with commas between them, or all
                           [possible values: problem, solution, commands, files, errors, prs, branch,
                           time, models, tokens, all]
          --memories       Show memories that answer it, too
          --json           Print JSON
          --compact        With --json: a line a hit, of at most about 100 tokens
          --no-refresh     Answer from the index as it is, without looking for changes
          --or-demo        Where this machine has no history at all, answer from the built-in demo
      -h, --help           Print help

    Filters:
          --project <NAME|PATH>   Name or path of the project, or a part of it; `.` is this folder
          --source <AGENT>        Agent: claude or opencode
          --since <TIME>          From this time on: 2026-01-15, 2026-01-15T09:00, 3d, 2w, yesterday,
                                  last monday
          --until <TIME>          Up to and including this day, or before this time
          --days <N>              The last N days, today included
          --today                 Today, local time
          --yesterday             Yesterday, local time
          --branch <NAME>         Git branch
          --file <PATH>           A file that was read or changed, or a part of its path
          --session <ID>          Only this session, by its id or the beginning of it
          --exclude-session <ID>  Not this session; may be given several times
          --include-current       Also find the session that this is asked from
          --subagents             Also find what subagents did

    Ranking:
          --alpha <WEIGHT>  One weight of meaning against words, 0 to 1, whatever the query
          --vector-only     By meaning alone
          --keyword-only    By words alone
          --explain         Say how each score came to be

    Examples:
      session-search search "that time the network would not resolve"
      session-search search EMFILE --project homelab --days 30
      session-search search "retry with backoff" --depth 2 --file client.rs
      session-search search "too many open files" --with problem,solution,commands
      session-search search '"connection refused"' --keyword-only --json
    "#);
}

#[test]
fn help_of_show() {
    assert_snapshot!(help(&["show"]), @r"
    Show turns of a session in full: words, calls, edits, commands, outputs

    Usage: session-search show [OPTIONS] <ID[:TURNS]>

    Arguments:
      <ID[:TURNS]>  Session id, or the beginning of it, and turns: ID, ID:7, ID:5-9

    Options:
          --only <KIND>      Only one kind of thing [possible values: commands, files, prompts, answers,
                             errors]
      -C, --context <N>      Also this many turns before and after [default: 0]
          --brief            Cut outputs and long inputs after a few lines
          --full             Cut nothing, on a terminal either
          --format <FORMAT>  How it is written [default: text] [possible values: text, markdown, json]
          --json             Print JSON, as --format json does
          --no-pager         Never go through a pager
      -h, --help             Print help

    Examples:
      session-search show a1b2c3d4               all turns
      session-search show a1b2c3d4:7             one turn, counted from 0
      session-search show a1b2c3d4:5-9           turns 5 to 9
      session-search show a1b2c3d4:7 --context 2 turns 5 to 9, too
      session-search show a1b2c3d4 --only commands
      session-search show a1b2c3d4 --format markdown > session.md

    On a terminal long outputs are cut, unless --full is given, and what is longer than the screen goes
    through $PAGER, else `less -R`. Elsewhere nothing is cut.
    ");
}

#[test]
fn help_of_index() {
    assert_snapshot!(help(&["index"]), @r"
    Bring the index up to date now

    Usage: session-search index [OPTIONS]

    Options:
          --full  Read every history anew; what vanished histories left is kept
          --json  Print JSON
      -h, --help  Print help
    ");
}

#[test]
fn help_of_status() {
    assert_snapshot!(help(&["status"]), @r"
    Say what is indexed, by what, and how fresh it is

    Usage: session-search status [OPTIONS]

    Options:
          --json  Print JSON
      -h, --help  Print help
    ");
}

#[test]
fn help_of_demo() {
    assert_snapshot!(help(&["demo"]), @r#"
    Walk the three levels on a small built-in history

    Usage: session-search demo [OPTIONS] [QUERY]

    Arguments:
      [QUERY]  What to look for [default: "why can the api container not resolve the database host"]

    Options:
          --json  Print JSON
      -h, --help  Print help
    "#);
}

#[test]
fn help_of_eval() {
    assert_snapshot!(help(&["eval"]), @r"
    Measure how well search answers questions with known answers

    Usage: session-search eval [OPTIONS] <SET_DIR>

    Arguments:
      <SET_DIR>  Folder of the set

    Options:
          --model <NAME>    Model that makes the vectors, as `model list` shows it [default: table]
          --alpha <WEIGHT>  One weight of meaning against words, 0 to 1, whatever the query
          --adaptive        The weight by what each query finds; the default
          --level <LEVEL>   What is ranked [default: both] [possible values: session, turn, both]
          --pooled          Ask every question in all sessions, whatever its scope
          --index <DIR>     Keep the index of the set's history there, for the next run
          --runs <OUT_DIR>  Write session.tsv and turn.tsv there: question, target, score
          --json            Print JSON
      -h, --help            Print help

    Examples:
      session-search eval sets/locomo --runs /tmp/runs
      session-search eval my-questions --level session --alpha 0.5

    A set is a folder with queries.jsonl, qrels.session.tsv and qrels.turn.tsv. One with claude/projects
    brings its own history, which is indexed in a scratch folder; another is asked of your own.
    ");
}

#[test]
fn help_of_files() {
    assert_snapshot!(help(&["files"]), @r"
    Find the turns that read or changed a file, newest first

    Usage: session-search files [OPTIONS] <PATH>

    Arguments:
      <PATH>  A path, or a part of one

    Options:
      -n, --limit <N>  Most turns shown [default: 20]
          --json       Print JSON
      -h, --help       Print help

    Filters:
          --project <NAME|PATH>   Name or path of the project, or a part of it; `.` is this folder
          --source <AGENT>        Agent: claude or opencode
          --since <TIME>          From this time on: 2026-01-15, 2026-01-15T09:00, 3d, 2w, yesterday,
                                  last monday
          --until <TIME>          Up to and including this day, or before this time
          --days <N>              The last N days, today included
          --today                 Today, local time
          --yesterday             Yesterday, local time
          --branch <NAME>         Git branch
          --file <PATH>           A file that was read or changed, or a part of its path
          --session <ID>          Only this session, by its id or the beginning of it
          --exclude-session <ID>  Not this session; may be given several times
          --include-current       Also find the session that this is asked from
          --subagents             Also find what subagents did

    Examples:
      session-search files compose.yaml
      session-search files src/net --project homelab --days 30
      session-search files /home/ann/app/Makefile --json

    A turn is told with what was done to the file: read, edited or written whole.
    ");
}

#[test]
fn help_of_commands() {
    assert_snapshot!(help(&["commands"]), @r#"
    Find the turns that ran a command, newest first, and whether it worked

    Usage: session-search commands [OPTIONS] <PATTERN>

    Arguments:
      <PATTERN>  A part of a command; `*` stands for anything

    Options:
      -n, --limit <N>  Most turns shown [default: 20]
          --json       Print JSON
      -h, --help       Print help

    Filters:
          --project <NAME|PATH>   Name or path of the project, or a part of it; `.` is this folder
          --source <AGENT>        Agent: claude or opencode
          --since <TIME>          From this time on: 2026-01-15, 2026-01-15T09:00, 3d, 2w, yesterday,
                                  last monday
          --until <TIME>          Up to and including this day, or before this time
          --days <N>              The last N days, today included
          --today                 Today, local time
          --yesterday             Yesterday, local time
          --branch <NAME>         Git branch
          --file <PATH>           A file that was read or changed, or a part of its path
          --session <ID>          Only this session, by its id or the beginning of it
          --exclude-session <ID>  Not this session; may be given several times
          --include-current       Also find the session that this is asked from
          --subagents             Also find what subagents did

    Examples:
      session-search commands "docker compose"
      session-search commands "cargo * --release" --days 30

    Upper and lower case are one, and * stands for anything.
    "#);
}

#[test]
fn help_of_digest() {
    assert_snapshot!(help(&["digest"]), @r"
    Report what was done on a day, by project and session: for a stand-up

    Usage: session-search digest [OPTIONS] [WHEN]...

    Arguments:
      [WHEN]...  The day or days: today, yesterday, 2026-01-16, week, FROM..TO [default: today]

    Options:
          --project <NAME|PATH>  Name or path of the project, or a part of it; `.` is this folder
          --format <FORMAT>      How it is written [default: markdown] [possible values: markdown, json]
          --json                 Print JSON, as --format json does
      -h, --help                 Print help

    Examples:
      session-search digest                        today
      session-search digest yesterday
      session-search digest last monday..yesterday --project homelab
      session-search digest week --format json

    WHEN is today, yesterday, a date (2026-01-16), a day (monday, last friday), week (the last seven
    days), last week, a while ago (3d, 2w: the time since), or FROM..TO, of which either may be left
    out. Days are local days.
    ");
}

#[test]
fn help_of_stats() {
    assert_snapshot!(help(&["stats"]), @r"
    Count sessions, turns, projects and hours over time

    Usage: session-search stats [OPTIONS]

    Options:
          --days <N>             The last N days, today included [default: 91]
          --project <NAME|PATH>  Name or path of the project, or a part of it; `.` is this folder
          --json                 Print JSON
      -h, --help                 Print help

    Examples:
      session-search stats
      session-search stats --days 365 --project homelab
    ");
}

/// Each command that there is has its help here.
#[test]
fn every_command_is_in_the_manual() {
    let listed = help(&[]);
    let commands = listed.lines().skip_while(|l| *l != "Commands:").skip(1);
    let names = commands
        .take_while(|l| !l.is_empty())
        .filter_map(|l| l.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        let test = format!("fn help_of_{name}()");
        assert!(
            [include_str!("help.rs"), include_str!("help_memory.rs")]
                .concat()
                .contains(&test),
            "{name} has no test here"
        );
    }
}

#[test]
fn no_command_is_an_error() {
    let ran = TestEnvironment::new().run(&[""; 0]).exits(2);
    assert!(ran.stderr().contains("Usage: session-search"), "{ran}");
}

#[test]
fn help_of_model() {
    assert_snapshot!(help(&["model"]), @r"
    List models, choose one, bring one here

    Usage: session-search model <COMMAND>

    Commands:
      list    List the models: size, dims, licence, where each is, how much of the index it covers
      use     Make the vectors with this model from now on
      pull    Download a model's files from the hub; goes on where it was interrupted
      import  Take a model's files from a folder or a file that you brought
      verify  Read a model's files again and see that they are as they came
      remove  Remove a model's files; its vectors stay in the index
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Examples:
      session-search model list
      session-search model use all-minilm-l6-v2
      session-search model pull qwen3-embedding-0.6b
      session-search model import my-model --from ~/Downloads/my-model

    docs/models.md says which to choose and how to add one.
    ");
    assert_snapshot!(help(&["model", "import"]), @r"
    Take a model's files from a folder or a file that you brought

    Usage: session-search model import [OPTIONS] --from <DIR_OR_FILE> <NAME>

    Arguments:
      <NAME>  Name of the model, as `model list` shows it

    Options:
          --json                Print JSON
          --from <DIR_OR_FILE>  Folder with the model's files, or one file of it with the others beside
                                it
      -h, --help                Print help
    ");
}

#[test]
fn help_of_setup() {
    assert_snapshot!(help(&["setup"]), @r"
    Choose a model, keep history longer, install the skill; all optional

    Usage: session-search setup [OPTIONS]

    Options:
          --model <NAME>         Model to use, pulled if it is not here; with --remote, its name there
          --remote <URL>         OpenAI-compatible endpoint to use; its key stays in EMBEDDINGS_API_KEY
          --keep-history <DAYS>  Days for which Claude Code is to keep its history (it deletes after 30)
          --skill                Install the skill for Claude Code
          --no-skill             Do not ask about the skill
      -y, --yes                  Write what the options say, without asking
          --json                 Print JSON
      -h, --help                 Print help

    Examples:
      session-search setup                                   asks, step by step
      session-search setup --model qwen3-embedding-0.6b --yes
      session-search setup --remote http://localhost:8080/v1 --model bge-m3 --yes
      session-search setup --keep-history 365 --skill --yes

    On a terminal it asks for what the options leave open; each step can be skipped and taken again.
    Elsewhere it does what the options say; without --yes it shows what it would write.
    ");
}

#[test]
fn help_of_resume() {
    assert_snapshot!(help(&["resume"]), @r"
    Take a session up again, with its agent and in its folder

    Usage: session-search resume [OPTIONS] <ID>

    Arguments:
      <ID>  Session id, or the beginning of it

    Options:
          --print  Show the command, and do not run it
          --json   Print JSON, and do not run it
      -h, --help   Print help

    Examples:
      session-search resume a1b2c3d4            goes on with it, in its folder
      session-search resume a1b2c3d4 --print    shows the command
    ");
}

#[test]
fn help_of_completions() {
    assert_snapshot!(help(&["completions"]), @r"
    Print completions for a shell

    Usage: session-search completions <SHELL>

    Arguments:
      <SHELL>  The shell that is to know the commands and options [possible values: bash, elvish, fish,
               powershell, zsh]

    Options:
      -h, --help  Print help

    Examples:
      session-search completions bash > ~/.local/share/bash-completion/completions/session-search
      session-search completions zsh > ~/.zfunc/_session-search
      session-search completions fish > ~/.config/fish/completions/session-search.fish
    ");
}

#[test]
fn help_of_man() {
    assert_snapshot!(help(&["man"]), @r"
    Print the man page, or write those of all commands

    Usage: session-search man [OPTIONS]

    Options:
          --to <DIR>  Write the pages of all commands into this folder, which is made if need be
      -h, --help      Print help

    Examples:
      session-search man | man -l -
      session-search man --to ~/.local/share/man/man1
    ");
}

#[test]
fn help_of_skill() {
    assert_snapshot!(help(&["skill"]), @r"
    Teach an agent to search: install, upgrade or remove the skill

    Usage: session-search skill <COMMAND>

    Commands:
      install    Copy the skill from this program to where the agent looks; upgrades one that is there
      uninstall  Remove the skill; what you edited is kept
      sync       Name what saved memories are about in the skill's description, from now on
      status     Say where the skill is, and whether it is that of this program
      help       Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Examples:
      session-search skill install               for Claude Code, in ~/.claude/skills
      session-search skill install --project     for this project alone
      session-search skill install --opencode    for OpenCode
      session-search skill install --dry-run     shows what would be written
      session-search skill status

    A file that you edited is kept, and what would change in it is shown; --force replaces it, and keeps
    yours
    beside it.
    ");
    assert_snapshot!(help(&["skill", "install"]), @r"
    Copy the skill from this program to where the agent looks; upgrades one that is there

    Usage: session-search skill install [OPTIONS]

    Options:
          --project   Of this project rather than of the user
          --opencode  For OpenCode rather than for Claude Code
          --dry-run   Say what would be done, and do nothing
          --force     Also what you edited: replaced with yours kept beside it, or removed
          --json      Print JSON
      -h, --help      Print help
    ");
    assert_snapshot!(help(&["skill", "sync"]), @r"
    Name what saved memories are about in the skill's description, from now on

    Usage: session-search skill sync [OPTIONS]

    Options:
          --off      Name none any more
          --dry-run  Say what would be done, and do nothing
          --json     Print JSON
      -h, --help     Print help

    Examples:
      session-search skill sync          at most 15 keywords, kept current when memories change
      session-search skill sync --off    none, as at first

    An agent reads the description at the beginning of every session: so it knows what there is to
    recall. The user's skill names what global memories are about, a project's what the project's are.
    ");
    assert_snapshot!(help(&["skill", "status"]), @r"
    Say where the skill is, and whether it is that of this program

    Usage: session-search skill status [OPTIONS]

    Options:
          --json  Print JSON
      -h, --help  Print help
    ");
}
