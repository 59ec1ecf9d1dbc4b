-- `said`: a checksum of an observation's folded text, to find an observation that says the same without reading all of them.
-- NULL where the row was written before this column existed; it is filled in when it is first needed.
-- The index of threads also has the scopes of their entries.

ALTER TABLE memory_entities ADD COLUMN said INTEGER;
DROP INDEX IF EXISTS memory_entities_entity;
CREATE INDEX memory_entities_entity ON memory_entities (entity, said);
DROP INDEX IF EXISTS memories_thread;
CREATE INDEX memories_thread ON memories (thread, scope) WHERE thread IS NOT NULL;
