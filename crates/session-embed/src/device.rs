//! Where a model computes: every choice that depends on it is made here.

use crate::EmbedError;
use crate::kernel::isa::Isa;
use crate::kernel::quantise::quantised;
use crate::qwen3::{Config, Qwen3};
use crate::tensor::{Tensor, Weights};

/// Where a model computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// On a GPU if there is one that is known here, else on the CPU.
    #[default]
    Auto,
    /// On the CPU, by kernels of our own.
    Cpu,
    /// On the GPU of a Mac, through candle.
    Metal,
}

/// In what numbers the weights of linear layers are held on a CPU. Those of a
/// file that has the same are used where they lie. On Metal they are `BF16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// `Q8_0`, a byte each: several times as fast, and half the memory of
    /// halves.
    #[default]
    Q8_0,
    /// As the file has them; computed in `f32`.
    Stored,
}

/// A decoder on a device: token ids in, a vector a text out.
pub trait Decoder: std::fmt::Debug + Send + Sync {
    /// Writes what is known of each text's last token over a row of `vectors`,
    /// zeros for a text without tokens. `ids` are the tokens of the texts, one
    /// after the other, as `lengths` says.
    fn embed(&self, ids: &[u32], lengths: &[usize], vectors: &mut [f32]) -> Result<(), EmbedError>;
}

impl Device {
    /// A decoder there.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the weights lack something of it,
    /// [`EmbedError::Device`] when there is no such device.
    pub(crate) fn decoder(
        self,
        weights: &dyn Weights,
        config: Config,
        precision: Precision,
    ) -> Result<Box<dyn Decoder>, EmbedError> {
        if let Some(decoder) = self.on_gpu(weights, config)? {
            return Ok(decoder);
        }
        let isa = Isa::best();
        let linear = |tensor: Tensor| match precision {
            Precision::Q8_0 => quantised(isa, tensor),
            Precision::Stored => tensor,
        };
        let decoder = Qwen3::open(weights, config, &linear, isa)?;
        Ok(Box::new(decoder))
    }

    #[cfg(target_os = "macos")]
    fn on_gpu(
        self,
        weights: &dyn Weights,
        config: Config,
    ) -> Result<Option<Box<dyn Decoder>>, EmbedError> {
        use crate::qwen3::OnDevice;
        use candle_core::DType;

        let gpu = match self {
            Self::Cpu => return Ok(None),
            Self::Auto => match candle_core::Device::new_metal(0) {
                Ok(gpu) => gpu,
                Err(_) => return Ok(None),
            },
            Self::Metal => candle_core::Device::new_metal(0)?,
        };
        let decoder = OnDevice::open(weights, config, gpu, DType::BF16)?;
        Ok(Some(Box::new(decoder)))
    }

    #[cfg(not(target_os = "macos"))]
    fn on_gpu(self, _: &dyn Weights, _: Config) -> Result<Option<Box<dyn Decoder>>, EmbedError> {
        match self {
            Self::Metal => Err(EmbedError::Device("Metal is on a Mac only".to_owned())),
            Self::Auto | Self::Cpu => Ok(None),
        }
    }
}
