//! OpenCode's histories, from hand-written rows and files to turns.

mod changes;
mod damage;
mod database;
mod fixture;
mod locate;
mod second;
mod tools;
mod tree;
mod turns;
