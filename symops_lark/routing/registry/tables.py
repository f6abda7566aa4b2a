"""The tables of a registry in SQLite, and messages for its errors."""

# Marks notice a change by another program; the triggers prevent one by mistake.
_EVENTS = (
    "CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL,"
    " kind TEXT NOT NULL, model_id TEXT NOT NULL, version TEXT NOT NULL, data TEXT NOT NULL,"
    " mark TEXT NOT NULL)",
    "CREATE TRIGGER events_stay BEFORE UPDATE ON events"
    " BEGIN SELECT RAISE(ABORT, 'events are only added'); END",
    "CREATE TRIGGER events_remain BEFORE DELETE ON events"
    " BEGIN SELECT RAISE(ABORT, 'events are only added'); END",
)
_MODELS = (
    "CREATE TABLE models (model_id TEXT NOT NULL, version TEXT NOT NULL, model TEXT NOT NULL,"
    " mark TEXT NOT NULL, PRIMARY KEY (model_id, version)) WITHOUT ROWID",
)
READ_EVENTS = "SELECT number, at, kind, model_id, version, data, mark FROM events ORDER BY number"
# From each version of the file to the next. The models are built again after it.
MIGRATIONS = (_EVENTS, _MODELS)

# By the second word of the names of SQLite's errors.
EXPLANATIONS = {
    "BUSY": "another process writes to the registry, and does not end",
    "FULL": "the disk is full; nothing was changed",
    "READONLY": "the registry cannot be written to; nothing was changed",
    "CANTOPEN": "the registry cannot be opened: is there the folder, and may it be written to?",
    "NOTADB": "this is not a registry of models",
    "CORRUPT": "the registry is damaged: restore a copy",
    "IOERR": "the registry cannot be read or written (the disk fails); nothing was changed",
}
