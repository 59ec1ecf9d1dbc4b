-- A checksum of the row without its access counters; NULL in rows that were last written before this column existed.

ALTER TABLE memories ADD COLUMN checksum INTEGER;
