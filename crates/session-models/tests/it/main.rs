//! Tests of the public interface, each in its own home directory.

mod catalogue;
mod endpoint_settings;
mod hostile_hub;
mod import;
mod pull;
mod remote;
mod tiny_model;

use session_test::{endpoint_server, hub_server};
