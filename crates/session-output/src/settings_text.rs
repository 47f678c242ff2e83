//! Settings, and who said them.

use crate::layout::INDENT;
use crate::style::{FAINT, paint};
use serde::Serialize;
use serde_json::Value;
use session_config::{IgnoredSetting, ReportedSetting, SettingOrigin, SettingsReport};
use session_core::text::sanitize_text;
use session_display::{fit_line, sanitize_line, shorten_home, wrap_note};
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Columns of what was ignored: a repository chooses its length.
const COLUMNS: usize = 100;

/// Every setting, as `docs/cli.md` describes it; fields are printed by name.
#[derive(Serialize)]
pub struct SettingsListing {
    /// The user's file.
    file: String,
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
    /// Returns true if a file or a variable has the key.
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

impl SettingsListing {
    /// Returns the settings as they are printed.
    pub fn new(report: &SettingsReport) -> Self {
        Self {
            keys: report.settings.iter().map(to_json_key).collect(),
            ignored: report.ignored.iter().map(to_json_ignored).collect(),
            file: report.file.display().to_string(),
        }
    }

    /// Formats the settings for a terminal of so many columns, a line each. Settings that are set come first. If a line is
    /// too long, the value and the origin of a setting that is set have lines of their own; another setting loses its
    /// origin. `~` stands for the home folder in the path of a file.
    pub fn format(&self, columns: usize, home: &Path) -> String {
        let width = self.keys.iter().map(|key| key.key.len()).max().unwrap_or(0);
        let layout = SettingsLayout {
            width,
            columns,
            home,
        };
        let (set, others): (Vec<_>, Vec<_>) = self.keys.iter().partition(|key| key.is_set());
        let keys = set.into_iter().chain(others);
        let keys = keys.map(|key| layout.format_key(key));
        let ignored = self.ignored.iter();
        let ignored = ignored.map(|setting| layout.format_ignored(setting));
        let file = shorten_home(Path::new(&self.file), home);
        let file = format!("{}\n", paint(FAINT, format!("your settings are in {file}")));
        keys.chain(ignored).chain([file]).collect()
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

/// The columns of settings.
#[derive(Clone, Copy)]
struct SettingsLayout<'a> {
    /// Columns of the longest name.
    width: usize,
    /// Columns of the terminal.
    columns: usize,
    /// The user's home folder.
    home: &'a Path,
}

impl SettingsLayout<'_> {
    fn format_key(self, key: &JsonKey) -> String {
        let from = key.from.as_deref().unwrap_or(key.origin);
        let from = shorten_home(Path::new(from), self.home);
        let name = format!("{:<width$}", key.key, width = self.width);
        let value = match &key.value {
            Value::Null => "unset".to_owned(),
            value => sanitize_line(&value.to_string()),
        };
        let line = format!("{name}  {value:<22}");
        let is_short = line.width() + 2 + from.width() <= self.columns;
        let from = paint(FAINT, from);
        if is_short {
            return format!("{line}  {from}\n");
        }
        let indent = " ".repeat(INDENT);
        let mut out = if line.trim_end().width() <= self.columns {
            format!("{}\n", line.trim_end())
        } else {
            let lines = match &key.value {
                Value::Array(entries) => wrap_list(entries, self.columns.saturating_sub(INDENT)),
                _ => vec![value],
            };
            let lines = lines.iter().map(|line| format!("{indent}{line}\n"));
            format!("{}\n{}", key.key, lines.collect::<String>())
        };
        if key.is_set() {
            out.push_str(&format!("{indent}{from}\n"));
        }
        out
    }

    fn format_ignored(self, setting: &JsonIgnored) -> String {
        let what = match &setting.key {
            Some(key) => format!("{key} = {}", setting.value),
            None if setting.value.is_null() => "all of it".to_owned(),
            // A variable that is no key's.
            None => setting.value.to_string(),
        };
        let what = format!("ignored: {}", fit_line(&what, COLUMNS));
        let from = shorten_home(Path::new(&setting.from), self.home);
        let reason = format!("{from}: {}", sanitize_text(&setting.reason));
        let line = format!("{what}  {reason}");
        if line.width() <= self.columns && !reason.contains('\n') {
            return format!("{line}\n");
        }
        let indent = " ".repeat(INDENT);
        let wrap = |line| wrap_note(line, self.columns.saturating_sub(INDENT));
        // The hint is a line of its own.
        let lines = reason
            .lines()
            .map(|line| format!("{indent}{}\n", wrap(line)));
        let what = fit_line(&what, self.columns);
        format!("{what}\n{}", lines.collect::<String>())
    }
}

/// Folds a list between its entries.
fn wrap_list(entries: &[Value], columns: usize) -> Vec<String> {
    let mut lines = vec!["[".to_owned()];
    for (n, entry) in entries.iter().enumerate() {
        let end = if n + 1 == entries.len() { "]" } else { "," };
        let entry = sanitize_line(&entry.to_string()) + end;
        match lines.last_mut() {
            Some(line) if n == 0 || line.width() + entry.width() <= columns => {
                line.push_str(&entry)
            }
            _ => lines.push(format!(" {entry}")),
        }
    }
    lines
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
                hint: Some(
                    "keep it in your own file, which every project reads, or narrow it".into(),
                ),
            }],
            file: "/home/ann/.config/session-search/config.toml".into(),
        };
        let settings = SettingsListing::new(&report);
        let json = serde_json::to_value(&settings).unwrap();
        // As a map is printed: by name.
        assert_eq!(
            serde_json::to_string(&settings).unwrap(),
            serde_json::to_string(&json).unwrap()
        );
        let home = Path::new("/home/ann");
        let text = settings.format(60, home);
        let text = anstream::adapter::strip_str(&text).to_string();
        insta::assert_snapshot!(text, @r#"
        threshold  0.95                    SESSION_SEARCH_THRESHOLD
        url        "http://localhost:8080/v1"
            ~/.config/session-search/config.toml
        model      "table"                 default
        ignored: nice = "\u001b[31m"
            /srv/app.toml: a project narrows only
            hint: keep it in your own file, which every project
            reads, or narrow it
        your settings are in ~/.config/session-search/config.toml
        "#);
        let narrow = settings.format(40, home);
        let narrow = anstream::adapter::strip_str(&narrow).to_string();
        assert!(
            narrow.contains("\nmodel      \"table\"\nignored"),
            "{narrow}"
        );
    }
    #[test]
    fn no_list_is_wider_than_the_terminal() {
        let key = |key: &str, value: Value| JsonKey {
            from: Some("/home/ann/.config/session-search/config.toml".to_owned()),
            key: key.to_owned(),
            origin: "file",
            value,
            variable: None,
        };
        let settings = SettingsListing {
            ignored: vec![],
            file: "/home/ann/.config/session-search/config.toml".to_owned(),
            keys: vec![
                key("injection.min_trigger_relevance", Value::from(0.5)),
                key(
                    "exclude.projects",
                    serde_json::json!([
                        "lamps",
                        "lanterns",
                        "wicks",
                        "harbour",
                        "lighthouse",
                        "keeper"
                    ]),
                ),
            ],
        };
        let text = settings.format(60, Path::new("/home/ann"));
        let text = anstream::adapter::strip_str(&text).to_string();
        insta::assert_snapshot!(text, @r#"
        injection.min_trigger_relevance  0.5
            ~/.config/session-search/config.toml
        exclude.projects
            ["lamps","lanterns","wicks","harbour","lighthouse",
             "keeper"]
            ~/.config/session-search/config.toml
        your settings are in ~/.config/session-search/config.toml
        "#);
    }
}
