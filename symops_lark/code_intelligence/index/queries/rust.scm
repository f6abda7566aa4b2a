; Definitions of Rust; an `impl` only says what its functions belong to.
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @variant
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @variable
(static_item name: (identifier) @name) @variable
(mod_item name: (identifier) @name) @module
(macro_definition name: (identifier) @name) @macro
(field_declaration name: (field_identifier) @name) @field
(impl_item type: (type_identifier) @name) @within
(impl_item type: (generic_type type: (type_identifier) @name)) @within
(use_declaration argument: (_) @name) @import
