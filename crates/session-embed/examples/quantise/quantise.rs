//! A GGUF file from the original weights of a BERT.

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use serde_json::Value as Json;
use session_embed::{BERT_NAMES, TensorName};
use std::collections::HashMap;
use std::error::Error;
use std::io::Cursor;
use std::path::Path;

/// An error here ends the program.
pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// Parts that have no bias.
const WITHOUT_BIAS: [&str; 3] = ["token_embd", "position_embd", "token_types"];

/// The file of the model in a folder with `config.json` and
/// `model.safetensors`. Word embeddings and the weights of linear layers are of
/// the form `matrices`, the rest is `F32`. The same bytes wherever it runs.
pub fn quantise(model_dir: &Path, matrices: GgmlDType) -> Fallible<Vec<u8>> {
    let config: Json = serde_json::from_slice(&fs_err::read(model_dir.join("config.json"))?)?;
    let weights = fs_err::read(model_dir.join("model.safetensors"))?;
    let weights = candle_core::safetensors::load_buffer(&weights, &Device::Cpu)?;
    let tensors = list_names(size(&config, "num_hidden_layers")?)
        .into_iter()
        .map(|name| Ok((tensor(&weights, &name, matrices)?, name.gguf)))
        .collect::<Fallible<Vec<_>>>()?;
    let description = description(&config)?;
    let mut file = Cursor::new(Vec::new());
    let description: Vec<_> = description
        .iter()
        .map(|(name, value)| (*name, value))
        .collect();
    let tensors: Vec<_> = tensors
        .iter()
        .map(|(tensor, name)| (name.as_str(), tensor))
        .collect();
    gguf_file::write(&mut file, &description, &tensors)?;
    Ok(file.into_inner())
}

/// The name of each tensor in GGUF and the original's.
fn list_names(layers: u32) -> Vec<TensorName> {
    let parts = BERT_NAMES.list_parts(layers as usize).into_iter();
    let tensors = parts.flat_map(|TensorName { gguf, original }| {
        let ends = if WITHOUT_BIAS.contains(&gguf.as_str()) {
            &["weight"][..]
        } else {
            &["weight", "bias"]
        };
        let names = ends.iter().map(move |end| TensorName {
            gguf: format!("{gguf}.{end}"),
            original: format!("{original}.{end}"),
        });
        names.collect::<Vec<_>>()
    });
    tensors.collect()
}

fn tensor(
    weights: &HashMap<String, Tensor>,
    name: &TensorName,
    matrices: GgmlDType,
) -> Fallible<QTensor> {
    let TensorName { gguf, original } = name;
    let tensor = weights
        .get(original)
        .ok_or_else(|| format!("no {original} in the weights"))?;
    let is_small =
        tensor.rank() < 2 || gguf.starts_with("position") || gguf.starts_with("token_types");
    Ok(QTensor::quantize(
        tensor,
        if is_small { GgmlDType::F32 } else { matrices },
    )?)
}

fn description(config: &Json) -> Fallible<Vec<(&'static str, Value)>> {
    let size = |name| size(config, name).map(Value::U32);
    let epsilon = config["layer_norm_eps"]
        .as_f64()
        .ok_or("no layer_norm_eps")?;
    Ok(vec![
        ("general.architecture", Value::String("bert".to_owned())),
        ("general.name", Value::String("all-MiniLM-L6-v2".to_owned())),
        ("general.license", Value::String("apache-2.0".to_owned())),
        ("bert.block_count", size("num_hidden_layers")?),
        ("bert.context_length", size("max_position_embeddings")?),
        ("bert.embedding_length", size("hidden_size")?),
        ("bert.feed_forward_length", size("intermediate_size")?),
        ("bert.attention.head_count", size("num_attention_heads")?),
        (
            "bert.attention.layer_norm_epsilon",
            Value::F32(epsilon as f32),
        ),
        ("bert.attention.causal", Value::Bool(false)),
        ("bert.token_type_count", size("type_vocab_size")?),
        ("bert.pooling_type", Value::U32(1)),
    ])
}

fn size(config: &Json, name: &str) -> Fallible<u32> {
    let size = config[name]
        .as_u64()
        .ok_or_else(|| format!("no {name} in config.json"))?;
    Ok(u32::try_from(size)?)
}
