; Definitions of Java.
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @interface
(method_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(enum_constant name: (identifier) @name) @variant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(import_declaration (scoped_identifier) @name) @import
