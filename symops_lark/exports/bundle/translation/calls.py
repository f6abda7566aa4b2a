"""Translate calls. Arguments that are passed by name move to the places of their parameters."""

from __future__ import annotations

import ast
import json
from ast import Attribute, BinOp, Call, Constant, Dict, FunctionDef, Name, Starred, Tuple
from collections.abc import Sequence

from .comprehensions import Comprehensions, read_eagerly, wrap_method
from .names import METHODS, ONLY_KIND, call, parameter_list

# The arguments that functions of the runtime take by name.
_NAMED_ARGUMENTS = {
    "sorted": ("key", "reverse"),
    "min": ("key", "default"),
    "max": ("key", "default"),
    "bisect_right": ("key",),
    "bisect_left": ("key",),
    "sort": ("key", "reverse"),
    "sub": ("count",),
    "enumerate": ("start",),
}
# The argument of `zip`. Different lengths are an error only in Python.
_IGNORED_ARGUMENTS = {"strict"}
_TYPES = (str, list, tuple, dict, set, int, float)
# Methods of Python that the runtime lacks.
_MISSING = {name for kind in _TYPES for name in dir(kind)} - METHODS
_LIBRARY = {
    "json.loads": "$json_loads",
    "unicodedata.normalize": "$normalize",
    "unicodedata.combining": "$combining",
    "unicodedata.east_asian_width": "$width",
    "str.maketrans": "$maketrans",
    "dict.fromkeys": "$fromkeys",
}


