"""Contents of edits against the texts of the files that they change; knows texts, no files and no policy."""
