//! Products of whole numbers on x86-64.

use super::{BLOCK_BYTES, COLUMNS, Isa, IsaLevel, PanelBlock, QuantizedBlock, ROWS, TileRow};
use crate::stored_matrix::f16_to_f32;
use std::arch::x86_64::*;

/// Returns the mask that makes four signed bytes unsigned ones, 128 higher,
/// where a product takes these.
#[inline(always)]
fn sign_flip_mask(isa: Isa) -> i32 {
    match isa.level() {
        IsaLevel::AvxVnni | IsaLevel::Avx512 => i32::from_le_bytes([0x80; 4]),
        IsaLevel::Portable | IsaLevel::Avx2 => 0,
    }
}

/// Packs block by block, so that what is written stays in the fastest cache.
#[target_feature(enable = "avx2")]
pub(crate) fn pack_blocks(
    isa: Isa,
    rows: &[&[[u8; BLOCK_BYTES]]; COLUMNS],
    panel: &mut [PanelBlock],
) {
    let rows = rows.map(|row| &row[..panel.len()]);
    let sign_flip = _mm256_set1_epi32(sign_flip_mask(isa));
    for (at, block) in panel.iter_mut().enumerate() {
        for (scale, row) in block.scales.iter_mut().zip(rows) {
            *scale = f16_to_f32(u16::from_le_bytes([row[at][0], row[at][1]]));
        }
        for (eighth, rows) in rows.as_chunks().0.iter().enumerate() {
            let quants = rows.map(|row| _mm256_xor_si256(load_quants(&row[at]), sign_flip));
            for (to, quants) in block.quants.iter_mut().zip(transpose(quants)) {
                store_i32x8(quants, &mut to.as_chunks_mut().0[eighth]);
            }
        }
    }
}

/// Makes columns of eight rows.
#[target_feature(enable = "avx2")]
fn transpose(rows: [__m256i; 8]) -> [__m256i; 8] {
    let four = |at: usize| {
        let [a, b, c, d] = std::array::from_fn(|row| rows[at + row]);
        let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    };
    let (upper, lower) = (four(0), four(4));
    std::array::from_fn(|at| match at {
        0..4 => _mm256_permute2x128_si256::<0x20>(upper[at], lower[at]),
        _ => _mm256_permute2x128_si256::<0x31>(upper[at - 4], lower[at - 4]),
    })
}

/// Computes a tile by products of unsigned and signed bytes, four to a sum.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
pub(crate) fn tile_avx512(
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    bias: &TileRow,
    out: &mut [TileRow; ROWS],
) {
    let (halves, _) = bias.as_chunks();
    let mut sums = [[load_f32(&halves[0]), load_f32(&halves[1])]; ROWS];
    for (at, weights) in panel.iter().enumerate() {
        let rows: [&QuantizedBlock; ROWS] =
            std::array::from_fn(|row| &rows[row * panel.len() + at]);
        let mut whole = rows.map(|row| [_mm512_set1_epi32(row.correction); 2]);
        for (group, columns) in weights.quants.iter().enumerate() {
            let (halves, _) = columns.as_chunks();
            let weights = [load_i32(&halves[0]), load_i32(&halves[1])];
            for (whole, row) in whole.iter_mut().zip(rows) {
                let quants = _mm512_set1_epi32(row.quants[group]);
                whole[0] = _mm512_dpbusd_epi32(whole[0], weights[0], quants);
                whole[1] = _mm512_dpbusd_epi32(whole[1], weights[1], quants);
            }
        }
        let (halves, _) = weights.scales.as_chunks();
        let scales = [load_f32(&halves[0]), load_f32(&halves[1])];
        for ((sums, whole), row) in sums.iter_mut().zip(whole).zip(rows) {
            let scale = _mm512_set1_ps(row.scale);
            for half in 0..2 {
                let scale = _mm512_mul_ps(scales[half], scale);
                sums[half] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole[half]), scale, sums[half]);
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(sums) {
        for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums) {
            store_f32(sums, out);
        }
    }
}

/// Computes a tile, eight columns at once: there are but sixteen registers.
#[target_feature(enable = "avx2,fma")]
pub(crate) fn tile_avx2(
    isa: Isa,
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    bias: &TileRow,
    out: &mut [TileRow; ROWS],
) {
    for (eighth, bias) in bias.as_chunks().0.iter().enumerate() {
        let bias = load_f32x8(bias);
        let sums = match isa.level() {
            // SAFETY: an `Isa` is one that the CPU has.
            IsaLevel::AvxVnni => unsafe { eighth_avx_vnni(rows, panel, eighth, bias) },
            _ => eighth_avx2(rows, panel, eighth, bias),
        };
        for (out, sum) in out.iter_mut().zip(sums) {
            store_f32x8(sum, &mut out.as_chunks_mut().0[eighth]);
        }
    }
}

