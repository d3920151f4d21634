#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What measure.py, scikit-learn and torch's autograd make of small rows, for the tests of folds, rank, ceilings, probes.

    python make_probe_oracles.py --reference PATH/measure.py [--out tests/data/probes]

Needs torch 2.13 and scikit-learn 1.9. --out gets
    rows.json      rows x, y, token ids of a few kinds, and what measure.py and KernelRidge say of them
    training.json  start, batches and result of a few Adam steps of each probe, by autograd
The same numbers on every run.
"""
import argparse
import importlib.util
import json
from pathlib import Path

import torch
from sklearn.kernel_ridge import KernelRidge

GRID = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


def short(tensor):
    """float32 in as few digits as bring it back."""
    return [float(f"{value:.9g}") for value in tensor.float().flatten().tolist()]


# --- rows -------------------------------------------------------------------------------------------------------------

def quadratic_rows(n, d, noise, offset):
    """A line, a quadratic form and noise; ids of which the tail has new ones."""
    x = torch.randn(n, d) @ torch.diag(torch.logspace(0, -1, d)) + offset
    forms = torch.randn(d, d, d) / d
    y = x @ torch.randn(d, d) + torch.einsum("ni,kij,nj->nk", x, forms, x) + noise * torch.randn(n, d)
    return x, y, torch.randint(0, n // 2, (n,))


def low_rank_rows(n, d):
    """Three directions of output carry most of the fit."""
    x, y, ids = quadratic_rows(n, d, 0.1, 0.0)
    y = x @ (torch.randn(d, 3) @ torch.randn(3, d) + 0.3 * torch.randn(d, d)) + 0.3 * y + 0.5 * torch.randn(d)
    return x, y, ids


def massive_rows(n, d):
    x, y, ids = quadratic_rows(n, d, 0.2, 0.5)
    y[::37] += 500 * torch.ones(d)
    return x, y, ids


def kernel_ridge(x, y, w, degree, measure):
    """Held-out R2 of the line plus scikit-learn's kernel ridge, for each ridge of the grid."""
    x, y = x.double(), y.double()
    n = measure.split(len(x))
    z, scale = x - x[:n].mean(0), float(x[:n].std())
    residual = y - measure.with_ones(x) @ w
    gamma = 1 / (scale ** 2 * x.shape[1])
    diagonal = float(((1 + gamma * z[:n].square().sum(1)) ** degree).mean())
    total = (y[n:] - y[n:].mean()).square().sum()
    scores = []
    for ridge in GRID:
        model = KernelRidge(alpha=ridge * diagonal, kernel="polynomial", degree=degree, gamma=gamma, coef0=1)
        model.fit(z[:n].numpy(), residual[:n].numpy())
        rest = residual[n:] - torch.from_numpy(model.predict(z[n:].numpy()))
        scores.append(float(1 - rest.square().sum() / total))
    return scores


def rank_curve(x, y, w, measure):
    """Held-out R2 of the fitted output projected on its first k directions, for every k."""
    x, y = x.double(), y.double()
    n = measure.split(len(x))
    predicted = measure.with_ones(x) @ w
    mean = predicted[:n].mean(0)
    v = torch.linalg.svd(predicted[:n] - mean, full_matrices=False).Vh
    total = (y[n:] - y[n:].mean()).square().sum()
    return [float(1 - (y[n:] - mean - (predicted[n:] - mean) @ v[:k].T @ v[:k]).square().sum() / total)
            for k in range(1, len(v) + 1)]


def case(name, rows, measure):
    x, y, ids = rows
    x, y = x.float(), y.float()
    w, row = measure.fit(x, y)
    expected = measure.kfold(x, y) | measure.effective_rank(x, y, w)
    expected |= {"r2_lin": row["r2"], "rank_curve": rank_curve(x, y, w, measure)}
    for degree in (2, 3):
        expected |= measure.ceiling(x, y, w, ids, degree, GRID)
        expected[f"kernel_ridge_{degree}"] = kernel_ridge(x, y, w, degree, measure)
    # the typical rows alone, with a line of their own
    n = measure.split(len(x))
    e, middle = measure.row_energy(y.double())
    kept = e <= 100 * middle
    if not bool(kept.all()):
        expected["typical"] = typical_ceiling(x, y, ids, kept, n, measure)
    return {"name": name, "n": len(x), "d": x.shape[1], "x": short(x), "y": short(y), "ids": ids.tolist(),
            "expected": expected}


def typical_ceiling(x, y, ids, kept, n, measure):
    """measure.ceiling of the kept rows, with as many of them in the head as the head of all rows keeps."""
    head = int(kept[:n].sum())
    x, y, ids = x[kept], y[kept], ids[kept]
    w = measure.solve(x[:head].double(), y[:head].double())
    published, measure.split = measure.split, lambda _: head
    try:
        return measure.ceiling(x, y, w, ids, 2, GRID)
    finally:
        measure.split = published


# --- training -----------------------------------------------------------------------------------------------------------

class PolyLinear(torch.nn.Module):
    """y = W x + b + exp(s) A [(U x) * (V x)]"""

    def __init__(self, d, rank, frozen):
        super().__init__()
        uniform = lambda shape, bound: torch.nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
        self.weight, self.bias = uniform((d, d), d ** -0.5), uniform((d,), d ** -0.5)
        self.u, self.v = uniform((rank, d), d ** -0.5), uniform((rank, d), d ** -0.5)
        self.a, self.s = uniform((d, rank), rank ** -0.5), torch.nn.Parameter(torch.full((d,), -2.0))
        self.weight.requires_grad_(not frozen)
        self.bias.requires_grad_(not frozen)

    def forward(self, x):
        bilinear = (x @ self.u.T) * (x @ self.v.T) @ self.a.T
        return torch.nn.functional.linear(x, self.weight, self.bias) + self.s.exp() * bilinear


def training(name, model, x, y, batches, rate):
    before = {key: {"sizes": list(value.shape), "values": short(value)} for key, value in model.state_dict().items()}
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=rate)
    for rows in batches:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        optimizer.step()
    return {"name": name, "rate": rate, "before": before,
            "after": {key: short(value) for key, value in model.state_dict().items()},
            "frozen": [key for key, value in model.named_parameters() if not value.requires_grad]}


def all_training():
    d, rank, n = 6, 3, 40
    x = torch.randn(n, d)
    y = torch.randn(n, d) + x.square()
    batches = torch.randint(0, n, (6, 8))
    affine = lambda: torch.nn.Linear(d, d)
    models = {
        "trained-linear": affine(),
        "bilinear": PolyLinear(d, rank, True),
        "dense2x": torch.nn.Sequential(affine(), torch.nn.GELU(), affine()),
        "poly2x": torch.nn.Sequential(PolyLinear(d, rank, False), PolyLinear(d, rank, False)),
    }
    return {"d": d, "rank": rank, "n": n, "x": short(x), "y": short(y), "batches": batches.tolist(),
            "probes": [training(name, model, x, y, batches, 1e-2) for name, model in models.items()]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="the reference measurement, measure.py")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "probes")
    args = parser.parse_args()
    spec = importlib.util.spec_from_file_location("measure", args.reference)
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)

    torch.manual_seed(5)
    cases = [case("quadratic", quadratic_rows(403, 8, 0.3, 1.0), measure),
             case("low rank", low_rank_rows(200, 8), measure),
             case("massive rows", massive_rows(300, 6), measure)]
    (args.out / "rows.json").write_text(json.dumps(cases))
    torch.manual_seed(6)
    with torch.enable_grad():
        (args.out / "training.json").write_text(json.dumps(all_training()))


if __name__ == "__main__":
    main()
