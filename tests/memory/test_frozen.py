"""A record that is quickly made is like any other frozen dataclass but for the time it takes."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace

import pytest

from omoide.model.frozen import fast_init, writable


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    text: str
    lang: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Quick:
    text: str
    lang: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered(Quick):
    number: int


GIVEN = [
    {"text": "猫は窓辺にいた", "lang": "ja"},
    {"text": "猫在窗边", "extra": {"说": "妈妈"}},
    {"text": "the cat sat by the window"},
]


@pytest.mark.parametrize("given", GIVEN)
def test_it_holds_what_a_plain_one_does(given: Mapping[str, object]) -> None:
    quick = Quick(**given)  # type: ignore[arg-type]
    assert type(quick) is Quick
    assert asdict(quick) == asdict(Plain(**given))  # type: ignore[arg-type]
    for again in (copy.deepcopy(quick), pickle.loads(pickle.dumps(quick)), replace(quick)):
        assert again == quick
    assert replace(quick, text="犬").text == "犬"


def test_no_two_share_what_is_made_for_each() -> None:
    assert Quick(text="茶").extra is not Quick(text="茶").extra


def test_it_cannot_be_changed() -> None:
    quick = Quick(text="茶")
    with pytest.raises(FrozenInstanceError):
        quick.text = "水"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del quick.text
    with pytest.raises((AttributeError, TypeError)):
        quick.taste = "苦い"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("given", "by_place"), [({}, ()), ({"test": "茶"}, ()), ({"text": "茶"}, ("水",))])
def test_what_does_not_fit_is_refused_in_the_same_words(given: Mapping[str, str], by_place: tuple[str, ...]) -> None:
    told = []
    for made in (Plain, Quick):
        with pytest.raises(TypeError) as met:
            made(*by_place, **given)
        told.append(str(met.value).replace("Plain", "Quick").replace("test_frozen.", ""))
    assert told[0].split(" positional")[0] == told[1].split(" positional")[0]


def test_a_kind_of_it_is_a_dataclass_of_its_own() -> None:
    numbered = Numbered(text="茶", number=1)
    assert type(numbered) is Numbered
    assert asdict(numbered) == {"text": "茶", "lang": None, "extra": {}, "number": 1}


def test_its_signature_is_that_of_the_fields() -> None:
    assert list(inspect.signature(Quick).parameters) == ["text", "lang", "extra"]


def test_a_twin_is_written_to_and_becomes_a_record() -> None:
    made = object.__new__(writable(Plain))
    made.text, made.lang, made.extra = "記憶", "ja", {}
    made.__class__ = Plain
    assert made == Plain(text="記憶", lang="ja")
    with pytest.raises(FrozenInstanceError):
        made.text = "记忆"
