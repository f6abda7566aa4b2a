; Definitions of Python; names that are assigned count outside of functions.
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(assignment left: (identifier) @name) @variable
(assignment left: (pattern_list (identifier) @name)) @variable
(assignment left: (tuple_pattern (identifier) @name)) @variable
(type_alias_statement left: (type (identifier) @name)) @type
(import_statement name: (dotted_name) @name) @import
(import_statement name: (aliased_import name: (dotted_name) @name)) @import
(import_from_statement module_name: (_) @name) @import
