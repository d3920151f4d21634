#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the `tokenizers` package makes of thousands of random and nasty strings, for tst_tokenizer.

    python make_tokenizer_oracles.py --tokenizers DIR --out DIR

--tokenizers holds NAME/tokenizer.json of real tokenizers (gpt2, llama2, smollm2; what is missing is left out). The rest
are small ones that are built here, one for each part that no real one has.

--out gets
    tokenizers/NAME/tokenizer.json   every tokenizer
    tokenizers/NAME/cases.json       {"text": [...], "ids": [[...], ...]}
    tokenizers/code_points.json      the classes of code points that the package's parts go by, as ranges

Needs tokenizers (0.22.2), and sentencepiece (0.2.1) for its map of characters. The same strings and tokenizers on every run.
"""
import argparse
import io
import json
import random
import shutil
import struct
from pathlib import Path

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

STRINGS = 2000
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")

# --- strings ----------------------------------------------------------------------------------------------------------

WORDS = """the The and a I of to in is that it was Hello WORLD world Straightedge don't DON'T we'll We'LL they're I've I'm he'd
it's IT'S 'tis 's 'S 'ſ x's rock'n'roll can''t naïve café cafe\u0301 Ångström ﬁne ﬂow straße ΑΒΓ Σίσυφος ΣΑΣ привет мир שלום עולם
مرحبا بالعالم नमस्ते สวัสดี 한국어 조선말 日本語 テスト 漢字 你好 世界 ｆｕｌｌ ①② ½ ² Ⅷ 1 12 123 1234 12345 3.14 1,000,000 ٣٤٥ १२३ 0x1F
for(i=0;i<n;++i) {} [] <> </s> <s> <unk> <0x0A> <|endoftext|> <|im_start|> <|im_end|> http://example.org/?q=1&r=2#frag a_b_c
foo@bar.org $9.99 100% -- --- ... !!! ?! :-) (c) "quoted" “curly” ‘single’ — – • ▁ ▁▁ Ġ ĠĠ Ċ _ __ == >= => \\n \\t""".split()
PIECES = [
    " ", "  ", "   ", " " * 7, " " * 33, "\t", "\t\t", "\n", "\n\n", "\r\n", "\r", " \n ", "\n  ", "\r\n\r\n", "\v", "\f",
    "\u00a0", "\u2003", "\u3000", "\u200b", "\u200c", "\u200d", "\u2028", "\u2029", "\u0085", "\ufeff", "\u0000",
    "\u0001", "\u001b", "\u007f", "\u00ad", "\u0301", "\u0308", "\u0327\u0301", "\u0301\u0327", "\u1e9b\u0323", "\u212b",
    "\u0344", "\u0958", "\uac00", "\u1100\u1161\u11a8", "\ufb01", "\u017f", "\u0130", "\u0131", "\u1e9e", "\u2126", "K",
    "👍", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "❤️", "e\u20dd", "\ufffd", "\uffff", "\U0010ffff", "\U000e0001", "\ue000", "𝕏", "𠀀", "🀄",
    "\u0378", "\u05ff", "\U0001f8ff", "\U00010d4a", "\U00010d40", "\U000116d0", "\U0001e4f0", "\U00011de0", "\u0897",
    "\U0001fae8", "\U0002ebf0", "\U00016ea0", "\u1c89", "\ua7cb", "\u06dd", "\u202e", "\u2066", "׳", "،", "؟", "。", "、", "！",
]


def scalar(rng):
    """Any code point there may be in UTF-8."""
    limit = rng.choice([0x80, 0x100, 0x800, 0x3000, 0x10000, 0x20000, 0x110000])
    while 0xD800 <= (point := rng.randrange(limit)) < 0xE000:
        pass
    return chr(point)


def piece(rng, added):
    kind = rng.randrange(12)
    if kind < 4:
        return rng.choice(WORDS)
    if kind < 6:
        return rng.choice(["", " "]) + rng.choice(WORDS)
    if kind < 9:
        return rng.choice(PIECES)
    if kind == 9 and added:
        token = rng.choice(added)
        return rng.choice(["", " ", "  ", "a", "\n"]) + rng.choice([token, token, token[:-1], token.upper()])
    if kind == 10:
        return "".join(rng.choice("abcdefgXYZ0123456789.,;'\"!?-() \n") for _ in range(rng.randrange(1, 30)))
    return "".join(scalar(rng) for _ in range(rng.randrange(1, 5)))


def strings(seed, added, count=STRINGS):
    rng = random.Random(seed)
    texts = ["", " ", "  ", "\n", "\ufeff", "\u0000", "a", " a", "a ", *WORDS, *PIECES, *added]
    texts += [" " + token + " " for token in added] + ["a" + token + "b" for token in added]
    texts += [token * 2 for token in added] + [" " * n for n in (2, 3, 31, 100)] + ["\n" * n for n in (2, 3, 31, 100)]
    texts += ["x " * 300, "word" * 200, " ".join(WORDS), "=" * 400, "ab" * 300, "é" * 200]
    while len(texts) < count:
        texts.append("".join(piece(rng, added) for _ in range(rng.randrange(1, rng.choice([3, 8, 25])))))
    return texts


# --- tokenizers -------------------------------------------------------------------------------------------------------

def training_text():
    rng = random.Random(7)
    for _ in range(4000):
        yield "".join(piece(rng, []) for _ in range(rng.randrange(1, 12)))


def trained(normalizer, pre_tokenizer, alphabet=(), size=900, specials=(), **model):
    """A BPE of the text that the strings are made of, so that merges of every kind come up."""
    tokenizer = Tokenizer(models.BPE(**model))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    affixes = {key: model[key] for key in ("continuing_subword_prefix", "end_of_word_suffix") if key in model}
    tokenizer.train_from_iterator(training_text(), trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(specials), initial_alphabet=sorted(alphabet), limit_alphabet=300,
        show_progress=False, **affixes))
    return tokenizer


def edited(tokenizer, **changes):
    """With fields of its JSON replaced."""
    description = json.loads(tokenizer.to_str())
    for path, value in changes.items():
        place = description
        *way, last = path.split("__")
        for key in way:
            place = place[key]
        place[last] = value
    return Tokenizer.from_str(json.dumps(description))


def byte_level(**settings):
    return pre_tokenizers.ByteLevel(**{"add_prefix_space": False, "use_regex": True} | settings)


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


def built():
    sequence, norm = pre_tokenizers.Sequence, normalizers.Sequence
    bytes_alphabet = pre_tokenizers.ByteLevel.alphabet()

    neox = trained(normalizers.NFC(), byte_level(), bytes_alphabet, specials=["<|endoftext|>", "<|padding|>"])
    neox.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)])
    yield "neox", neox

    llama3 = trained(None, sequence([split(LLAMA3), byte_level(use_regex=False)]), bytes_alphabet,
                     specials=["<|begin_of_text|>", "<|eot_id|>"])
    # Words of the vocabulary that no merge leads to.
    vocabulary = json.loads(llama3.to_str())["model"]["vocab"]
    for word in [f"Ġ{word}" for word in WORDS if word.isascii() and word.isalpha()] + ["123"]:
        vocabulary.setdefault(word, len(vocabulary))
    llama3 = edited(llama3, model__vocab=vocabulary, model__ignore_merges=True)
    llama3.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), processors.TemplateProcessing(
        single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", 0)])])
    yield "llama3", llama3

    yield "qwen2", trained(normalizers.NFC(), sequence([split(QWEN2), byte_level(use_regex=False)]), bytes_alphabet,
                           specials=["<|endoftext|>", "<|im_start|>"])
    yield "gpt2_split", trained(None, sequence([split(GPT2), byte_level(use_regex=False)]), bytes_alphabet)
    yield "prefix_space", edited(
        trained(None, byte_level(add_prefix_space=True), bytes_alphabet, specials=["<s>", "</s>", "<mask>"]),
        post_processor={"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0], "trim_offsets": True,
                        "add_prefix_space": True})
    yield "falcon", trained(None, sequence([
        pre_tokenizers.Punctuation("contiguous"), byte_level(), pre_tokenizers.Digits(individual_digits=False),
        split("[0-9][0-9][0-9]")]), bytes_alphabet)
    yield "deepseek_coder", trained(None, sequence([
        split(r"[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"), split("[一-龥ࠀ-一가-퟿]+"),
        pre_tokenizers.Digits(individual_digits=True), byte_level(use_regex=False)]), bytes_alphabet)
    deepseek3 = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
                 r"|\s*[\r\n]+|\s+(?!\S)|\s+")
    yield "deepseek3", trained(None, sequence([
        split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(deepseek3), byte_level(use_regex=False)]), bytes_alphabet)
    upper, lower = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    tekken = (rf"[^\r\n\p{{L}}\p{{N}}]?{upper}*{lower}+|[^\r\n\p{{L}}\p{{N}}]?{upper}+{lower}*|\p{{N}}"
              r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    yield "tekken", edited(trained(None, sequence([split(tekken), byte_level(use_regex=False)]), bytes_alphabet),
                           model__ignore_merges=True)
    yield "unnamed", trained(None, sequence([  # llama.cpp's default
        split(r"[\p{P}\$\+<=>\^~\|]+"), split(GPT2), split(r"\p{N}+"), split("[0-9][0-9][0-9]"),
        byte_level(use_regex=False)]), bytes_alphabet)
    yield "some_bytes", trained(None, byte_level(), size=300, unk_token="<unk>", fuse_unk=True, specials=["<unk>"])
    yield "some_bytes_not_fused", trained(None, byte_level(), size=300, unk_token="<unk>", specials=["<unk>"])
    yield "some_bytes_dropped", trained(None, byte_level(), size=300)

    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    spm = norm([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    pieces = dict(specials=["<unk>", "<s>", "</s>", *fallback], size=1200, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    words = pre_tokenizers.Metaspace(prepend_scheme="never")

    def sentencepiece(normalizer, pre_tokenizer, trained_with=words, **changes):
        tokenizer = trained(normalizer, trained_with, **pieces | changes)
        description = json.loads(tokenizer.to_str())
        description["added_tokens"] = [token for token in description["added_tokens"] if token["id"] < 3]
        description["pre_tokenizer"] = None
        tokenizer = Tokenizer.from_str(json.dumps(description))
        if pre_tokenizer:
            tokenizer.pre_tokenizer = pre_tokenizer
        return tokenizer

    yield "sentencepiece", sentencepiece(spm, None)
    yield "sentencepiece_across", sentencepiece(spm, None, trained_with=split("(?<=[.!?])▁"))  # merges span words
    yield "metaspace_always", sentencepiece(None, pre_tokenizers.Metaspace(prepend_scheme="always"))
    yield "metaspace_first", sentencepiece(None, pre_tokenizers.Metaspace(prepend_scheme="first"))
    first = sentencepiece(norm([normalizers.Strip(), normalizers.Replace("ab", "c")]),
                          pre_tokenizers.Metaspace(prepend_scheme="first"))
    first.add_tokens([AddedToken("Hello", normalized=True), AddedToken("world", normalized=False)])
    yield "metaspace_first_stripped", first
    yield "metaspace_never_whole", sentencepiece(None, pre_tokenizers.Metaspace(prepend_scheme="never", split=False))
    description = json.loads(sentencepiece(None, None).to_str())  # as files of old have it
    description["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": True}
    yield "metaspace_old", Tokenizer.from_str(json.dumps(description)), json.dumps(description)
    yield "metaspace_other", sentencepiece(None, pre_tokenizers.Metaspace(replacement="_", prepend_scheme="always"))
    yield "partial_fallback", without(sentencepiece(spm, None), ["<0xF0>", "<0xC3>"])

    for name, behavior, invert in [("removed", "removed", False), ("isolated", "isolated", False),
                                   ("merged_with_previous", "merged_with_previous", False),
                                   ("merged_with_next", "merged_with_next", False), ("contiguous", "contiguous", False),
                                   ("removed_inverted", "removed", True), ("contiguous_inverted", "contiguous", True),
                                   ("merged_with_next_inverted", "merged_with_next", True)]:
        yield f"split_{name}", trained(None, split(r"\w|\s+", behavior, invert), unk_token="[UNK]", specials=["[UNK]"])
    for behavior in ("removed", "merged_with_previous", "merged_with_next", "contiguous"):
        yield f"punctuation_{behavior}", trained(None, pre_tokenizers.Punctuation(behavior))
    yield "char_delimiter", trained(None, pre_tokenizers.CharDelimiterSplit("e"))
    yield "fixed_length", trained(None, pre_tokenizers.FixedLength(3))
    yield "nmt", trained(normalizers.Nmt(), pre_tokenizers.Metaspace(prepend_scheme="first"))
    yield "byte_normalizer", trained(normalizers.ByteLevel(), split("Ġ|\\w+"), bytes_alphabet)
    yield "split_string", trained(None, sequence([pre_tokenizers.Split("e", "merged_with_next"),
                                                  pre_tokenizers.Split("..", "contiguous"),
                                                  pre_tokenizers.Split("a", "merged_with_previous", invert=True)]))
    yield "split_empty_matches", trained(None, split(r"\d*", "merged_with_previous"), unk_token="[UNK]", specials=["[UNK]"])
    yield "whitespace", edited(trained(None, pre_tokenizers.Whitespace(), unk_token="[UNK]", specials=["[UNK]", "[CLS]", "[SEP]"]),
                               post_processor={"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]})
    yield "whitespace_split", trained(None, sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(),
                                                      pre_tokenizers.Digits(individual_digits=True)]))
    yield "affixes", trained(normalizers.Lowercase(), pre_tokenizers.Whitespace(), unk_token="[UNK]", specials=["[UNK]"],
                             continuing_subword_prefix="##", end_of_word_suffix="</w>")
    yield "clip", trained(norm([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]),
                          sequence([split(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+", "removed", True),
                                    byte_level(use_regex=False)]), bytes_alphabet, end_of_word_suffix="</w>")
    for form in ("NFD", "NFKC", "NFKD", "NFC"):
        yield form.lower(), trained(getattr(normalizers, form)(), byte_level(), bytes_alphabet)
    yield "normalizers", trained(norm([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(),
                                       normalizers.Strip(left=True, right=False), normalizers.Replace("''", '"'),
                                       normalizers.Replace(Regex(r"[aeiou]{2,}"), "*")]), byte_level(), bytes_alphabet)

    added = trained(norm([normalizers.Lowercase(), normalizers.NFC()]), byte_level(), bytes_alphabet,
                    specials=["<|endoftext|>"])
    added.add_tokens([
        AddedToken("left", lstrip=True, normalized=False), AddedToken("right", rstrip=True, normalized=False),
        AddedToken("both", lstrip=True, rstrip=True, normalized=True), AddedToken("word", single_word=True, normalized=True),
        AddedToken("Café", normalized=True), AddedToken("HELLO", normalized=True), AddedToken("HELLO world", normalized=False),
        AddedToken("  ", normalized=False), AddedToken("aa", normalized=True), AddedToken("aaa b", normalized=True),
        AddedToken("the", single_word=True, lstrip=True, normalized=False), AddedToken("你好", rstrip=True)])
    added.add_special_tokens([AddedToken("[MASK]", lstrip=True, special=True), AddedToken("<|im", special=True),
                              AddedToken("<|im_start|>", special=True)])
    added.post_processor = processors.TemplateProcessing(
        single="<|endoftext|> $A [MASK]", special_tokens=[("<|endoftext|>", 0), ("[MASK]", added.token_to_id("[MASK]"))])
    yield "added", added

    added = sentencepiece(spm, None)
    added.add_tokens([AddedToken("Hello", normalized=True), AddedToken("world", normalized=False, rstrip=True),
                      AddedToken("the", normalized=True, single_word=True), AddedToken("▁of", normalized=True, lstrip=True)])
    yield "added_sentencepiece", added


def proto_fields(data):
    """(number, value) of a protocol buffer's fields."""
    at = 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at, number, shift = at + 1, number | (byte & 127) << shift, shift + 7
            if byte < 128:
                return number

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or varint()
        yield tag >> 3, data[at:at + size]
        at += size


