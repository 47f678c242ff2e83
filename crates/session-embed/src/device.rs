//! The devices of models, and every choice that depends on them.

use crate::kernel::isa::Isa;
use crate::layers::Backend;
use crate::{Architecture, EmbedError};
use serde::{Deserialize, Serialize};

/// A device that a model computes on, by its name in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// On a GPU if this build knows one that is there and the model is large,
    /// else on the CPU.
    #[default]
    Auto,
    /// On the CPU, by kernels of our own.
    Cpu,
    /// On the GPU of a Mac, by candle's operations.
    Metal,
    /// On a GPU of Nvidia's, by candle's operations: in builds with the feature
    /// `cuda`.
    Cuda,
}

/// The number format of the weights of linear layers on a CPU. Weights of a
/// file in that format are used where they lie. On a GPU they are `BF16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// `Q8_0`, a byte each: several times as fast, and half the memory of
    /// halves.
    #[default]
    Q8_0,
    /// The format of the file; computed in `f32`.
    Stored,
}

/// The device that a model would compute on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceChoice {
    /// `cpu`, `metal`, `cuda`; `none` where the configured one is not there.
    pub device: &'static str,
    /// The reason, as it stands in parentheses.
    pub reason: &'static str,
}

impl Device {
    /// Chooses the device on which a model of an architecture would compute; `None`
    /// for a model that a server runs.
    pub fn choose(self, architecture: Architecture) -> Option<DeviceChoice> {
        let choice = |device, reason| Some(DeviceChoice { device, reason });
        match (architecture, self) {
            (Architecture::Remote, _) => None,
            (Architecture::Table, _) => choice("cpu", "a table is looked up"),
            (_, Self::Cpu) => choice("cpu", "configured"),
            (Architecture::Bert, Self::Auto) => choice("cpu", "faster than starting a GPU"),
            _ => match self.open(architecture) {
                Ok(device) if device.is_metal() => choice("metal", "a GPU is there"),
                Ok(device) if device.is_cuda() => choice("cuda", "a GPU is there"),
                Ok(_) => choice("cpu", "this build finds no GPU"),
                Err(_) => choice("none", "the configured device is not there"),
            },
        }
    }

    /// Opens the device of the layers of an architecture.
    ///
    /// # Errors
    /// [`EmbedError::Device`] when there is no such device.
    pub(crate) fn backend(self, architecture: Architecture) -> Result<Backend, EmbedError> {
        let device = self.open(architecture)?;
        let kernels = device.is_cpu().then(Isa::detect);
        Ok(Backend { device, kernels })
    }

    fn open(self, architecture: Architecture) -> Result<candle_core::Device, EmbedError> {
        use candle_core::Device as Opened;
        let missing = |reason: &str| EmbedError::Device(reason.to_owned());
        match self {
            Self::Metal => Opened::new_metal(0).map_err(|_| missing("Metal is on a Mac only")),
            Self::Cuda => Opened::new_cuda(0).map_err(|_| {
                missing("CUDA needs a build with the feature `cuda`, and a GPU of Nvidia's")
            }),
            Self::Auto if architecture == Architecture::Qwen3 => Ok(Opened::new_metal(0)
                .or_else(|_| Opened::new_cuda(0))
                .unwrap_or(Opened::Cpu)),
            Self::Auto | Self::Cpu => Ok(Opened::Cpu),
        }
    }
}

impl From<candle_core::Error> for EmbedError {
    fn from(error: candle_core::Error) -> Self {
        Self::Device(error.to_string())
    }
}
