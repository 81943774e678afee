"""Every public door of seven rooms: each function, class and method called as documented, with each argument it names.

A door is tried with what it requires, with each option on top of that, and with all options. Each option given here
changes what comes back, so that none is taken and forgotten. What is made of chance is the same for the same seed, and
no call changes what it was given. The room of attention has doors of its own: attention/test_doors.py.
"""

import inspect
from collections.abc import Callable
from copy import deepcopy
from dataclasses import is_dataclass

import pytest
import torch
from torch import nn

import layer_doors
import text_doors
import translation_doors
from attnbook import data, language, pairs, text, training, transformer, translation
from doors import ALONE, plain

DOORS = {
    transformer: layer_doors.TRANSFORMER_DOORS,
    pairs: layer_doors.PAIRS_DOORS,
    text: text_doors.TEXT_DOORS,
    data: text_doors.DATA_DOORS,
    training: text_doors.TRAINING_DOORS,
    language: text_doors.LANGUAGE_DOORS,
    translation: translation_doors.TRANSLATION_DOORS,
}
# what must not change the numbers: who watches, where and how many at a time are computed, by which clock, from when
SILENT = {
    "train.progress",
    "train.fabric",
    "train.elapsed",
    "train.clock",
    "fit_language_model.progress",
    "fit_language_model.fabric",
    "translation_loss.fabric",
    "fit.progress",
    "fit.fabric",
    "fit.clock",
    "train_page_model.progress",
    "Translator.translate.batch_size",
}
# needs the network: test_download.py
ELSEWHERE = {"download_tatoeba"}
# of the base class: the kinds of vocabulary have them
ABSTRACT = {"Vocabulary.encode", "Vocabulary.to_dict"}

ROOMS = pytest.mark.parametrize("room", DOORS, ids=lambda room: room.__name__.rpartition(".")[2])
ALL_DOORS = [door for doors in DOORS.values() for door in doors]
each_door = pytest.mark.parametrize("door", ALL_DOORS, ids=lambda door: door.name)


def public(room) -> dict[str, Callable]:
    """The functions and classes of a room, and the methods of these, by name."""
    found = {}
    for name in room.__all__:
        thing = getattr(room, name)
        if not callable(thing) or inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        found[name] = thing
        if not inspect.isclass(thing):
            continue
        methods = {method: one for method, one in vars(thing).items() if not method.startswith("_")}
        for method, one in methods.items():
            one = one.__func__ if isinstance(one, classmethod) else one
            if inspect.isfunction(one):
                found[f"{name}.{method}"] = one
        if issubclass(thing, nn.Module) and thing.forward is not nn.Module.forward:
            found[f"{name}.forward"] = thing.forward
    return found


@ROOMS
def test_every_public_name_has_a_door(room):
    excepted = (ELSEWHERE | ABSTRACT) & public(room).keys()
    assert sorted({door.name for door in DOORS[room]} | excepted) == sorted(public(room))


def test_what_is_excepted_has_to_be():
    """Names without a door are public ones; what counts as silent is tried; what is tried alone is refused together."""
    assert set().union(*map(public, DOORS)) - {door.name for door in ALL_DOORS} >= ELSEWHERE | ABSTRACT
    assert {f"{door.name}.{option}" for door in ALL_DOORS for option in door.options} >= SILENT
    for name in ALONE:
        with pytest.raises((TypeError, ValueError)):
            for door in ALL_DOORS:
                if door.name == name:
                    door.seen(door.given | door.options)


@ROOMS
def test_every_argument_is_tried(room):
    untried = set()
    for name, thing in public(room).items():
        if name in ELSEWHERE | ABSTRACT:
            continue
        tried = set().union(*(door.passes.union(door.given, door.options) for door in DOORS[room] if door.name == name))
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.kind is not parameter.VAR_KEYWORD and parameter.name not in tried:
                untried.add(f"{name}.{parameter.name}")
    assert untried == {name for name in untried if name.endswith((".self", ".cls"))}


@ROOMS
def test_yes_or_no_is_said_by_its_name(room):
    """But for records, whose fields stand in their order."""
    by_place = {
        f"{name}.{parameter.name}"
        for name, thing in public(room).items()
        if not (is_dataclass(thing) or hasattr(thing, "_fields"))
        for parameter in inspect.signature(thing).parameters.values()
        if isinstance(parameter.default, bool) and parameter.kind is not parameter.KEYWORD_ONLY
    }
    assert by_place == set()


@each_door
def test_a_call_can_be_repeated_and_leaves_its_arguments_alone(door):
    for given in door.calls():
        before = plain(given)
        first = door.seen(given)
        assert plain(given) == before
        assert door.seen(given) == first


@each_door
def test_each_option_changes_what_comes_back(door):
    without = door.seen(door.given)
    for name, value in door.options.items():
        changed = door.seen(door.given | {name: value}) != without
        assert changed == (f"{door.name}.{name}" not in SILENT), name


@pytest.mark.parametrize(
    "door", [door for door in ALL_DOORS if isinstance(door.call, nn.Module)], ids=lambda door: door.name
)
def test_on_the_meta_device_a_layer_has_the_shapes(door):
    twin = deepcopy(door.call).to("meta")
    for given in door.calls():
        with torch.device("meta"):
            moved = {name: one.to("meta") if isinstance(one, torch.Tensor) else one for name, one in given.items()}
        assert shapes(twin(**moved)) == shapes(door.call(**given))


def shapes(found):
    return [shapes(one) for one in found] if isinstance(found, list | tuple) else getattr(found, "shape", found)
