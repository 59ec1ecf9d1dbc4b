"""The canonical store: what omoide asks of one (`protocol`), and SQLite as the one that comes with it (`sqlite`)."""
