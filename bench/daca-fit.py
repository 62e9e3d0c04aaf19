"""The fit of DACA's published code, timed; `daca-fit.ts` calls it. Written anew from its description, not copied.

Reads N rows of K float64 logits of the base and then of the post-trained model; prints JSON: tau, CPU seconds of every
run of the fit alone (no import, no reading), and its settings.

    python3 daca-fit.py FILE N K RUNS
"""
import json, sys, time
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

EPOCHS, BATCH, RATE, EPSILON = 400, 256, 0.1, 1e-8


def loss_of(z, v, tau):
    q = torch.softmax(z / tau, -1).clamp(EPSILON, 1 - EPSILON)
    p = torch.softmax(v, -1)
    agree = (z.argmax(1) == p.argmax(1)).unsqueeze(1)
    p = p.clamp(EPSILON, 1 - EPSILON)
    return torch.where(agree, -p * torch.log(q), torch.zeros_like(q)).sum(1).mean()


def fit(base, target):
    loader = DataLoader(TensorDataset(base, target), batch_size=BATCH, shuffle=True)
    tau = torch.tensor(1.0, requires_grad=True)
    adam = torch.optim.Adam([tau], lr=RATE)
    for _ in range(EPOCHS):
        for v, z in loader:
            adam.zero_grad()
            loss_of(z, v, tau).backward()
            adam.step()
    return tau.item()


file, n, k, runs = sys.argv[1], *map(int, sys.argv[2:])
both = torch.tensor(np.fromfile(file).reshape(2, n, k), dtype=torch.float32)
torch.manual_seed(0)
torch.set_num_threads(1)  # so small a problem is slower on more
taus, seconds = [], []
for _ in range(runs):
    start = time.process_time()
    taus.append(fit(both[0], both[1]))
    seconds.append(time.process_time() - start)
print(json.dumps(dict(taus=taus, seconds=seconds, torch=torch.__version__, threads=torch.get_num_threads())))
