"""The schema of the SQLite store, one numbered file a version; `omoide.store.migrations` runs them."""
