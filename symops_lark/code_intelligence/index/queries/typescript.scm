; Definitions that TypeScript has besides those of JavaScript.
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body name: (_) @name @variant)
(enum_assignment name: (_) @name @variant)
(internal_module name: (identifier) @name) @module
(module name: (identifier) @name) @module
(function_signature name: (identifier) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name) @field
(property_signature name: (_) @name) @field
