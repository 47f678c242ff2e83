//! `model list`: a row for each model.

use crate::Found;
use crate::args::ListArgs;
use crate::output::layout::{cut, line, width};
use crate::output::style::{FAINT, ID, TITLE, paint};
use crate::output::{json, notes};
use anyhow::Result;
use serde::Serialize;
use session_config::Home;
use session_embed::{Architecture, ModelSpec};
use session_models::{Catalogue, ModelState};
use session_store::{Reader, StoreError};
use std::io::Write;
use unicode_width::UnicodeWidthStr;

/// The JSON of `model list`, as `docs/cli.md` describes it.
#[derive(Serialize)]
struct Models {
    in_use: String,
    models: Vec<Row>,
    broken: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    title: String,
    architecture: String,
    dims: usize,
    max_tokens: usize,
    licence: String,
    bytes: Option<u64>,
    state: ModelState,
    in_use: bool,
    coverage: Option<Coverage>,
    repo: String,
    revision: String,
}

/// Sessions of the index that the model has vectors of.
#[derive(Serialize)]
struct Coverage {
    sessions: u64,
    of: u64,
}

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &ListArgs, home: &Home, catalogue: &Catalogue) -> Result<Found> {
    let index = match home.index() {
        Err(StoreError::Missing { .. }) => None,
        index => Some(index?),
    };
    let mut models = Vec::new();
    for spec in catalogue.specs() {
        models.push(row(spec, home, catalogue, index.as_ref())?);
    }
    let models = Models {
        in_use: home.config.model.clone(),
        models,
        broken: catalogue
            .description_errors()
            .iter()
            .map(ToString::to_string)
            .collect(),
    };
    match args.json {
        true => json::print(&models)?,
        false => write!(anstream::stdout(), "{}", text(&models, width()))?,
    }
    if !models.models.iter().any(|model| model.in_use) {
        let name = &models.in_use;
        writeln!(
            notes::stderr(),
            "note: the configured model `{name}` is not known"
        )?;
    }
    Ok(Found::Something)
}

fn row(
    spec: &ModelSpec,
    home: &Home,
    catalogue: &Catalogue,
    index: Option<&Reader>,
) -> Result<Row> {
    Ok(Row {
        name: spec.name.clone(),
        title: spec.title.clone(),
        architecture: architecture(spec.architecture),
        dims: spec.dims,
        max_tokens: spec.max_tokens,
        licence: spec.licence.clone(),
        bytes: catalogue.size_bytes(spec),
        state: catalogue.model_state(spec),
        in_use: spec.name == home.config.model,
        coverage: index.map(|index| coverage(spec, index)).transpose()?,
        repo: spec.repo.clone(),
        revision: spec.revision.clone(),
    })
}

fn architecture(architecture: Architecture) -> String {
    format!("{architecture:?}").to_lowercase()
}

fn coverage(spec: &ModelSpec, index: &Reader) -> Result<Coverage> {
    let of = index.sessions()?.len() as u64;
    let sessions = match index.model(&spec.fingerprint())? {
        Some(model) => index.embedded_sessions(model.id)?,
        None => 0,
    };
    Ok(Coverage { sessions, of })
}

const HEADINGS: [&str; 6] = ["NAME", "SIZE", "DIMS", "LICENCE", "STATE", "COVERAGE"];
/// Columns between two of the table.
const GAP: usize = 2;
/// Most columns of a cell.
const CELL: usize = 24;

fn text(models: &Models, width: usize) -> String {
    let rows: Vec<[String; 6]> = models.models.iter().map(cells).collect();
    let widest = |n: usize| {
        let cells = rows.iter().map(|row| row[n].width());
        cells.chain([HEADINGS[n].len()]).max().unwrap_or(0)
    };
    let widths: [usize; 6] = std::array::from_fn(widest);
    let headings = laid(&HEADINGS.map(str::to_owned), &widths, "  ");
    let mut out = paint(TITLE, cut(&headings, width));
    for (model, row) in models.models.iter().zip(&rows) {
        let mark = if model.in_use { "* " } else { "  " };
        let text = cut(&laid(row, &widths, mark), width);
        let style = if model.in_use {
            ID
        } else {
            anstyle::Style::new()
        };
        out.push_str(&format!("\n{}", paint(style, text)));
    }
    let key = "* in use; COVERAGE: sessions of the index that have its vectors";
    format!("{out}\n\n{}\n", paint(FAINT, line(key, width)))
}

fn cells(model: &Row) -> [String; 6] {
    let state = match model.state {
        ModelState::Bundled => "in the binary",
        ModelState::Remote => "endpoint",
        ModelState::Installed => "installed",
        ModelState::Incomplete => "incomplete",
        ModelState::Absent => "not here",
    };
    [
        line(&model.name, CELL),
        model.bytes.map_or("?".to_owned(), size),
        if model.dims == 0 {
            "?".to_owned()
        } else {
            model.dims.to_string()
        },
        line(&model.licence, CELL),
        state.to_owned(),
        share(model.coverage.as_ref()),
    ]
}

fn laid(cells: &[String; 6], widths: &[usize; 6], mark: &str) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, width)| {
        let pad = width.saturating_sub(cell.width()) + GAP;
        format!("{cell}{}", " ".repeat(pad))
    });
    let text: String = padded.collect();
    format!("{mark}{}", text.trim_end())
}

fn share(coverage: Option<&Coverage>) -> String {
    match coverage {
        Some(Coverage { sessions, of }) if *of > 0 => format!("{} %", 100 * sessions / of),
        _ => "-".to_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
