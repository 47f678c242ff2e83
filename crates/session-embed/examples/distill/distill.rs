//! A token table from a sentence transformer.
//!
//! The vector of a token is what the transformer says of the token alone,
//! projected on the main components of all tokens. The projection is weighted
//! as tokens occur, and evened: a component that varies much says little of it.
//! A token counts as its rank in the vocabulary, which is ordered by frequency,
//! lets expect (Zipf's law, smooth inverse frequency).

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use session_embed::{TokenTable, TokenVocabulary};
use std::error::Error;
use std::path::Path;

/// An error here ends the program.
pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// Length of a vector of the table.
const DIMS: usize = 256;
/// Tokens of a text after which a token counts half.
const HALF_LIFE: usize = 64;
/// Tokens given to the transformer at once.
const BATCH: usize = 256;
/// Components are divided by this power of their variance: 0 leaves them as
/// they are, 0.5 makes them equal.
const EVENING: f64 = 0.25;
/// Smoothing of the inverse frequency: tokens more frequent than this count
/// less than half.
const FREQUENCY: f64 = 1e-3;
/// Mandelbrot's offset in Zipf's law.
const ZIPF_OFFSET: f64 = 2.7;
/// The weight of a single letter, digit or ideograph.
const SINGLE_WEIGHT: f64 = 0.3;

/// The files of a model.
pub struct Distilled {
    /// For [`TokenVocabulary::open`].
    pub vocabulary: Vec<u8>,
    /// For [`TokenTable::open`].
    pub table: Vec<u8>,
}

/// Distils the model in a folder with `config.json`, `model.safetensors` and
/// `vocab.txt`. The same bytes on the same kind of CPU.
pub fn distill(model_dir: &Path) -> Fallible<Distilled> {
    let vocab = fs_err::read_to_string(model_dir.join("vocab.txt"))?;
    let tokens: Vec<&str> = vocab.lines().collect();
    let frequencies = frequencies(&tokens);
    let vectors = token_vectors(model_dir, &tokens)?;
    let projection = projection(&vectors, &frequencies);
    let rows = weighted_rows(&(vectors * projection), &weights(&tokens, &frequencies));
    Ok(Distilled {
        vocabulary: TokenVocabulary::compile(&tokens)?,
        table: TokenTable::compile(DIMS, HALF_LIFE, &rows),
    })
}

/// A row a token: the mean of what the transformer makes of `[CLS] token [SEP]`.
fn token_vectors(model_dir: &Path, tokens: &[&str]) -> Fallible<DMatrix<f64>> {
    let config: Config = serde_json::from_slice(&fs_err::read(model_dir.join("config.json"))?)?;
    let weights = fs_err::read(model_dir.join("model.safetensors"))?;
    let vars = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
    let model = BertModel::load(vars, &config)?;
    let (first, last) = (id_of(tokens, "[CLS]")?, id_of(tokens, "[SEP]")?);
    let ids: Vec<u32> = (0..tokens.len() as u32).collect();
    let mut numbers = Vec::with_capacity(ids.len() * config.hidden_size);
    for batch in ids.chunks(BATCH) {
        let input: Vec<u32> = batch.iter().flat_map(|&id| [first, id, last]).collect();
        let input = Tensor::from_vec(input, (batch.len(), 3), &Device::Cpu)?;
        let output = model.forward(&input, &input.zeros_like()?, None)?;
        numbers.extend(output.mean(1)?.flatten_all()?.to_vec1::<f32>()?);
    }
    let numbers = numbers.into_iter().map(f64::from);
    Ok(DMatrix::from_row_iterator(
        tokens.len(),
        config.hidden_size,
        numbers,
    ))
}

fn id_of(tokens: &[&str], token: &str) -> Fallible<u32> {
    let id = tokens
        .iter()
        .position(|t| *t == token)
        .ok_or(format!("no {token} in vocab.txt"))?;
    Ok(id as u32)
}

/// Estimates the frequency of each token by Zipf's law: words follow `the` in the order
/// of their frequency. What stands before (special tokens, single characters)
/// gets zero.
fn frequencies(tokens: &[&str]) -> Vec<f64> {
    let first = tokens.iter().position(|token| *token == "the").unwrap_or(0);
    let zipf = |id: usize| 1.0 / ((id - first) as f64 + ZIPF_OFFSET);
    let total: f64 = (first..tokens.len()).map(zipf).sum();
    (0..tokens.len())
        .map(|id| if id < first { 0.0 } else { zipf(id) / total })
        .collect()
}

fn weights(tokens: &[&str], frequencies: &[f64]) -> Vec<f64> {
    let weight = |(token, &frequency): (&&str, &f64)| match frequency {
        0.0 if is_single(token) => SINGLE_WEIGHT,
        0.0 => 0.0,
        _ => FREQUENCY / (FREQUENCY + frequency),
    };
    tokens.iter().zip(frequencies).map(weight).collect()
}

fn is_single(token: &str) -> bool {
    token.chars().count() == 1 && token.chars().all(char::is_alphanumeric)
}

/// The columns are the main components of the token vectors, each token
/// counting by the root of its frequency, and each component divided as
/// [`EVENING`] says. The vectors are not centred: their mean is the greatest
/// component, and what evening leaves of it helps (measured).
fn projection(vectors: &DMatrix<f64>, frequencies: &[f64]) -> DMatrix<f64> {
    let total: f64 = frequencies.iter().map(|frequency| frequency.sqrt()).sum();
    let mut counted = vectors.clone();
    for (mut row, frequency) in counted.row_iter_mut().zip(frequencies) {
        row *= (frequency.sqrt() / total).sqrt();
    }
    let eigen = SymmetricEigen::new(counted.transpose() * &counted);
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let columns = order.iter().take(DIMS).map(|&at| {
        let component = signed(eigen.eigenvectors.column(at).into_owned());
        component / eigen.eigenvalues[at].powf(EVENING)
    });
    DMatrix::from_columns(&columns.collect::<Vec<_>>())
}

/// An eigenvector's sign is arbitrary: makes its greatest number positive.
fn signed(vector: DVector<f64>) -> DVector<f64> {
    if vector[vector.icamax()] < 0.0 {
        -vector
    } else {
        vector
    }
}

fn weighted_rows(vectors: &DMatrix<f64>, weights: &[f64]) -> Vec<Vec<f32>> {
    let rows = vectors.row_iter().zip(weights);
    rows.map(|(row, weight)| row.iter().map(|x| (x * weight) as f32).collect())
        .collect()
}
