"""The doors: one package per family of tools. Families know memory and model, never each other."""
