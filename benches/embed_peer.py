#!/usr/bin/env python3
"""all-MiniLM-L6-v2 beside onnxruntime: the same texts, the same weights, the same run.

    pip install numpy onnx onnxruntime safetensors tokenizers
    cargo build --release -p session-embed --example embed --example quantise
    python3 benches/embed_peer.py MODEL_DIR [--threads 2] [--runs 5] [--golden crates/session-embed/tests/it/minilm.golden]

MODEL_DIR has the original weights; `models/README.md` says where to get them. Compares the tokens' ids, then
the vectors in f32 and as shipped (Q8_0), then the speed; prints Markdown. Both programs take turns, and the
best run of each counts. onnxruntime gets its inputs sorted by length, and padded to the longest of a batch.
With --golden, writes what the tests compare with: the peer's vectors of the texts in `benches/embed_texts.json`.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
import tokenizers
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "..", "target"))
MODELS = os.path.join(HERE, "..", "models")
SPEC = os.path.join(MODELS, "all-minilm-l6-v2.toml")
WEIGHTS, VOCABULARY = "all-minilm-l6-v2-q8_0.gguf", "bundled/vocabulary.bin"
LAYERS, HEADS, HIDDEN, LIMIT, BATCH = 6, 12, 384, 256, 16


class Graph:
    """An ONNX graph under way; each operation gives the name of its outcome."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        domain = attributes.pop("domain", "")
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def weight(self, name, transposed=False):
        value = self.weights[name]
        return self.constant(name, value.T if transposed else value)

    def linear(self, x, name):
        return self.op("Add", self.op("MatMul", x, self.weight(name + ".weight", True)), self.weight(name + ".bias"))

    def norm(self, x, name):
        return self.op("LayerNormalization", x, self.weight(name + ".weight"), self.weight(name + ".bias"), axis=-1, epsilon=1e-12)

    def attention(self, x, mask, name):
        parts = [self.linear(x, f"{name}.self.{part}") for part in ("query", "key", "value")]
        return self.op("MultiHeadAttention", *parts, "", mask, domain="com.microsoft", num_heads=HEADS)


def peer_model(weights):
    graph = Graph(weights)
    length = graph.op("Shape", "ids", start=1, end=2)
    table = graph.weight("embeddings.position_embeddings.weight")
    positions = graph.op("Slice", table, graph.constant("zero", np.array([0])), length)
    x = graph.op("Add", graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids"), positions)
    x = graph.op("Add", x, graph.constant("kind", weights["embeddings.token_type_embeddings.weight"][0]))
    x = graph.norm(x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        seen = graph.linear(graph.attention(x, "mask", f"{name}.attention"), f"{name}.attention.output.dense")
        x = graph.norm(graph.op("Add", seen, x), f"{name}.attention.output.LayerNorm")
        inner = graph.op("Gelu", graph.linear(x, f"{name}.intermediate.dense"))
        x = graph.norm(graph.op("Add", graph.linear(inner, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n", "len"]),
              helper.make_tensor_value_info("mask", TensorProto.INT32, ["n", "len"])]
    graph.nodes.append(helper.make_node("Identity", [x], ["tokens"]))
    outputs = [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["n", "len", HIDDEN])]
    made = helper.make_graph(graph.nodes, "bert", inputs, outputs, list(graph.constants.values()))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)], ir_version=10)


class Peer:
    def __init__(self, folder, threads):
        self.tokenizer = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LIMIT)
        self.model = peer_model(load_file(os.path.join(folder, "model.safetensors"))).SerializeToString()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(self.model, options, providers=["CPUExecutionProvider"])

    def ids(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def embed(self, texts):
        """Vectors and seconds, tokenizing included."""
        began = time.perf_counter()
        ids = self.ids(texts)
        vectors = np.zeros((len(texts), HIDDEN), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(ids[at]))
        for start in range(0, len(order), BATCH):
            some = order[start:start + BATCH]
            padded = np.zeros((len(some), len(ids[some[-1]])), np.int64)
            mask = np.zeros(padded.shape, np.int32)
            for row, at in enumerate(some):
                padded[row, :len(ids[at])], mask[row, :len(ids[at])] = ids[at], 1
            tokens = self.session.run(None, {"ids": padded, "mask": mask})[0]
            vectors[some] = (tokens * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors, time.perf_counter() - began


def ours(texts, scratch, threads, runs=1, files=MODELS, more=()):
    """Vectors, and what the program prints: seconds of each run and, where they are asked for, ids."""
    source, out = os.path.join(scratch, "texts.json"), os.path.join(scratch, "out.f32")
    with open(source, "w", encoding="utf-8") as file:
        json.dump(texts, file)
    command = [os.path.join(TARGET, "release", "examples", "embed"), SPEC, files, source, out, str(runs), *more]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=dict(os.environ, RAYON_NUM_THREADS=str(threads))).stdout)
    return np.fromfile(out, np.float32).reshape(len(texts), -1), told


