#!/usr/bin/env python3
"""Make the tiny checkpoints in tests/data/tiny and the values that the tests expect of them.

    python make_tiny.py --reference DIR        (DIR holds measure.py, the reference measurement)
    python make_tiny.py --reference DIR --only qwen3 gemma2        (these checkpoints alone, the rest stays)

Needs torch==2.13.0 transformers==4.57.6 tokenizers gguf numpy. Random weights, seeded; expected values are those of Hugging
Face transformers and measure.py in float32 and float64. The files are committed: nobody needs this to run the tests.
"""
import argparse
import contextlib
import json
import math
import random
import shutil
import sys
import zlib
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
SEQ, TOKENS, BATCH, EVAL_BATCHES = 32, 12_800, 4, 3

WORDS = """the a of and to in that it was his he with as for had you not be her is at on by from this have they all one
which she were we been would there their so when who will more no if out said what up into about them then could has
time only some other these may very your two little great man over such made before must through any after where much
line plane curve edge ruler light stone river morning house window garden letter music winter summer Bath London Ferrara
measure measured measuring straight straighter crooked residual matrix vector token block""".split()


def text(seed, size):
    rng = random.Random(seed)
    out, length = [], 0
    while length < size:
        words = [rng.choice(WORDS[: 12 if rng.random() < 0.35 else len(WORDS)]) for _ in range(rng.randint(4, 14))]
        sentence = " ".join(words).capitalize() + rng.choice([".", ".", ".", "?", "!", "; so", " - 1,984 times."])
        sentence += rng.choice([" ", " ", " ", "\n", "\n\n"])
        out.append(sentence)
        length += len(sentence)
    return "".join(out)


def tokenizer(corpus, folder, size):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator([corpus], trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<|endoftext|>"] if size == 384 else ["<|endoftext|>", "<pad>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    folder.mkdir(parents=True, exist_ok=True)
    tok.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}))
    return tok


def models(vocabulary):
    from transformers import GPT2Config, GPTNeoXConfig, LlamaConfig
    spread = {"initializer_range": 0.25}
    llama = dict(vocab_size=vocabulary, hidden_size=32, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
                 num_key_value_heads=2, max_position_embeddings=256, **spread)
    return {
        "gpt2": (GPT2Config(vocab_size=vocabulary, n_embd=32, n_layer=3, n_head=4, n_positions=64, **spread), {}),
        "gpt_neox": (GPTNeoXConfig(vocab_size=vocabulary, hidden_size=32, intermediate_size=96, num_hidden_layers=3,
                                   num_attention_heads=2, rotary_pct=0.25, max_position_embeddings=128, **spread), {}),
        "gpt_neox_sequential": (GPTNeoXConfig(vocab_size=vocabulary, hidden_size=32, intermediate_size=96,
                                              num_hidden_layers=2, num_attention_heads=4, rotary_pct=1.0,
                                              use_parallel_residual=False, tie_word_embeddings=True, **spread), {}),
        "llama": (LlamaConfig(tie_word_embeddings=True, **llama), {}),
        # untied, every optional bias, wider heads than width / heads, shards
        "llama_biased": (LlamaConfig(attention_bias=True, mlp_bias=True, head_dim=16, rope_theta=500.0,
                                     tie_word_embeddings=False, **llama), {"max_shard_size": "60KB"}),
        "llama_bf16": (LlamaConfig(rope_scaling={"rope_type": "linear", "factor": 2.0}, **llama), {"dtype": torch.bfloat16}),
        "llama_massive": (LlamaConfig(tie_word_embeddings=False, **llama), {}),
        "llama3": (LlamaConfig(rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                             "high_freq_factor": 4.0, "original_max_position_embeddings": 16},
                               rope_theta=100.0, **llama), {"dtype": torch.float16}),
    }


