//! The vector instructions of the CPU, detected at run time: the released
//! binary is built for any x86-64.

/// A set of instructions that the CPU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Isa {
    level: IsaLevel,
    has_bf16: bool,
}

/// A set of instructions that code is compiled for, the best one last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IsaLevel {
    /// Nothing beyond what the build may take for granted.
    Portable,
    /// NEON with byte products.
    #[cfg(target_arch = "aarch64")]
    Dotprod,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX2, FMA and byte products (AVX-VNNI).
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    /// AVX-512 with byte products (VNNI).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// Returns the best instructions that the CPU has.
    pub(crate) fn detect() -> Self {
        let level = IsaLevel::detect_all().next_back();
        Self {
            level: level.unwrap_or(IsaLevel::Portable),
            has_bf16: detect_bf16(),
        }
    }

    /// Returns all sets of instructions that the CPU has.
    #[cfg(test)]
    pub(crate) fn detect_all() -> Vec<Self> {
        let had = IsaLevel::detect_all().map(|level| Self {
            level,
            has_bf16: false,
        });
        let best = Self::detect();
        had.chain(best.has_bf16.then_some(best)).collect()
    }

    /// Returns the same instructions without products of `bf16`.
    #[must_use]
    pub(crate) fn without_bf16(self) -> Self {
        Self {
            has_bf16: false,
            ..self
        }
    }

    /// Returns the code to run.
    pub(crate) fn level(self) -> IsaLevel {
        self.level
    }

    /// Returns true when products of `bf16` are to be used, summed in `f32`.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn has_bf16(self) -> bool {
        self.has_bf16
    }
}

#[cfg(target_arch = "x86_64")]
impl IsaLevel {
    const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::AvxVnni, Self::Avx512];

    fn is_available(self) -> bool {
        let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        match self {
            Self::Portable => true,
            Self::Avx2 => has_avx2,
            Self::AvxVnni => has_avx2 && is_x86_feature_detected!("avxvnni"),
            Self::Avx512 => {
                has_avx2
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl IsaLevel {
    const ALL: [Self; 2] = [Self::Portable, Self::Dotprod];

    fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Dotprod => std::arch::is_aarch64_feature_detected!("dotprod"),
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl IsaLevel {
    const ALL: [Self; 1] = [Self::Portable];

    fn is_available(self) -> bool {
        true
    }
}

impl IsaLevel {
    /// Returns the sets of instructions that the CPU has, the best one last.
    fn detect_all() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }
}

/// Returns true when the CPU has the best level's instructions, and BF16.
#[cfg(target_arch = "x86_64")]
fn detect_bf16() -> bool {
    IsaLevel::Avx512.is_available() && is_x86_feature_detected!("avx512bf16")
}

#[cfg(not(target_arch = "x86_64"))]
fn detect_bf16() -> bool {
    false
}

/// Makes a function that compiles `body`, which must be `#[inline(always)]`,
/// once for each level, and runs the one for the given [`Isa`]. A body after
/// `lanes` is generic over the [vectors](super::lanes::Lanes) of the level.
macro_rules! per_isa {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) = $body:ident) => {
        per_isa!(@ $(#[$doc])* $vis fn $name($($arg: $type),*)
            { $body($($arg),*) } { $body($($arg),*) } { $body($($arg),*) });
    };
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) = lanes $body:ident) => {
        per_isa!(@ $(#[$doc])* $vis fn $name($($arg: $type),*)
            // SAFETY: this is compiled for AVX-512 and runs where the CPU has it.
            { unsafe { $body::<$crate::kernel::lanes::F32x16>($($arg),*) } }
            // SAFETY: this is compiled for AVX2 and FMA and runs where the CPU has them.
            { unsafe { $body::<$crate::kernel::lanes::F32x8>($($arg),*) } }
            // SAFETY: this needs nothing of the CPU.
            { unsafe { $body::<$crate::kernel::lanes::F32x4>($($arg),*) } });
    };
    (@ $(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) $widest:tt $wide:tt $narrow:tt) => {
        $(#[$doc])*
        $vis fn $name(isa: $crate::kernel::isa::Isa, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
                fn avx512($($arg: $type),*) $widest
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $type),*) $wide
                match isa.level() {
                    // SAFETY: an `Isa` is one that the CPU has.
                    $crate::kernel::isa::IsaLevel::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    $crate::kernel::isa::IsaLevel::Avx2 | $crate::kernel::isa::IsaLevel::AvxVnni => {
                        return unsafe { avx2($($arg),*) };
                    }
                    $crate::kernel::isa::IsaLevel::Portable => {}
                }
            }
            let _ = isa;
            $narrow
        }
    };
}
pub(crate) use per_isa;
