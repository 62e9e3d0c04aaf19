"""PyTorch eager on the shape `8b` of random-model.py: prompts a second, with the logits of the last position read.

    python bench/gpu/eager.py [prompt tokens=200] [prompts a batch=40]
"""

import sys
import time

import torch
import torch.nn.functional as F

LENGTH = int(sys.argv[1]) if len(sys.argv) > 1 else 200
BATCH = int(sys.argv[2]) if len(sys.argv) > 2 else 40
LAYERS, WIDTH, FEED, HEADS, KV, HEAD, WORDS = 32, 4096, 14336, 32, 8, 128, 151936
card = {"device": "cuda", "dtype": torch.bfloat16}


def matrix(rows, columns):
    return torch.randn(rows, columns, **card) * columns**-0.5


layers = [
    {
        "norms": torch.ones(2, WIDTH, **card),
        "q": matrix(HEADS * HEAD, WIDTH),
        "k": matrix(KV * HEAD, WIDTH),
        "v": matrix(KV * HEAD, WIDTH),
        "bias": torch.zeros((HEADS + 2 * KV) * HEAD, **card),
        "o": matrix(WIDTH, HEADS * HEAD),
        "gate": matrix(FEED, WIDTH),
        "up": matrix(FEED, WIDTH),
        "down": matrix(WIDTH, FEED),
    }
    for _ in range(LAYERS)
]
embedding, output, norm = matrix(WORDS, WIDTH), matrix(WORDS, WIDTH), torch.ones(WIDTH, **card)
angles = torch.outer(torch.arange(LENGTH), 1e6 ** (-torch.arange(0, HEAD, 2) / HEAD)).cuda()
cos, sin = (f(angles).to(torch.bfloat16).repeat(1, 2)[None, None] for f in (torch.cos, torch.sin))


def rotate(x):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def heads(x, count):
    return x.view(x.shape[0], LENGTH, count, HEAD).transpose(1, 2)


@torch.inference_mode()
def scores(tokens):
    x = F.embedding(tokens, embedding)
    for layer in layers:
        h = F.rms_norm(x, (WIDTH,), layer["norms"][0], 1e-6)
        bq, bk, bv = layer["bias"].split([HEADS * HEAD, KV * HEAD, KV * HEAD])
        q, k, v = F.linear(h, layer["q"], bq), F.linear(h, layer["k"], bk), F.linear(h, layer["v"], bv)
        q, k, v = rotate(heads(q, HEADS)), rotate(heads(k, KV)), heads(v, KV)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + F.linear(a.transpose(1, 2).reshape(x.shape[0], LENGTH, -1), layer["o"])
        h = F.rms_norm(x, (WIDTH,), layer["norms"][1], 1e-6)
        x = x + F.linear(F.silu(F.linear(h, layer["gate"])) * F.linear(h, layer["up"]), layer["down"])
    logits = F.linear(F.rms_norm(x[:, -1], (WIDTH,), norm, 1e-6), output).float()
    return logits[:, 32:36].cpu(), logits.logsumexp(-1).cpu()


tokens = torch.randint(0, WORDS, (BATCH, LENGTH), device="cuda")
for _ in range(3):
    scores(tokens)
times = []
for _ in range(5):
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(5):
        scores(tokens)
    times.append((time.perf_counter() - started) / 5)
print(f"eager {torch.__version__}: {BATCH} prompts of {LENGTH}: {BATCH * LENGTH / min(times):.0f} tokens/s")
a = torch.randn(8192, 8192, **card)
b = torch.randn(8192, 8192, **card)
for _ in range(5):
    a @ b
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
for _ in range(20):
    a @ b
end.record()
torch.cuda.synchronize()
print(f"bf16 product of 8192: {2 * 8192**3 * 20 / start.elapsed_time(end) / 1e9:.0f} TFLOP/s")
