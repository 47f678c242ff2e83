//! What transformers are made of on a CPU: products, attention, norms.
//!
//! Products go by tiles of 6 rows and panels of 32 columns ([`lanes`]), in
//! whole numbers where weights are `Q8_0` and the CPU multiplies bytes
//! ([`integer`]), else in `f32`. The instructions are chosen when the program
//! runs ([`isa`]).

pub(crate) mod activations;
pub(crate) mod attention;
pub(crate) mod function;
pub(crate) mod integer;
pub(crate) mod isa;
pub(crate) mod lanes;
pub(crate) mod linear;
pub(crate) mod quantise;
#[cfg(test)]
pub(crate) mod tests;
