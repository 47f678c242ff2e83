//! The models of the catalogue as a table.

use crate::style::{FAINT, ID, TITLE, paint};
use anstyle::Style;
use serde::Serialize;
use session_display::{
    fit_line, format_size, pad_to_columns, sanitize_line, truncate_to_columns, wrap_lines,
};
use session_models::{DeviceChoice, ModelState};
use session_query::{EmbeddedSessions, ModelOverview};
use unicode_width::UnicodeWidthStr;

/// The models of the catalogue, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonModels<'a> {
    in_use: &'a str,
    models: Vec<JsonModel<'a>>,
    broken: Vec<String>,
}

#[derive(Serialize)]
struct JsonModel<'a> {
    name: &'a str,
    title: &'a str,
    architecture: &'static str,
    dims: usize,
    max_tokens: usize,
    licence: &'a str,
    bytes: Option<u64>,
    state: ModelState,
    device: Option<&'static str>,
    device_reason: Option<&'static str>,
    in_use: bool,
    #[serde(rename = "coverage")]
    embedded: Option<EmbeddedSessions>,
    repo: &'a str,
    revision: &'a str,
}

impl<'a> JsonModels<'a> {
    /// Returns the models as they are printed: with the name of the configured one, and the
    /// descriptions that cannot be used.
    pub fn new(models: &'a [ModelOverview], in_use: &'a str, broken: Vec<String>) -> Self {
        Self {
            in_use,
            models: models.iter().map(to_json_model).collect(),
            broken,
        }
    }
}

fn to_json_model(model: &ModelOverview) -> JsonModel<'_> {
    let spec = &model.spec;
    JsonModel {
        name: &spec.name,
        title: &spec.title,
        architecture: spec.architecture.name(),
        dims: spec.dims,
        max_tokens: spec.max_tokens,
        licence: &spec.licence,
        bytes: model.bytes,
        state: model.state,
        device: model.device.map(|choice| choice.device),
        device_reason: model.device.map(|choice| choice.reason),
        in_use: model.in_use,
        embedded: model.embedded,
        repo: &spec.repo,
        revision: &spec.revision,
    }
}

const HEADINGS: [&str; 6] = ["NAME", "SIZE", "DIMS", "LICENCE", "STATE", "COVERAGE"];
/// The columns that a narrow terminal lacks, in the order in which they go.
const DISPENSABLE: [&str; 2] = ["LICENCE", "DIMS"];
/// Columns of the mark of the model in use.
const MARK_WIDTH: usize = 2;
/// Columns between two of the table.
const GAP: usize = 2;
/// Most columns of a cell.
const MAX_CELL_WIDTH: usize = 24;

/// Formats the models as a table of so many columns.
pub fn format_models(models: &[ModelOverview], width: usize) -> String {
    let rows: Vec<[String; 6]> = models.iter().map(format_cells).collect();
    let widest = |n: usize| {
        let cells = rows.iter().map(|row| row[n].width());
        cells.chain([HEADINGS[n].len()]).max().unwrap_or(0)
    };
    let widths = choose_columns(std::array::from_fn(widest), width);
    let headings = join_cells(&HEADINGS.map(str::to_owned), &widths, "  ");
    let mut out = paint(TITLE, truncate_to_columns(&headings, width));
    for (model, row) in models.iter().zip(&rows) {
        let mark = if model.in_use { "* " } else { "  " };
        let text = truncate_to_columns(&join_cells(row, &widths, mark), width);
        let style = if model.in_use { ID } else { Style::new() };
        out.push_str(&format!("\n{}", paint(style, text)));
    }
    let key = "* in use; COVERAGE: sessions of the index that have its vectors";
    out.push_str("\n\n");
    for text in std::iter::once(key.to_owned()).chain(format_devices(models)) {
        let text = sanitize_line(&text);
        for (n, line) in wrap_lines(&text, width.saturating_sub(GAP)).enumerate() {
            let indent = " ".repeat(if n == 0 { 0 } else { GAP });
            out.push_str(&format!("{indent}{}\n", paint(FAINT, line)));
        }
    }
    out
}

/// Returns the width of each column of a table of at most `width` columns; `None` for a column that is left out.
fn choose_columns(widths: [usize; 6], width: usize) -> [Option<usize>; 6] {
    let mut chosen = widths.map(Some);
    for name in DISPENSABLE {
        let columns: usize = chosen.iter().flatten().map(|column| column + GAP).sum();
        if MARK_WIDTH + columns.saturating_sub(GAP) <= width {
            break;
        }
        let named = HEADINGS.iter().zip(&mut chosen);
        let named = named.filter(|(heading, _)| **heading == name);
        named.for_each(|(_, column)| *column = None);
    }
    chosen
}

/// Formats the devices that models would compute on, why, and which models.
fn format_devices(models: &[ModelOverview]) -> Vec<String> {
    let mut devices: Vec<(DeviceChoice, Vec<&str>)> = Vec::new();
    for model in models {
        let Some(choice) = model.device else { continue };
        match devices.iter_mut().find(|(known, _)| *known == choice) {
            Some((_, names)) => names.push(&model.spec.name),
            None => devices.push((choice, vec![&model.spec.name])),
        }
    }
    let lines = devices.iter().map(|(choice, names)| {
        let names = names.join(", ");
        format!("{} ({}): {names}", choice.device, choice.reason)
    });
    lines.collect()
}

fn format_cells(model: &ModelOverview) -> [String; 6] {
    let state = match model.state {
        ModelState::Bundled => "in the binary",
        ModelState::Remote => "endpoint",
        ModelState::Installed => "installed",
        ModelState::Incomplete => "incomplete",
        ModelState::Absent => "not here",
    };
    [
        fit_line(&model.spec.name, MAX_CELL_WIDTH),
        model.bytes.map_or("?".to_owned(), format_size),
        if model.spec.dims == 0 {
            "?".to_owned()
        } else {
            model.spec.dims.to_string()
        },
        fit_line(&model.spec.licence, MAX_CELL_WIDTH),
        state.to_owned(),
        format_share(model.embedded.as_ref()),
    ]
}

fn join_cells(cells: &[String; 6], widths: &[Option<usize>; 6], mark: &str) -> String {
    let padded = cells
        .iter()
        .zip(widths)
        .filter_map(|(cell, width)| Some(pad_to_columns(cell, (*width)? + GAP)));
    let text: String = padded.collect();
    format!("{mark}{}", text.trim_end())
}

fn format_share(embedded: Option<&EmbeddedSessions>) -> String {
    match embedded {
        Some(embedded) if embedded.all_sessions > 0 => {
            format!("{} %", 100 * embedded.sessions / embedded.all_sessions)
        }
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_table_lacks_the_licence_then_the_dimensions() {
        let widths = [23, 6, 4, 10, 13, 8];
        let chosen = |width| choose_columns(widths, width);
        assert_eq!(chosen(76), widths.map(Some));
        let [name, size, dims, _, state, coverage] = widths.map(Some);
        assert_eq!(chosen(75), [name, size, dims, None, state, coverage]);
        assert_eq!(chosen(63), [name, size, None, None, state, coverage]);
        assert_eq!(chosen(40), [name, size, None, None, state, coverage]);
    }
}
