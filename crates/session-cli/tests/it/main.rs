//! The program, run as a user runs it, each time in a home folder of its own.

mod background;
mod caller;
mod columns;
mod compact;
mod configuration;
mod copies;
mod corrupt;
mod damage;
mod demo;
mod digest;
mod doctor;
mod done;
mod environment;
mod evaluation;
mod export;
mod filters;
mod fix;
mod forged_lines;
mod forget;
mod forget_memories;
mod forget_report;
mod forget_titles;
mod found;
mod freshness;
mod generator;
mod growth;
mod healing;
mod help;
mod history;
mod hook;
mod hook_scopes;
mod hook_start;
mod hostile;
mod hostile_environment;
mod hostile_variables;
mod ids;
mod inject;
mod inject_hook;
mod installer;
mod kill;
mod layers;
mod manual;
mod mcp;
mod mcp_client;
mod mcp_digest;
mod mcp_fence;
mod mcp_folder;
mod mcp_history;
mod mcp_memories;
mod mcp_search;
mod memory;
mod memory_cues;
#[cfg(unix)]
mod memory_edit;
mod memory_import;
mod memory_kill;
mod models;
mod no_change;
mod noise;
mod nothing;
mod opencode_calls;
mod other_homes;
mod output;
mod packaging;
mod pasted_ids;
mod picker;
mod planted;
mod precedence;
mod privacy;
mod prompts;
mod pty;
mod purge_kill;
mod queries;
mod quiet;
mod remote;
mod resume;
mod secrets;
mod setup;
mod shell_init;
mod skill;
mod skill_text;
mod terminal;
mod trusted_authorities;
mod trusting;
mod vanished;
mod work;
mod writers;

use session_test::{claude, endpoint_server, hub_server, opencode};

#[test]
fn every_file_here_is_a_module() {
    let main = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            name == "main" || main.contains(&format!("mod {name};\n")),
            "{name}.rs is not run"
        );
    }
}
