-- Whoever opens a store and writes begins a history: from `first_seq` on, changes are its own. A store that is put back to
-- an older state and written again has another history there, which tells indexes that followed what is gone.

CREATE TABLE histories (
    first_seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL
);
