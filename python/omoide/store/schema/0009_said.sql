-- What an observation says, as a number of its folded text: what an entity is said to be once more is found at once. NULL
-- where it was written before; it is told when it is first asked for. Threads know the scopes of their entries.

ALTER TABLE memory_entities ADD COLUMN said INTEGER;
DROP INDEX IF EXISTS memory_entities_entity;
CREATE INDEX memory_entities_entity ON memory_entities (entity, said);
DROP INDEX IF EXISTS memories_thread;
CREATE INDEX memories_thread ON memories (thread, scope) WHERE thread IS NOT NULL;
