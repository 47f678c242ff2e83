//! Settings, and who said them.

use crate::layout::{fit_line, sanitize_line};
use crate::style::{FAINT, paint};
use serde::Serialize;
use serde_json::Value;
use session_config::{IgnoredSetting, ReportedSetting, SettingOrigin, SettingsReport};
use session_core::text::sanitize_text;
use unicode_width::UnicodeWidthStr;

/// Columns of what was ignored: a repository chooses its length.
const COLUMNS: usize = 100;

/// Every setting, as `docs/cli.md` describes it; fields are printed by name.
#[derive(Serialize)]
pub struct JsonSettings {
    ignored: Vec<JsonIgnored>,
    keys: Vec<JsonKey>,
}

#[derive(Serialize)]
struct JsonKey {
    /// The file, or the variable.
    from: Option<String>,
    key: String,
    /// `default`, `file` or `variable`.
    origin: &'static str,
    value: Value,
    /// The variable that would override it.
    variable: Option<String>,
}

impl JsonKey {
    /// Returns true where a file or a variable has the key.
    fn is_set(&self) -> bool {
        self.from.is_some()
    }
}

/// A setting of a project or a variable that does not count.
#[derive(Serialize)]
struct JsonIgnored {
    /// The file, or the variable.
    from: String,
    /// None where it is a whole file.
    key: Option<String>,
    reason: String,
    value: Value,
}

impl JsonSettings {
    /// Returns the settings as they are printed.
    pub fn new(report: &SettingsReport) -> Self {
        Self {
            keys: report.settings.iter().map(to_json_key).collect(),
            ignored: report.ignored.iter().map(to_json_ignored).collect(),
        }
    }

    /// Formats the settings for a terminal of so many columns, a line each; those that are set come first. Where a line is
    /// too long, the origin of one that is set has a line of its own, and that of another is left out.
    pub fn format(&self, columns: usize) -> String {
        let width = self.keys.iter().map(|key| key.key.len()).max().unwrap_or(0);
        let (set, others): (Vec<_>, Vec<_>) = self.keys.iter().partition(|key| key.is_set());
        let keys = set.into_iter().chain(others);
        let keys = keys.map(|key| format_key(key, width, columns));
        keys.chain(self.ignored.iter().map(format_ignored))
            .collect()
    }
}

fn to_json_key(reported: &ReportedSetting) -> JsonKey {
    let setting = &reported.setting;
    let (origin, from) = match &setting.origin {
        SettingOrigin::Default => ("default", None),
        SettingOrigin::File(path) => ("file", Some(path.display().to_string())),
        SettingOrigin::Variable(name) => ("variable", Some(name.clone())),
    };
    JsonKey {
        key: setting.key.clone(),
        value: round_number(&setting.value),
        origin,
        from,
        variable: reported.variable.clone(),
    }
}

fn to_json_ignored(ignored: &IgnoredSetting) -> JsonIgnored {
    JsonIgnored {
        key: ignored.key.clone(),
        value: round_number(&ignored.value),
        from: match &ignored.origin {
            SettingOrigin::Default => "default".to_owned(),
            SettingOrigin::File(path) => path.display().to_string(),
            SettingOrigin::Variable(name) => name.clone(),
        },
        reason: ignored.full_reason(),
    }
}

/// Returns a number as it was written: 0.95, not what a machine's shorter floats make of it.
fn round_number(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() => Value::from((number * 1e6).round() / 1e6),
        _ => value.clone(),
    }
}

fn format_key(key: &JsonKey, width: usize, columns: usize) -> String {
    let value = match &key.value {
        Value::Null => "unset".to_owned(),
        value => value.to_string(),
    };
    let from = key.from.as_deref().unwrap_or(key.origin);
    let name = format!("{:<width$}", key.key);
    let line = format!("{name}  {:<22}", sanitize_line(&value));
    let from = sanitize_line(from);
    let is_short = line.width() + 2 + from.width() <= columns;
    let shown = paint(FAINT, from);
    match (is_short, key.is_set()) {
        (true, _) => format!("{line}  {shown}\n"),
        (false, true) => format!("{}\n{}{shown}\n", line.trim_end(), " ".repeat(width + 2)),
        (false, false) => format!("{}\n", line.trim_end()),
    }
}

fn format_ignored(setting: &JsonIgnored) -> String {
    let what = match &setting.key {
        Some(key) => format!("{key} = {}", setting.value),
        None if setting.value.is_null() => "all of it".to_owned(),
        // A variable that is no key's.
        None => setting.value.to_string(),
    };
    let (what, from) = (fit_line(&what, COLUMNS), sanitize_line(&setting.from));
    let reason = sanitize_text(&setting.reason);
    format!("ignored: {what}  {from}: {reason}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_config::Setting;

    #[test]
    fn a_setting_is_listed_with_who_said_it() {
        let setting = |key: &str, value: Value, origin| ReportedSetting {
            setting: Setting {
                key: key.into(),
                value,
                origin,
            },
            variable: None,
        };
        let report = SettingsReport {
            settings: vec![
                setting("model", Value::from("table"), SettingOrigin::Default),
                setting(
                    "threshold",
                    Value::from(f64::from(0.95_f32)),
                    SettingOrigin::Variable("SESSION_SEARCH_THRESHOLD".into()),
                ),
                setting(
                    "url",
                    Value::from("http://localhost:8080/v1"),
                    SettingOrigin::File("/home/ann/.config/session-search/config.toml".into()),
                ),
            ],
            ignored: vec![IgnoredSetting {
                key: Some("nice".into()),
                value: Value::from("\u{1b}[31m"),
                origin: SettingOrigin::File("/srv/app.toml".into()),
                reason: "a project narrows only".into(),
                hint: None,
            }],
        };
        let settings = JsonSettings::new(&report);
        let json = serde_json::to_value(&settings).unwrap();
        // As a map is printed: by name.
        assert_eq!(
            serde_json::to_string(&settings).unwrap(),
            serde_json::to_string(&json).unwrap()
        );
        let text = settings.format(60);
        let text = anstream::adapter::strip_str(&text).to_string();
        insta::assert_snapshot!(text, @r#"
        threshold  0.95                    SESSION_SEARCH_THRESHOLD
        url        "http://localhost:8080/v1"
                   /home/ann/.config/session-search/config.toml
        model      "table"                 default
        ignored: nice = "\u001b[31m"  /srv/app.toml: a project narrows only
        "#);
        let narrow = settings.format(40);
        let narrow = anstream::adapter::strip_str(&narrow).to_string();
        assert!(
            narrow.contains("\nmodel      \"table\"\nignored"),
            "{narrow}"
        );
    }
}
