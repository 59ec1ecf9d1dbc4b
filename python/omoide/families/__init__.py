"""The families of tools ("doors"), one package each. They use memory and model, never each other."""
