-- Of all that a row says but who read it when; NULL in rows that were last written before there were any.

ALTER TABLE memories ADD COLUMN checksum INTEGER;
