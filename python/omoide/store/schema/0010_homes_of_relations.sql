-- Relations get homes, as entities have: two scopes may state the same relation, each in a row of its own. Until now the
-- metadata of a relation listed the scopes that stated it; each of them gets a row.

CREATE TABLE homed (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    source_kind TEXT NOT NULL,
    source_id TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    type TEXT NOT NULL,
    weight REAL NOT NULL,
    metadata TEXT NOT NULL,
    memory_id TEXT,
    created_at INTEGER NOT NULL,
    checksum INTEGER,
    home TEXT NOT NULL DEFAULT '',
    UNIQUE (source_kind, source_id, target_kind, target_id, type, home)
);

-- Numbers are never reused, not even that of a removed relation.
INSERT INTO sqlite_sequence (name, seq) SELECT 'homed', seq FROM sqlite_sequence WHERE name = 'relations';

CREATE TEMP TABLE marked AS
SELECT r.number AS relation, m.key AS place, m.value AS scope
FROM relations r, json_each(
    CASE WHEN json_valid(r.metadata) THEN
        CASE json_type(r.metadata, '$."omoide:scopes"') WHEN 'array' THEN r.metadata ELSE '{}' END
    ELSE '{}' END,
    '$."omoide:scopes"'
) m
WHERE m.type = 'text';

INSERT INTO homed (
    number, id, source_kind, source_id, target_kind, target_id, type, weight, metadata, memory_id, created_at, home
)
SELECT number, id, source_kind, source_id, target_kind, target_id, type, weight, metadata, memory_id, created_at,
    coalesce((SELECT scope FROM marked WHERE relation = number ORDER BY place LIMIT 1), '')
FROM relations;

INSERT OR IGNORE INTO homed (
    id, source_kind, source_id, target_kind, target_id, type, weight, metadata, memory_id, created_at, home
)
SELECT lower(hex(randomblob(16))), source_kind, source_id, target_kind, target_id, type, weight, metadata, memory_id,
    created_at, scope
FROM marked JOIN relations ON number = relation
ORDER BY relation, place;

-- The memory that a relation was read from is named only in the scope that this memory is in.
UPDATE homed SET
    metadata = json_remove(metadata, '$."omoide:scopes"'),
    memory_id = (
        SELECT id FROM memories m
        WHERE m.id = memory_id AND (m.scope = home OR substr(m.scope, 1, length(home) + 1) = home || ':')
    )
WHERE home <> '';

INSERT OR REPLACE INTO changes (kind, number, at)
SELECT 'relation', number, CAST(strftime('%s', 'now') AS INTEGER) * 1000000 FROM homed WHERE home <> '' ORDER BY number;

DROP TABLE marked;
DROP TABLE relations;
ALTER TABLE homed RENAME TO relations;
CREATE INDEX relations_target ON relations (target_kind, target_id);
CREATE INDEX relations_memory ON relations (memory_id) WHERE memory_id IS NOT NULL;
