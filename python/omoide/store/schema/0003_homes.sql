-- The scope a node was made in by a process that is pinned to one; '' for everything else. Two scopes may have nodes of one
-- label: `name_folded` ends with the home of those that have one.

ALTER TABLE entities ADD COLUMN home TEXT NOT NULL DEFAULT '';
