-- Each index costs every write a page or more. One by scope and key tells the scopes and the categories too, and what was
-- added last has the highest number.

DROP INDEX IF EXISTS memories_stored;
DROP INDEX IF EXISTS memories_scope;
DROP INDEX IF EXISTS memories_category;
DROP INDEX IF EXISTS memories_key;
CREATE INDEX memories_key ON memories (scope, canonical_key, category);
