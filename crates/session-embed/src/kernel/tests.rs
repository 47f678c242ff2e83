//! Each set of instructions computes the same, which no seam outside shows.

use super::activations::Activations;
use super::attention::{AttentionShape, attention};
use super::functions::{exp, gelu};
use super::integer::{self, is_fast};
use super::isa::Isa;
use super::lanes::{COLUMNS, ROWS};
use crate::stored_matrix::f16_to_f32;

/// Returns numbers between −1 and 1 that look random and are always the same.
pub(crate) fn random(count: usize, seed: u64) -> Vec<f32> {
    let number = |at: usize| {
        let mixed = (at as u64 + 1 + (seed << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(number).collect()
}

pub(crate) fn is_near(a: f32, b: f32, off: f32) -> bool {
    (a - b).abs() <= off
}

/// Returns a row of `Q8_0`, scale 1/128, with the numbers −128 to 127.
fn weights(blocks: usize, seed: u64) -> Vec<u8> {
    let numbers = random(blocks * 32, seed);
    let block = |some: &[f32]| {
        let quants = some
            .iter()
            .map(|x| (x * 128.5).floor().clamp(-128.0, 127.0) as i8 as u8);
        0x2000_u16
            .to_le_bytes()
            .into_iter()
            .chain(quants)
            .collect::<Vec<_>>()
    };
    numbers.chunks(32).flat_map(block).collect()
}

#[test]
fn products_of_whole_numbers_are_right_on_every_isa() {
    let (blocks, rows) = (12, 2 * ROWS);
    let x: Vec<f32> = random(rows * blocks * 32, 1)
        .iter()
        .map(|x| (x * 127.0).round())
        .collect();
    let packed: Vec<Vec<u8>> = (0..COLUMNS as u64)
        .map(|seed| weights(blocks, seed + 2))
        .collect();
    for isa in Isa::detect_all().into_iter().filter(|&isa| is_fast(isa)) {
        let input = Activations::new(isa, &x, blocks * 32, true);
        let Activations::Integer {
            blocks: quantized, ..
        } = &input
        else {
            panic!("not quantized");
        };
        let mut panel = Vec::new();
        integer::pack(isa, packed.iter().map(Vec::as_slice), &mut panel);
        let mut out = vec![[0.0; COLUMNS]; rows];
        integer::multiply(isa, quantized, &panel, &[1.0; COLUMNS], &mut out);
        for (row, x) in x.chunks(blocks * 32).enumerate() {
            for (column, weights) in packed.iter().enumerate() {
                let weights = weights.chunks(34).flat_map(|block| &block[2..]);
                let expected: f64 = weights
                    .zip(x)
                    .map(|(&w, &x)| f64::from(w as i8) * f64::from(x))
                    .sum();
                // Rounding to 127 steps of the block's greatest, which is near 127.
                let off = (f64::from(out[row][column]) - 1.0 - expected / 128.0).abs();
                assert!(
                    off < 30.0,
                    "{isa:?}, row {row}, column {column}: off by {off}"
                );
            }
        }
    }
}

#[test]
fn products_of_whole_numbers_are_the_same_on_every_isa() {
    let x = random(ROWS * 96, 7);
    let rows: Vec<Vec<u8>> = (0..COLUMNS as u64)
        .map(|seed| weights(3, seed + 8))
        .collect();
    let products = Isa::detect_all()
        .into_iter()
        .filter(|&isa| is_fast(isa))
        .map(|isa| {
            let input = Activations::new(isa, &x, 96, true);
            let Activations::Integer { blocks, .. } = input else {
                panic!("not quantized");
            };
            let (mut panel, mut out) = (Vec::new(), vec![[0.0; COLUMNS]; ROWS]);
            integer::pack(isa, rows.iter().map(Vec::as_slice), &mut panel);
            integer::multiply(isa, &blocks, &panel, &[1.0; COLUMNS], &mut out);
            out
        });
    let products: Vec<_> = products.collect();
    assert!(products.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn exp_is_near() {
    for step in 0..=8700 {
        let x = -(step as f32) / 100.0;
        let off = f64::from(exp(x)) / f64::from(x).exp() - 1.0;
        assert!(off.abs() < 3e-7 + 7e-8 * f64::from(x.abs()), "{x}: {off}");
    }
    assert_eq!(exp(-1e30), exp(-87.0));
}

/// Computes the normal distribution function by Simpson's rule.
fn below(x: f64) -> f64 {
    let steps = 2000;
    let width = x / f64::from(steps);
    let density = |at: f64| (-at * at / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let weight = |step: i32| match step {
        0 => 1.0,
        step if step == steps => 1.0,
        step => f64::from(2 + 2 * (step % 2)),
    };
    let area: f64 = (0..=steps)
        .map(|step| weight(step) * density(f64::from(step) * width))
        .sum();
    0.5 + area * width / 3.0
}

#[test]
fn gelu_is_exact() {
    for step in -800..=800 {
        let x = step as f32 / 100.0;
        let expected = f64::from(x) * below(f64::from(x));
        assert!(
            (f64::from(gelu(x)) - expected).abs() < 1e-6,
            "{x}: {}",
            gelu(x)
        );
    }
}

#[test]
fn halves_are_read() {
    let known = [
        (0, 0.0),
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x2000, 1.0 / 128.0),
        (0x7bff, 65504.0),
        (1, 2.0_f32.powi(-24)),
    ];
    for (bits, expected) in known {
        assert_eq!(f16_to_f32(bits), expected, "{bits:#x}");
    }
}

/// Computes attention within one text, in the plainest way.
fn plain_attention(shape: AttentionShape, [q, k, v]: [&[f32]; 3]) -> Vec<f32> {
    let AttentionShape {
        heads,
        kv_heads,
        head_dim,
        ..
    } = shape;
    let len = q.len() / (heads * head_dim);
    let mut out = Vec::new();
    for (token, head) in (0..len).flat_map(|token| (0..heads).map(move |head| (token, head))) {
        let query = &q[(token * heads + head) * head_dim..][..head_dim];
        let row = |rows: &[f32], at: usize| {
            let kv_head = head / (heads / kv_heads);
            rows[(at * kv_heads + kv_head) * head_dim..][..head_dim].to_vec()
        };
        let visible = if shape.is_causal { token + 1 } else { len };
        let weight = |at| {
            let dot: f32 = query.iter().zip(row(k, at)).map(|(a, b)| a * b).sum();
            (dot / (head_dim as f32).sqrt()).exp()
        };
        let weights: Vec<f32> = (0..visible).map(weight).collect();
        let total: f32 = weights.iter().sum();
        out.extend((0..head_dim).map(|column| {
            let values = weights.iter().enumerate();
            let sum: f32 = values.map(|(at, weight)| weight * row(v, at)[column]).sum();
            sum / total
        }));
    }
    out
}

/// Computes attention within texts whose queries, keys and values stand beside each other.
fn attend(isa: Isa, shape: AttentionShape, rows: [&[f32]; 3], lengths: &[usize]) -> Vec<f32> {
    let widths = [shape.query_dim(), shape.kv_dim(), shape.kv_dim()];
    let mut qkv = Vec::new();
    for token in 0..lengths.iter().sum() {
        for (rows, width) in rows.iter().zip(widths) {
            qkv.extend(&rows[token * width..][..width]);
        }
    }
    attention(isa, shape, &qkv, lengths)
}

#[test]
fn attention_is_right_on_every_isa() {
    for (heads, kv_heads, head_dim, len, is_causal) in [
        (2, 2, 32, 1, false),
        (1, 1, 64, 7, false),
        (3, 3, 32, 33, false),
        (2, 2, 32, 300, false),
        (4, 2, 32, 63, true),
        (2, 1, 64, 600, true),
    ] {
        let shape = AttentionShape {
            heads,
            kv_heads,
            head_dim,
            is_causal,
        };
        let rows = |heads, seed| -> Vec<f32> {
            let numbers = random(len * heads * head_dim, seed);
            numbers.iter().map(|x| x * 3.0).collect()
        };
        let (q, k, v) = (rows(heads, 3), rows(kv_heads, 4), rows(kv_heads, 5));
        let expected = plain_attention(shape, [&q, &k, &v]);
        for isa in Isa::detect_all() {
            let out = attend(isa, shape, [&q, &k, &v], &[len]);
            assert_eq!(out.len(), expected.len());
            let mut pairs = out.iter().zip(&expected);
            // Of logits and of values up to 3 a `bf16` has 8 bits.
            let off = if isa.has_bf16() { 0.05 } else { 2e-5 };
            let are_near = pairs.all(|(&a, &b)| is_near(a, b, off));
            assert!(are_near, "{isa:?}, {len} tokens");
        }
    }
}

#[test]
fn a_text_attends_to_itself_alone() {
    let shape = AttentionShape {
        heads: 2,
        kv_heads: 1,
        head_dim: 32,
        is_causal: true,
    };
    let lengths = [5, 300, 1, 40];
    let tokens: usize = lengths.iter().sum();
    let (q, k, v) = (
        random(tokens * 64, 1),
        random(tokens * 32, 2),
        random(tokens * 32, 3),
    );
    let all = attend(Isa::detect(), shape, [&q, &k, &v], &lengths);
    let mut row = 0;
    for len in lengths {
        let part = |rows: &[f32], width: usize| rows[row * width..(row + len) * width].to_vec();
        let rows = [part(&q, 64), part(&k, 32), part(&v, 32)];
        let alone = attend(Isa::detect(), shape, [&rows[0], &rows[1], &rows[2]], &[len]);
        assert_eq!(alone, part(&all, 64), "{len} tokens");
        row += len;
    }
}
