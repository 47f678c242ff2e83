//! Vectors of numbers as the CPU has them, and the one product of small
//! matrices that all products of `f32` are made of.

#[cfg(target_arch = "x86_64")]
pub(crate) use self::x86::{Bf16Pair, Bf16x32, F32x8, F32x16};

/// Rows of a product that are computed at once: their sums stay in registers.
pub(crate) const ROWS: usize = 6;
/// Columns of a product that are computed at once.
pub(crate) const COLUMNS: usize = 32;

/// A row of a tile.
pub(crate) type TileRow = [f32; COLUMNS];

/// Numbers of a word, at most.
pub(crate) const MAX_NUMBERS: usize = 2;

/// The numbers of both factors that a lane multiplies at once.
pub(crate) trait LaneWord: Copy + Default + Send {
    /// The count of these numbers.
    const NUMBERS: usize;

    /// Rounds numbers to the word's; `number(at)` is the `at`th.
    fn new(number: impl Fn(usize) -> f32) -> Self;
}

impl LaneWord for f32 {
    const NUMBERS: usize = 1;

    #[inline(always)]
    fn new(number: impl Fn(usize) -> f32) -> Self {
        number(0)
    }
}

/// A vector of a few sums. [`super::isa::per_isa`] chooses one that the CPU has.
pub(crate) trait Lanes: Copy {
    /// The number of lanes.
    const WIDTH: usize;
    /// A factor of a lane.
    type Word: LaneWord;
    /// Factors of all lanes.
    type Words: Copy;
    /// Broadcasts a factor to each lane.
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn splat(x: Self::Word) -> Self::Words;
    /// Loads the first factors of `from`, which has at least [`Lanes::WIDTH`].
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn load_words(from: &[Self::Word]) -> Self::Words;
    /// Loads the first numbers of `from`, which has at least [`Lanes::WIDTH`].
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn load(from: &[f32]) -> Self;
    /// Writes over the first numbers of `to`.
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn store(self, to: &mut [f32]);
    /// Returns `self` plus the product of the factors, lane by lane.
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn add_product(self, a: Self::Words, b: Self::Words) -> Self;
}

/// Writes the product of the rows `a` and the matrix `b`, plus what was there if
/// `ADD`, over 32 columns of the first rows of `out`, which are `stride` numbers
/// apart. The rows of `a` are at least as long as `b` has rows.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn tile<V: Lanes, const ADD: bool>(
    a: [&[V::Word]; ROWS],
    b: &[[V::Word; COLUMNS]],
    out: &mut [f32],
    stride: usize,
) {
    let a = a.map(|row| &row[..b.len()]);
    for at in (0..COLUMNS).step_by(2 * V::WIDTH) {
        // SAFETY: the caller's CPU has the instructions of `V`.
        unsafe {
            let mut sums = [[V::load(&[0.0; COLUMNS]); 2]; ROWS];
            if ADD {
                for (row, sums) in sums.iter_mut().enumerate() {
                    let out = &out[row * stride + at..][..2 * V::WIDTH];
                    *sums = [V::load(out), V::load(&out[V::WIDTH..])];
                }
            }
            for (k, b) in b.iter().enumerate() {
                let pair = [V::load_words(&b[at..]), V::load_words(&b[at + V::WIDTH..])];
                for (sums, a) in sums.iter_mut().zip(a) {
                    let x = V::splat(a[k]);
                    sums[0] = sums[0].add_product(pair[0], x);
                    sums[1] = sums[1].add_product(pair[1], x);
                }
            }
            for (row, sums) in sums.into_iter().enumerate() {
                let out = &mut out[row * stride + at..][..2 * V::WIDTH];
                sums[0].store(out);
                sums[1].store(&mut out[V::WIDTH..]);
            }
        }
    }
}

/// Four numbers, on any CPU.
#[derive(Clone, Copy)]
pub(crate) struct F32x4([f32; 4]);

