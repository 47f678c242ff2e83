//! The crates as the architecture names them, and where the names of agents may stand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Parses the manifest of each crate of this workspace, by its name.
fn manifests() -> BTreeMap<String, toml::Table> {
    let folders = fs_err::read_dir(crates()).unwrap();
    let manifests = folders.map(|folder| {
        let path = folder.unwrap().path().join("Cargo.toml");
        let manifest: toml::Table = fs_err::read_to_string(path).unwrap().parse().unwrap();
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        (name, manifest)
    });
    manifests.collect()
}

/// Returns the names in tables of dependencies, such as `build-dependencies`.
fn dependencies(from: &toml::Table, tables: &[&str]) -> BTreeSet<String> {
    let tables = tables.iter().filter_map(|name| from.get(*name)?.as_table());
    tables.flat_map(|table| table.keys().cloned()).collect()
}

/// Returns the crates of this workspace that each one is made of, those of its tests left out.
fn edges() -> BTreeMap<String, Vec<String>> {
    let edges = manifests().into_iter().map(|(name, manifest)| {
        let own = dependencies(&manifest, &["dependencies", "build-dependencies"]);
        let own = own.into_iter().filter(|name| name.starts_with("session-"));
        (name, own.collect())
    });
    edges.collect()
}

/// Returns the dependencies of all crates that are no crates of this workspace, those of tests and of one system, too.
fn outside_dependencies() -> BTreeSet<String> {
    const TABLES: [&str; 3] = ["dependencies", "build-dependencies", "dev-dependencies"];
    let manifests = manifests();
    let mut names = BTreeSet::new();
    for manifest in manifests.values() {
        names.extend(dependencies(manifest, &TABLES));
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        let targets = targets.into_iter().flat_map(toml::Table::values);
        for target in targets.filter_map(toml::Value::as_table) {
            names.extend(dependencies(target, &TABLES));
        }
    }
    names.retain(|name| !manifests.contains_key(name));
    names
}

/// Who looks for the place of something finds every crate there.
#[test]
fn the_architecture_names_each_crate() {
    let page = crates().join("../docs/architecture.md");
    let page = fs_err::read_to_string(page).unwrap();
    for name in edges().keys() {
        assert!(
            page.contains(&format!("\n  {name}/ ")),
            "{name} is not named"
        );
    }
}

/// The table of dependencies has the manifests' rows.
#[test]
fn the_architecture_names_what_each_crate_depends_on() {
    let page = crates().join("../docs/architecture.md");
    let page = fs_err::read_to_string(page).unwrap();
    for (name, dependencies) in edges() {
        let short = |name: &str| name.trim_start_matches("session-").to_owned();
        let named: Vec<String> = dependencies.iter().map(|name| short(name)).collect();
        let named = if named.is_empty() {
            "-".to_owned()
        } else {
            named.join(", ")
        };
        let row = format!("\n| {} | {named} |\n", short(&name));
        assert!(page.contains(&row), "not in the table: {row}");
    }
}

/// Each dependency from outside has a reason, and no reason outlives its dependency.
#[test]
fn the_architecture_says_why_each_outside_crate_is_used() {
    let page = crates().join("../docs/architecture.md");
    let page = fs_err::read_to_string(page).unwrap();
    let (_, section) = page.split_once("\n## Dependencies, and why\n").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows
        .skip(2)
        .filter_map(|row| Some(row.split_once(" | ")?.0));
    let names = cells.flat_map(|cell| cell.split(" (").next().unwrap().split(", "));
    let named: BTreeSet<String> = names.map(str::to_owned).collect();
    assert_eq!(named, outside_dependencies());
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Reads a file's code: without comments, and without the module of its tests, which ends a file.
fn code(path: &Path) -> String {
    let text = fs_err::read_to_string(path).unwrap();
    let begins_tests = |line: &str| !line.starts_with(' ') && line.ends_with("mod tests {");
    let lines = text.lines().take_while(|line| !begins_tests(line));
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Code that stands behind a helper of tests is read, too.
#[test]
fn code_ends_at_the_tests_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lamp.rs");
    let text = "#[cfg(test)]\nmod oil;\n\n// a wick\nfn burn() {}\n\n#[cfg(test)]\nmod tests {\n    fn douse() {}\n}\n";
    fs_err::write(&file, text).unwrap();
    assert_eq!(
        code(&file),
        "#[cfg(test)]\nmod oil;\n\nfn burn() {}\n\n#[cfg(test)]\n"
    );
}

/// Names of agents that are no other words.
const AGENTS: [&str; 5] = ["claude", "opencode", "codex", "gemini", "copilot"];

/// The folders of the help, and of what `setup` offers.
const FOLDERS_THAT_NAME_AGENTS: [&str; 2] = ["session-cli/src/args/", "session-setup/src/"];

/// Where people are told of agents by name besides: the hints for those who have no home or no history, and the demo and
/// the sets of `eval`, which are histories of one of them; what signs their commits; where its projects keep what is
/// theirs, and its hook.
const FILES_THAT_NAME_AGENTS: [&str; 12] = [
    "session-cli/src/command/setup.rs",
    "session-cli/src/command/skill.rs",
    "session-cli/src/command/memory/transfer.rs",
    "session-query/src/demo_index.rs",
    "session-query/src/eval_index.rs",
    "session-config/src/environment.rs",
    "session-config/src/path_variables.rs",
    "session-core/src/commit_trailer.rs",
    "session-eval/src/set.rs",
    "session-files/src/marks.rs",
    "session-files/src/project.rs",
    "session-memory/src/import/conversation_memory.rs",
];

#[test]
fn agents_are_named_by_their_source_alone() {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap_or_default();
        let naming = ["session-sources", "session-agents", "session-test"];
        if !naming.iter().any(|crate_name| name == *crate_name) {
            sources(&folder.join("src"), &mut files);
        }
    }
    assert!(files.len() > 40, "{}", files.len());
    let is_code = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem != "tests");
    let naming = files.iter().filter(is_code).filter(|path| {
        let code = code(path).to_lowercase();
        AGENTS.iter().any(|agent| code.contains(agent))
    });
    let naming: BTreeSet<String> = naming
        .map(|path| path.strip_prefix(crates()).unwrap().to_string_lossy())
        .map(|name| name.replace('\\', "/"))
        .filter(|name| {
            !FOLDERS_THAT_NAME_AGENTS
                .iter()
                .any(|folder| name.starts_with(folder))
        })
        .collect();
    let expected = FILES_THAT_NAME_AGENTS.map(str::to_owned);
    assert_eq!(naming, BTreeSet::from(expected));
}

