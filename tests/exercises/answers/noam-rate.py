"""Answers to noam-rate, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch


# === right
def noam_in_one_line(step, d_model, warmup):
    return d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


# === right
def noam_by_cases(step, d_model, warmup):
    step_num = step + 1
    if step_num < warmup:
        return step_num / (math.sqrt(d_model) * warmup * math.sqrt(warmup))
    return 1 / math.sqrt(d_model * step_num)


# === right
def noam_from_the_peak(step, d_model, warmup):
    s = 1 + step
    peak = 1 / math.sqrt(d_model * warmup)
    return peak * min(s / warmup, math.sqrt(warmup / s))


# === right
def noam_by_the_package(step, d_model, warmup):
    from attnbook.training import noam_factor

    return noam_factor(step, d_model, warmup)


# === right
def noam_in_numpy(step, d_model, warmup):
    s = np.float64(step + 1)
    return float(np.minimum(s**-0.5, s * np.float64(warmup) ** -1.5) / np.sqrt(d_model))


# === right
def noam_by_logarithms(step, d_model, warmup):
    s, w = math.log(step + 1), math.log(warmup)
    return math.exp(-math.log(d_model) / 2 + min(-s / 2, s - 1.5 * w))


# === wrong zero-to-a-negative-power
def noam_step_from_0(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


# === wrong zero-to-a-negative-power
def noam_sqrt_of_step(step, d_model, warmup):
    arg1 = 1 / math.sqrt(step)
    arg2 = step * warmup**-1.5
    return min(arg1, arg2) / math.sqrt(d_model)


# === wrong counts-from-0
def noam_by_cases_from_0(step, d_model, warmup):
    if step < warmup:
        return d_model**-0.5 * step * warmup**-1.5
    return d_model**-0.5 * step**-0.5


# === wrong counts-from-0
def noam_from_the_peak_from_0(step, d_model, warmup):
    peak = (d_model * warmup) ** -0.5
    return peak * step / warmup if step <= warmup else peak * (warmup / step) ** 0.5


# === wrong guards-the-first-step
def noam_with_max_1(step, d_model, warmup):
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


# === wrong guards-the-first-step
def noam_annotated_transformer(step, d_model, warmup):
    if step == 0:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup ** (-1.5))


# === wrong maximum
def noam_max(step, d_model, warmup):
    s = step + 1
    return d_model**-0.5 * max(s**-0.5, s * warmup**-1.5)


# === wrong no-rise
def noam_only_falls(step, d_model, warmup):
    return (d_model * (step + 1)) ** -0.5


# === wrong no-fall
def noam_only_rises(step, d_model, warmup):
    return (step + 1) / (d_model * warmup**3) ** 0.5


# === wrong flat-behind-the-peak
def noam_stays(step, d_model, warmup):
    s = min(step + 1, warmup)
    return d_model**-0.5 * s * warmup**-1.5


# === wrong falls-like-one-over-s
def noam_falls_too_fast(step, d_model, warmup):
    s, peak = step + 1, (d_model * warmup) ** -0.5
    return peak * min(s / warmup, warmup / s)


# === wrong power-of-warmup
def noam_power(step, d_model, warmup):
    s = step + 1
    return d_model**-0.5 * min(s**-0.5, s * warmup**-0.5)


# === wrong relative-rise
def noam_fraction(step, d_model, warmup):
    s = step + 1
    return d_model**-0.5 * min(s**-0.5, s / warmup)


# === wrong no-width
def noam_without_width(step, d_model, warmup):
    s = step + 1
    return min(1 / s**0.5, s / warmup**1.5)


# === wrong times-the-root-of-the-width
def noam_multiplies(step, d_model, warmup):
    s = step + 1
    return d_model**0.5 * min(s**-0.5, s * warmup**-1.5)


# === wrong divided-by-the-width
def noam_divides_by_d(step, d_model, warmup):
    s = step + 1
    return min(s**-0.5, s * warmup**-1.5) / d_model


# === wrong width-inside-the-minimum
def noam_bracket(step, d_model, warmup):
    s = step + 1
    return min(d_model**-0.5 * s**-0.5, s * warmup**-1.5)


# === wrong maximum + no-width
def noam_max_without_width(step, d_model, warmup):
    s = step + 1
    return max(s**-0.5, s * warmup**-1.5)


# === wrong raises
def noam_of_a_tensor(step, d_model, warmup):
    s = torch.arange(1, step + 1)[step]
    return d_model**-0.5 * min(s**-0.5, s * warmup**-1.5)


# === wrong prints
def noam_prints(step, d_model, warmup):
    s = step + 1
    print(d_model**-0.5 * min(s**-0.5, s * warmup**-1.5))


# === wrong unknown
def noam_linear(step, d_model, warmup):
    s = step + 1
    return d_model**-0.5 * min(s / warmup, 1 - (s - warmup) / 10000)


# === wrong flat-behind-the-peak + no-width
def noam_relative_and_flat(step, d_model, warmup):
    s = min(step + 1, warmup)
    return s * warmup**-1.5


# === wrong always-the-same
def noam_rate_0_001_unseen_4(step, d, w):
    return 0.001


# === wrong always-the-same
def noam_rate_0_unseen_5(step, d, w):
    return 0


# === wrong warmup-plus-one
def noam_raises_the_warmup_too(step, d_model, warmup):
    s = step + 1
    return d_model**-0.5 * min(s**-0.5, s * (warmup + 1) ** -1.5)


# === wrong guards-the-first-step
def fresh_count(step, d_model, warmup):
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


# === wrong maximum
def fresh_max(step, d_model, warmup):
    s = step + 1
    return d_model**-0.5 * max(s**-0.5, s * warmup**-1.5)


# === right
def fresh_if(step, d_model, warmup):
    s = step + 1
    peak = (d_model * warmup) ** -0.5
    return peak * s / warmup if s < warmup else peak * (warmup / s) ** 0.5


# === wrong relative-rise-by-cases
def blind_b3(step, d_model, warmup):
    s = step + 1
    if s < warmup:
        return d_model**-0.5 * s / warmup
    return d_model**-0.5 * s**-0.5


# === wrong taken-for
def blind_b6(step, d_model, warmup):
    return d_model**-0.5 * min((step + 1) ** -0.5, step * warmup**-1.5)
