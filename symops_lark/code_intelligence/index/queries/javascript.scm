; Definitions that JavaScript and TypeScript have in common.
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name) @variable
(object_pattern (shorthand_property_identifier_pattern) @name) @bound
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @name) @bound
(pair_pattern value: (identifier) @name) @bound
(array_pattern (identifier) @name) @bound
(assignment_pattern left: (identifier) @name) @bound
(rest_pattern (identifier) @name) @bound
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(import_statement source: (string (string_fragment) @name)) @import
(export_statement source: (string (string_fragment) @name)) @import
(call_expression function: (identifier) @_called arguments: (arguments . (string (string_fragment) @name))
  (#eq? @_called "require")) @import