def families(vocabulary):
    """One checkpoint each of the families beside those of models(): narrow, with what sets the family apart switched on."""
    import transformers as hf
    spread = {"initializer_range": 0.25}
    sizes = dict(vocab_size=vocabulary, hidden_size=16, intermediate_size=32, num_hidden_layers=3, num_attention_heads=4,
                 max_position_embeddings=128, **spread)
    grouped = dict(num_key_value_heads=2, **sizes)
    ids = dict(bos_token_id=0, eos_token_id=0, pad_token_id=1)
    gemma = grouped | ids | dict(head_dim=8, query_pre_attn_scalar=8, sliding_window=8)
    encoder = sizes | ids | dict(type_vocab_size=2)
    longrope = {"type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [2.0, 4.0]}
    return {
        "mistral": hf.MistralConfig(sliding_window=8, **grouped),
        "qwen2": hf.Qwen2Config(tie_word_embeddings=True, **grouped),
        "qwen2_window": hf.Qwen2Config(use_sliding_window=True, sliding_window=8, max_window_layers=1, **grouped),
        "qwen3": hf.Qwen3Config(head_dim=8, **grouped),
        "smollm3": hf.SmolLM3Config(**grouped | ids | dict(num_hidden_layers=4)),
        "phi3": hf.Phi3Config(sliding_window=8, **grouped | ids),
        "phi3_longrope": hf.Phi3Config(rope_scaling=longrope, original_max_position_embeddings=64, **grouped | ids),
        "phi3_longrope_long": hf.Phi3Config(rope_scaling=longrope, original_max_position_embeddings=16, **grouped | ids),
        "olmo": hf.OlmoConfig(clip_qkv=0.5, **grouped | ids),
        "olmo2": hf.Olmo2Config(**grouped | ids),
        "stablelm": hf.StableLmConfig(partial_rotary_factor=0.5, use_qkv_bias=True, **grouped | ids),
        "stablelm_parallel": hf.StableLmConfig(partial_rotary_factor=0.5, use_parallel_residual=True, **grouped | ids),
        "starcoder2": hf.Starcoder2Config(use_bias=True, **grouped | ids),
        "phi": hf.PhiConfig(**grouped | ids),
        "gemma": hf.GemmaConfig(head_dim=8, **grouped | ids),
        "gemma2": hf.Gemma2Config(attn_logit_softcapping=2.0, final_logit_softcapping=5.0, **gemma),
        "gemma3_text": hf.Gemma3TextConfig(rope_theta=1000.0, rope_scaling={"rope_type": "linear", "factor": 4.0},
                                           **gemma | dict(num_hidden_layers=6)),
        "gemma3_text_local": hf.Gemma3TextConfig(sliding_window_pattern=2, rope_theta=1000.0, rope_local_base_freq=50.0,
                                                 **gemma | dict(query_pre_attn_scalar=5)),
        "gpt_neo": hf.GPTNeoConfig(vocab_size=vocabulary, hidden_size=16, num_layers=3, num_heads=4, window_size=8,
                                   attention_types=[[["global", "local"], 1], [["local"], 1]],
                                   max_position_embeddings=64, **spread, **ids),
        "gptj": hf.GPTJConfig(vocab_size=vocabulary, n_embd=16, n_layer=3, n_head=2, rotary_dim=4, n_positions=64, **spread,
                              **ids),
        "opt": hf.OPTConfig(vocab_size=vocabulary, hidden_size=16, num_hidden_layers=3, num_attention_heads=4, ffn_dim=40,
                            max_position_embeddings=64, init_std=0.25, word_embed_proj_dim=16, **ids),
        "bloom": hf.BloomConfig(vocab_size=vocabulary, hidden_size=24, n_layer=3, n_head=6, **spread, **ids),
        "falcon": hf.FalconConfig(vocab_size=vocabulary, hidden_size=16, num_hidden_layers=3, num_attention_heads=4,
                                  multi_query=True, **spread, **ids),
        "falcon_grouped": hf.FalconConfig(vocab_size=vocabulary, hidden_size=16, num_hidden_layers=3, num_attention_heads=4,
                                          num_kv_heads=2, new_decoder_architecture=True, bias=True, **spread, **ids),
        "bert": hf.BertConfig(**encoder),
        "roberta": hf.RobertaConfig(**encoder | dict(type_vocab_size=1)),
        "distilbert": hf.DistilBertConfig(vocab_size=vocabulary, dim=16, hidden_dim=32, n_layers=3, n_heads=4, pad_token_id=1,
                                          max_position_embeddings=64, **spread),
        "mpnet": hf.MPNetConfig(**{k: v for k, v in encoder.items() if k != "type_vocab_size"}),
    }


# GGUF's name of the architecture, for the checkpoints that are written as GGUF too.
GGUF_NAMES = {"qwen2": "qwen2", "qwen3": "qwen3", "smollm3": "smollm3", "phi3": "phi3", "phi3_longrope": "phi3",
              "phi3_longrope_long": "phi3", "olmo": "olmo",
              "olmo2": "olmo2", "stablelm": "stablelm", "stablelm_parallel": "stablelm", "starcoder2": "starcoder2",
              "phi": "phi2", "gemma": "gemma", "gemma2": "gemma2", "gemma3_text": "gemma3", "bloom": "bloom",
              "falcon": "falcon", "falcon_grouped": "falcon"}
ENCODERS = ("bert", "roberta", "distilbert", "mpnet")


class FeedForward(torch.nn.Module):
    """Holds an FFN as `mlp`, as measure.py wants it, and stands where the model calls it."""

    def __init__(self, mlp):
        super().__init__()
        self.mlp = mlp

    def forward(self, x, residual=None):
        return self.mlp(x) if residual is None else residual + self.mlp(x)


def blocks_of(model):
    """measure.py's list of blocks, each with an `mlp` child, for models that keep their FFN in another way."""
    for path in ("transformer.h", "model.layers", "gpt_neox.layers", "model.decoder.layers", "bert.encoder.layer",
                 "roberta.encoder.layer", "encoder.layer", "transformer.layer"):
        module = model
        for name in path.split("."):
            module = getattr(module, name, None)
        if module is not None:
            return [apart(block) for block in module]
    raise SystemExit("no list of blocks found in this model")


def apart(block):
    kind, keep = type(block).__name__, torch.nn.Identity()
    Chain = torch.nn.Sequential
    if kind == "BloomBlock":                                       # its FFN adds the residual stream
        if not isinstance(block.mlp, FeedForward):
            old = block.mlp
            block.mlp = FeedForward(Chain(old.dense_h_to_4h, old.gelu_impl, old.dense_4h_to_h))
        return block.mlp
    if kind == "OPTDecoderLayer":                                  # has it in three parts
        if not isinstance(block.fc1, FeedForward):
            block.fc1 = FeedForward(Chain(block.fc1, block.activation_fn, block.fc2))
            block.activation_fn, block.fc2 = keep, keep
        return block.fc1
    if kind in ("BertLayer", "RobertaLayer", "MPNetLayer"):
        if not isinstance(block.intermediate, FeedForward):
            old = block.intermediate
            block.intermediate = FeedForward(Chain(old.dense, old.intermediate_act_fn, block.output.dense))
            block.output.dense = keep
        return block.intermediate
    if kind == "TransformerBlock":                                 # DistilBERT's
        if not isinstance(block.ffn, FeedForward):
            block.ffn = FeedForward(block.ffn)
        return block.ffn
    return block


def load(folder, gguf):
    """measure.py's load, with attention as it is written down: the fused kernels leave soft caps out."""
    from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer
    kind = json.loads((Path(folder) / "config.json").read_text())["model_type"]
    auto = AutoModel if kind in ENCODERS else AutoModelForCausalLM
    return (auto.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval(),
            AutoTokenizer.from_pretrained(folder))


def randomize(model):
    """Norm weights and biases that are not their defaults, so that leaving one out shows."""
    for name, parameter in model.named_parameters():
        if parameter.ndim == 1:
            parameter.data.add_(torch.randn_like(parameter) * 0.2)


def make_massive(model, tok):
    """An attention sink of a kind: one token's direction drives one neuron of block 1 to a huge output."""
    token = tok.encode(".").ids[0]
    embedding = model.model.embed_tokens.weight.data
    embedding[token] *= 20
    direction = embedding[token] / embedding[token].norm()
    mlp = model.model.layers[1].mlp
    mlp.gate_proj.weight.data[0] = mlp.up_proj.weight.data[0] = 4 * direction
    mlp.down_proj.weight.data[:, 0] = 5 * torch.randn(model.config.hidden_size)


def without_rounding(measure):
    """measure.py's solve for inputs behind a LayerNorm: one direction of x is nothing but float32 rounding there, and what a fit
    explains by it is chance, another on every machine; at d = 32 that shows in the third digit. It is counted as zero here."""
    @contextlib.contextmanager
    def patched():
        plain, lstsq = measure.solve, torch.linalg.lstsq
        cutoff = torch.finfo(torch.float32).eps
        measure.solve = lambda x, y: lstsq(measure.with_ones(x), y, rcond=cutoff, driver="gelsd").solution
        torch.linalg.lstsq = lambda a, b: lstsq(a, b, rcond=cutoff, driver="gelsd")
        try:
            yield
        finally:
            measure.solve, torch.linalg.lstsq = plain, lstsq
    return patched()


def expected(measure, folder, corpus_path, out, gguf=None, compact=False):
    """measure.py's stages on one checkpoint, and the logits behind the last token of the first windows."""
    model, tok = measure.load(str(folder), gguf)
    raw, held_raw = measure.divide(corpus_path.read_bytes())
    ids = tok(raw.decode(), return_tensors="pt").input_ids[0]
    held_ids = tok(held_raw.decode(), return_tensors="pt").input_ids[0]
    train = measure.windows(ids, SEQ, TOKENS)
    held = measure.windows(held_ids, SEQ, EVAL_BATCHES * BATCH * SEQ)
    xs, ys = measure.capture(model, train, BATCH)
    causal = model.config.model_type not in ENCODERS
    base = measure.perplexity(model, held, BATCH) if causal else None
    blocks = []
    for i, (x, y) in enumerate(zip(xs, ys)):
        w, row = measure.fit(x, y)
        row |= {"block": i} | measure.kfold(x, y) | measure.effective_rank(x, y, w)
        block = measure.blocks_of(model)[i]
        original = block.mlp
        if not causal:
            blocks.append(row)
            continue
        layers = {"dppl": measure.Affine(w)} | {f"dppl_balanced_{p}": measure.Affine(measure.balanced(x, y, p))
                                                for p in (0.5, 0.8)}
        parts = measure.switched(x, y)
        if parts:
            layers["dppl_switched"] = measure.Switched(*parts)
        for name, block.mlp in layers.items():
            row[name] = measure.perplexity(model, held, BATCH) - base
        block.mlp = original
        blocks.append(row)
    last = model(train[:4])
    values = {"tokens": TOKENS, "seq_len": SEQ, "eval_batches": EVAL_BATCHES, "rows": len(xs[0]), "base_ppl": base,
              "ids": train[:4].reshape(-1).tolist()}
    if causal:
        values["logits"] = last.logits[:, -1].double().reshape(-1).tolist()
    else:
        values["hidden"] = last.last_hidden_state[:, -1].double().reshape(-1).tolist()
    if compact:
        values = {k: [float(f"{v:.7g}") for v in values[k]] if k in ("logits", "hidden") else values[k] for k in values}
        for row in blocks:
            del row["kfold_r2"]
    out.write_text(json.dumps(values | {"blocks": blocks}, indent=None if compact else 1))


def add_tokenizer(writer, tok):
    import gguf
    vocabulary = sorted(tok.get_vocab().items(), key=lambda item: item[1])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([gguf.TokenType.CONTROL if token in ("<|endoftext|>", "<pad>") else gguf.TokenType.NORMAL
                            for token, _ in vocabulary])
    writer.add_token_merges([" ".join(pair) for pair in json.loads(tok.to_str())["model"]["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)


def permute(weight, heads):
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(weight.shape)


def write_gguf(model, tok, path, quantization):
    """As llama.cpp's converter lays a Llama out: q and k rows in rotary pairs of neighbours."""
    import gguf
    config = model.config
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_theta)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    add_tokenizer(writer, tok)

    names = {"embed_tokens": "token_embd", "norm": "output_norm", "input_layernorm": "attn_norm",
             "post_attention_layernorm": "ffn_norm", "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v",
             "o_proj": "attn_output", "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"}
    state = model.state_dict()
    for name, tensor in state.items():
        if name == "lm_head.weight":
            continue
        parts = name.split(".")
        target = names[parts[-2]] + ".weight"
        if parts[1] == "layers":
            target = f"blk.{parts[2]}.{target}"
        weight = tensor.float().numpy()
        if "q_proj" in name:
            weight = permute(weight, config.num_attention_heads)
        if "k_proj" in name:
            weight = permute(weight, config.num_key_value_heads)
        if weight.ndim == 2 and quantization != gguf.GGMLQuantizationType.F32:
            data = gguf.quants.quantize(weight, quantization)
            kept = gguf.quants.dequantize(data, quantization)
            writer.add_tensor(target, data, raw_dtype=quantization)
            if "q_proj" in name or "k_proj" in name:                # back to Hugging Face's order
                heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
                kept = kept.reshape(heads, kept.shape[0] // heads // 2, 2, -1).swapaxes(1, 2).reshape(kept.shape)
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(kept)))
        else:
            writer.add_tensor(target, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_family_gguf(model, tok, path, architecture):
    """As llama.cpp's converter lays a family out: its names by the gguf package's own map, matrices in bfloat16."""
    import gguf
    config = model.config.to_dict()
    given = lambda *names: next((config[name] for name in names if config.get(name) is not None), None)
    heads, blocks = given("num_attention_heads", "n_head"), given("num_hidden_layers", "n_layer")
    kv_heads, width = given("num_key_value_heads", "num_kv_heads") or heads, config["hidden_size"]
    if config.get("multi_query") and not config.get("new_decoder_architecture"):
        kv_heads = 1
    head_dim = given("head_dim") or width // heads
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_name("tiny")
    writer.add_block_count(blocks)
    writer.add_context_length(given("max_position_embeddings") or 128)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(given("intermediate_size", "ffn_hidden_size") or 4 * width)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    if given("rms_norm_eps"):
        writer.add_layer_norm_rms_eps(given("rms_norm_eps"))
    else:
        writer.add_layer_norm_eps(given("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon") or 1e-5)
    if given("head_dim"):
        writer.add_key_length(head_dim)
        writer.add_value_length(head_dim)
    if given("rope_theta"):
        writer.add_rope_freq_base(given("rope_theta"))
        writer.add_rope_dimension_count(int(head_dim * (given("partial_rotary_factor") or 1)))
    if given("sliding_window") and architecture in ("phi3", "gemma2", "gemma3"):
        writer.add_sliding_window(config["sliding_window"])
    if given("attn_logit_softcapping"):
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    if given("clip_qkv"):
        writer.add_clamp_kqv(config["clip_qkv"])
    if architecture == "stablelm":
        writer.add_parallel_residual(config["use_parallel_residual"])
    scaling = given("rope_scaling") or {}
    if scaling.get("rope_type") == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(scaling["factor"])
    if "short_factor" in scaling:
        original = config["original_max_position_embeddings"]
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_rope_scaling_attn_factors(
            math.sqrt(1 + math.log(config["max_position_embeddings"] / original) / math.log(original)))
        for length in ("short", "long"):
            writer.add_tensor(f"rope_factors_{length}.weight", np.array(scaling[f"{length}_factor"], dtype=np.float32))
    add_tokenizer(writer, tok)

    def one_after_the_other(weight):                                # groups of queries, a key and a value
        groups = weight.reshape(kv_heads, heads // kv_heads + 2, head_dim, -1)
        parts = groups[:, :-2], groups[:, -2], groups[:, -1]
        return np.concatenate([part.reshape(-1, groups.shape[-1]) for part in parts]).reshape(weight.shape)

    names = gguf.get_tensor_name_map(next(a for a, n in gguf.MODEL_ARCH_NAMES.items() if n == architecture), blocks)
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and config.get("tie_word_embeddings"):
            continue
        weight = tensor.float().numpy()
        if architecture.startswith("gemma") and name.endswith("norm.weight"):
            weight = weight + 1
        if architecture in ("olmo", "smollm3") and ("q_proj" in name or "k_proj" in name):
            weight = permute(weight, heads if "q_proj" in name else kv_heads)
        if "query_key_value" in name:
            weight = one_after_the_other(weight)
        if architecture == "bloom":
            name = name.removeprefix("transformer.")
        target = names.get_name(name, try_suffixes=(".weight", ".bias"))
        assert target, name
        if weight.ndim == 1:
            writer.add_tensor(target, weight)
        else:
            kind = gguf.GGMLQuantizationType.BF16
            writer.add_tensor(target, gguf.quants.quantize(np.ascontiguousarray(weight), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def rename_norms(path):
    """As BERT's first checkpoints have it: gamma and beta."""
    from safetensors.torch import load_file, save_file
    old = lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    save_file({old(name): tensor for name, tensor in load_file(path).items()}, path, metadata={"format": "pt"})


def rows_cases(measure, out):
    """Synthetic rows with massive ones, large means and a constant feature; what measure.fit makes of them."""
    generator = torch.Generator().manual_seed(7)
    draw = lambda *shape: torch.randn(*shape, generator=generator)
    cases = []
    for name, n, d, massive in [("plain", 300, 6, []), ("massive", 300, 6, [0, 10, 11, 150, 255, 280]),
                                ("massive only in the head", 301, 5, [3, 4]), ("massive only in the tail", 303, 5, [290])]:
        x = draw(n, d) * torch.logspace(0, 1, d) + 3
        y = x @ draw(d, d) + 0.5 * (x[:, :1] * x[:, 1:2]) + draw(n, d) + 20
        for row in massive:
            x[row] += 40
            y[row] = 4000 * torch.arange(1, d + 1) + 100 * draw(d)
        _, row = measure.fit(x, y)
        row |= measure.kfold(x, y)
        cases.append({"name": name, "n": n, "d": d, "x": x.reshape(-1).tolist(), "y": y.reshape(-1).tolist(),
                      "expected": row})
    out.write_text(json.dumps(cases))


def make_family(measure, tiny, corpus, name, config, seed):
    """In bfloat16, for its size; read back in float32, as every checkpoint is."""
    from transformers import AutoModel, AutoModelForCausalLM
    folder = tiny / name
    shutil.rmtree(folder, ignore_errors=True)
    tok = tokenizer(corpus.read_text(), folder, 288)
    torch.manual_seed(seed)
    model = (AutoModel if name in ENCODERS else AutoModelForCausalLM).from_config(config).eval()
    randomize(model)
    model.to(torch.bfloat16).save_pretrained(folder)
    if name == "bert":
        rename_norms(folder / "model.safetensors")
    if name in GGUF_NAMES:
        write_family_gguf(model, tok, tiny / f"{name}.gguf", GGUF_NAMES[name])
    (folder / "generation_config.json").unlink(missing_ok=True)
    layer_norms = any("layernorm" in type(module).__name__.lower() for module in model.modules())
    plain = measure.load, measure.blocks_of
    measure.load, measure.blocks_of = load, blocks_of
    with without_rounding(measure) if layer_norms else contextlib.nullcontext():
        expected(measure, folder, corpus, folder / "expected.json", compact=True)
    measure.load, measure.blocks_of = plain


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", required=True)
    parser.add_argument("--only", nargs="+")
    arguments = parser.parse_args()
    wanted = lambda name: not arguments.only or name in arguments.only
    sys.path.insert(0, arguments.reference)
    import gguf
    import measure
    from transformers import AutoModelForCausalLM
    torch.set_grad_enabled(False)
    tiny = HERE / "tiny"
    if not arguments.only:
        shutil.rmtree(tiny, ignore_errors=True)
        tiny.mkdir()
        rows_cases(measure, tiny / "rows.json")
    corpus = HERE / "text.txt"
    corpus.write_text(text(1, 120_000))
    for name, config in families(288).items():
        if wanted(name):
            make_family(measure, tiny, corpus, name, config, zlib.crc32(name.encode()))
    for seed, (name, (config, options)) in enumerate(models(384).items()):
        if not wanted(name):
            continue
        folder = tiny / name
        tok = tokenizer(corpus.read_text(), folder, 384)
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config).eval()
        randomize(model)
        if name == "llama_massive":
            make_massive(model, tok)
        model.to(options.get("dtype", torch.float32)).save_pretrained(folder, **{k: v for k, v in options.items()
                                                                                 if k != "dtype"})
        (folder / "generation_config.json").unlink(missing_ok=True)
        with without_rounding(measure) if name.startswith("gpt") else contextlib.nullcontext():
            expected(measure, folder, corpus, folder / "expected.json")
        if name == "llama":
            write_gguf(model, tok, tiny / "llama-f32.gguf", gguf.GGMLQuantizationType.F32)
            write_gguf(model, tok, tiny / "llama-q8_0.gguf", gguf.GGMLQuantizationType.Q8_0)
            quantized = tiny / "q8_0"                                # the same weights, for the reference to read
            model.float().save_pretrained(quantized)
            for file in ("tokenizer.json", "tokenizer_config.json"):
                shutil.copy(folder / file, quantized)
            expected(measure, quantized, corpus, tiny / "llama-q8_0.expected.json")
            shutil.rmtree(quantized)


if __name__ == "__main__":
    main()