class Calls(Comprehensions):
    """Translates calls."""

    def _of_Call(self, node: Call) -> str:
        return self.short_circuit(node) or self._call(wrap_method(read_eagerly(node)))

    def _call(self, node: Call) -> str:
        match node:
            case Call(func=Name(id=name)) if not self.is_local(name):
                return self._call_name(name, node)
            case Call(func=Name(id=name), keywords=[ast.keyword(arg=None, value=fields)]):
                if name == self.class_parameter:
                    return call("$make", self.name(name), self.expression(fields))
            case Call(func=Name(id=name)) if name == self.class_parameter:
                return call(f"new {self.name(name)}", self._arguments(node))
            case Call(func=Attribute() as function):
                return self._call_method(function, node)
            case Call(func=Call(func=Name(id="type"), args=values)):
                # `type(self)(**fields)`
                class_ = f"{self.items(values)}.constructor"
                return call("$make", class_, self.expression(node.keywords[0].value))
        return call(self.expression(node.func), self._arguments(node))

    def _arguments(self, node: Call) -> str:
        if node.keywords:
            raise self.refuse(node)
        return self.items(node.args)

    def _call_name(self, name: str, node: Call) -> str:
        # Some functions need arguments in another form, whatever defines the name.
        if name == "isinstance":
            value, classes = node.args
            code = self.expression(value)
            return call("$isinstance", code, self.kinds(classes))
        if name == "replace":
            return call("$replace", self.items(node.args), self._object(node.keywords))
        if name in self.classes.enums:
            return call("$member", self.name(name), self._arguments(node))
        if name in self.classes.made:
            parameters = self.classes.parameters(name)
            return call(f"new {self.name(name)}", self._place(node, parameters))
        if name in self.functions:
            function = self.functions[name]
            return call(self.name(name), self._place_function(node, function, is_method=False))
        # A built-in function.
        return call(self.expression(node.func), *self._runtime_arguments(name, node))

    def _runtime_arguments(self, name: str, node: Call) -> list[str]:
        """Return the arguments for a function of the runtime."""
        keywords = [keyword for keyword in node.keywords if keyword.arg not in _IGNORED_ARGUMENTS]
        for keyword in keywords:
            if keyword.arg not in _NAMED_ARGUMENTS.get(name, ()):
                raise self.refuse(node)
        further = [call("new $Named", self._object(keywords))] if keywords else []
        return [*map(self.item, node.args), *further]

    def _object(self, keywords: Sequence[ast.keyword]) -> str:
        """Return arguments that are passed by name as an object of JavaScript."""
        members = [f"{keyword.arg}: {self.value(keyword.value)}" for keyword in keywords]
        return f"{{{', '.join(members)}}}"

    def _dictionary(self, keywords: Sequence[ast.keyword]) -> str:
        """Return arguments that are passed by name as a dictionary of the runtime."""
        dictionary = Dict([], [])
        for keyword in keywords:
            # `**values` has no name, as in a dictionary.
            name = None if keyword.arg is None else Constant(keyword.arg)
            dictionary.keys.append(name)
            dictionary.values.append(keyword.value)
        return self.expression(dictionary)

    def _place(self, node: Call, parameters: Sequence[str]) -> str:
        """Return arguments in the places of their parameters; missing ones are undefined."""
        if not node.keywords:
            return self.items(node.args)
        # The number of arguments must be known.
        if any(isinstance(argument, Starred) for argument in node.args):
            raise self.refuse(node)
        by_name = self._named_arguments(node)
        arguments = list(map(self.item, node.args))
        for name in parameters[len(arguments) :]:
            # The last parameters need no value.
            if not by_name:
                break
            arguments.append(by_name.pop(name, "undefined"))
        if by_name:
            raise self.refuse(node)
        return ", ".join(arguments)

    def _named_arguments(self, node: Call) -> dict[str, str]:
        arguments = {}
        for keyword in node.keywords:
            # `**values` has names that are known only when the code runs.
            if keyword.arg is None:
                raise self.refuse(node)
            arguments[keyword.arg] = self.value(keyword.value)
        return arguments

    def _place_function(self, node: Call, function: FunctionDef, *, is_method: bool) -> str:
        parameters = function.args
        if parameters.vararg is None or not parameters.kwonlyargs:
            names = [name for name, _ in parameter_list(function, is_method=is_method)]
            return self._place(node, names)
        # A list of all further arguments comes before those that are passed by name.
        count = len(parameters.args) - is_method
        # The runtime takes further arguments as one list.
        further = f"[{self.items(node.args[count:])}]"
        by_name = self._named_arguments(node)
        last = [by_name.get(parameter.arg, "undefined") for parameter in parameters.kwonlyargs]
        return ", ".join([*map(self.item, node.args[:count]), further, *last])

    def _call_method(self, function: Attribute, node: Call) -> str:
        name = function.attr
        path = ast.unparse(function)
        # A method of the base.
        if path == f"super().{name}":
            return call(f"super.{name}", self._arguments(node))
        if path == "str.__new__":
            return call("$new_text", self.items(node.args))
        # The owner is a module or a type, which JavaScript does not have.
        if path in _LIBRARY:
            return call(_LIBRARY[path], self._arguments(node))
        owner = self.expression(function.value)
        if name == "_replace" and node.keywords and not node.args:
            return call("$replace", owner, self._object(node.keywords))
        if name == "format":
            return call("$format", owner, self._dictionary(node.keywords))
        methods = self.classes.methods.get(name, [])
        # The owner can be an object of the bundle, or a text, list, dictionary or set: the
        # runtime chooses.
        if name in METHODS:
            if node.keywords and methods:
                raise self.refuse(node)
            kind = ONLY_KIND.get(name, "")
            if methods:
                kind = ""
            return self._call_runtime(owner, name, node, kind)
        if methods:
            return call(f"{owner}.{name}", self._method_arguments(node, methods))
        # It would fail only when it runs.
        if name in _MISSING:
            raise self.refuse(node)
        return call(f"{owner}.{name}", *self._runtime_arguments(name, node))

    def _method_arguments(self, node: Call, methods: Sequence[FunctionDef]) -> str:
        """Return the arguments for a method; `methods` are all that have its name."""
        has_list = any(method.args.kwonlyargs and method.args.vararg for method in methods)
        if not node.keywords and not has_list:
            return self.items(node.args)
        forms = set()
        for method in methods:
            if _takes(method, node):
                forms.add(self._place_function(node, method, is_method=True))
        # The class of the owner is unknown, so all must agree.
        if len(forms) != 1:
            raise self.refuse(node)
        return forms.pop()

    def _call_runtime(self, owner: str, name: str, node: Call, kind: str) -> str:
        """Return a call of a method that the runtime defines.

        Args:
            owner: The code of the object.
            name: The name of the method.
            node: The call.
            kind: The kind of the object; empty: it is unknown.
        """
        arguments = self._runtime_arguments(name, node)
        if not kind:
            return call("$call", owner, json.dumps(name), *arguments)
        # Members of enums are texts with more fields.
        if kind == "text":
            return call(f"$strings.{name}", call("$plain", owner), *arguments)
        return call(f"${kind}s.{name}", owner, *arguments)

    def kinds(self, node: ast.expr) -> str:
        """Return the classes of a test with `isinstance` or of a handler."""
        match node:
            case Tuple(elts=classes):
                return f"[{', '.join(map(self.kinds, classes))}]"
            case BinOp(left=left, right=right):
                return f"[{self.kinds(left)}, {self.kinds(right)}]"
        return self.expression(node)


def _takes(method: FunctionDef, node: Call) -> bool:
    """Return whether a method has parameters with the names of all arguments of a call."""
    parameters = [*method.args.args, *method.args.kwonlyargs]
    names = {parameter.arg for parameter in parameters}
    return all(keyword.arg in names for keyword in node.keywords)
