; What TypeScript spells in another way.
(field_definition property: (_) @name) @field
