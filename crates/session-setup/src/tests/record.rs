//! The record of what setup wrote, where setup is killed between the record and the setting.

use super::*;
use crate::change::confirm_note_and_write;
use crate::setup_record::SetupRecord;
use crate::written_settings::{ModelKey, ModelSettings, RETENTION};
use session_agents::SettingsFile;
use session_query::QueryError;

impl SetupFixture {
    fn record(&self) -> SetupRecord {
        SetupRecord::open(&self.home().directories().data).unwrap()
    }
}

#[test]
fn a_setting_is_noted_before_it_is_written() {
    let user = SetupFixture::new();
    let settings = SettingsFile::for_user(&user.home().env).unwrap();
    let change = settings.plan_retention(365).unwrap();
    let mut dialog = ConsentDialog {
        input: &mut &b""[..],
        output: &mut Vec::new(),
        is_interactive: false,
        assume_yes: true,
        columns: None,
    };
    let mut is_noted = false;
    let note = || {
        is_noted = user.file(SETTINGS).is_none();
        Ok(())
    };
    confirm_note_and_write(&change, note, &mut dialog).unwrap();
    assert!(is_noted && user.file(SETTINGS).is_some());
}

#[test]
fn a_model_is_noted_before_it_is_written_unless_that_fails() {
    let user = SetupFixture::new();
    let home = user.home();
    let before = ModelSettings::default();
    let after = before.clone().with(ModelKey::Model, "minilm");
    let failure = || QueryError::Io(std::io::ErrorKind::Other.into());
    let failed = before.note_and_write(&home, &after, || Err(failure()));
    assert!(failed.is_err() && !user.has_record());
    let write = || {
        assert!(user.has_record());
        Ok(())
    };
    before.note_and_write(&home, &after, write).unwrap();
    assert!(user.has_record());
}

#[test]
fn a_change_that_was_never_made_is_undone_without_a_word() {
    let user = SetupFixture::new();
    let mut record = user.record();
    record.add(RETENTION, None, "365").unwrap();
    record.add("model", None, "minilm").unwrap();
    let output = user.undo_setup(&[]);
    assert_eq!(output, "");
    assert_eq!(user.list_files(), Vec::<String>::new());
}

#[test]
fn what_an_unmade_change_was_to_replace_is_taken_back() {
    let user = SetupFixture::new();
    user.consent_to_setup(&kept_history(20));
    let directory = user.home().directories().config;
    fs_err::create_dir_all(&directory).unwrap();
    fs_err::write(user.home.path().join(CONFIG), "model = \"minilm\"\n").unwrap();
    let mut record = user.record();
    record.add(RETENTION, Some("20".into()), "365").unwrap();
    record.add("model", None, "minilm").unwrap();
    record.add("model", Some("minilm".into()), "table").unwrap();
    let output = user.undo_setup(&[]);
    assert_eq!(user.list_files(), Vec::<String>::new(), "{output}");
}

#[test]
fn a_damaged_record_is_refused_before_anything_is_written() {
    let user = SetupFixture::new();
    let directory = user.home().directories().data;
    fs_err::create_dir_all(&directory).unwrap();
    fs_err::write(directory.join("setup.json"), "{").unwrap();
    let files = user.list_files();
    let refused = user.try_setup(&kept_history(365), None);
    assert!(matches!(refused, Err(SetupError::DamagedRecord { .. })));
    assert_eq!(user.list_files(), files);
}
