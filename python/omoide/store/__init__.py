"""The canonical store: its interface (`protocol`) and the implementation in SQLite (`sqlite`)."""
