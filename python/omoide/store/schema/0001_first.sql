-- Times are microseconds since 1970-01-01 UTC. Structured values are JSON text.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Only the newest change of each row: a reader that has followed up to an older seq still finds every row that has changed
-- since. A removed row keeps its line here, so that its removal is found, too.
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (kind, number)
);

CREATE TABLE memories (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    title TEXT,
    context TEXT,
    kind TEXT,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    topic TEXT,
    scope TEXT NOT NULL,
    thread TEXT,
    thread_type TEXT,
    thread_name TEXT,
    project TEXT,
    session_id TEXT,
    sequence_order INTEGER,
    preceding_id TEXT,
    agent_id TEXT,
    tool TEXT,
    archetype_title TEXT,
    archetype_version TEXT,
    schema_version TEXT,
    source TEXT NOT NULL,
    importance REAL NOT NULL,
    confidence REAL NOT NULL,
    stored_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    event_raw TEXT,
    event_start INTEGER,
    event_end INTEGER,
    event_confidence REAL,
    valid_from INTEGER,
    valid_until INTEGER,
    status TEXT NOT NULL,
    superseded_by TEXT,
    canonical_key TEXT,
    links_source TEXT,
    links_refs TEXT NOT NULL,
    parameters TEXT NOT NULL,
    frames TEXT NOT NULL,
    extra TEXT NOT NULL,
    lang TEXT,
    access_count INTEGER NOT NULL DEFAULT 0,
    last_accessed_at INTEGER
);

CREATE INDEX memories_stored ON memories (stored_at);
CREATE INDEX memories_scope ON memories (scope);
CREATE INDEX memories_category ON memories (category);
CREATE INDEX memories_thread ON memories (thread) WHERE thread IS NOT NULL;
CREATE INDEX memories_key ON memories (scope, canonical_key) WHERE canonical_key IS NOT NULL;
CREATE INDEX memories_preceding ON memories (preceding_id) WHERE preceding_id IS NOT NULL;
CREATE INDEX memories_session ON memories (session_id, sequence_order) WHERE sequence_order IS NOT NULL;

CREATE TABLE entities (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    entity_class TEXT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    type TEXT NOT NULL,
    aliases TEXT NOT NULL,
    description TEXT,
    memory_id TEXT,
    metadata TEXT NOT NULL,
    access_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (entity_class, name_folded, type)
);

CREATE INDEX entities_updated ON entities (updated_at);
CREATE INDEX entities_memory ON entities (memory_id) WHERE memory_id IS NOT NULL;

-- Folded names and aliases.
CREATE TABLE entity_names (
    name_folded TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (number),
    PRIMARY KEY (name_folded, entity)
) WITHOUT ROWID;

CREATE INDEX entity_names_entity ON entity_names (entity);

-- Which memories are observations of which entities; `position` is the place of the entity in the memory's list.
CREATE TABLE memory_entities (
    memory INTEGER NOT NULL REFERENCES memories (number),
    position INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (number),
    PRIMARY KEY (memory, position)
) WITHOUT ROWID;

CREATE INDEX memory_entities_entity ON memory_entities (entity, memory);

CREATE TABLE relations (
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
    UNIQUE (source_kind, source_id, target_kind, target_id, type)
);

CREATE INDEX relations_target ON relations (target_kind, target_id);
CREATE INDEX relations_memory ON relations (memory_id) WHERE memory_id IS NOT NULL;

CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

CREATE TABLE reminders (
    id TEXT PRIMARY KEY,
    trigger TEXT NOT NULL,
    action TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    fired_at INTEGER
);

CREATE INDEX reminders_pending ON reminders (created_at) WHERE status = 'pending';
