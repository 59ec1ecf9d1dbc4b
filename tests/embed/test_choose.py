"""Which embedder a setting means, and what is said when it means none."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.embed import Lexical
from omoide.embed.choose import Choice, choose, earlier, identity_of
from omoide.errors import InvalidArgument, NotFound, OmoideError
from omoide.traditional import told_in
from tests.embed import toys

URL = "http://127.0.0.1:9/v1"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    toys.static(tmp_path / "models" / "表")
    toys.onnx(tmp_path / "models" / "变换器")
    return tmp_path / "models"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("lexical", "lexical"),
        ("static:表", "static:表"),
        ("onnx:变换器", "onnx:变换器"),
        (f"http:{URL}", f"http:{URL}/embeddings"),
        (URL, f"http:{URL}/embeddings"),
        ("auto", "onnx:变换器"),
    ],
)
def test_a_setting_names_an_embedder(models: Path, said: str, name: str) -> None:
    assert choose(Choice(embedder=said, models=models)).name == name


def test_an_embedder_of_the_caller_s_own_is_taken_as_it_is() -> None:
    own = Lexical(7)
    assert choose(Choice(embedder=own)) is own


@pytest.mark.parametrize(
    ("url", "here", "name"),
    [(URL, True, f"http:{URL}/embeddings"), (None, True, "onnx:变换器"), (None, False, "lexical")],
)
def test_auto_takes_the_url_then_a_model_then_the_built_in_one(
    models: Path, tmp_path: Path, url: str | None, here: bool, name: str
) -> None:
    folder = models if here else tmp_path / "nothing"
    assert choose(Choice(embedder="auto", url=url, models=folder)).name == name


@pytest.mark.parametrize(
    ("said", "error", "hint"),
    [
        ("openai", InvalidArgument, "Write lexical, static:NAME"),
        ("static:", InvalidArgument, "Write lexical, static:NAME"),
        ("lexical:x", InvalidArgument, "Write lexical, static:NAME"),
        ("static:無い", NotFound, "any other is pulled with --from DIR"),
        ("onnx:bge-m3", NotFound, "`omoide models pull bge-m3` gets it"),
        ("static:~誰もいない/模型", NotFound, "any other is pulled with --from DIR"),
        ("static:变换器", InvalidArgument, "Write onnx:变换器."),
        ("http:localhost", InvalidArgument, ""),
    ],
)
def test_what_names_none_says_what_would(models: Path, said: str, error: type[OmoideError], hint: str) -> None:
    with pytest.raises(error) as raised:
        choose(Choice(embedder=said, models=models))
    assert hint in raised.value.hint


def test_only_the_first_numbers_are_kept_where_that_is_asked_for(models: Path) -> None:
    choice = Choice(embedder="static:表", models=models, dimensions=4)
    whole, first = choose(Choice(embedder="static:表", models=models)), choose(choice)
    assert first.embed(["抹茶"], "query")[0] == whole.embed(["抹茶"], "query")[0][:16]
    assert first.version != whole.version
    with pytest.raises(InvalidArgument, match="the first 100 cannot be kept"):
        choose(Choice(embedder="static:表", models=models, dimensions=100))


@pytest.mark.parametrize("dimensions", [None, 4])
@pytest.mark.parametrize("name", ["lexical", "static:表", "onnx:变换器"])
def test_the_embedder_of_an_older_index_is_found_again(models: Path, name: str, dimensions: int | None) -> None:
    built = choose(Choice(embedder=name, models=models, dimensions=dimensions))
    found = earlier(identity_of(built), Choice(embedder=URL, models=models))
    assert (found.name, found.version) == (built.name, built.version)
    assert found.embed(["抹茶"], "query") == built.embed(["抹茶"], "query")


@pytest.mark.parametrize(
    ("identity", "en", "ja", "zh"),
    [
        ("static:表 @ another", "replaced by another version", "別の版に", "另一个版本"),
        ("static:gone @ 1", "cannot be had any more", "もう利用できません", "无法取得"),
        (
            "http:http://old.example/v1 @ [3]",
            "built with http://old.example/v1, which is not set any more",
            "もう設定されていません",
            "不再设置",
        ),
        ("odd", "cannot be had any more", "もう利用できません", "无法取得"),
    ],
)
def test_one_that_cannot_be_had_any_more_says_so_in_each_language_and_names_no_folder(
    models: Path, caplog: pytest.LogCaptureFixture, identity: str, en: str, ja: str, zh: str
) -> None:
    found = earlier(identity, Choice(models=models))
    with pytest.raises(OmoideError, match="The index was built with") as raised:
        found.embed(["抹茶"], "query")
    told = {"en": raised.value.message, **raised.value.also}
    assert all(said in told[language] for language, said in {"en": en, "ja": ja, "zh": zh}.items()), told
    assert str(models) not in "".join(told.values()), "which may be read by clients of other machines"
    assert (str(models) in caplog.text) == (identity == "static:gone @ 1")


def test_the_name_of_a_model_is_not_converted_to_traditional_chinese(models: Path) -> None:
    with pytest.raises(OmoideError) as raised:
        earlier("static:国语模型 @ 1", Choice(models=models)).embed(["抹茶"], "query")
    assert "「static:国语模型」" in (told_in(raised.value.also, "zh-Hant") or "")