def many_texts():
    """200 texts of many kinds and lengths, always the same."""
    with open(os.path.join(HERE, "embed_texts.json"), encoding="utf-8") as file:
        seeds = json.load(file)
    chance, texts = random.Random(7), list(seeds)
    words = " ".join(seeds).split()
    while len(texts) < 199:
        texts.append(" ".join(chance.choices(words, k=chance.choice([1, 3, 8, 20, 60, 150]))))
    return texts + [" ".join(chance.choices(words, k=3000))]


def of_tokens(lengths):
    """Texts of as many tokens each, ends included."""
    chance = random.Random(3)
    words = "the server did not start since its port was in use and we set another one for tests of the new index".split()
    return [" ".join(chance.choices(words, k=length - 2)) for length in lengths]


def compare(peer, args, scratch):
    texts = many_texts()
    expected, _ = peer.embed(texts)
    f32 = os.path.join(scratch, "f32")
    os.makedirs(os.path.dirname(os.path.join(f32, VOCABULARY)))
    shutil.copy(os.path.join(MODELS, VOCABULARY), os.path.join(f32, VOCABULARY))
    subprocess.run([os.path.join(TARGET, "release", "examples", "quantise"), args.model, os.path.join(f32, WEIGHTS), "f32"], check=True)
    shipped, told = ours(texts, scratch, args.threads, more=["--ids"])
    same = sum(a == b[1:-1] for a, b in zip(told["ids"], peer.ids(texts)))
    print(f"{len(texts)} texts, of which {same} have the ids of the `tokenizers` package\n")
    print("| weights | least cosine | mean cosine |\n| --- | --- | --- |")
    for name, vectors in (("f32", ours(texts, scratch, args.threads, files=f32, more=["--stored"])[0]), ("Q8_0, as shipped", shipped)):
        cosines = (vectors * expected).sum(1)
        print(f"| {name} | {cosines.min():.6f} | {cosines.mean():.6f} |")


def speed(peer, args, scratch):
    chance = random.Random(5)
    mixed = [min(LIMIT, int(chance.lognormvariate(4, 1)) + 4) for _ in range(256)]
    print(f"\n{args.threads} threads, best of {args.runs} runs, tokenizing included\n")
    print("| texts | tokens | onnxruntime f32, tokens/s | ours, tokens/s | ratio |\n| --- | --- | --- | --- | --- |")
    for name, lengths in (("of 256 tokens", [256] * 64), ("of 128 tokens", [128] * 128), ("of 32 tokens", [32] * 256), ("of mixed lengths", mixed)):
        texts = of_tokens(lengths)
        tokens = sum(map(len, peer.ids(texts)))
        peer.embed(texts[:BATCH])
        theirs, mine = [], []
        for _ in range(args.runs):
            theirs.append(peer.embed(texts)[1])
            mine += ours(texts, scratch, args.threads, runs=2)[1]["seconds"]
        a, b = tokens / min(theirs), tokens / min(mine)
        print(f"| {len(texts)} {name} | {tokens} | {a:,.0f} | {b:,.0f} | {b / a:.2f} |")


# The peer in a process of its own. What it needs of Python is loaded before the clock starts.
ALONE = """import sys, time
import numpy as np, onnxruntime, tokenizers
model, tokenizer, threads, query = sys.argv[1:]
began = time.perf_counter()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(threads)
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
ids = np.array([tokenizers.Tokenizer.from_file(tokenizer).encode(query).ids], np.int64)
session.run(None, {"ids": ids, "mask": np.ones(ids.shape, np.int32)})
print(time.perf_counter() - began)
"""


def cold(peer, args, scratch):
    query = "why does the docker network not resolve host names"
    model = os.path.join(scratch, "peer.onnx")
    with open(model, "wb") as file:
        file.write(peer.model)
    alone = [sys.executable, "-c", ALONE, model, os.path.join(args.model, "tokenizer.json"), str(args.threads), query]
    walls, theirs, inner = [], [], []
    for _ in range(10):
        began = time.perf_counter()
        ours([query], scratch, args.threads)
        walls.append(time.perf_counter() - began)
        began = time.perf_counter()
        inner.append(float(subprocess.run(alone, check=True, stdout=subprocess.PIPE).stdout))
        theirs.append(time.perf_counter() - began)
    median = lambda seconds: f"{sorted(seconds)[5] * 1000:.1f} ms"  # noqa: E731
    print(f"\none query, from process start to process end, caches warm, median of 10: {median(walls)}; onnxruntime in a Python process "
          f"{median(theirs)}, of which {median(inner)} from loading the model to the vector")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder with model.safetensors, config.json and tokenizer.json")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--golden", help="write the vectors that the tests compare with, and end")
    args = parser.parse_args()
    peer = Peer(args.model, args.threads)
    if args.golden:
        with open(os.path.join(HERE, "embed_texts.json"), encoding="utf-8") as file:
            peer.embed(json.load(file))[0].astype("<f4").tofile(args.golden)
        return
    with tempfile.TemporaryDirectory(prefix="session-search-bench-") as scratch:
        compare(peer, args, scratch)
        speed(peer, args, scratch)
        cold(peer, args, scratch)


if __name__ == "__main__":
    sys.exit(main())
