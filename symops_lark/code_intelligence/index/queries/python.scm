; Definitions of Python; names that are assigned count outside of functions.
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(assignment left: (identifier) @name) @bound
(for_statement left: (identifier) @name) @bound
(named_expression name: (identifier) @name) @bound
(as_pattern_target (identifier) @name) @bound
(as_pattern_target (tuple (identifier) @name)) @bound
(as_pattern_target (list (identifier) @name)) @bound
(pattern_list (identifier) @name) @bound
(tuple_pattern (identifier) @name) @bound
(list_pattern (identifier) @name) @bound
(list_splat_pattern (identifier) @name) @bound
(case_pattern (dotted_name . (identifier) @name .)) @variable
(case_pattern (as_pattern (identifier) @name .)) @variable
(keyword_pattern (identifier) (dotted_name . (identifier) @name .)) @variable
(splat_pattern (identifier) @name) @variable
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type . (identifier) @name))) @type
(import_statement name: (dotted_name) @name) @import
(import_statement name: (aliased_import name: (dotted_name) @name)) @import
(import_from_statement module_name: (_) @name) @import
