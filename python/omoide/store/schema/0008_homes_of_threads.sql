-- The scope a thread was made in by a process that is pinned to one; '' for everything else.

ALTER TABLE threads ADD COLUMN home TEXT NOT NULL DEFAULT '';
