"""The nouns of omoide: plain frozen values, one noun a file."""
