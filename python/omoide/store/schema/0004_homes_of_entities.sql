-- Entities get homes, as nodes have. Until now the metadata of an entity listed the scopes that it was known in. An entity
-- with a single scope gets that as its home; the others are known wherever memories are about them.

UPDATE OR IGNORE entities SET
    home = json_extract(metadata, '$."omoide:scopes"[0]'),
    name_folded = name_folded || ' IN ' || json_extract(metadata, '$."omoide:scopes"[0]'),
    metadata = json_remove(metadata, '$."omoide:scopes"')
WHERE home = '' AND CASE WHEN json_valid(metadata) THEN json_array_length(metadata, '$."omoide:scopes"') END = 1;
