//! That the two decoders are one: what runs through candle on a Mac's GPU runs
//! through candle on a CPU here.

use super::{Config, OnDevice, Qwen3};
use crate::device::Decoder;
use crate::gguf::Gguf;
use crate::kernel::isa::Isa;
use crate::kernel::tests::is_near;
use candle_core::DType;

static FILE: &[u8] = include_bytes!("../../tests/it/qwen3/q8_0.gguf");

const LENGTHS: [usize; 6] = [1, 40, 0, 3, 700, 33];

fn check(is_same: impl Fn(f32, f32) -> bool, ours: &dyn Decoder, theirs: &dyn Decoder) {
    let count = LENGTHS.iter().sum::<usize>() as u32;
    let ids: Vec<u32> = (0..count).map(|at| at * at % 500).collect();
    let [ours, theirs] = [ours, theirs].map(|decoder| {
        let mut vectors = vec![f32::NAN; LENGTHS.len() * 64];
        decoder.embed(&ids, &LENGTHS, &mut vectors).unwrap();
        vectors
    });
    assert!(ours.iter().zip(&theirs).all(|(&a, &b)| is_same(a, b)));
    assert_eq!(ours[2 * 64..3 * 64], [0.0; 64]);
}

fn on_cpu(isa: Isa) -> Qwen3 {
    let file = Gguf::open(FILE).unwrap();
    let config = Config::from_gguf(&file).unwrap();
    Qwen3::open(&file, config, &|tensor| tensor, isa).unwrap()
}

#[test]
fn candle_computes_the_same() {
    let file = Gguf::open(FILE).unwrap();
    let config = Config::from_gguf(&file).unwrap();
    let cpu = candle_core::Device::Cpu;
    let theirs = OnDevice::open(&file, config, cpu.clone(), DType::F32).unwrap();
    // The portable product takes weights as they are.
    let ours = on_cpu(Isa::all()[0]);
    check(|a, b| is_near(a, b, 2e-4 * (1.0 + b.abs())), &ours, &theirs);
    let halves = OnDevice::open(&file, config, cpu, DType::BF16).unwrap();
    check(|a, b| is_near(a, b, 0.3), &halves, &theirs);
}

#[test]
fn every_isa_computes_nearly_the_same() {
    let portable = on_cpu(Isa::all()[0]);
    for isa in Isa::all() {
        check(|a, b| is_near(a, b, 0.3), &on_cpu(isa), &portable);
    }
}
