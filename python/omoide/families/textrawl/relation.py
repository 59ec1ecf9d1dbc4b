"""`relate_entities`: creates a typed edge between two entities."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.errors import Conflict, NotFound, filled, shortened
from omoide.families.textrawl import translate, wire
from omoide.families.textrawl.context import FAMILY, Context, refuse, with_own_errors
from omoide.families.textrawl.refusals import SELF_REFERENTIAL
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory import Memories
from omoide.memory.observe import spelled
from omoide.model.relation import Ref, Relation

NAME = "relate_entities"
#: An entity, or the name and type of one to create.
End = Ref | tuple[str, str | None]


def tool(context: Context) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Relate Entities",
        description=wire.RELATE_ENTITIES_DESCRIPTION,
        input_schema=wire.RELATE_ENTITIES_INPUT,
        output_schema=wire.RELATE_ENTITIES_OUTPUT,
        run=with_own_errors(NAME, context, lambda _, arguments: _relate(context, arguments)),
        idempotent=True,
        refuse=refuse(NAME, context),
        family=FAMILY,
    )


def _relate(context: Context, arguments: Arguments) -> Result:
    relation = store(context.memories, arguments)
    ends = {end.id: end for end in context.memories.entities_by_id([relation.source.id, relation.target.id])}
    if relation.source.id not in ends or relation.target.id not in ends:
        raise NotFound(
            "The relation was stored, but one of its ends has been forgotten since, and the relation with it.",
            hint="If it is to stand, store it again.",
            also={
                "ja": "関係は保存しましたが、その後どちらかの端が削除され、関係も消えました。残すなら、もう一度保存してください。",
                "zh": "关系已保存，但之后其中一端被删除，关系也就没有了。如需保留，请再次保存。",
            },
        )
    answer = wire.new_relation(
        relation, arguments["relation"].strip(), ends[relation.source.id], ends[relation.target.id]
    )
    return context.respond(answer, wire.compact_relation(answer))


def store(memories: Memories, arguments: Arguments) -> Relation:
    """Relate two entities, created if missing. Raises InvalidArgument, Conflict (both are the same entity)."""
    type = translate.relation_type(arguments["relation"])
    sources = _ends(memories, translate.name_in(arguments, "fromEntity"), arguments.get("fromEntityType"))
    targets = _ends(memories, translate.name_in(arguments, "toEntity"), arguments.get("toEntityType"))
    source, target = _stated(memories, sources, targets, type) or (sources[0], targets[0])
    if _are_one(source, target):
        raise Conflict(
            f"Both ends are {arguments['fromEntity']}; nothing was written.",
            hint="Entity type params are optional — omit them if unsure. Pass two different entities.",
            code=SELF_REFERENTIAL,
            also=filled(
                {
                    "ja": "両端とも {name} です。同じものどうしは関係づけられません。何も書き込んでいません。",
                    "zh": "两端都是“{name}”。实体不能与自身建立关系。没有写入任何内容。",
                },
                name=shortened(arguments["fromEntity"]),
            ),
        )
    return memories.relate(source, target, type)


def _ends(memories: Memories, name: str, type: str | None) -> Sequence[End]:
    """The entities and nodes of that name, the one that is meant first; else the one to create: a name with other accents may be
    somebody else's."""
    named = memories.entities_named(name, type)
    known = named or [each for each in (memories.meant_by(name, type),) if each is not None]
    return [Ref("entity", each.id) for each in known] or [(name, type)]


def _stated(memories: Memories, sources: Sequence[End], targets: Sequence[End], type: str) -> tuple[Ref, Ref] | None:
    """The ends of the relation, where it stands already between others than the first: said again, it is one relation, though one
    of the names has been given to something else since."""
    if len(sources) == len(targets) == 1:
        return None
    return next(
        (
            (source, each.end)
            for source in sources
            if isinstance(source, Ref)
            for each in memories.related(source)[0]
            if each.type == type and each.end in targets
        ),
        None,
    )


def _are_one(source: End, target: End) -> bool:
    """Whether the two ends are, or would become, one entity: a target without a type is whatever has the name, the source too."""
    if isinstance(source, Ref) or isinstance(target, Ref):
        return source == target
    name, type = source[0], source[1] or "concept"
    return spelled(name) == spelled(target[0]) and target[1] in (None, type)
