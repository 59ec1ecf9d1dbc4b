-- The scope that a node was created in by a process pinned to it; '' for all others. Nodes of two scopes may have the same
-- label, so the `name_folded` of a node with a home ends with that home.

ALTER TABLE entities ADD COLUMN home TEXT NOT NULL DEFAULT '';
