//! The command that resumes a session.

use crate::session_row::claude_session;
use session_agents::{ResumeCommand, ResumeError, ResumeMode, ResumeObstacle, UnprintableFolder};
use session_store::SessionRow;

#[test]
fn the_command_changes_to_the_directory_of_the_session() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().to_string_lossy().into_owned();
    let session = SessionRow {
        cwd: Some(directory.clone()),
        ..claude_session(7)
    };
    let resume = ResumeCommand::new(&session, ResumeMode::Continue).unwrap();
    assert_eq!(resume.command, ["claude", "--resume", "session-7"]);
    assert!(resume.directory_exists);
    let words = shlex::split(&resume.shell_line().unwrap()).unwrap();
    let expected = ["cd", &directory, "&&", "claude", "--resume", "session-7"];
    assert_eq!(words, expected);
}

#[test]
fn a_directory_is_quoted_for_a_shell() {
    let session = SessionRow {
        cwd: Some("/gone/it's\n $HOME".into()),
        ..claude_session(7)
    };
    let resume = ResumeCommand::new(&session, ResumeMode::Continue).unwrap();
    assert!(!resume.directory_exists);
    let line = resume.shell_line().unwrap();
    let words = shlex::split(&line).unwrap();
    assert!(
        words[1].starts_with("/gone/it's") && words[1].ends_with(" $HOME"),
        "{line}"
    );
    assert_eq!(words[2..4], ["&&", "claude"]);
}

/// Without the characters that are not printed it may be the name of another one.
#[test]
fn a_folder_that_cannot_be_printed_gets_no_command() {
    for invisible in ['\u{7}', '\r', '\u{200b}', '\u{2028}', '\u{202e}'] {
        let session = SessionRow {
            cwd: Some(format!("/src/app{invisible}")),
            ..claude_session(7)
        };
        let resume = ResumeCommand::new(&session, ResumeMode::Continue).unwrap();
        assert_eq!(resume.shell_line(), Err(UnprintableFolder));
        let mut resume = ResumeCommand {
            directory: None,
            ..resume
        };
        assert!(resume.shell_line().is_ok());
        let folder = Some(format!("/team{invisible}"));
        resume.environment.insert("CODEX_HOME", folder);
        assert_eq!(resume.shell_line(), Err(UnprintableFolder));
    }
}

#[test]
fn what_is_missing_here_keeps_the_command_from_starting() {
    let home = tempfile::tempdir().unwrap();
    let obstacle = |directory: &str, is_found: bool| {
        let session = SessionRow {
            cwd: Some(directory.to_owned()),
            ..claude_session(7)
        };
        let resume = ResumeCommand::new(&session, ResumeMode::Continue).unwrap();
        let obstacle = resume.find_start_obstacle(|program| is_found && program == "claude");
        obstacle.map(|obstacle| obstacle.to_string())
    };
    let here = home.path().to_string_lossy();
    assert_eq!(obstacle(&here, true), None);
    let missing = "there is no `claude` on PATH";
    assert_eq!(obstacle(&here, false).as_deref(), Some(missing));
    let gone = "the session's folder `/gone/a b` is not there any more";
    assert_eq!(obstacle("/gone/a\u{1b}\nb", false).as_deref(), Some(gone));
}

#[test]
fn a_session_without_a_transcript_of_its_own_cannot_be_resumed() {
    let subagent = SessionRow {
        parent: Some("session-1".into()),
        ..claude_session(7)
    };
    let of_subagent = ResumeObstacle::Subagent {
        parent: "session-1".into(),
    };
    let error = refuse(&subagent);
    assert_eq!(
        (&error.session[..], &error.reason),
        ("session-7", &of_subagent)
    );
    let id = |row: &SessionRow| row.uid.clone();
    let known = error.with_parent_address(&[claude_session(1)], id);
    assert_eq!(known.reason, of_subagent);
    let orphan = known.with_parent_address(&[subagent], id);
    assert_eq!(orphan.reason, ResumeObstacle::OrphanedSubagent);
    let prompts_only = SessionRow {
        prompts_only: true,
        gone: true,
        ..claude_session(7)
    };
    assert_eq!(
        refuse(&prompts_only).reason,
        ResumeObstacle::TranscriptDeleted
    );
    let gone = SessionRow {
        gone: true,
        ..claude_session(7)
    };
    assert_eq!(refuse(&gone).reason, ResumeObstacle::HistoryGone);
    let elsewhere = SessionRow {
        is_elsewhere: true,
        ..claude_session(7)
    };
    assert_eq!(session_agents::resume_line(&elsewhere), None);
    assert_eq!(refuse(&elsewhere).reason, ResumeObstacle::OtherMachine);
    let odd = SessionRow {
        uid: "a b; rm".into(),
        ..claude_session(7)
    };
    assert_eq!(refuse(&odd).reason, ResumeObstacle::Unsupported);
}

/// A session chooses its own id, and that of its parent.
#[test]
fn the_parent_of_a_subagent_is_one_word_on_one_line() {
    let parent = "x`; touch /tmp/own\nhint: `rm";
    let subagent = SessionRow {
        parent: Some(parent.into()),
        ..claude_session(7)
    };
    let error = refuse(&subagent);
    let hint = error.hint();
    let (command, _) = hint.split_once("` resumes").unwrap();
    let command = command.trim_start_matches('`');
    assert_eq!(shlex::split(command).unwrap().len(), 3, "{command}");
    assert_eq!(hint.lines().count(), 1, "{hint}");
    let row = SessionRow {
        uid: parent.into(),
        ..claude_session(1)
    };
    let named = error.with_parent_address(&[row], |_| "#1".to_owned());
    let told = "`session-search resume '#1'` resumes the session that started it";
    assert_eq!(named.hint(), told);
}

fn refuse(session: &SessionRow) -> ResumeError {
    ResumeCommand::new(session, ResumeMode::Continue).unwrap_err()
}

#[test]
fn an_agent_that_forks_no_session_is_named() {
    let session = SessionRow {
        source: "gemini".into(),
        ..claude_session(7)
    };
    assert!(ResumeCommand::new(&session, ResumeMode::Continue).is_ok());
    let error = ResumeCommand::new(&session, ResumeMode::Fork).unwrap_err();
    let message = "Gemini CLI has no command that forks a session";
    assert_eq!(error.to_string(), message);
    let odd = SessionRow {
        uid: "a b; rm".into(),
        ..session
    };
    let refused = ResumeCommand::new(&odd, ResumeMode::Fork).unwrap_err();
    assert_eq!(refused.reason, ResumeObstacle::Unsupported);
}

#[test]
fn a_directory_is_no_option_of_cd() {
    let session = SessionRow {
        cwd: Some("-weird".into()),
        ..claude_session(7)
    };
    let line = ResumeCommand::new(&session, ResumeMode::Continue)
        .unwrap()
        .shell_line()
        .unwrap();
    assert!(line.starts_with("cd -- -weird && claude"), "{line}");
}
