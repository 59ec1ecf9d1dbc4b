-- The scope that a thread was created in by a process pinned to it; '' for all others.

ALTER TABLE threads ADD COLUMN home TEXT NOT NULL DEFAULT '';
