//! Refreshes, and what their outcomes tell.

use super::*;
use crate::list::RowList;
use crate::message::PickerMessage;
use session_config::Home;
use session_sources::Env;
use session_store::StoreError;
use session_test::claude::ClaudeTranscript;
use session_test::home::TestHome;

#[test]
fn many_histories_are_looked_at_less_often() {
    let interval = |ms| compute_refresh_interval(Duration::from_millis(ms)).as_secs();
    assert_eq!([interval(7), interval(140), interval(5000)], [10, 14, 60]);
}

#[test]
fn a_look_at_the_histories_leaves_the_index_in_a_state() {
    let state = |files_left, locked| {
        RefreshState::new(&Ok(RefreshOutcome {
            files_left,
            locked,
            ..RefreshOutcome::default()
        }))
    };
    assert_eq!(state(0, false), RefreshState::UpToDate);
    assert_eq!(state(2, false), RefreshState::Unread);
    assert_eq!(state(2, true), RefreshState::Locked);
    let failed = Err(QueryError::Io(std::io::Error::other("no disk")));
    assert_eq!(RefreshState::new(&failed), RefreshState::Failed);
}

#[test]
fn an_index_that_is_gone_is_told_after_the_first_answer() {
    let failure = |error: StoreError, missing| {
        let answer = make_list_message(Err(error.into()), missing, |error| error.to_string());
        answer.map(|message| match message {
            AppMessage::ListFailed(reason) => reason,
            _ => panic!("no list is sent"),
        })
    };
    let missing = || StoreError::Missing { root: "x".into() };
    assert_eq!(failure(missing(), MissingIndex::Awaited), None);
    let gone = Some("the index is gone; it is made anew".to_owned());
    assert_eq!(failure(missing(), MissingIndex::Gone), gone);
    let locked = StoreError::Locked { root: "x".into() };
    let told = failure(locked, MissingIndex::Awaited).unwrap();
    assert!(told.contains("another process"));
}

#[test]
fn an_index_that_no_refresh_made_has_no_session() {
    let request = RowList::default().make_request("lantern", false);
    let missing = StoreError::Missing { root: "x".into() };
    let answer = make_list_message(
        Err(missing.into()),
        MissingIndex::Empty(&request),
        |error| error.to_string(),
    );
    let Some(AppMessage::ListReady(list)) = answer else {
        panic!("an empty list is sent");
    };
    assert_eq!((list.sessions, list.rows.len()), (0, 0));
}

#[test]
fn what_is_read_is_told_in_parts_of_the_whole() {
    let (sender, messages) = std::sync::mpsc::channel();
    let progress = ReadProgress::new(&MessageSender(sender));
    let total = 10_000;
    progress.report(RefreshStage::Migrating, Progress { done: 1, total: 1 });
    for done in 0..=total {
        progress.report(RefreshStage::Reading, Progress { done, total });
    }
    let sent = messages.try_iter().filter_map(|message| match message {
        PickerMessage::ForApp(AppMessage::Reading(read)) => Some(read.done),
        _ => None,
    });
    let sent: Vec<u64> = sent.collect();
    assert_eq!((sent.len(), sent[0], sent[199]), (200, 50, total));
}

#[test]
fn a_refresh_that_fails_again_is_told_once() {
    let mut told = None;
    let texts = |messages: Vec<AppMessage>| {
        let noted = messages.into_iter().filter_map(|message| match message {
            AppMessage::Note(reason) => Some(reason),
            _ => None,
        });
        noted.collect::<Vec<_>>()
    };
    assert_eq!(
        texts(make_failure_messages(&mut told, "locked".into())),
        ["locked"]
    );
    assert!(make_failure_messages(&mut told, "locked".into()).is_empty());
    assert_eq!(
        texts(make_failure_messages(&mut told, "damaged".into())),
        ["damaged"]
    );
}

/// By the rules of before, the picker and each search beside it would redact the whole index again in turn.
#[test]
fn a_refresh_goes_by_the_configuration_of_now() {
    let test = TestHome::new();
    let id = "aaaaaaaa-0000-4000-8000-000000000001";
    test.write_transcript(&ClaudeTranscript::new(id, "/w").user("Where is zq8lantern?"));
    let home = Home::new(Env::with_home(&test.home("")), test.path("index"));
    let config = home.directories().config.join("config.toml");
    let callbacks = PickerCallbacks {
        start_embedding: |_| {},
        describe_error: |error| error.to_string(),
    };
    let context = WorkerContext::new(SearchEngine::new(home.clone()).unwrap(), callbacks);
    let (sender, _messages) = std::sync::mpsc::channel();
    let mut reconfigured = None;
    let mut prompt = || {
        let out = MessageSender(sender.clone());
        context.refresh_step(&mut reconfigured, &out).unwrap();
        let index = home.index().unwrap();
        let session = index.sessions().unwrap().remove(0).id;
        index.contents(session).unwrap().remove(0).content.prompt
    };
    assert_eq!(prompt(), "Where is zq8lantern?");
    test.write(&config, "[redaction]\npatterns = ['zq8lan']\n");
    assert_eq!(prompt(), "Where is [redacted:custom]tern?");
    test.write(
        &config,
        "[redaction]\npatterns = ['where', 'zq8lan', 'tern']\n",
    );
    assert_eq!(
        prompt(),
        "Where is [redacted:custom][redacted:custom]?",
        "changed once more"
    );
}
