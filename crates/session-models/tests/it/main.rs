//! The library as its callers see it, each test in a home folder of its own.

mod catalogue;
mod import;
mod tiny;
