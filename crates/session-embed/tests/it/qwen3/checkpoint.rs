//! The small checkpoint, in any form.

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Tensor};
use std::collections::HashMap;
use std::path::Path;

pub const HIDDEN: usize = 64;
pub const POSITIONS: usize = 1024;
const LAYERS: usize = 3;
const TOKENS: usize = 512;

const CONFIG: &str = r#"{
    "model_type": "qwen3", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "hidden_act": "silu",
    "max_position_embeddings": 1024, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "rope_scaling": null,
    "attention_bias": false, "use_sliding_window": false, "vocab_size": 512, "tie_word_embeddings": true
}"#;

/// The original's name, ours and the shape of each part of a layer.
const PARTS: [(&str, &str, &[usize]); 11] = [
    ("self_attn.q_proj", "attn_q", &[128, 64]),
    ("self_attn.k_proj", "attn_k", &[64, 64]),
    ("self_attn.v_proj", "attn_v", &[64, 64]),
    ("self_attn.o_proj", "attn_output", &[64, 128]),
    ("mlp.gate_proj", "ffn_gate", &[96, 64]),
    ("mlp.up_proj", "ffn_up", &[96, 64]),
    ("mlp.down_proj", "ffn_down", &[64, 96]),
    ("input_layernorm", "attn_norm", &[64]),
    ("post_attention_layernorm", "ffn_norm", &[64]),
    ("self_attn.q_norm", "attn_q_norm", &[32]),
    ("self_attn.k_norm", "attn_k_norm", &[32]),
];

/// Numbers that look random and are always the same. Few bits are enough for
/// them, so that they are the same in every form.
fn random(shape: &[usize], seed: usize) -> Tensor {
    let number = |at: usize| {
        let mixed = (at as u64 + 1 + ((seed as u64) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (mixed >> 40) as f64 / f64::from(1 << 23) - 1.0;
        let number = match (shape.len(), seed) {
            (1, _) => 1.0 + (number * 32.0).round_ties_even() / 128.0,
            // The tokens, which the layers should not drown.
            (_, 0) => (number * 60.0).round_ties_even() / 64.0,
            _ => (number * 60.0).round_ties_even() / 256.0,
        };
        number as f32
    };
    let numbers: Vec<f32> = (0..shape.iter().product()).map(number).collect();
    Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap()
}

/// Each tensor, by the original's name and ours.
fn tensors() -> Vec<(String, String, Tensor)> {
    let mut shapes: Vec<(String, String, &[usize])> = vec![
        (
            "embed_tokens".into(),
            "token_embd".into(),
            &[TOKENS, HIDDEN],
        ),
        ("norm".into(), "output_norm".into(), &[HIDDEN]),
    ];
    for layer in 0..LAYERS {
        shapes.extend(PARTS.iter().map(|(theirs, ours, shape)| {
            (
                format!("layers.{layer}.{theirs}"),
                format!("blk.{layer}.{ours}"),
                *shape,
            )
        }));
    }
    let weight = |(seed, (theirs, ours, shape)): (usize, (String, String, &[usize]))| {
        let names = [theirs, ours].map(|name| format!("{name}.weight"));
        let [theirs, ours] = names;
        (theirs, ours, random(shape, seed))
    };
    shapes.into_iter().enumerate().map(weight).collect()
}

/// Writes `config.json` and `tokenizer.json`.
pub fn write_settings(folder: &Path) {
    fs_err::write(folder.join("config.json"), CONFIG).unwrap();
    fs_err::write(folder.join("tokenizer.json"), super::TOKENIZER).unwrap();
}

/// Writes a folder as the model hub has them.
pub fn write_folder(folder: &Path, form: DType, prefix: &str) {
    let weights: HashMap<String, Tensor> = tensors()
        .into_iter()
        .map(|(name, _, tensor)| (format!("{prefix}{name}"), tensor.to_dtype(form).unwrap()))
        .collect();
    candle_core::safetensors::save(&weights, folder.join("model.safetensors")).unwrap();
    write_settings(folder);
}

/// Writes a folder with the weights in three files.
pub fn write_parts(folder: &Path) {
    let (mut files, mut map) = (vec![HashMap::new(); 3], serde_json::Map::new());
    for (at, (name, _, tensor)) in tensors().into_iter().enumerate() {
        let name = format!("model.{name}");
        map.insert(name.clone(), part(at % 3).into());
        files[at % 3].insert(name, tensor);
    }
    for (at, weights) in files.iter().enumerate() {
        candle_core::safetensors::save(weights, folder.join(part(at))).unwrap();
    }
    let index = serde_json::json!({ "metadata": {}, "weight_map": map });
    let path = folder.join("model.safetensors.index.json");
    fs_err::write(path, index.to_string()).unwrap();
    write_settings(folder);
}

fn part(at: usize) -> String {
    format!("model-{:05}-of-00003.safetensors", at + 1)
}

/// Writes a GGUF file whose matrices are of a form.
pub fn write_gguf(path: &Path, form: GgmlDType) {
    let quantised = |(_, name, tensor): (_, String, Tensor)| {
        let form = if tensor.rank() > 1 {
            form
        } else {
            GgmlDType::F32
        };
        (name, QTensor::quantize(&tensor, form).unwrap())
    };
    let tensors: Vec<(String, QTensor)> = tensors().into_iter().map(quantised).collect();
    let tensors: Vec<(&str, &QTensor)> = tensors
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor))
        .collect();
    let mut original = std::io::Cursor::new(super::Q8_0);
    let described = gguf_file::Content::read(&mut original).unwrap().metadata;
    let described: Vec<(&str, &Value)> = described
        .iter()
        .map(|(name, value)| (name.as_str(), value))
        .collect();
    let mut file = fs_err::File::create(path).unwrap();
    gguf_file::write(&mut file, &described, &tensors).unwrap();
}
