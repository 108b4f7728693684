"""A model of random weights behind llama.cpp's real server, in a process of its own.

`python random_llama.py FOLDER`, in a Python that has gguf and xllamacpp, writes FOLDER/random.gguf
(one layer of llama's architecture whose tokens are bytes, 0.2 MB), serves it on a free port of
127.0.0.1 and prints where. What it says is noise: held to a grammar it is well-formed noise.
"""

import sys
import time
from pathlib import Path

import gguf
import numpy as np
import xllamacpp

WIDTH, HEADS, HIDDEN, CONTEXT = 32, 2, 64, 16_384
# What a text begins and ends with, and every byte; the type says which is which.
SPECIAL = [("<unk>", gguf.TokenType.UNKNOWN), ("<s>", gguf.TokenType.CONTROL)]
SPECIAL += [("</s>", gguf.TokenType.CONTROL)]
BYTES = [(f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256)]
VOCABULARY = [*SPECIAL, *BYTES, ("\N{LOWER ONE EIGHTH BLOCK}", gguf.TokenType.NORMAL)]  # a space
ENDS = [len(SPECIAL) + ord('"'), 2]  # what ends a string, and an answer: likelier than the others
TEMPLATE = (
    "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def write(path: Path) -> None:
    """Write the model; the same each time."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(VOCABULARY))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token for token, _ in VOCABULARY])
    writer.add_token_scores([0.0] * len(VOCABULARY))
    writer.add_token_types([kind for _, kind in VOCABULARY])
    writer.add_add_space_prefix(False)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)
    for name, tensor in tensors():
        writer.add_tensor(name, tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def tensors() -> list[tuple[str, "np.ndarray"]]:
    """The weights, by the names that llama.cpp gives them."""
    dice = np.random.default_rng(12)
    embedded = dice.normal(size=(len(VOCABULARY), WIDTH))
    output = dice.normal(size=(len(VOCABULARY), WIDTH)) * 0.1
    embedded[:, 0] = 3.0  # whatever was said, this is the same: so it weighs for …
    output[ENDS, 0] = 1.0  # … these
    square = ("attn_q", "attn_k", "attn_v", "attn_output")
    return [
        ("token_embd.weight", embedded),
        ("output.weight", output),
        ("output_norm.weight", np.ones(WIDTH)),
        ("blk.0.attn_norm.weight", np.ones(WIDTH)),
        ("blk.0.ffn_norm.weight", np.ones(WIDTH)),
        *((f"blk.0.{name}.weight", dice.normal(size=(WIDTH, WIDTH)) * 0.1) for name in square),
        ("blk.0.ffn_gate.weight", dice.normal(size=(HIDDEN, WIDTH)) * 0.1),
        ("blk.0.ffn_up.weight", dice.normal(size=(HIDDEN, WIDTH)) * 0.1),
        ("blk.0.ffn_down.weight", dice.normal(size=(WIDTH, HIDDEN)) * 0.1),
    ]


def serve(path: Path) -> None:
    """Serve it until the process is killed."""
    settings = xllamacpp.CommonParams()
    settings.model.path, settings.model_alias = str(path), {"random"}
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_parallel, settings.n_ctx = 1, CONTEXT
    settings.use_jinja, settings.warmup = True, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    print("listening at", server.listening_address, flush=True)  # noqa: T201
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    model = Path(sys.argv[1]) / "random.gguf"
    write(model)
    serve(model)