/// Computes eight columns by products of signed bytes, made of unsigned and signed ones by giving the
/// sign of the one to the other.
#[target_feature(enable = "avx2,fma")]
fn eighth_avx2(
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    eighth: usize,
    bias: __m256,
) -> [__m256; ROWS] {
    let mut sums = [bias; ROWS];
    for (at, weights) in panel.iter().enumerate() {
        let rows: [&QuantizedBlock; ROWS] =
            std::array::from_fn(|row| &rows[row * panel.len() + at]);
        let mut whole = [_mm256_setzero_si256(); ROWS];
        for (group, columns) in weights.quants.iter().enumerate() {
            let weights = load_i32x8(&columns.as_chunks().0[eighth]);
            let sizes = _mm256_abs_epi8(weights);
            for (whole, row) in whole.iter_mut().zip(rows) {
                let quants = _mm256_set1_epi32(row.quants[group]);
                let pairs = _mm256_maddubs_epi16(sizes, _mm256_sign_epi8(quants, weights));
                let fours = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
                *whole = _mm256_add_epi32(*whole, fours);
            }
        }
        add_scaled(
            &mut sums,
            whole,
            rows,
            &weights.scales.as_chunks().0[eighth],
        );
    }
    sums
}

/// Computes eight columns by products of unsigned and signed bytes, four to a sum.
#[target_feature(enable = "avxvnni,avx2,fma")]
fn eighth_avx_vnni(
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    eighth: usize,
    bias: __m256,
) -> [__m256; ROWS] {
    let mut sums = [bias; ROWS];
    for (at, weights) in panel.iter().enumerate() {
        let rows: [&QuantizedBlock; ROWS] =
            std::array::from_fn(|row| &rows[row * panel.len() + at]);
        let mut whole = rows.map(|row| _mm256_set1_epi32(row.correction));
        for (group, columns) in weights.quants.iter().enumerate() {
            let weights = load_i32x8(&columns.as_chunks().0[eighth]);
            for (whole, row) in whole.iter_mut().zip(rows) {
                let quants = _mm256_set1_epi32(row.quants[group]);
                *whole = _mm256_dpbusd_avx_epi32(*whole, weights, quants);
            }
        }
        add_scaled(
            &mut sums,
            whole,
            rows,
            &weights.scales.as_chunks().0[eighth],
        );
    }
    sums
}

/// Adds the products of a block to the sums of a tile's rows.
#[target_feature(enable = "avx2,fma")]
fn add_scaled(
    sums: &mut [__m256; ROWS],
    whole: [__m256i; ROWS],
    rows: [&QuantizedBlock; ROWS],
    scales: &[f32; 8],
) {
    let scales = load_f32x8(scales);
    for ((sum, whole), row) in sums.iter_mut().zip(whole).zip(rows) {
        let scale = _mm256_mul_ps(scales, _mm256_set1_ps(row.scale));
        *sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(whole), scale, *sum);
    }
}

#[target_feature(enable = "avx512f")]
fn load_i32(from: &[i32; 16]) -> __m512i {
    // SAFETY: there are 16 numbers; they need no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn load_f32(from: &[f32; 16]) -> __m512 {
    // SAFETY: as above.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
fn store_f32(x: __m512, to: &mut [f32; 16]) {
    // SAFETY: there is room for 16 numbers; they need no alignment.
    unsafe { _mm512_storeu_ps(to.as_mut_ptr(), x) }
}

#[target_feature(enable = "avx")]
fn load_i32x8(from: &[i32; 8]) -> __m256i {
    // SAFETY: there are 8 numbers; they need no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

#[target_feature(enable = "avx")]
fn load_f32x8(from: &[f32; 8]) -> __m256 {
    // SAFETY: as above.
    unsafe { _mm256_loadu_ps(from.as_ptr()) }
}

#[target_feature(enable = "avx")]
fn store_f32x8(x: __m256, to: &mut [f32; 8]) {
    // SAFETY: there is room for 8 numbers; they need no alignment.
    unsafe { _mm256_storeu_ps(to.as_mut_ptr(), x) }
}

#[target_feature(enable = "avx")]
fn store_i32x8(x: __m256i, to: &mut [i32; 8]) {
    // SAFETY: as above.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), x) }
}

/// Loads the numbers of a block, which follow its scale.
#[target_feature(enable = "avx")]
fn load_quants(from: &[u8; BLOCK_BYTES]) -> __m256i {
    // SAFETY: 32 bytes follow the first two; they need no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().add(2).cast()) }
}
