"""Random calls of all doors, through two servers of one store, against a model of what is stored.

The model is a dictionary of memories by id, and for each the fields that the calls gave it; beside it the entities, the nodes and
the edges. Whatever a search, a list or a walk answers must follow from it, also when a server has been killed, and when the store
was exported and imported. The servers' indexes, which grew with the calls, answer as one that is made anew.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from itertools import combinations
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple

from omoide import app
from omoide.config import load
from omoide.memory import Memories
from omoide.transfer.backup import restore
from omoide.transfer.dump import export
from omoide.transfer.load import import_files
from tests.families.calling import as_served
from tests.reliability.test_everything import OverStdio, command

#: Calls before each check, and how many such stretches.
CALLS, STRETCHES = 40, 3
#: How many memories, and places of the graph, each check looks for.
SAMPLES = 8
WORDS = "京都 會議 会议 ﾃﾞｰﾀ 東京タワー 臺北 龙井茶 Kyoto ｄｅａｄｌｉｎｅ re-index cafe\u0301 🍵 O’Brien".split()
SCOPES = ["global", "cc", "cc:1", "ccx"]
LATEST_WINS = ["profile", "preferences"]
CATEGORIES = [*LATEST_WINS, "events"]
TAGS = ["旅", "Work", "會議"]
NAMES = ["Jeff", "ＪＥＦＦ", "jeff", "山田太郎"]
LABELS = ["Auth Flow", "ａｕｔｈ flow", "記憶"]
RELATIONS = ["depends_on", "contains"]
#: How long the indexes may take to read older texts again, for the names that they did not know.
TRIES, BETWEEN_SECONDS = 100, 0.1

Json = dict[str, Any]
Ask = Callable[..., Json]


@dataclass
class Row:
    """A memory of the model. `key`: the part of its key that tells it from others; `entity`: the one that it is about; `ended`:
    whether it is no longer valid."""

    text: str
    scope: str = "global"
    category: str = "events"
    tags: tuple[str, ...] = ()
    key: str | None = None
    entity: str | None = None
    superseded_by: str | None = None
    ended: bool = False

    @property
    def is_live(self) -> bool:
        return self.superseded_by is None


class Edge(NamedTuple):
    """An edge of the model; its ends are ids of nodes and memories."""

    source: str
    target: str
    type: str


@dataclass
class Model:
    """What ought to be stored. `entities` and `nodes` are ids by name. `contents`: of each node by its id the memory with its
    content; None: it was forgotten, but the node has edges."""

    rows: dict[str, Row] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    contents: dict[str, str | None] = field(default_factory=dict)
    edges: set[Edge] = field(default_factory=set)

    def live(self, holds: Callable[[Row], object] = lambda _: True) -> set[str]:
        return {id for id, row in self.rows.items() if row.is_live and holds(row)}

    def valid(self) -> set[str]:
        return self.live(lambda row: not row.ended)

    def under(self, scope: str, key: str) -> str | None:
        found = self.live(lambda row: (row.scope, row.key, row.ended) == (scope, key, False))
        return next(iter(found), None)

    def place(self, id: str) -> str:
        """Where edges to an id lead: a content stands for its node."""
        return next((node for node, content in self.contents.items() if content == id), id)

    def forget(self, id: str) -> None:
        older = [other for other, row in self.rows.items() if row.superseded_by == id]
        for gone in (id, *older):
            del self.rows[gone]
            self.edges = {edge for edge in self.edges if gone not in edge[:2]}
            if (node := self.place(gone)) in self.contents:
                self._empty(node)

    def _empty(self, node: str) -> None:
        """What is left of a node whose content is forgotten: with edges, its name; else nothing."""
        self.contents[node] = None
        if not any(node in edge[:2] for edge in self.edges):
            del self.contents[node]
            self.nodes = {name: id for name, id in self.nodes.items() if id != node}

    def walk(self, start: str, depth: int) -> dict[str, int]:
        """The distance of everything within `depth` edges."""
        valid = self.valid()
        reached = {start: 0}
        for distance in range(1, depth + 1):
            for edge in self.edges:
                for here, there in (edge[:2], edge[1::-1]):
                    if reached.get(here) == distance - 1 and self.contents.get(there, there) in valid:
                        reached.setdefault(there, distance)
        return reached


class History:
    """Calls that one client after the other makes, and the model that follows them."""

    def __init__(self, ask: Ask, dice: random.Random) -> None:
        self.model = Model()
        self._ask = ask
        self._dice = dice
        self._count = 0

    def step(self) -> None:
        steps = [self.store, self.store, self.forget, self.follow, self.observe, self.save_entry, self.rewrite]
        self._dice.choice([*steps, self.write_node, self.write_node, self.relate, self.relate])()

    def text(self) -> str:
        """A new text; its last word is in no other."""
        self._count += 1
        return " ".join([*self._dice.choices(WORDS, k=self._dice.choice([1, 3, 12])), f"m{self._count}z"])

    def some(self) -> str | None:
        return self._dice.choice(sorted(self.model.rows)) if self.model.rows else None

    def store(self) -> None:
        dice = self._dice
        given: Json = {"scope": dice.choice(SCOPES), "category": dice.choice(CATEGORIES), "tags": dice.sample(TAGS, 1)}
        row = Row(self.text(), given["scope"], given["category"], tuple(given["tags"]))
        if dice.random() < 0.3:
            given["canonicalKey"] = dice.choice(["家:", "家："]) + row.category
            row.key = row.category
        if dice.random() < 0.2:
            given["validUntil"] = "2020-01-01"
            row.ended = True
        known = None if row.key is None or row.ended else self.model.under(row.scope, row.key)
        told = self._ask("store_memory", text=row.text, **given)
        if known is None or row.category not in LATEST_WINS:
            assert told["disposition"] == "stored", told
        else:
            assert (told["disposition"], told["id"]) == ("updated", known), told
            self.model.rows[told["previous"]] = replace(self.model.rows[known], superseded_by=known)
        self.model.rows[told["id"]] = row

    def forget(self) -> None:
        if (id := self.some()) is not None:
            self._ask("forget_memory", memoryId=id, confirm=True)
            self.model.forget(id)

    def follow(self) -> None:
        text = self.text()
        told = self._ask("StoreMemory", Title="題", Content=text, Context="文脈")
        self.model.rows[told["message"].split()[-1]] = Row(text)

    def observe(self) -> None:
        name, text = self._dice.choice(NAMES), self.text()
        told = self._ask("remember_fact", entityName=name, entityType="person", observation=text)
        assert (
            self.model.entities.setdefault(name.replace("ＪＥＦＦ", "jeff").lower(), told["entityId"])
            == told["entityId"]
        )
        self.model.rows[told["observationId"]] = Row(text, category="entities", entity=told["entityId"])

    def save_entry(self) -> None:
        text, tags = self.text(), self._dice.sample(TAGS, 2)
        at = datetime(2025, 1, 1, tzinfo=timezone.utc) + timedelta(days=self._count)
        entry = {"kind": "log", "text": text, "tags": tags, "saved_time": at.isoformat()}
        self.model.rows[self._ask("chronica_save_entry", entry=entry)["entry_id"]] = Row(text, tags=tuple(tags))

    def rewrite(self) -> None:
        id = self.some()
        if id is None or self.model.rows[id].key or not self.model.rows[id].is_live:
            return
        text = self.text()
        self._ask("chronica_save_entry", entry={"entry_id": id, "kind": "log", "text": text})
        self.model.rows[id] = replace(self.model.rows[id], text=text, tags=(), ended=False)

    def write_node(self) -> None:
        label, text = self._dice.choice(LABELS), self.text()
        told = self._ask("upsert_memory_node", type="concept", label=label, content=text)
        node = self.model.nodes.setdefault(label.replace("ａｕｔｈ", "auth").lower(), told["id"])
        assert told["id"] == node
        content = self.model.contents.get(node)
        if content is None:
            found = self._ask("query_memory", mode="entity", entityName=label, entityTypes=["concept"])
            (content,) = [each["id"] for each in found["observations"]]
        known = self.model.rows.get(content, Row(""))
        self.model.rows[content] = replace(known, text=text)
        self.model.contents[node] = content

    def relate(self) -> None:
        places = sorted({*self.model.rows, *self.model.nodes.values()})
        if len(places) > 1:
            ends, type = self._dice.sample(places, 2), self._dice.choice(RELATIONS)
            self._ask("create_relation", source_id=ends[0], target_id=ends[1], relation=type)
            self.model.edges.add(Edge(*map(self.model.place, ends), type))


def check(model: Model, ask: Ask, dice: random.Random) -> None:
    """What a server answers, against the model."""
    listed = [
        each["memory_id"] for each in ask("SearchMemory", query="", search_type="filtered", limit=100)["search_results"]
    ]
    assert sorted(listed) == sorted(model.live())
    stats = ask("memory_stats")
    assert stats["byScope"] == Counter(row.scope for row in model.rows.values())
    assert stats["byCategory"] == Counter(row.category for row in model.rows.values())
    for tags in combinations(TAGS, 2):
        found = [each["entry_id"] for each in ask("chronica_search", tags=list(tags), limit=1000)["entries"]]
        assert sorted(found) == sorted(model.live(lambda row, tags=tags: {*row.tags} & {*tags}))
    size = ask("search_memory_graph", query="")["totals"]
    assert size == {"nodes": len(model.valid()) + len(model.entities), "edges": len(model.edges)}
    for name, entity in model.entities.items():
        told = ask("query_memory", mode="entity", entityName=name, entityTypes=["person"], maxObs=100)["observations"]
        assert sorted(each["id"] for each in told) == sorted(
            model.live(lambda row, entity=entity: row.entity == entity)
        )
    for id in some(dice, model.rows):
        row = model.rows[id]
        mark = row.text.split()[-1]
        assert id in found_by(ask, mark, includeArchived=True, includeExpired=True), row
        for scope in SCOPES:
            covered = row.scope == scope or (row.scope, scope) == ("cc:1", "cc")
            is_found = id in found_by(ask, mark, scope=scope)
            assert is_found is (covered and row.is_live and not row.ended), (row, scope)
    for place in some(dice, {*model.valid(), *model.nodes.values()}):
        start = model.place(place)
        walked = ask("retrieve_with_traversal", start_node_id=place, max_depth=3, edge_filter=RELATIONS)["nodes"]
        assert {each["id"]: each["depth"] for each in walked} == model.walk(start, 3)


def some(dice: random.Random, ids: Collection[str]) -> list[str]:
    return dice.sample(sorted(ids), min(SAMPLES, len(ids)))


def found_by(ask: Ask, query: str, **given: Any) -> set[str]:
    """The ids that a search of one scope, or of all, finds, which never become surer down the list."""
    results = ask(
        "search_memory", query=query, limit=20, **({"allScopes": True} if "scope" not in given else {}), **given
    )
    scores = [each["score"] for each in results["results"]]
    assert scores == sorted(scores, reverse=True)
    return {id for each in results["results"] for id in (each["id"], *each.get("alike", ()))}


class Servers:
    """Two servers of one store. Each call is given to one of them; the first is killed now and then."""

    def __init__(self, data: Path, dice: random.Random) -> None:
        self._servers = [OverStdio(data), OverStdio(data)]
        self._dice = dice

    def ask(self, name: str, **arguments: Any) -> Json:
        return asking(self._dice.choice(self._servers))(name, **arguments)

    def check(self, model: Model) -> None:
        """Each of them against the model."""
        for server in self._servers:
            check(model, asking(server), self._dice)

    def agree_with(self, ask: Ask, name: str, **arguments: Any) -> None:
        """Whether both give the answer of `ask`, once they have read older texts again for the names of newer entities."""
        wanted = ask(name, **arguments)
        for _ in range(TRIES):
            answers = [asking(server)(name, **arguments) for server in self._servers]
            if answers == [wanted, wanted]:
                return
            sleep(BETWEEN_SECONDS)
        raise AssertionError((name, arguments, wanted, answers))

    def kill_first(self) -> None:
        """Without a warning; then begin it anew."""
        self._servers[0].kill(self._dice)
        self._servers[0].recover()

    def end(self) -> None:
        assert [server.end() for server in self._servers] == [0, 0]


def asking(server: OverStdio) -> Ask:
    """A function that calls a tool of the server by its name, and gives the structured answer."""

    def ask(name: str, **arguments: Any) -> Json:
        answer = server.call(name, arguments)["result"]
        assert not answer["isError"], (name, arguments, answer)
        told: Json = answer["structuredContent"]
        return told

    return ask


@contextmanager
def opened(data: Path) -> Iterator[tuple[Memories, Ask]]:
    """A copy of the store, opened in this process, and its tools."""
    settings = load({"data": str(data), "tools": "all"}, {})
    with app.opened(settings) as found:
        call = as_served(app.tools(found.memories, settings))
        yield found.memories, lambda name, **arguments: dict(call(name, **arguments).structured or {})


def rows_in(file: Path) -> list[str]:
    return sorted(file.read_text(encoding="utf-8").splitlines())


def test_random_calls_of_all_doors_leave_what_a_model_says(tmp_path: Path, attacks: Callable[[int, int], int]) -> None:
    for number in range(1, attacks(2, 21)):
        folder = tmp_path / str(number)
        folder.mkdir()
        attack(folder, random.Random(number))


def attack(folder: Path, dice: random.Random) -> None:
    servers = Servers(folder / "store", dice)
    try:
        history = History(servers.ask, dice)
        for _ in range(STRETCHES):
            for _ in range(CALLS):
                history.step()
            servers.check(history.model)
            servers.kill_first()
        servers.check(history.model)
        command("doctor", folder / "store")
        check_copies(folder, history.model, servers, dice)
    finally:
        servers.end()


def check_copies(folder: Path, model: Model, servers: Servers, dice: random.Random) -> None:
    """An export that was imported, and a backup that was restored: it has no index, so that one is made anew."""
    command("export", folder / "store", str(folder / "all.jsonl"))
    command("backup", folder / "store", str(folder / "all.zip"))
    restore(folder / "all.zip", folder / "restored")
    with opened(folder / "restored") as (_, ask):
        for text in sorted(row.text for row in model.rows.values()):
            servers.agree_with(ask, "search_memory", query=text, allScopes=True, graph=True, limit=20)
            servers.agree_with(ask, "search_memory_graph", query=text, max_depth=3, top_k=20)
    with opened(folder / "imported") as (memories, ask):
        import_files(memories, [folder / "all.jsonl"])
        export(memories, folder / "again.jsonl")
        assert rows_in(folder / "again.jsonl") == rows_in(folder / "all.jsonl")
        check(model, ask, dice)
