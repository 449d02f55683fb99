"""Turn the files that a benchmark publishes into a gold package, one module a layout. Never run by the app."""
