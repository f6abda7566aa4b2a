; Definitions of Go.
(function_declaration name: (identifier) @name) @function
(method_declaration name: (field_identifier) @name) @method
(method_elem name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(const_spec name: (identifier) @name) @variable
(var_spec name: (identifier) @name) @variable
(field_declaration name: (field_identifier) @name) @field
(import_spec path: (interpreted_string_literal) @name) @import
