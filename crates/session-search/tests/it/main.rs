//! Search over indexes made by hand, with vectors made by hand.

mod explanation;
mod filters;
mod library;
mod named;
mod ranking;
mod resolve;
mod show;
