"""Weights on disk: fp16 tensors by parameter name, without the tied output matrix."""
import torch

from families import build


@torch.no_grad()
def round_to_half(model):
    """Everything after training (scores, post-training, GGUF) starts from the weights that are shipped."""
    for p in model.parameters():
        p.copy_(p.half().float())


def save(model, path):
    torch.save({k: v.half().cpu() for k, v in model.state_dict().items() if k != "lm_head.weight"}, path)


def load(path, family, vocab, device="cpu", **special):
    model = build(family, vocab, **special)
    weights = {k: v.float() for k, v in torch.load(path, weights_only=True).items()}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    model.tie_weights()
    return model.to(device).eval()
