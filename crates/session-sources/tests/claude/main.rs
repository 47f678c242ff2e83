//! Claude Code transcripts, through the seam: files in, turns out.

mod damage;
mod history;
mod incremental;
mod locate;
mod meta;
mod prompts;
mod queue;
mod replies;
mod results;
mod scripted;
mod show;
mod subagents;
mod support;
#[path = "../agents/turns.rs"]
mod turns;
mod work;
