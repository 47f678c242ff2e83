//! OpenCode: a SQLite database that all sessions share, with a write-ahead log
//! that may hold most of it, and before version 1.2 a tree of JSON files.
//!
//! Both are a [`History`](history::History): sessions with a signature that
//! changes when they do, and messages with their parts. Of these
//! [`Turns`](turns::Turns) makes turns.

mod command;
mod database;
mod fault;
mod history;
mod json;
mod locate;
mod message;
mod meta;
mod order;
mod piece;
mod schema;
mod second;
mod signature;
mod snapshot;
mod stored;
mod tool;
mod tree;
mod turns;

use crate::source::{caller, naming};
use crate::{Caller, Cursor, Env, Listing, Location, Shown, Sink, Source};
use database::Database;
use session_core::{SessionMeta, SourceName, Span};
use std::path::Path;
use tree::Tree;

/// OpenCode.
#[derive(Debug)]
pub struct OpenCode;

impl Source for OpenCode {
    fn name(&self) -> SourceName {
        SourceName::new("opencode")
    }

    fn locate(&self, env: &Env) -> Listing {
        locate::locate(env)
    }

    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        let read = open(&at.path).and_then(|h| history::read(&*h, &at.path, from, sink));
        if let Err(error) = read {
            sink.warning(fault::warning(&at.path, &error));
            if error.lasts() {
                sink.checkpoint(from.cloned().unwrap_or_default());
            }
        }
    }

    fn show(&self, at: &Path, session: &SessionMeta, spans: &[(u32, Span)]) -> Shown {
        match open(at) {
            Ok(history) => history::show(&*history, at, session, spans),
            Err(error) => Shown {
                turns: Vec::new(),
                warnings: vec![fault::warning(at, &error)],
            },
        }
    }

    fn resume(&self, session: &SessionMeta) -> Option<Vec<String>> {
        naming("opencode", "--session", session)
    }

    fn caller(&self, env: &Env) -> Option<Caller> {
        caller(env, &["OPENCODE_SESSION_ID"], &["OPENCODE"])
    }
}

fn open(path: &Path) -> Result<Box<dyn history::History>, fault::Error> {
    match fs_err::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(Box::new(Tree::new(path))),
        Ok(metadata) if !metadata.is_file() => Err(fault::Error::NotRegular),
        _ => Ok(Box::new(Database::open(path)?)),
    }
}
