#!/usr/bin/env python3
"""What the tests of BERT compare with: a small random checkpoint, embedded by `transformers`.

    pip install numpy torch transformers
    python3 benches/bert_golden.py

Makes weights by the formula of `crates/session-embed/tests/it/bert.rs`, and writes to
`crates/session-embed/tests/it/bert.golden.json` the vectors of texts of several lengths, in f32: the mean of their
tokens' and that of the first token.
"""

import json
import os

import numpy as np
import torch
from transformers import BertConfig, BertModel

from qwen3_golden import random

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "crates", "session-embed", "tests", "it", "bert.golden.json")
TOKENS = ["[UNK]", "[CLS]", "[SEP]", "cat", "dog", "##s", ".", "runs"]
HIDDEN, INNER, LAYERS, POSITIONS = 64, 96, 2, 520
WORDS = [["cat"], ["dog"], ["cat", "##s"], ["."], ["runs"], ["[UNK]"]]
LENGTHS = (1, 2, 17, 128, 400)


def shapes():
    yield "embeddings.word_embeddings.weight", (len(TOKENS), HIDDEN)
    yield "embeddings.position_embeddings.weight", (POSITIONS, HIDDEN)
    yield "embeddings.token_type_embeddings.weight", (2, HIDDEN)
    layers = [("embeddings.LayerNorm", (HIDDEN,))]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        parts = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
        layers += [(name + part, (HIDDEN, HIDDEN)) for part in parts]
        layers += [(name + "attention.output.LayerNorm", (HIDDEN,)), (name + "intermediate.dense", (INNER, HIDDEN)),
                   (name + "output.dense", (HIDDEN, INNER)), (name + "output.LayerNorm", (HIDDEN,))]
    for name, shape in layers:
        yield name + ".weight", shape
        yield name + ".bias", shape[:1]


def weights():
    for seed, (name, shape) in enumerate(shapes()):
        spread = 0.3 if len(shape) > 1 else 0.1
        numbers = random(int(np.prod(shape)), seed).astype(np.float32) * np.float32(spread)
        numbers += 1 if name.endswith("LayerNorm.weight") else 0
        yield name, torch.from_numpy(numbers.reshape(shape))


def model():
    config = BertConfig(vocab_size=len(TOKENS), hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=2,
                        intermediate_size=INNER, max_position_embeddings=POSITIONS, layer_norm_eps=1e-12)
    made = BertModel(config, add_pooling_layer=False).eval()
    made.load_state_dict(dict(weights()), strict=False)
    return made


def main():
    embedder, entries = model(), []
    for words in LENGTHS:
        chosen = [WORDS[(at * at // 3 + at) % len(WORDS)] for at in range(words)]
        ids = [1] + [TOKENS.index(token) for word in chosen for token in word] + [2]
        with torch.no_grad():
            rows = embedder(torch.tensor([ids])).last_hidden_state[0].double().numpy()
        unit = lambda row: [round(float(x), 7) for x in row / np.linalg.norm(row)]  # noqa: E731
        entries.append({"words": words, "mean": unit(rows.mean(0)), "first": unit(rows[0])})
    with open(OUT, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, entries)) + "\n]\n")


if __name__ == "__main__":
    main()
