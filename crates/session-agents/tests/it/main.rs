//! Installation into agents, the calling session and the command that resumes one.

mod agent_setup;
mod calling_session;
mod plugin_files;
mod resume;
mod session_row;
mod settings;
mod skill;
mod skill_keywords;
mod skill_text;
