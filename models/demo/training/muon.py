"""Muon: momentum orthogonalised by Newton-Schulz steps, for the matrices inside the layers."""
import torch


class Muon:
    """Matrices of one shape go together, so that a step is few kernels; `rate` is a tensor (CUDA graphs read it)."""

    def __init__(self, params, rate, ratio=6.0, momentum=0.95, decay=0.05):
        by_shape = {}
        for p in params:
            by_shape.setdefault(tuple(p.shape), []).append(p)
        self.groups = [(ps, torch.zeros(len(ps), *shape, device=ps[0].device)) for shape, ps in by_shape.items()]
        self.rate, self.ratio, self.momentum, self.decay = rate, ratio, momentum, decay

    @torch.no_grad()
    def step(self):
        rate = self.rate * self.ratio
        for params, memory in self.groups:
            gradient = torch.stack([p.grad for p in params])
            memory.mul_(self.momentum).add_(gradient)
            update = _orthogonal(gradient + self.momentum * memory)
            scale = max(1.0, memory.shape[1] / memory.shape[2]) ** 0.5
            for p, u in zip(params, update.float().unbind(0)):
                p.mul_(1 - rate * self.decay).sub_(rate * scale * u)


def _orthogonal(x):
    tall = x.shape[1] > x.shape[2]
    x = x.transpose(1, 2) if tall else x
    x = x.bfloat16() if x.is_cuda else x
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        a = x @ x.transpose(1, 2)
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * (a @ a)) @ x
    return x.transpose(1, 2) if tall else x
