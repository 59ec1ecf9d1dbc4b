-- Entities and relations are checked as memories are; NULL in rows that were last written before.

ALTER TABLE entities ADD COLUMN checksum INTEGER;
ALTER TABLE relations ADD COLUMN checksum INTEGER;
