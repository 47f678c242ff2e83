//! Vectors of numbers as the CPU has them, and the one product of small
//! matrices that all products of `f32` are made of.

#[cfg(target_arch = "x86_64")]
pub use self::x86::{Wide, Widest};

/// Rows of a product that are computed at once: their sums stay in registers.
pub const ROWS: usize = 6;
/// Columns of a product that are computed at once.
pub const COLUMNS: usize = 32;

/// A row of a tile.
pub type TileRow = [f32; COLUMNS];

/// A vector of a few numbers. [`super::isa::per_isa`] chooses one that the CPU has.
pub trait Lanes: Copy {
    /// The number of lanes.
    const WIDTH: usize;
    /// The same number in each lane.
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn splat(x: f32) -> Self;
    /// The first numbers of `from`, which has at least [`Lanes::WIDTH`].
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn load(from: &[f32]) -> Self;
    /// Writes over the first numbers of `to`.
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn store(self, to: &mut [f32]);
    /// `self * factor + sum`, lane by lane.
    ///
    /// # Safety
    /// The CPU has the instructions of this vector.
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self;
}

/// Writes the product of the rows `a` and the matrix `b`, plus what was there if
/// `ADD`, over 32 columns of the first rows of `out`, which are `stride` numbers
/// apart. The rows of `a` are at least as long as `b` has rows.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
pub unsafe fn tile<V: Lanes, const ADD: bool>(
    a: [&[f32]; ROWS],
    b: &[TileRow],
    out: &mut [f32],
    stride: usize,
) {
    let a = a.map(|row| &row[..b.len()]);
    for at in (0..COLUMNS).step_by(2 * V::WIDTH) {
        // SAFETY: the caller's CPU has the instructions of `V`.
        unsafe {
            let mut sums = [[V::splat(0.0); 2]; ROWS];
            if ADD {
                for (row, sums) in sums.iter_mut().enumerate() {
                    let out = &out[row * stride + at..][..2 * V::WIDTH];
                    *sums = [V::load(out), V::load(&out[V::WIDTH..])];
                }
            }
            for (k, b) in b.iter().enumerate() {
                let pair = [V::load(&b[at..]), V::load(&b[at + V::WIDTH..])];
                for (sums, a) in sums.iter_mut().zip(a) {
                    let x = V::splat(a[k]);
                    sums[0] = pair[0].mul_add(x, sums[0]);
                    sums[1] = pair[1].mul_add(x, sums[1]);
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
pub struct Narrow([f32; 4]);

impl Lanes for Narrow {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    unsafe fn load(from: &[f32]) -> Self {
        Self(std::array::from_fn(|lane| from[lane]))
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32]) {
        to[..4].copy_from_slice(&self.0);
    }

    /// Fused where the build may count on the instruction: elsewhere it would
    /// be a call.
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            let (x, y, sum) = (self.0[lane], factor.0[lane], sum.0[lane]);
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
    use super::Lanes;
    use std::arch::x86_64::*;

    /// Sixteen numbers, with AVX-512.
    #[derive(Clone, Copy)]
    pub struct Widest(__m512);

    /// Eight numbers, with AVX2 and FMA.
    #[derive(Clone, Copy)]
    pub struct Wide(__m256);

    impl Lanes for Widest {
        const WIDTH: usize = 16;

        #[inline(always)]
        unsafe fn splat(x: f32) -> Self {
            // SAFETY: the caller's CPU has AVX-512.
            Self(unsafe { _mm512_set1_ps(x) })
        }

        #[inline(always)]
        unsafe fn load(from: &[f32]) -> Self {
            let from = &from[..Self::WIDTH];
            // SAFETY: as above, and there are 16 numbers.
            Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        unsafe fn store(self, to: &mut [f32]) {
            let to = &mut to[..Self::WIDTH];
            // SAFETY: as above, and there is room for 16 numbers.
            unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
            // SAFETY: the caller's CPU has AVX-512.
            Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, sum.0) })
        }
    }

    impl Lanes for Wide {
        const WIDTH: usize = 8;

        #[inline(always)]
        unsafe fn splat(x: f32) -> Self {
            // SAFETY: the caller's CPU has AVX2.
            Self(unsafe { _mm256_set1_ps(x) })
        }

        #[inline(always)]
        unsafe fn load(from: &[f32]) -> Self {
            let from = &from[..Self::WIDTH];
            // SAFETY: as above, and there are 8 numbers.
            Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        unsafe fn store(self, to: &mut [f32]) {
            let to = &mut to[..Self::WIDTH];
            // SAFETY: as above, and there is room for 8 numbers.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
            // SAFETY: the caller's CPU has FMA.
            Self(unsafe { _mm256_fmadd_ps(self.0, factor.0, sum.0) })
        }
    }
}
