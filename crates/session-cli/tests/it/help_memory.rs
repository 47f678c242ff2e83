//! The manual of what has to do with memories.

use crate::help::help;
use insta::assert_snapshot;

#[test]
fn help_of_memory() {
    assert_snapshot!(help(&["memory"]), @r#"
    Keep what is worth it, and find it again

    Usage: session-search memory <COMMAND>

    Commands:
      save          Keep something: a decision, a known issue, a preference
      search        Find memories by meaning and by word
      list          List memories, the newest first
      show          Show a memory, or the conversation that it was saved from
      today         List what was saved today
      edit          Change a memory in $EDITOR, or by the options
      delete        Put memories into the trash, or remove them for good
      supersede     Say that a memory is replaced by another one
      archive       Put memories aside: they are found only with --archived
      activate      Take memories back from the archive or the trash
      export        Print all memories as one JSON document
      import        Take memories over from an export or from another program
      stats         Say how many memories there are and what was put before prompts
      sync-context  Write the sheet with what matters most, to be included from CLAUDE.md
      help          Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Examples:
      session-search memory save --topic "Connection pool too small" --info "DB_POOL_SIZE is 40" --kind
      known-issue
      session-search memory search "time-outs under load"
      session-search memory supersede mem-20260108-120000 --by mem-20260110-091500

    Memories are Markdown files that you may edit, below .claude/data/session-search of the project or
    of your home folder. docs/memory.md explains them.
    "#);
    assert_snapshot!(help(&["memory", "save"]), @r#"
    Keep something: a decision, a known issue, a preference

    Usage: session-search memory save [OPTIONS]

    Options:
          --topic <TEXT>       What it is about, in a line
          --info <TEXT>        What is to be remembered; may be given several times
          --tag <TAG>          A label; may be given several times
          --kind <KIND>        decision, known-issue, context, preference or todo
          --importance <HOW>   high, normal or low
          --from <ID[:TURNS]>  The session that it comes from, and its turns: ID, ID:7, ID:5-9. Their
                               text is kept beside it
          --global             For all projects
          --json               Print JSON
      -h, --help               Print help

    Examples:
      session-search memory save --topic "PostgreSQL with pgBouncer" --info "transaction mode" --kind
      decision --tag db
      session-search memory save --topic "The flaky test" --info "run it with TZ=UTC" --from
      a1b2c3d4:5-7
      echo '{"topic": "Tabs", "key_info": ["never tabs"], "kind": "preference"}' | session-search memory
      save --global

    Without --topic and --info, one JSON object is read from stdin: topic, key_info, tags, kind,
    importance.
    "#);
}

#[test]
fn help_of_what_finds_memories() {
    assert_snapshot!(help(&["memory", "search"]), @r#"
    Find memories by meaning and by word

    Usage: session-search memory search [OPTIONS] <QUERY>

    Arguments:
      <QUERY>  What you remember of it

    Options:
      -n, --limit <N>  Most memories shown [default: retrieval.max_results]
          --days <N>   Only those of the last N days [default: retrieval.scope_days]
          --archived   Also those in the archive
          --explain    Say how each score came to be
          --json       Print JSON
      -h, --help       Print help

    Examples:
      session-search memory search "why does the pool run empty"
      session-search memory search 连接池超时
      session-search memory search "release day" --days 90 --explain
    "#);
    assert_snapshot!(help(&["memory", "edit"]), @r#"
    Change a memory in $EDITOR, or by the options

    Usage: session-search memory edit [OPTIONS] <ID>

    Arguments:
      <ID>  Id, or the beginning of it; `mem-` may be left out

    Options:
          --topic <TEXT>      What it is about, in a line
          --info <TEXT>       What is to be remembered; may be given several times
          --tag <TAG>         A label; may be given several times
          --kind <KIND>       decision, known-issue, context, preference or todo
          --importance <HOW>  high, normal or low
          --json              Print JSON
      -h, --help              Print help

    Examples:
      session-search memory edit 20260110                        in $EDITOR
      session-search memory edit 20260110 --info "40 per pod"    other key information, the rest as it
      is
    "#);
}

#[test]
fn help_of_what_moves_memories() {
    assert_snapshot!(help(&["memory", "archive"]), @r#"
    Put memories aside: they are found only with --archived

    Usage: session-search memory archive [OPTIONS] [ID]...

    Arguments:
      [ID]...  Ids, or the beginnings of them

    Options:
          --older-than <DAYS>  All that nobody edited or recalled for so long: 14d
          --json               Print JSON
      -h, --help               Print help

    Examples:
      session-search memory archive mem-20260110-091500
      session-search memory archive --older-than 14d
    "#);
    assert_snapshot!(help(&["memory", "import"]), @r#"
    Take memories over from an export or from another program

    Usage: session-search memory import [OPTIONS] [PATH]

    Arguments:
      [PATH]  The file or folder [default: where the format usually lies in the project]

    Options:
          --format <FORMAT>  What it is [default: session-search] [possible values: session-search,
                             cursor-memory, conversation-memory]
          --global           For all projects
          --json             Print JSON
      -h, --help             Print help

    Examples:
      session-search memory import memories.json
      session-search memory import --format cursor-memory
      session-search memory import --format conversation-memory ~/old/.claude/data/conversation-memory

    What was imported before is left out, so that importing twice changes nothing.
    "#);
}

#[test]
fn help_of_inject() {
    assert_snapshot!(help(&["inject"]), @r#"
    Print the memories to put before a prompt, if any helps

    Usage: session-search inject [OPTIONS]

    Options:
          --prompt <TEXT>  The prompt
          --session <ID>   The session that it belongs to, in which nothing is said twice
          --explain        Say why something is put before it, or not; nothing is noted
          --off            Switch it off for the session
          --on             Switch it on again for the session
          --json           Print JSON
      -h, --help           Print help

    Examples:
      session-search inject --prompt "why do requests time out under load?"
      session-search inject --prompt "why do requests time out?" --explain
      session-search inject --session a1b2c3d4 --off

    Without --prompt, the JSON of a hook is read from stdin (prompt, session_id, cwd); then the exit
    code is 0
    whatever happens, so that nothing ever stands in a prompt's way.
    "#);
}

#[test]
fn help_of_hook() {
    assert_snapshot!(help(&["hook"]), @r#"
    Have an agent ask for memories by itself

    Usage: session-search hook <COMMAND>

    Commands:
      install    Have Claude Code ask for memories before each prompt
      uninstall  Take the hook out of the settings; everything else there stays
      status     Say where the hook is installed, and whether it works
      run        Answer a hook: its JSON on stdin, the answer on stdout
      help       Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Examples:
      session-search hook install                         shows what it would write
      session-search hook install --yes
      session-search hook install --event UserPromptSubmit --event SessionStart --yes
      session-search hook uninstall --yes
    "#);
    assert_snapshot!(help(&["hook", "install"]), @r#"
    Have Claude Code ask for memories before each prompt

    Usage: session-search hook install [OPTIONS]

    Options:
          --event <EVENT>
              The events to answer; may be given several times

              Possible values:
              - UserPromptSubmit: Before each prompt: what helps with it
              - SessionStart:     When a session begins: what matters most
              - PreCompact:       Before a conversation is compacted: a suggestion to save, with
                auto_save
              
              [default: UserPromptSubmit]

          --project
              In this project's settings, not in yours

      -y, --yes
              Write it, without asking

          --json
              Print JSON

      -h, --help
              Print help (see a summary with '-h')
    "#);
}

#[test]
fn help_of_config() {
    assert_snapshot!(help(&["config"]), @r#"
    Show every setting with who decided it

    Usage: session-search config [OPTIONS]

    Options:
          --json  Print JSON
      -h, --help  Print help

    Examples:
      session-search config
      session-search config --json

    docs/configuration.md describes the keys.
    "#);
}
