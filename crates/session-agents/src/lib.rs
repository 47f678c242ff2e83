//! Installs session-search into coding agents, and finds the session that a command is run from.
//!
//! **Settings.** A [`SettingsFile`] is Claude Code's `settings.json`, of the user or of a project.
//! Its `plan_…` methods return a [`SettingsChange`], which shows its [`diff`](SettingsChange::diff)
//! before it is [written](SettingsChange::write) with a backup of the old text. They install the
//! hook ([`SettingsFile::plan_hook`]), allow the skill ([`SettingsFile::plan_skill_rule`]) and set
//! how long transcripts are kept ([`SettingsFile::plan_retention`]). Every byte that is not part of
//! the change stays. [`MergedSettings`] joins the settings files that Claude Code merges.
//!
//! **Hook.** A [`HookFile`] is the file in which an agent registers hooks. It plans the [`HookInvocation`] that the agent
//! runs for a [`HookEvent`]. The agent passes JSON, of which a [`ToolUse`] is the call of a tool, and the program prints
//! a [`HookAnswer`]. A [`HookSurvey`] finds where the hook is installed and whether it works.
//!
//! **Skill.** The files that teach an agent to use the program are part of this crate. A
//! [`SkillPlan`] compares them with those in a [`SkillLocation`], by a manifest of what was
//! installed, so that an upgrade replaces older copies and keeps edited ones. A [`SkillReport`]
//! says what was done. [`set_skill_keywords`] names saved memories in the skill's description.
//!
//! **Other agents.** A [`McpConfig`] is the file in which OpenCode or Codex finds MCP servers. An
//! [`AgentSetup`] plans what is installed into one agent or removed from it: server, skill and instructions. An
//! [`AppliedSetup`] lists what was written. In Claude Code a plugin ([`SettingsFile::enabled_plugin`])
//! may bring the skill, the hook and the server instead.
//!
//! **Sessions.** A [`CallingProcess`] finds the session that a command is run from. A
//! [`ResumeCommand`] resumes a session with its agent.
//!
//! Nothing here prints or asks: the caller shows a plan, asks for consent and applies it.
//!
//! ```
//! use session_agents::{Agent, HookEvent, SettingsFile, SkillAction, SkillLocation, SkillPlan, WriteMode};
//! use session_sources::Env;
//! use std::path::Path;
//!
//! let home = tempfile::tempdir()?;
//! let env = Env::with_home(home.path());
//!
//! let settings = SettingsFile::for_user(&env)?;
//! let program = Path::new("/opt/bin/session-search");
//! let change = settings.plan_hook(program, &[HookEvent::UserPromptSubmit])?;
//! assert!(!change.is_noop());
//! assert_eq!(change.write()?, None, "there were no settings to back up");
//! assert_eq!(settings.installed_hooks()?[0].event, HookEvent::UserPromptSubmit);
//!
//! let location = SkillLocation::for_user(Agent::Claude, &env);
//! SkillPlan::read(location.clone())?.apply(SkillAction::Install, WriteMode::Write)?;
//! assert!(SkillPlan::read(location)?.is_current());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod agent_setup;
mod calling_session;
mod claude_plugin;
mod codex_mcp;
mod codex_trust;
mod error;
mod history_retention;
mod hook_answer;
mod hook_event;
mod hook_file;
mod hook_input;
mod hook_invocation;
mod hook_matcher;
mod hook_settings;
mod hook_status;
mod instruction_block;
mod mcp_config;
mod merged_settings;
mod opencode_mcp;
mod opencode_plugin;
mod own_program;
mod program_file;
mod resume;
mod settings_file;
mod settings_text;
mod shell_quote;
mod skill_apply;
mod skill_files;
mod skill_keywords;
mod skill_location;
mod skill_manifest;
mod skill_plan;
mod skill_report;
mod skill_rule;
mod tool_use;

pub use agent::Agent;
pub use agent_setup::{AgentSetup, AppliedSetup};
pub use calling_session::CallingProcess;
pub use claude_plugin::has_user_skill;
pub use error::{AgentError, Result, SettingsError};
pub use history_retention::{DEFAULT_RETENTION_DAYS, HistoryRetention, parse_retention_days};
pub use hook_answer::HookAnswer;
pub use hook_event::HookEvent;
pub use hook_file::HookFile;
pub use hook_input::{HookInput, START_DIRECTORY_VARIABLE};
pub use hook_invocation::HookInvocation;
pub use hook_matcher::{UnmatchedTools, find_unmatched_tools};
pub use hook_settings::InstalledHook;
pub use hook_status::{HookScope, HookStatus, HookSurvey, find_disabling_file};
pub use mcp_config::McpConfig;
pub use merged_settings::MergedSettings;
pub use own_program::{own_program, require_installed, shared_program};
pub use program_file::{program_exists, startable_program};
pub use resume::{
    ResumeCommand, ResumeError, ResumeMode, ResumeObstacle, StartObstacle, UnprintableFolder,
    resume_line,
};
pub use settings_file::{SettingsChange, SettingsFile};
pub use shell_quote::quote_word;
pub use skill_files::MAX_DESCRIPTION_KEYWORDS;
pub use skill_keywords::{
    LeftoverKeywords, find_leftover_keywords, remove_lost_keywords, set_skill_keywords,
    update_skill_keywords,
};
pub use skill_location::SkillLocation;
pub use skill_plan::{SkillAction, SkillFilePlan, SkillFileState, SkillPlan, WriteMode};
pub use skill_report::{SkillFileOutcome, SkillFileReport, SkillReport};
pub use skill_rule::{RuleList, SkillOrigin, revoke_skill_rule};
pub use tool_use::ToolUse;
