"""Answers to leaks, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
from torch import nn


# === right
def replace_row_by_row(attend, x, mask):
    y = attend(x)
    out = []
    for i in range(x.shape[0]):
        z = x.clone()
        z[~mask[i]] = torch.rand(x.shape[1], dtype=x.dtype, device=x.device) * 3 + 1
        out.append(not torch.equal(attend(z)[i], y[i]))
    return torch.tensor(out, device=x.device)


# === wrong gradient-only
def by_gradient(attend, x, mask):
    jacobian = torch.autograd.functional.jacobian(attend, x)  # (T, D', T, D)
    depends = (jacobian != 0).any(dim=3).any(dim=1)  # (T, T)
    return (depends & ~mask).any(dim=1)


# === right
def one_input_at_a_time(attend, x, mask):
    T = len(x)
    y = attend(x)
    leaks = torch.zeros(T, dtype=torch.bool, device=x.device)
    for j in range(T):
        z = x.clone()
        z[j] = torch.randn_like(x[j])
        moved = (attend(z) != y).any(dim=-1)  # (T,)
        leaks |= moved & ~mask[:, j]
    return leaks


# === right
def with_a_small_tolerance(attend, x, mask):
    noise = torch.randn_like(x) * 5
    result = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    for i in range(len(x)):
        keep = mask[i].unsqueeze(-1)
        result[i] = not torch.allclose(attend(x * keep + noise * ~keep)[i], attend(x)[i])
    return result


# === right
def several_tries(attend, x, mask):
    result = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    for _ in range(5):
        for i in range(len(x)):
            z = torch.where(mask[i][:, None], x, torch.randn_like(x))
            result[i] |= (attend(z)[i] - attend(x)[i]).abs().max() > 1e-9
    return result


# === right
def two_random_futures(attend, x, mask):
    def filled(i):
        z = torch.randn_like(x)
        z[mask[i]] = x[mask[i]]
        return attend(z)[i]

    return torch.stack([(filled(i) != filled(i)).any() for i in range(len(x))])


# === wrong gradient-only
def gradient_of_each_row(attend, x, mask):
    x = x.clone().requires_grad_()
    leaks = []
    for i in range(len(x)):
        y = attend(x)[i]
        weight = torch.randn_like(y)
        (g,) = torch.autograd.grad((y * weight).sum(), x)
        leaks.append(bool((g[~mask[i]] != 0).any()))
    return torch.tensor(leaks, device=x.device)


# === right
def hidden_inputs_elsewhere(attend, x, mask):
    away = x + 3 + torch.rand_like(x)
    before = attend(x)
    tried = (attend(torch.where(row[:, None], x, away)) for row in mask)
    return torch.stack([(out[i] != before[i]).any() for i, out in enumerate(tried)])


# === wrong zeros
def zeroed(attend, x, mask):
    y = attend(x)
    leaks = []
    for i in range(len(x)):
        z = x * mask[i][:, None]
        leaks.append((attend(z)[i] != y[i]).any())
    return torch.stack(leaks)


# === wrong zeros
def zeroed_by_masked_fill(attend, x, mask):
    return torch.stack(
        [(attend(x.masked_fill(~mask[i, :, None], 0.0))[i] != attend(x)[i]).any() for i in range(len(x))]
    )


# === wrong scaled
def doubled(attend, x, mask):
    y = attend(x)
    return torch.stack([(attend(torch.where(mask[i][:, None], x, x * 4))[i] != y[i]).any() for i in range(len(x))])


# === wrong negated
def sign_changed(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = x.clone()
        z[~mask[i]] *= -1
        out.append(bool((attend(z)[i] != y[i]).any()))
    return torch.tensor(out)


# === wrong shifted
def plus_one(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = x.clone()
        z[~mask[i]] += 1.0
        out.append(not torch.allclose(attend(z)[i], y[i]))
    return torch.tensor(out)


# === wrong shifted
def plus_ten(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = x + 10 * (~mask[i])[:, None]
        out.append((attend(z)[i] - y[i]).abs().max() > 1e-6)
    return torch.stack(out)


# === wrong not-a-number
def filled_with_nan(attend, x, mask):
    out = []
    for i in range(len(x)):
        z = x.masked_fill(~mask[i][:, None], float("nan"))
        out.append(attend(z)[i].isnan().any())
    return torch.stack(out)


# === wrong not-a-number
def filled_with_infinity(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = x.masked_fill(~mask[i][:, None], float("inf"))
        out.append((attend(z)[i] != y[i]).any())
    return torch.stack(out)


# === wrong inverted
def replaces_what_may_be_seen(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = x.clone()
        z[mask[i]] = torch.randn_like(z[mask[i]])
        out.append((attend(z)[i] != y[i]).any())
    return torch.stack(out)


# === wrong columns
def reads_columns(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[:, i][:, None], x, torch.randn_like(x))
        out.append((attend(z)[i] != y[i]).any())
    return torch.stack(out)


# === wrong mask-ignored
def only_causal(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = x.clone()
        z[i + 1 :] = torch.randn_like(z[i + 1 :])
        out.append((attend(z)[i] != y[i]).any())
    return torch.stack(out)


# === wrong next-only
def looks_one_ahead(attend, x, mask):
    y = attend(x)
    out = torch.zeros(len(x), dtype=torch.bool)
    for i in range(len(x) - 1):
        z = x.clone()
        if not mask[i, i + 1]:
            z[i + 1] = torch.randn_like(z[i + 1])
        out[i] = (attend(z)[i] != y[i]).any()
    return out


# === wrong last-only
def changes_the_last_word(attend, x, mask):
    z = x.clone()
    z[-1] = torch.randn_like(z[-1])
    moved = (attend(z) != attend(x)).any(dim=-1)
    return moved & ~mask[:, -1]


# === wrong everything-replaced
def another_sequence(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        out.append((attend(torch.randn_like(x))[i] != y[i]).any())
    return torch.stack(out)


# === wrong compares-all
def whole_output(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        out.append(not torch.equal(attend(z), y))
    return torch.tensor(out)


# === wrong compares-the-past
def output_up_to_i(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        out.append(not torch.equal(attend(z)[: i + 1], y[: i + 1]))
    return torch.tensor(out)


# === wrong all-features
def every_feature(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        out.append(((attend(z)[i] - y[i]).abs() > 0).all())
    return torch.stack(out)


# === wrong large-only
def generous(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        out.append(not torch.allclose(attend(z)[i], y[i], atol=0.01))
    return torch.tensor(out)


# === wrong answer-inverted
def holds(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        out.append(torch.equal(attend(z)[i], y[i]))
    return torch.tensor(out)


# === wrong one-answer
def does_it_leak(attend, x, mask):
    y = attend(x)
    leak = torch.tensor(False)
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        leak = leak | (attend(z)[i] != y[i]).any()
    return leak


# === wrong returns-a-bool
def a_python_bool(attend, x, mask):
    y = attend(x)
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        if not torch.equal(attend(z)[i], y[i]):
            return True
    return False


# === wrong returns-a-list
def a_list(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        out.append((attend(z)[i] != y[i]).any())
    return out


# === wrong not-bool
def ones_and_zeros(attend, x, mask):
    y = attend(x)
    out = torch.zeros(len(x))
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        out[i] = (attend(z)[i] != y[i]).any()
    return out


# === wrong everything-replaced
def ignores_the_mask(attend, x, mask):
    y = attend(x)
    z = torch.randn_like(x)
    return (attend(z) != y).any(dim=-1)


# === wrong writes-into-argument
def replaced_in_place(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        x[~mask[i]] = torch.randn_like(x[~mask[i]])
        out.append((attend(x)[i] != y[i]).any())
    return torch.stack(out)


# === wrong raises
def mask_without_an_axis(attend, x, mask):
    y, out = attend(x), []
    for i in range(len(x)):
        z = torch.where(mask[i], x, torch.randn_like(x))
        out.append((attend(z)[i] != y[i]).any())
    return torch.stack(out)


# === wrong wrong-shape
def a_table(attend, x, mask):
    jacobian = torch.autograd.functional.jacobian(attend, x)
    return (jacobian != 0).any(dim=3).any(dim=1) & ~mask


# === wrong always-the-same
def leaks_all_false_unseen_1(attend, x, mask):
    return torch.zeros(len(x), dtype=torch.bool)


# === wrong averaged
def leaks_replaced_by_the_mean_unseen_4(attend, x, mask):
    out = attend(x)
    res = []
    for i in range(len(x)):
        y = torch.where(mask[i][:, None], x, x.mean(0))
        res.append(not torch.allclose(attend(y)[i], out[i]))
    return torch.tensor(res)


# === wrong shuffled
def leaks_reverses_what_is_hidden(attend, x, mask):
    base = attend(x)
    leaks = []
    for i in range(x.shape[0]):
        y = x.clone()
        y[~mask[i]] = x[~mask[i]].flip(0)
        leaks.append(not torch.allclose(attend(y)[i], base[i]))
    return torch.tensor(leaks)


# === wrong always-the-same
def fresh_any(attend, x, mask):
    y = attend(x)
    out = []
    for i in range(len(x)):
        z = x.clone()
        z[~mask[i]] += 1e-9
        out.append(not torch.allclose(attend(z)[i], y[i]))
    return torch.tensor(out)


# === right
def fresh_two(attend, x, mask):
    out = torch.zeros(len(x), dtype=torch.bool)
    for _ in range(2):
        for i in range(len(x)):
            z = torch.where(mask[i].unsqueeze(1), x, torch.rand_like(x) * 7 - 3)
            out[i] |= bool((attend(z)[i] != attend(x)[i]).any())
    return out


# === wrong rises-only
def blind_b11(attend, x, mask):
    out = attend(x)
    torch.manual_seed(0)
    res = torch.zeros(len(x), dtype=torch.bool)
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        res[i] = (attend(z)[i] - out[i]).max() > 1e-6
    return res


# === wrong features-added
def blind_b12(attend, x, mask):
    out = attend(x).sum(-1)
    torch.manual_seed(0)
    res = torch.zeros(len(x), dtype=torch.bool)
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        res[i] = (attend(z)[i].sum() - out[i]).abs() > 1e-6
    return res


# === wrong out-of-hearing
def blind_b6(attend, x, mask):
    out = attend(x)
    res = torch.zeros(len(x), dtype=torch.bool)
    for i in range(len(x)):
        z = x.clone()
        z[~mask[i]] = 1e9
        res[i] = not torch.allclose(attend(z)[i], out[i])
    return res


# === wrong one-feature
def blind_b9(attend, x, mask):
    out = attend(x)
    res = torch.zeros(len(x), dtype=torch.bool)
    for i in range(len(x)):
        z = torch.where(mask[i][:, None], x, torch.randn_like(x))
        res[i] = abs(attend(z)[i, 0] - out[i, 0]) > 1e-6
    return res


# === wrong all-hidden-at-once
def blind_n1(attend, x, mask):
    hidden = ~mask.all(0)
    z = x.clone()
    z[hidden] = torch.randn(int(hidden.sum()), x.shape[1]).to(x.dtype)
    return ((attend(z) - attend(x)).abs() > 1e-6).any(1)


# === wrong first-hidden-only
def blind_n2(attend, x, mask):
    base = attend(x)
    bad = torch.zeros(len(x), dtype=torch.bool)
    for i in range(len(x)):
        hid = (~mask[i]).nonzero().flatten().tolist()
        if not hid:
            continue
        z = x.clone()
        z[hid[0]] = z[hid[0]] + 10 * torch.rand(x.shape[1], dtype=x.dtype)
        bad[i] = not torch.allclose(attend(z)[i], base[i])
    return bad


# === wrong out-of-hearing
def blind_n3(attend, x, mask):
    base = attend(x)
    bad = []
    for i in range(len(x)):
        z = x + torch.rand_like(x) * (~mask[i]).unsqueeze(1)
        bad.append(bool((attend(z)[i] != base[i]).any()))
    return torch.tensor(bad)
