//! Tests of the public interface, each in its own home directory.

mod catalogue;
mod endpoint_server;
mod hub_server;
mod import;
mod pull;
mod remote;
mod tiny_model;
