-- The same for entities and relations.

ALTER TABLE entities ADD COLUMN checksum INTEGER;
ALTER TABLE relations ADD COLUMN checksum INTEGER;
