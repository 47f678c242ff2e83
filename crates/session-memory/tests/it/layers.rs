//! The order of the modules that the documentation of the crate gives.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The modules in their order: each uses those before it alone.
const LAYERS: [&str; 9] = [
    "text",
    "triggers",
    "content",
    "storage",
    "retrieval",
    "injection",
    "context_sheet",
    "memory_stats",
    "import",
];

/// The modules that all others share. An error names types of any of them.
const SHARED: [&str; 4] = ["error", "hashed_name", "setting_values", "trust"];

fn list_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list_files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Returns the module at the root of the crate that a file belongs to.
fn module_of(file: &Path, sources: &Path) -> String {
    let path = file.strip_prefix(sources).unwrap();
    let first = path.components().next().unwrap().as_os_str();
    let name = first.to_string_lossy();
    name.trim_end_matches(".rs").to_owned()
}

/// Returns the modules at the root of the crate that a file names outside of comments and its tests.
fn find_used(file: &Path) -> BTreeSet<String> {
    let text = fs_err::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    let paths = lines.flat_map(|line| line.split("crate::").skip(1));
    let names = paths.map(|path| {
        path.split(|c: char| c != '_' && !c.is_alphanumeric())
            .next()
    });
    names.flatten().map(str::to_owned).collect()
}

#[test]
fn a_module_uses_those_before_it_alone() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    list_files(&sources, &mut files);
    let layer = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut edges = 0;
    for file in &files {
        let name = module_of(file, &sources);
        if name == "lib" || SHARED.contains(&name.as_str()) {
            continue;
        }
        let own = layer(&name).unwrap_or_else(|| panic!("`{name}` is in no layer"));
        for used in find_used(file) {
            edges += 1;
            let is_before =
                SHARED.contains(&used.as_str()) || layer(&used).is_some_and(|layer| layer <= own);
            assert!(is_before, "{} uses {used}", file.display());
            assert!(!used.is_empty(), "{} names no module", file.display());
        }
    }
    assert!(edges > 150, "{edges}");
}
