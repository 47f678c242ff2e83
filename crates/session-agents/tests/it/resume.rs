//! The command that resumes a session.

use crate::session_row::claude_session;
use session_agents::{ResumeCommand, ResumeError};
use session_store::SessionRow;

#[test]
fn the_command_changes_to_the_directory_of_the_session() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().to_string_lossy().into_owned();
    let session = SessionRow {
        cwd: Some(directory.clone()),
        ..claude_session(7)
    };
    let resume = ResumeCommand::new(&session).unwrap();
    assert_eq!(resume.command, ["claude", "--resume", "session-7"]);
    assert!(resume.directory_exists);
    let words = shlex::split(&resume.shell_line()).unwrap();
    let expected = ["cd", &directory, "&&", "claude", "--resume", "session-7"];
    assert_eq!(words, expected);
}

#[test]
fn a_directory_is_quoted_for_a_shell() {
    let session = SessionRow {
        cwd: Some("/gone/it's\u{7} $HOME".into()),
        ..claude_session(7)
    };
    let resume = ResumeCommand::new(&session).unwrap();
    assert!(!resume.directory_exists);
    let line = resume.shell_line();
    assert!(!line.contains('\u{7}'), "{line}");
    let words = shlex::split(&line).unwrap();
    assert!(
        words[1].starts_with("/gone/it's") && words[1].ends_with(" $HOME"),
        "{line}"
    );
    assert_eq!(words[2..4], ["&&", "claude"]);
}

#[test]
fn a_session_without_a_transcript_of_its_own_cannot_be_resumed() {
    let session = "session-7".to_owned();
    let refused = |row: SessionRow| ResumeCommand::new(&row).unwrap_err();
    let subagent = SessionRow {
        parent: Some("session-1".into()),
        ..claude_session(7)
    };
    let of_subagent = ResumeError::Subagent {
        session: session.clone(),
        parent: "session-1".into(),
    };
    assert_eq!(refused(subagent.clone()), of_subagent);
    let known = of_subagent.without_unknown_parent(&[claude_session(1)]);
    assert!(matches!(known, ResumeError::Subagent { .. }));
    assert_eq!(
        known.without_unknown_parent(&[subagent]),
        ResumeError::OrphanedSubagent {
            session: session.clone()
        }
    );
    let prompts_only = SessionRow {
        prompts_only: true,
        gone: true,
        ..claude_session(7)
    };
    assert_eq!(
        refused(prompts_only),
        ResumeError::TranscriptDeleted {
            session: session.clone()
        }
    );
    let gone = SessionRow {
        gone: true,
        ..claude_session(7)
    };
    assert_eq!(refused(gone), ResumeError::HistoryGone { session });
    let elsewhere = SessionRow {
        is_elsewhere: true,
        ..claude_session(7)
    };
    assert_eq!(session_agents::resume_line(&elsewhere), None);
    assert_eq!(
        refused(elsewhere),
        ResumeError::OtherMachine {
            session: "session-7".to_owned()
        }
    );
    let odd = SessionRow {
        uid: "a b; rm".into(),
        ..claude_session(7)
    };
    assert!(matches!(refused(odd), ResumeError::Unsupported { .. }));
}

#[test]
fn an_agent_that_forks_no_session_is_named() {
    let session = SessionRow {
        source: "gemini".into(),
        ..claude_session(7)
    };
    assert!(ResumeCommand::new(&session).is_ok());
    let error = ResumeCommand::fork(&session).unwrap_err();
    let message = "Gemini CLI has no command that forks a session";
    assert_eq!(error.to_string(), message);
    let odd = SessionRow {
        uid: "a b; rm".into(),
        ..session
    };
    let refused = ResumeCommand::fork(&odd);
    assert!(matches!(refused, Err(ResumeError::Unsupported { .. })));
}

#[test]
fn a_directory_is_no_option_of_cd() {
    let session = SessionRow {
        cwd: Some("-weird".into()),
        ..claude_session(7)
    };
    let line = ResumeCommand::new(&session).unwrap().shell_line();
    assert!(line.starts_with("cd -- -weird && claude"), "{line}");
}