def charsmap(rule):
    """SentencePiece's precompiled_charsmap of that name: ModelProto.normalizer_spec.precompiled_charsmap."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c"]), model_writer=model, model_type="char", vocab_size=7, minloglevel=2,
        normalization_rule_name=rule)
    return dict(proto_fields(dict(proto_fields(model.getvalue()))[3]))[2]


def unigram(normalizer, pre_tokenizer, size=1500, specials=("<pad>", "</s>", "<unk>"), unk="<unk>"):
    tokenizer = Tokenizer(models.Unigram())
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    alphabet = set("".join(WORDS)) - set("<") | set("abcdefghijklmnopqrstuvwxyz0123456789 .,;!?\n")  # all else stays unknown
    texts = ("".join(character for character in text if character in alphabet) for text in training_text())
    tokenizer.train_from_iterator(texts, trainers.UnigramTrainer(
        vocab_size=size, special_tokens=list(specials), unk_token=unk, show_progress=False, initial_alphabet=[]))
    return tokenizer


def unigrams():
    sequence, norm = pre_tokenizers.Sequence, normalizers.Sequence
    always, first = (pre_tokenizers.Metaspace(prepend_scheme=scheme) for scheme in ("always", "first"))
    nmt_nfkc = normalizers.Precompiled(charsmap("nmt_nfkc"))

    t5 = unigram(nmt_nfkc, sequence([pre_tokenizers.WhitespaceSplit(), always]))
    t5.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    yield "unigram_t5", t5
    yield "unigram_albert", unigram(norm([
        normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(), normalizers.StripAccents(),
        normalizers.Lowercase(), normalizers.Precompiled(charsmap("nmt_nfkc_cf"))]), always)
    yield "unigram_xlnet", unigram(norm([
        normalizers.Precompiled(charsmap("nfkc")), normalizers.Strip(left=False, right=True),
        normalizers.Replace(Regex(" {2,}"), "▁")]), first)
    whole = unigram(normalizers.Nmt(), pre_tokenizers.Metaspace(prepend_scheme="first", split=False))
    whole.add_tokens([AddedToken("Hello", normalized=True), AddedToken("world", normalized=False)])
    yield "unigram_whole", whole
    yield "unigram_plain", unigram(None, None)
    # The alphabet cut down, so that much is unknown; literal "<unk>", and pieces of unknown characters.
    vocabulary = [piece for piece in json.loads(t5.to_str())["model"]["vocab"] if len(piece[0]) > 1 or piece[0] < "u"]
    vocabulary += [["xyz", -30.0], ["界", -2.0], ["界世", -100.0], ["v", -11.0], ["v", -5.0]]
    yield "unigram_unknown", edited(t5, added_tokens=[], model__vocab=vocabulary, post_processor=None)
    vocabulary = vocabulary[:3] + [[f"<0x{byte:02X}>", 0.0] for byte in range(256)] + vocabulary[3:]
    fallback = edited(t5, added_tokens=[], model__vocab=vocabulary, model__byte_fallback=True, post_processor=None)
    yield "unigram_fallback", fallback
    few = [piece for piece in vocabulary if piece[0] != "<0xE4>"]
    yield "unigram_partial_fallback", edited(fallback, model__vocab=few)


def word_piece(normalizer, pre_tokenizer, size=1500, specials=("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), **model):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", **model))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(training_text(), trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=list(specials), limit_alphabet=300, show_progress=False,
        continuing_subword_prefix=model.get("continuing_subword_prefix", "##")))
    return tokenizer


def word_pieces():
    bert, words = normalizers.BertNormalizer, pre_tokenizers.BertPreTokenizer()
    for name, normalizer in [("uncased", bert()), ("cased", bert(lowercase=False)),
                             ("accents", bert(lowercase=False, strip_accents=True, handle_chinese_chars=False)),
                             ("unclean", bert(clean_text=False, strip_accents=False)),
                             ("lowercase", bert(clean_text=False, handle_chinese_chars=False, strip_accents=False))]:
        tokenizer = word_piece(normalizer, words)
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
        yield f"bert_{name}", tokenizer
    mpnet = word_piece(bert(), words, specials=("<s>", "<pad>", "</s>", "[UNK]", "<mask>"))
    for token in ("<s>", "<pad>", "</s>", "[UNK]", "<mask>"):
        mpnet.add_special_tokens([AddedToken(token, normalized=True, lstrip=token == "<mask>", special=True)])
    mpnet.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    yield "bert_mpnet", edited(mpnet)  # as transformers' MPNetTokenizerFast
    yield "word_piece_short", word_piece(None, pre_tokenizers.WhitespaceSplit(), continuing_subword_prefix="@@",
                                         max_input_chars_per_word=6)
    yield "word_piece_bytes", word_piece(None, byte_level())
    yield "bert_metaspace", word_piece(bert(), pre_tokenizers.Sequence([pre_tokenizers.Metaspace(prepend_scheme="first")]))


def without(tokenizer, tokens):
    vocabulary = json.loads(tokenizer.to_str())["model"]["vocab"]
    for token in tokens:  # their ids stay free
        vocabulary[f"(no {token})"] = vocabulary.pop(token)
    return edited(tokenizer, model__vocab=vocabulary)


# --- code points ------------------------------------------------------------------------------------------------------

def code_points():
    points = [point for point in range(1, 0x110000) if not 0xD800 <= point < 0xE000]

    def ranges(has):
        found = []
        for point in points:
            if not has(chr(point)):
                continue
            if found and found[-1][1] == point - 1:
                found[-1][1] = point
            else:
                found.append([point, point])
        return found

    def removed(pre_tokenizer):
        return lambda character: not pre_tokenizer.pre_tokenize_str(character)

    def bert(**steps):
        return normalizers.BertNormalizer(
            **{"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False} | steps)

    clean, nonspacing = bert(clean_text=True), bert(strip_accents=True)
    digits, whitespace, accents = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Whitespace(), normalizers.StripAccents()
    return {
        "letter": ranges(removed(split(r"\p{L}", "removed"))),
        "number": ranges(removed(split(r"\p{N}", "removed"))),
        "mark": ranges(lambda c: accents.normalize_str(c) == ""),
        "nonspacing": ranges(lambda c: nonspacing.normalize_str(c) == ""),
        "other": ranges(lambda c: clean.normalize_str(c) == "" and c != "\ufffd" or c in "\t\n\r"),
        "numeric": ranges(lambda c: len(digits.pre_tokenize_str("." + c)) == 2),
        "space": ranges(removed(pre_tokenizers.WhitespaceSplit())),
        "word": ranges(lambda c: [p for p, _ in whitespace.pre_tokenize_str("a" + c)] == ["a" + c]),
        "punctuation": ranges(removed(pre_tokenizers.Punctuation("removed"))),
    }


# --- files ------------------------------------------------------------------------------------------------------------

def write(folder, tokenizer, seed):
    folder.mkdir(parents=True, exist_ok=True)
    description = json.loads(tokenizer.to_str())
    added = [token["content"] for token in description["added_tokens"]]
    texts = strings(seed, added[:60])
    ids = [tokenizer.encode(text).ids for text in texts]
    (folder / "cases.json").write_text(json.dumps({"text": texts, "ids": ids}))
    print(f"{folder.name}: {len(texts)} strings, {sum(map(len, ids))} ids")


def gguf_metadata(path):
    """The key-value pairs of a GGUF v2 or v3 file, read by hand: the package `gguf` wants much else installed."""
    kinds = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
    with open(path, "rb") as file:
        def number(kind):
            return struct.unpack("<" + kind, file.read(struct.calcsize(kind)))[0]

        def value(kind):
            if kind == 8:
                return file.read(number("Q")).decode()
            if kind == 9:
                inner = number("I")
                return [value(inner) for _ in range(number("Q"))]
            return number(kinds[kind])

        assert file.read(4) == b"GGUF" and number("I") in (2, 3)
        number("Q")
        return {value(8): value(number("I")) for _ in range(number("Q"))}


def smollm2(path):
    """SmolLM2's tokenizer.json from its GGUF: `pre` smollm is single digits, then GPT-2's bytes; no BOS is added."""
    metadata = gguf_metadata(path)
    assert metadata["tokenizer.ggml.pre"] == "smollm" and not metadata["tokenizer.ggml.add_bos_token"]
    tokens = metadata["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges, unk_token="<|endoftext|>",
                                     fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                                       pre_tokenizers.ByteLevel(add_prefix_space=False)])
    kinds = metadata["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True)
                                  for token, kind in zip(tokens, kinds) if kind == 3])
    return tokenizer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizers", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--smollm2-gguf", type=Path, help="the sample's model: smollm2 is made from it")
    parser.add_argument("--only", help="of those that are built here, the ones with this in their names")
    args = parser.parse_args()
    out = args.out / "tokenizers"
    if args.smollm2_gguf and args.smollm2_gguf.exists():
        (args.tokenizers / "smollm2").mkdir(parents=True, exist_ok=True)
        smollm2(args.smollm2_gguf).save(str(args.tokenizers / "smollm2" / "tokenizer.json"))

    for seed, name in enumerate(["gpt2", "llama2", "smollm2"]):
        source = args.tokenizers / name / "tokenizer.json"
        if not source.exists():
            print(f"{name}: no {source}, left out")
            continue
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        if folder.resolve() != source.parent.resolve():
            shutil.copy(source, folder / "tokenizer.json")
        write(folder, Tokenizer.from_file(str(source)), seed)
    for seed, (name, tokenizer, *text) in enumerate([*built(), *unigrams(), *word_pieces()], start=100):
        if args.only and args.only not in name:
            continue
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tokenizer.json").write_text(text[0] if text else tokenizer.to_str())
        write(folder, tokenizer, seed)
    (out / "code_points.json").write_text(json.dumps(code_points()))


if __name__ == "__main__":
    main()
