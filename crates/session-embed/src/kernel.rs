//! Kernels of transformers on a CPU, over slices of `f32`: products, attention,
//! norms. [`crate::layers`] makes operations of candle's of them.
//!
//! Products go by tiles of 6 rows and panels of 32 columns ([`lanes`]), in
//! whole numbers where weights are `Q8_0` and the CPU multiplies bytes
//! ([`integer`]), else in `f32`. The instructions are chosen when the program
//! runs ([`isa`]). All threads share a product; what a row becomes does not
//! depend on the others.

pub(crate) mod activations;
pub(crate) mod attention;
pub(crate) mod functions;
pub(crate) mod integer;
pub(crate) mod isa;
pub(crate) mod lanes;
pub(crate) mod linear;
pub(crate) mod norm_rope;
pub(crate) mod quantize;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod threads;