impl Lanes for F32x4 {
    const WIDTH: usize = 4;
    type Word = f32;
    type Words = Self;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    unsafe fn load_words(from: &[f32]) -> Self {
        // SAFETY: this needs nothing of the CPU.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn load(from: &[f32]) -> Self {
        Self(std::array::from_fn(|lane| from[lane]))
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32]) {
        to[..4].copy_from_slice(&self.0);
    }

    /// Multiplies and adds, fused where the build may count on the instruction: elsewhere it would
    /// be a call.
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            let (x, y, sum) = (a.0[lane], b.0[lane], self.0[lane]);
            if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
                x.mul_add(y, sum)
            } else {
                x * y + sum
            }
        }))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LaneWord, Lanes};
    use std::arch::x86_64::*;
    use std::mem::transmute;

    /// Two `bf16`, the first in the lower bits.
    #[derive(Clone, Copy, Default)]
    pub(crate) struct Bf16Pair(u32);

    impl LaneWord for Bf16Pair {
        const NUMBERS: usize = 2;

        #[inline(always)]
        fn new(number: impl Fn(usize) -> f32) -> Self {
            Self(to_bf16(number(0)) | to_bf16(number(1)) << 16)
        }
    }

    /// Rounds to the bits of the nearest `bf16`, of two the even one. No branches: NaN may
    /// become infinite.
    #[inline(always)]
    fn to_bf16(x: f32) -> u32 {
        let bits = x.to_bits();
        bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16
    }

    /// Sixteen numbers, with AVX-512.
    #[derive(Clone, Copy)]
    pub(crate) struct F32x16(__m512);

    /// Sixteen sums of products of pairs, with AVX-512 and BF16.
    #[derive(Clone, Copy)]
    pub(crate) struct Bf16x32(__m512);

    /// Eight numbers, with AVX2 and FMA.
    #[derive(Clone, Copy)]
    pub(crate) struct F32x8(__m256);

    /// Implements [`Lanes`] for a vector of `f32` by the instructions for it.
    macro_rules! lanes {
        ($lanes:ident, $width:literal, $splat:ident, $load:ident, $store:ident, $fma:ident) => {
            impl Lanes for $lanes {
                const WIDTH: usize = $width;
                type Word = f32;
                type Words = Self;

                #[inline(always)]
                unsafe fn splat(x: f32) -> Self {
                    // SAFETY: the caller's CPU has the instructions.
                    Self(unsafe { $splat(x) })
                }

                #[inline(always)]
                unsafe fn load_words(from: &[f32]) -> Self {
                    // SAFETY: as above.
                    unsafe { Self::load(from) }
                }

                #[inline(always)]
                unsafe fn load(from: &[f32]) -> Self {
                    let from = &from[..Self::WIDTH];
                    // SAFETY: as above, and there are as many numbers.
                    Self(unsafe { $load(from.as_ptr()) })
                }

                #[inline(always)]
                unsafe fn store(self, to: &mut [f32]) {
                    let to = &mut to[..Self::WIDTH];
                    // SAFETY: as above, and there is room for as many numbers.
                    unsafe { $store(to.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                unsafe fn add_product(self, a: Self, b: Self) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $fma(a.0, b.0, self.0) })
                }
            }
        };
    }

    lanes!(
        F32x16,
        16,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_fmadd_ps
    );
    lanes!(
        F32x8,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_fmadd_ps
    );

    impl Lanes for Bf16x32 {
        const WIDTH: usize = 16;
        type Word = Bf16Pair;
        type Words = __m512i;

        #[inline(always)]
        unsafe fn splat(x: Bf16Pair) -> __m512i {
            // SAFETY: the caller's CPU has AVX-512.
            unsafe { _mm512_set1_epi32(x.0.cast_signed()) }
        }

        #[inline(always)]
        unsafe fn load_words(from: &[Bf16Pair]) -> __m512i {
            let from = &from[..Self::WIDTH];
            // SAFETY: as above, and there are 16 pairs.
            unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
        }

        #[inline(always)]
        unsafe fn load(from: &[f32]) -> Self {
            // SAFETY: as above.
            Self(unsafe { F32x16::load(from) }.0)
        }

        #[inline(always)]
        unsafe fn store(self, to: &mut [f32]) {
            // SAFETY: as above.
            unsafe { F32x16(self.0).store(to) }
        }

        #[inline(always)]
        unsafe fn add_product(self, a: __m512i, b: __m512i) -> Self {
            // SAFETY: the caller's CPU has BF16, and these are types of the same bits.
            Self(unsafe {
                let [a, b] = [a, b].map(|pairs| transmute::<__m512i, __m512bh>(pairs));
                _mm512_dpbf16_ps(self.0, a, b)
            })
        }
    }
}