/// The list of sources names each agent once, and nothing else there does.
#[test]
fn an_agent_is_a_module_and_a_line() {
    let lib = code(&crates().join("session-sources/src/lib.rs"));
    for agent in AGENTS {
        assert_eq!(lib.matches(&format!("mod {agent};")).count(), 1);
        assert_eq!(lib.matches(&format!("{agent}::")).count(), 1);
        assert_eq!(lib.matches(agent).count(), 2, "{lib}");
    }
}

/// Modules of the memories that all others share. An error names types of any of them.
const SHARED_MEMORY_MODULES: [&str; 4] = ["error", "hashed_name", "setting_values", "trust"];

/// Returns the layer of each module of the memories: the row of the table in the crate's documentation.
fn memory_layers() -> BTreeMap<String, usize> {
    let lib = fs_err::read_to_string(crates().join("session-memory/src/lib.rs")).unwrap();
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | `"));
    let rows = rows.enumerate().flat_map(|(layer, row)| {
        let (modules, _) = row.split_once("` |").unwrap();
        modules
            .split("`, `")
            .map(move |module| (module.to_owned(), layer))
    });
    rows.collect()
}

/// Returns the modules at the root of its crate that code names.
fn root_modules(code: &str) -> BTreeSet<&str> {
    let paths = code.split("crate::").skip(1);
    let is_end = |c: char| c != '_' && !c.is_alphanumeric();
    paths.filter_map(|path| path.split(is_end).next()).collect()
}

#[test]
fn a_module_of_the_memories_uses_those_before_it_alone() {
    let root = crates().join("session-memory/src");
    let layers = memory_layers();
    let mut files = Vec::new();
    sources(&root, &mut files);
    let is_shared = |name: &str| SHARED_MEMORY_MODULES.contains(&name);
    let mut edges = 0;
    for file in &files {
        let path = file.strip_prefix(&root).unwrap();
        let name = path.iter().next().unwrap().to_string_lossy();
        let name = name.trim_end_matches(".rs");
        if name == "lib" || is_shared(name) {
            continue;
        }
        let own = layers.get(name);
        let own = own.unwrap_or_else(|| panic!("`{name}` is in no layer"));
        for used in root_modules(&code(file)) {
            edges += 1;
            let is_before = is_shared(used) || layers.get(used).is_some_and(|layer| layer <= own);
            assert!(is_before, "{} uses `{used}`", file.display());
        }
    }
    assert!(edges > 150, "{edges}");
}

/// Each promise names the test or the function that holds it: by its module and its name, with its crate where that is
/// not this one.
#[test]
fn every_promise_of_security_has_its_test() {
    let page = fs_err::read_to_string(crates().join("../docs/security.md")).unwrap();
    let named = page.split('`').skip(1).step_by(2);
    let named: Vec<(&str, &str)> = named.filter_map(|code| code.split_once("::")).collect();
    assert!(named.len() > 100, "{}", named.len());
    for (module, name) in named {
        let (package, name) = match module.starts_with("session_") {
            true => (module.replace('_', "-"), name.to_owned()),
            false => ("session-cli/tests".to_owned(), format!("{module}::{name}")),
        };
        let name = name.rsplit("::").next().unwrap_or_default();
        let mut files = Vec::new();
        sources(&crates().join(&package), &mut files);
        let signature = format!("fn {name}(");
        let is_there = files
            .iter()
            .any(|file| fs_err::read_to_string(file).unwrap().contains(&signature));
        assert!(is_there, "{package}: {name}");
    }
}
