"""Notes between two layers: exchanged for themselves they change nothing, and cases are drawn as promised."""

import torch

from attnbook.studies import CHANGES, draw_cases, false_notes, stored_induction
from attnbook.studies.notes import answer_with, note_after, notes_of
from tensors import close

PERIOD, ROWS = 11, 7


def cases():
    return draw_cases(ROWS, PERIOD, torch.Generator().manual_seed(1))


def test_with_its_own_notes_a_model_answers_as_ever():
    model, ids = stored_induction(), cases()[0]
    with torch.no_grad():
        expected = model(ids)[0].argmax(-1)
        found = answer_with(model, ids, notes_of(model, ids))
    assert torch.equal(found, expected)


def test_the_note_about_what_stands_there_is_the_models_own():
    model = stored_induction()
    ids, asks, planted, strange = cases()
    each = torch.arange(ROWS)
    with torch.no_grad():
        own = notes_of(model, ids)[each, planted]
        close(note_after(model, ids, planted, ids[each, planted - 1]), own, 1e-6)
        other = note_after(model, ids, planted, strange[:, 0])
    assert (other - own).norm(dim=1).min() > 0.1


def test_cases_are_drawn_as_promised():
    ids, asks, planted, strange = draw_cases(500, 8, torch.Generator().manual_seed(2))
    each = torch.arange(500)
    assert torch.equal(ids[each, asks], ids[each, asks - 8])
    assert asks.min() == 9 and asks.max() == 15
    assert planted.min() == 2 and planted.max() == 8
    assert ((planted != asks - 8) & (planted != asks - 7)).all()
    assert not (ids[:, :, None] == strange[:, None]).any() and (strange > 0).all()
    assert (strange[:, 0] != strange[:, 1]).all()


def test_a_false_note_is_believed_where_the_true_one_is_gone():
    found = false_notes(stored_induction(), 12)
    assert tuple(found) == CHANGES
    share = {name: [a.float().mean() for a in pair] for name, pair in found.items()}
    assert share["untouched"][0] > 0.99 and share["other planted"][0] > 0.99
    assert share["erased"][0] < 0.1 and share["erased and planted"][1] > 0.95
    assert max(share["erased, other planted"]) < 0.1
