-- Each process that opens a store begins a history with its first write; the changes from `first_seq` on belong to it. If a
-- store is restored to an older state and written again, the same change numbers belong to another history, which shows an
-- index that it has followed changes that no longer exist.

CREATE TABLE histories (
    first_seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL
);
