"""The vault: task cards, and the only code that opens gold.

Others import its modules by name (`data.cards`, `data.gold` …) and nothing is re-exported here, since the web process
may load cards and must never load the code that opens gold.
"""
