"""Sentences about topics: what each task asks for, and classifiers that padding does not touch."""

import random

import pytest
import torch

from attnbook.studies import LEXICON, POOLING_TASKS, POOLINGS, TopicClassifier, pooling_run, topic_data, topic_sentence

BUT, PAD = LEXICON.index("but"), LEXICON.index("<pad>")


@pytest.mark.parametrize("task", POOLING_TASKS)
def test_the_topic_is_what_the_task_says(task):
    rng = random.Random(5)
    for _ in range(200):
        ids, topic = topic_sentence(task, rng)
        if task == "after but":
            ids = ids[ids.index(BUT) + 1 :]
        topical = [word for word in ids if word < 16]
        counts = [sum(word // 4 == t for word in topical) for t in range(4)]
        if task == "loudest":
            assert max(topical, key=lambda word: word % 4) // 4 == topic
            assert counts[topic] == 1 and sum(counts) == 7
        else:
            assert counts[topic] == max(counts) == 3 and counts.count(3) == 1


def test_longer_sentences_have_so_many_more_small_words():
    short, long = topic_data("most", 20, 3), topic_data("most", 20, 3, extra=60)
    assert (long[1].min(), short[1].max()) == (7 + 61, short[1].max())
    assert ((short[0] == PAD).sum(1) == short[0].shape[1] - short[1]).all()


@pytest.mark.parametrize("kind", POOLINGS)
def test_no_pooling_reads_the_padding(kind):
    torch.manual_seed(0)
    ids, lens, _ = topic_data("after but", 7, 1)
    model = TopicClassifier(kind).eval()
    with torch.no_grad():
        expected = [model(row[None, :n], n[None])[0] for row, n in zip(ids, lens, strict=True)]
        torch.testing.assert_close(model(ids, lens), torch.stack(expected))


def test_a_few_steps_can_be_run_again():
    once, again = (pooling_run("loudest", "mean", seed=1, steps=10) for _ in range(2))
    assert once == again and all(0 <= a <= 1 for a in once)
