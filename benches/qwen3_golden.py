#!/usr/bin/env python3
"""What the tests of Qwen3 compare with: a small random checkpoint, embedded by `transformers`.

    pip install gguf numpy tokenizers torch transformers
    python3 benches/qwen3_golden.py

Trains a small tokenizer on `benches/embed_texts.json`, makes weights by a formula that the tests know too (their
numbers are the same in f32, bf16 and f16), and writes to `crates/session-embed/tests/it/qwen3/`: `tokenizer.json`,
`golden.json` (texts, their ids and vectors, in f32) and `q8_0.gguf`, which `gguf` writes.
"""

import json
import os

import gguf
import numpy as np
import tokenizers
import torch
from transformers import Qwen3Config, Qwen3Model

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "crates", "session-embed", "tests", "it", "qwen3")
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
           r"\s+(?!\S)|\s+")
HIDDEN, INNER, LAYERS, HEADS, KEY_HEADS, WIDTH, TOKENS, POSITIONS = 64, 96, 3, 4, 2, 32, 512, 1024
PARTS = [("self_attn.q_proj", "attn_q", HEADS * WIDTH, HIDDEN), ("self_attn.k_proj", "attn_k", KEY_HEADS * WIDTH, HIDDEN),
         ("self_attn.v_proj", "attn_v", KEY_HEADS * WIDTH, HIDDEN), ("self_attn.o_proj", "attn_output", HIDDEN, HEADS * WIDTH),
         ("mlp.gate_proj", "ffn_gate", INNER, HIDDEN), ("mlp.up_proj", "ffn_up", INNER, HIDDEN),
         ("mlp.down_proj", "ffn_down", HIDDEN, INNER), ("input_layernorm", "attn_norm", HIDDEN, 0),
         ("post_attention_layernorm", "ffn_norm", HIDDEN, 0), ("self_attn.q_norm", "attn_q_norm", WIDTH, 0),
         ("self_attn.k_norm", "attn_k_norm", WIDTH, 0)]


def random(count, seed):
    """Numbers from −1 to 1 that look random and are always the same."""
    at = np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed << 32)
    mixed = at * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(40)).astype(np.float64) / (1 << 23) - 1.0


def tensors():
    """(name of transformers, name of llama.cpp, numbers), in the order that gives each its seed."""
    shapes = [("embed_tokens", "token_embd", TOKENS, HIDDEN), ("norm", "output_norm", HIDDEN, 0)]
    for layer in range(LAYERS):
        shapes += [(f"layers.{layer}.{a}", f"blk.{layer}.{b}", rows, columns) for a, b, rows, columns in PARTS]
    for seed, (theirs, ours, rows, columns) in enumerate(shapes):
        numbers = random(rows * max(columns, 1), seed)
        if columns:
            # Those of the tokens are greater, so that the layers do not drown them.
            numbers = np.round(numbers * 60).reshape(rows, columns) / (256 if seed else 64)
        else:
            numbers = 1 + np.round(numbers * 32) / 128
        yield f"{theirs}.weight", f"{ours}.weight", numbers.astype(np.float32)


def train(texts):
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.normalizer = tokenizers.normalizers.NFC()
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(PATTERN), "isolated")
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [split, tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)])
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=TOKENS - 8, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    added = [tokenizers.AddedToken("<|endoftext|>", normalized=False, special=True),
             tokenizers.AddedToken("<tool_call>", normalized=False, special=False)]
    tokenizer.add_tokens(added)
    return tokenizer


def model():
    config = Qwen3Config(vocab_size=TOKENS, hidden_size=HIDDEN, intermediate_size=INNER, num_hidden_layers=LAYERS,
                         num_attention_heads=HEADS, num_key_value_heads=KEY_HEADS, head_dim=WIDTH, rms_norm_eps=1e-6,
                         max_position_embeddings=POSITIONS, rope_parameters={"rope_type": "default", "rope_theta": 1e6},
                         attn_implementation="eager")
    made = Qwen3Model(config).eval()
    state = {theirs: torch.from_numpy(numbers) for theirs, _, numbers in tensors()}
    made.load_state_dict(state, strict=True)
    return made


def of_tokens(tokenizer, words, count):
    text = ""
    for at in range(10 * count):
        longer = (text + " " + words[at * at % len(words)]).strip()
        if len(tokenizer.encode(longer).ids) <= count:
            text = longer
    assert len(tokenizer.encode(text).ids) == count, count
    return text


def golden(tokenizer, texts):
    words = " ".join(texts).split()
    chosen = [of_tokens(tokenizer, words, count) for count in (1, 2, 17, 128, 513)] + texts[:6]
    embedder, end = model(), tokenizer.token_to_id("<|endoftext|>")
    for text in chosen:
        ids = tokenizer.encode(text).ids + [end]
        with torch.no_grad():
            last = embedder(torch.tensor([ids])).last_hidden_state[0, -1].double().numpy()
        vector = last / np.linalg.norm(last)
        yield {"text": text, "ids": ids[:-1], "vector": [round(float(x), 8) for x in vector]}


def write_gguf(tokenizer, path):
    writer = gguf.GGUFWriter(path, "qwen3")
    writer.add_context_length(POSITIONS)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_key_length(WIDTH)
    writer.add_value_length(WIDTH)
    writer.add_rope_freq_base(1e6)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    described = json.loads(tokenizer.to_str())
    tokens = sorted(tokenizer.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])
    names = [name for name, _ in tokens]
    kinds = [gguf.TokenType.NORMAL] * len(names)
    for added in described["added_tokens"]:
        kinds[added["id"]] = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
    spare = TOKENS - len(names)
    writer.add_token_list(names + [f"[PAD{at}]" for at in range(spare)])
    writer.add_token_types(kinds + [gguf.TokenType.UNUSED] * spare)
    writer.add_token_merges([" ".join(pair) for pair in described["model"]["merges"]])
    writer.add_eos_token_id(tokenizer.token_to_id("<|endoftext|>"))
    for _, name, numbers in tensors():
        if numbers.ndim == 2:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(numbers, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    with open(os.path.join(HERE, "embed_texts.json"), encoding="utf-8") as file:
        texts = json.load(file)
    os.makedirs(OUT, exist_ok=True)
    tokenizer = train(texts)
    tokenizer.save(os.path.join(OUT, "tokenizer.json"))
    lines = [json.dumps(entry, ensure_ascii=False) for entry in golden(tokenizer, texts)]
    with open(os.path.join(OUT, "golden.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
    write_gguf(tokenizer, os.path.join(OUT, "q8_0.gguf"))


if __name__ == "__main__":
    main()
