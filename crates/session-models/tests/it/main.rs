//! The library as its callers see it, each test in a home folder of its own.

mod catalogue;
mod endpoint;
mod hub;
mod import;
mod pull;
mod remote;
mod tiny;
