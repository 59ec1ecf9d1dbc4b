-- Entities have homes as nodes do. Until now the scopes that an entity was known in were marked in its metadata: one that
-- was made in a single scope gets its home there; the others are known where memories are about them.

UPDATE OR IGNORE entities SET
    home = json_extract(metadata, '$."omoide:scopes"[0]'),
    name_folded = name_folded || ' IN ' || json_extract(metadata, '$."omoide:scopes"[0]'),
    metadata = json_remove(metadata, '$."omoide:scopes"')
WHERE home = '' AND CASE WHEN json_valid(metadata) THEN json_array_length(metadata, '$."omoide:scopes"') END = 1;
