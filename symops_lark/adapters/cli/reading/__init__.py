"""Commands of the core: parse, process, repair, recover, convert, render, stream, rules, schema."""
