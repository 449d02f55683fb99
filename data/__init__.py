"""The vault: task cards, and the only code that opens gold. Modules are imported by name, since some rooms may not see gold."""
