//! The models of the catalogue as a table.

use crate::layout::{fit_line, sanitize_line, truncate_to_columns, wrap_lines};
use crate::style::{FAINT, ID, TITLE, paint};
use anstyle::Style;
use serde::Serialize;
use session_models::{DeviceChoice, ModelState};
use session_query::{ModelCoverage, ModelOverview};
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
    coverage: Option<ModelCoverage>,
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
        coverage: model.coverage,
        repo: &spec.repo,
        revision: &spec.revision,
    }
}

const HEADINGS: [&str; 6] = ["NAME", "SIZE", "DIMS", "LICENCE", "STATE", "COVERAGE"];
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
    let widths: [usize; 6] = std::array::from_fn(widest);
    let headings = join_cells(&HEADINGS.map(str::to_owned), &widths, "  ");
    let mut out = paint(TITLE, truncate_to_columns(&headings, width));
    for (model, row) in models.iter().zip(&rows) {
        let mark = if model.in_use { "* " } else { "  " };
        let text = truncate_to_columns(&join_cells(row, &widths, mark), width);
        let style = if model.in_use { ID } else { Style::new() };
        out.push_str(&format!("\n{}", paint(style, text)));
    }
    let key = "* in use; COVERAGE: sessions of the index that have its vectors";
    out.push_str(&format!("\n\n{}\n", paint(FAINT, fit_line(key, width))));
    for device in format_devices(models) {
        let device = sanitize_line(&device);
        for (n, line) in wrap_lines(&device, width.saturating_sub(GAP)).enumerate() {
            let indent = " ".repeat(if n == 0 { 0 } else { GAP });
            out.push_str(&format!("{indent}{}\n", paint(FAINT, line)));
        }
    }
    out
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
        format!("{}, since {}: {names}", choice.device, choice.reason)
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
        format_share(model.coverage.as_ref()),
    ]
}

fn join_cells(cells: &[String; 6], widths: &[usize; 6], mark: &str) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, width)| {
        let pad = width.saturating_sub(cell.width()) + GAP;
        format!("{cell}{}", " ".repeat(pad))
    });
    let text: String = padded.collect();
    format!("{mark}{}", text.trim_end())
}

fn format_share(coverage: Option<&ModelCoverage>) -> String {
    match coverage {
        Some(coverage) if coverage.all_sessions > 0 => {
            format!("{} %", 100 * coverage.sessions / coverage.all_sessions)
        }
        _ => "-".to_owned(),
    }
}

/// Formats a size in kB, MB or GB.
#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
pub fn format_size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
