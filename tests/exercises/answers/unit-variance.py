"""Answers to unit-variance, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch


# === right
def straight(num_features, query_variance, key_variance):
    return (num_features * query_variance * key_variance) ** 0.5


# === right
def of_deviations(num_features, query_variance, key_variance):
    return math.sqrt(num_features) * math.sqrt(query_variance) * math.sqrt(key_variance)


# === right
def in_numpy(num_features, query_variance, key_variance):
    return np.sqrt(num_features * query_variance * key_variance)


# === right
def in_torch(num_features, query_variance, key_variance):
    return torch.tensor(num_features * query_variance * key_variance, dtype=torch.float64).sqrt()


# === right
def by_a_loop(num_features, query_variance, key_variance):
    variance = 0.0
    for _ in range(num_features):
        variance += query_variance * key_variance
    return variance**0.5


# === right
def by_logs(num_features, query_variance, key_variance):
    return math.exp(0.5 * (math.log(num_features) + math.log(query_variance) + math.log(key_variance)))


# === wrong variances-ignored
def the_usual(num_features, query_variance, key_variance):
    return math.sqrt(num_features)


# === wrong variance-of-the-sum
def no_root(num_features, query_variance, key_variance):
    return num_features * query_variance * key_variance


# === wrong variances-as-deviations
def s_squared_taken_for_s(num_features, query_variance, key_variance):
    return num_features**0.5 * query_variance * key_variance


# === wrong roots-of-features-missing
def d_outside(num_features, query_variance, key_variance):
    return num_features * (query_variance * key_variance) ** 0.5


# === wrong inverse
def multiplier(num_features, query_variance, key_variance):
    return (num_features * query_variance * key_variance) ** -0.5


# === wrong variances-added
def added(num_features, query_variance, key_variance):
    return (num_features * (query_variance + key_variance)) ** 0.5


# === wrong variances-averaged
def averaged(num_features, query_variance, key_variance):
    s2 = (query_variance + key_variance) / 2
    return s2 * num_features**0.5


# === wrong query-only
def one_of_them(num_features, query_variance, key_variance):
    return (num_features * query_variance) ** 0.5


# === wrong key-only
def the_other(num_features, query_variance, key_variance):
    return (num_features * key_variance) ** 0.5


# === wrong query-twice
def s_squared_root_d(num_features, query_variance, key_variance):
    return query_variance * num_features**0.5


# === wrong key-twice
def s_squared_root_d_of_keys(num_features, query_variance, key_variance):
    return key_variance * math.sqrt(num_features)


# === wrong variances-divided
def divided(num_features, query_variance, key_variance):
    return math.sqrt(num_features / (query_variance * key_variance))


# === wrong variances-as-deviations
def squared_again(num_features, query_variance, key_variance):
    return math.sqrt(num_features * query_variance**2 * key_variance**2)


# === wrong features-missing
def one_term(num_features, query_variance, key_variance):
    return math.sqrt(query_variance * key_variance)


# === wrong roots-of-features-missing
def d_squared(num_features, query_variance, key_variance):
    return math.sqrt(num_features**2 * query_variance * key_variance)


# === wrong unknown
def max_of_both(num_features, query_variance, key_variance):
    return math.sqrt(num_features) * max(query_variance, key_variance)


# === wrong unknown
def difference_of_both(num_features, query_variance, key_variance):
    return math.sqrt(num_features * abs(query_variance - key_variance))


# === wrong unknown
def sampled_variance(num_features, query_variance, key_variance):
    g = torch.Generator().manual_seed(0)
    q = torch.randn(2000, num_features, generator=g, dtype=torch.float64)
    k = torch.randn(2000, num_features, generator=g, dtype=torch.float64)
    products = (q * k).sum(1) * (query_variance * key_variance) ** 0.5
    return products.std().item()


# === wrong returns-none
def printed_only(num_features, query_variance, key_variance):
    scale = (num_features * query_variance * key_variance) ** 0.5


# === wrong returns-a-tuple
def both_numbers(num_features, query_variance, key_variance):
    variance = num_features * query_variance * key_variance
    return variance, variance**0.5


# === wrong rounded
def rounded(num_features, query_variance, key_variance):
    return round((num_features * query_variance * key_variance) ** 0.5)


# === wrong always-the-same
def unit_variance_always_12_unseen_4(n, a, b):
    return 12


# === wrong raises
def unit_variance_math_domain_unseen_5(n, a, b):
    return math.sqrt(n * a * -b)


# === wrong always-the-same
def unit_variance_0_unseen_7(n, a, b):
    return 0


# === wrong few-digits
def unit_variance_numpy_unseen_b3(n, a, b):
    return np.sqrt(n * a * b) * 1.0001


# === wrong variances-as-deviations
def fresh_deviation(num_features, query_variance, key_variance):
    import math

    return math.sqrt(num_features) * query_variance * key_variance


# === wrong variances-added
def fresh_sum(num_features, query_variance, key_variance):
    import math

    return math.sqrt(num_features * (query_variance + key_variance))


# === right
def fresh_pow(num_features, query_variance, key_variance):
    return (num_features * query_variance) ** 0.5 * key_variance**0.5
