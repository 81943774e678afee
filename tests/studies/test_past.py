"""The loss by how much of the past is read: the same tokens for every length."""

import pytest
import torch

from attnbook.studies import PASTS, asked_places, losses_by_past
from attnbook.transformer import LanguageModel, LanguageModelConfig

V = 13


def small(window: int | None = None) -> LanguageModel:
    torch.manual_seed(0)
    config = LanguageModelConfig(V, d_model=12, num_heads=2, d_ff=20, num_layers=2, max_positions=128, window=window)
    model = LanguageModel(config).double().eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(8)  # so that what is read matters
    return model


def text(length: int) -> torch.Tensor:
    return torch.randint(V, (length,), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(("length", "stop"), [(129, 129), (192, 129), (193, 193), (200, 193)])
def test_what_is_asked_for_is_a_multiple_of_the_longest_half(length, stop):
    assert asked_places(text(length)) == range(65, stop)


def test_each_token_is_predicted_from_as_many_as_are_said():
    model, ids = small(), text(200)
    asked = asked_places(ids)
    with torch.no_grad():
        for past, found in zip(PASTS, losses_by_past(model, ids), strict=True):
            step, total = max(1, past // 2), 0.0
            for number, at in enumerate(asked):
                seen = past - step + 1 + number % step  # from half of the past, and one more, to all of it
                total -= model(ids[None, at - seen : at])[0][0, -1].log_softmax(-1)[ids[at]].item()
            assert found == pytest.approx(total / len(asked), rel=1e-9)


def test_a_window_of_one_needs_one_token_and_two_layers_of_two_need_three():
    ids = text(200)
    nothing, two, full = (losses_by_past(small(window), ids) for window in (1, 2, None))
    assert nothing == pytest.approx([nothing[0]] * len(PASTS))
    assert two[3:] == pytest.approx([two[3]] * len(PASTS[3:])) and two[0] != pytest.approx(two[3])
    assert full[-1] != pytest.approx(full[-2])


def test_a_short_text_is_refused():
    with pytest.raises(ValueError, match="the text has 128 tokens, and 128 are to be read before one"):
        losses_by_past(small(), text(128))
