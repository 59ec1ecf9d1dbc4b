"""The nouns of omoide as plain frozen values, one noun per file."""
