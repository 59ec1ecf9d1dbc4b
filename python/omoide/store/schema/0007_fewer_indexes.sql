-- Every index makes each write one page or more larger. One index by scope, key and category also serves look-ups by scope
-- and counts by category, and the newest memories are those with the highest numbers.

DROP INDEX IF EXISTS memories_stored;
DROP INDEX IF EXISTS memories_scope;
DROP INDEX IF EXISTS memories_category;
DROP INDEX IF EXISTS memories_key;
CREATE INDEX memories_key ON memories (scope, canonical_key, category);
