//! The files in which agents find their MCP servers.

use crate::agent::Agent;
use crate::error::{AgentError, Result, SettingsError, SettingsResult};
use crate::own_program::is_own_program;
use crate::settings_file::{SIZE_LIMIT, SettingsChange};
use crate::{codex_mcp, opencode_mcp};
use session_files::ConfinedFile;
use session_sources::Env;
use std::path::{Path, PathBuf};

/// The name under which agents know this program's MCP server.
pub(crate) const SERVER_NAME: &str = "session-search";
/// The argument that makes this program an MCP server.
pub(crate) const SERVER_ARGUMENT: &str = "mcp";

/// The file of the user's configuration in which an agent finds MCP servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpConfig {
    format: ServerFormat,
    file: ConfinedFile,
}

/// The format in which a file of the configuration names MCP servers, after the agent whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerFormat {
    OpenCode,
    Codex,
}

impl McpConfig {
    /// Names the file of an agent, whether it exists or not. `None` for Claude Code: its servers
    /// are in the file of its own state, which only the agent itself writes.
    ///
    /// # Errors
    /// When a path has no file name.
    pub fn for_user(agent: Agent, env: &Env) -> Result<Option<Self>> {
        let directory = agent.config_directory(env);
        let (format, path) = match agent {
            Agent::Claude => return Ok(None),
            Agent::OpenCode => (ServerFormat::OpenCode, opencode_file(&directory)),
            Agent::Codex => (ServerFormat::Codex, directory.join("config.toml")),
        };
        let file = ConfinedFile::for_user(&path)?;
        Ok(Some(Self { format, file }))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.file.path()
    }

    /// Reads the command line of this program's server; `None` if it is not registered.
    ///
    /// # Errors
    /// When the file cannot be read or parsed, or another program's server has the name.
    pub fn server_command(&self) -> Result<Option<Vec<String>>> {
        let mut found = None;
        SettingsChange::plan(&self.file, |text| {
            found = self.find_server(text)?;
            Ok(text.to_owned())
        })?;
        Ok(found)
    }

    /// Returns true if this program's server is registered and switched off, so that the agent does not start it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_disabled(&self) -> Result<bool> {
        let text = self.file.read_utf8(SIZE_LIMIT)?.unwrap_or_default();
        Ok(match self.format {
            ServerFormat::OpenCode => opencode_mcp::is_disabled(&text),
            ServerFormat::Codex => codex_mcp::is_disabled(&text),
        })
    }

    /// Reads the command line of the registered server, where it is this program's.
    fn own_server_command(&self) -> Result<Vec<String>> {
        match self.server_command() {
            Err(AgentError::Settings {
                reason: SettingsError::OtherServer { .. },
                ..
            }) => Ok(Vec::new()),
            command => Ok(command?.unwrap_or_default()),
        }
    }

    /// Plans to register a program as the server. A server that is there already keeps its other
    /// settings.
    ///
    /// # Errors
    /// When the file cannot be read or parsed, or another program's server has the name.
    pub(crate) fn plan_server(&self, program: &Path) -> Result<SettingsChange> {
        let program = program.to_string_lossy();
        SettingsChange::plan(&self.file, |text| self.add_server(text, &program))
    }

    fn add_server(&self, text: &str, program: &str) -> SettingsResult<String> {
        match self.format {
            ServerFormat::Codex => codex_mcp::add_server(text, program),
            ServerFormat::OpenCode => opencode_mcp::add_server(text, program),
        }
    }

    /// Plans to remove this program's server. Another program's server stays. A server that the user had before the
    /// setup runs its old program again.
    ///
    /// # Errors
    /// When the file cannot be read or parsed.
    pub fn plan_removal(&self) -> Result<SettingsChange> {
        let command = self.own_server_command()?;
        let program = command.first().map_or("", String::as_str);
        let users = self.users_program().filter(|_| !program.is_empty());
        let remove = |text: &str| match (&users, self.format) {
            (Some(users), _) => self.add_server(text, users),
            (None, ServerFormat::Codex) => codex_mcp::remove_server(text),
            (None, ServerFormat::OpenCode) => opencode_mcp::remove_server(text),
        };
        SettingsChange::plan_undo(&self.file, remove, |text| self.add_server(text, program))
    }

    /// Returns the program of the server that the user had before this program changed it. The backups hold it,
    /// from the newest back to the last one without a server.
    fn users_program(&self) -> Option<String> {
        let kept = self.file.read_backups(SIZE_LIMIT).ok()?;
        let servers = kept.iter().map_while(|text| {
            let is_users = match self.format {
                ServerFormat::Codex => codex_mcp::is_users_server(text),
                ServerFormat::OpenCode => opencode_mcp::is_users_server(text),
            };
            let program = self.find_server(text).ok()??.into_iter().next()?;
            let is_users = is_users || !Path::new(&program).is_absolute();
            Some((program, is_users))
        });
        let users = servers.filter(|(_, is_users)| *is_users);
        users.last().map(|(program, _)| program)
    }

    fn find_server(&self, text: &str) -> SettingsResult<Option<Vec<String>>> {
        match self.format {
            ServerFormat::Codex => codex_mcp::find_server(text),
            ServerFormat::OpenCode => opencode_mcp::find_server(text),
        }
    }
}

/// Returns true for the command line of an MCP server that is this program.
pub(crate) fn is_own_server(command: &[String]) -> bool {
    match command {
        [program, argument] => is_own_program(program) && argument == SERVER_ARGUMENT,
        _ => false,
    }
}

/// Returns the file that names our server, else the one that OpenCode reads last. It merges both.
fn opencode_file(directory: &Path) -> PathBuf {
    let [jsonc, json] = ["opencode.jsonc", "opencode.json"].map(|name| directory.join(name));
    let has_server = |path: &PathBuf| {
        let file = ConfinedFile::for_user(path);
        let text = file.and_then(|file| file.read_text(SIZE_LIMIT)).ok();
        let text = text.flatten().unwrap_or_default();
        matches!(opencode_mcp::find_server(&text), Ok(Some(_)))
    };
    if jsonc.exists() && !has_server(&json) {
        jsonc
    } else {
        json
    }
}
