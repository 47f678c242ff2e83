//! Agents whose histories are read by a [`session_sources::JsonlFormat`] or
//! [`session_sources::SessionStorage`], through the seam: files in, turns out.

mod codex;
mod codex_calls;
mod codex_history;
mod copilot;
mod cursor_cli;
mod cursor_ide;
mod gemini;
mod gemini_document;
mod other_homes;
mod pi;
mod redacted_cursor;
mod support;
mod toy;
mod toy_agent;
mod turns;
