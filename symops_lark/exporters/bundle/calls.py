"""How calls are translated: arguments given by name are put in their places when the code is made."""

from __future__ import annotations

import ast
import json

from .names import METHODS, Names, parameter_list

_BY_NAME = {  # what built-in functions take by name, behind their other arguments
    "sorted": ("key", "reverse"),
    "min": ("key", "default"),
    "max": ("key", "default"),
    "bisect_right": ("key",),
    "bisect_left": ("key",),
    "sort": ("key", "reverse"),
    "sub": ("count",),
    "enumerate": ("start",),
}
_PYTHONS_OWN = {name for kind in (str, list, tuple, dict, set, int, float) for name in dir(kind)} - METHODS
_IGNORED = {"strict"}  # lengths that differ are an error in Python alone


def translate_call(node: ast.Call, to: Names) -> str:
    """Return a call."""
    function = node.func
    if isinstance(function, ast.Name) and not to.is_local(function.id):
        return _call_name(function.id, node, to)
    if isinstance(function, ast.Name) and to.class_parameter == function.id:
        if node.keywords and node.keywords[0].arg is None:
            return f"$make({to.name(function.id)}, {to.expression(node.keywords[0].value)})"
        return f"new {to.name(function.id)}({_arguments(node, to)})"
    if isinstance(function, ast.Attribute):
        return _call_method(function, node, to)
    if isinstance(function, ast.Call) and ast.unparse(function.func) == "type":
        return f"$make({_list(function.args, to)}.constructor, {to.expression(node.keywords[0].value)})"
    return f"{to.expression(function)}({_arguments(node, to)})"


def _list(nodes: list[ast.expr], to: Names) -> str:
    return ", ".join(map(to.item, nodes))


def _arguments(node: ast.Call, to: Names) -> str:
    if node.keywords:
        raise to.refuse(node)
    return _list(node.args, to)


def _call_name(name: str, node: ast.Call, to: Names) -> str:
    if name == "isinstance":
        return f"$isinstance({to.expression(node.args[0])}, {to.kinds(node.args[1])})"
    if name == "replace":
        changes = ", ".join(f"{key.arg}: {to.value(key.value)}" for key in node.keywords)
        return f"$replace({_list(node.args, to)}, {{{changes}}})"
    if name in to.classes.enums:
        return f"$member({to.name(name)}, {_arguments(node, to)})"
    if name in to.classes.made:
        parameters = to.classes.parameters(name)
        return f"new {to.name(name)}({_place(node, parameters, to)})"
    if name in to.functions:
        return f"{to.name(name)}({_place_function(node, to.functions[name], to, method=False)})"
    shown = to.expression(node.func)
    return f"{shown}({_by_name(name, node, to)})"


def _by_name(name: str, node: ast.Call, to: Names) -> str:
    given = {str(key.arg): key.value for key in node.keywords if key.arg not in _IGNORED}
    known = _BY_NAME.get(name, ())
    if set(given) - set(known):
        raise to.refuse(node)
    parts = [_list(node.args, to)] if node.args else []
    if given:
        shown = ", ".join(f"{key}: {to.value(value)}" for key, value in given.items())
        parts.append(f"new $Named({{{shown}}})")
    return ", ".join(parts)


def _place(node: ast.Call, parameters: list[str], to: Names) -> str:
    """Return arguments in the places of their parameters; those that are left out in between are undefined."""
    if not node.keywords:
        return _list(node.args, to)
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        raise to.refuse(node)
    given = {str(key.arg): to.value(key.value) for key in node.keywords}
    if set(given) - set(parameters):
        raise to.refuse(node)
    rest = parameters[len(node.args) :]
    last = max((at for at, name in enumerate(rest) if name in given), default=-1)
    placed = [given.get(name, "undefined") for name in rest[: last + 1]]
    return ", ".join([*map(to.item, node.args), *placed])


def _place_function(node: ast.Call, function: ast.FunctionDef, to: Names, *, method: bool) -> str:
    arguments = function.args
    if arguments.vararg is None or not arguments.kwonlyargs:
        return _place(node, [name for name, _ in parameter_list(function, method=method)], to)
    before = len(arguments.args) - method
    rest = f"[{_list(node.args[before:], to)}]"
    named = {str(key.arg): to.value(key.value) for key in node.keywords}
    values = [named.get(each.arg, "undefined") for each in arguments.kwonlyargs]
    return ", ".join([*map(to.item, node.args[:before]), rest, *values])


def _call_method(function: ast.Attribute, node: ast.Call, to: Names) -> str:
    name = function.attr
    shown = ast.unparse(function)
    if ast.unparse(function.value) == "super()":
        return f"super.{name}({_arguments(node, to)})"
    if shown == "str.__new__":
        return f"$new_text({_list(node.args, to)})"
    if shown in _LIBRARY:
        return f"{_LIBRARY[shown]}({_arguments(node, to)})"
    owner = to.expression(function.value)
    if name == "_replace" and node.keywords and not node.args:
        changes = ", ".join(f"{key.arg}: {to.value(key.value)}" for key in node.keywords)
        return f"$replace({owner}, {{{changes}}})"
    if name == "format":
        return f"$format({owner}, {_format_values(node, to)})"
    methods = to.classes.methods.get(name, [])
    if name in METHODS:
        if node.keywords and methods:
            raise to.refuse(node)
        return f"$call({', '.join([owner, json.dumps(name), *filter(None, [_by_name(name, node, to)])])})"
    if methods and not node.keywords and not any(method.args.kwonlyargs and method.args.vararg for method in methods):
        return f"{owner}.{name}({_list(node.args, to)})"
    if methods:
        places = {_place_function(node, method, to, method=True) for method in methods if _takes(method, node)}
        if len(places) != 1:
            raise to.refuse(node)
        return f"{owner}.{name}({places.pop()})"
    if name in _PYTHONS_OWN:
        raise to.refuse(node)  # the runtime lacks it, and would fail where it is run
    return f"{owner}.{name}({_by_name(name, node, to)})"


def _takes(method: ast.FunctionDef, node: ast.Call) -> bool:
    names = {each.arg for each in (*method.args.args, *method.args.kwonlyargs)}
    return all(key.arg in names for key in node.keywords)


def _format_values(node: ast.Call, to: Names) -> str:
    """Return what a template is filled with, as one dict."""
    rows = [
        f"...$items({to.expression(key.value)})"
        if key.arg is None
        else f"[{json.dumps(key.arg)}, {to.value(key.value)}]"
        for key in node.keywords
    ]
    return f"$dict([{', '.join(rows)}])"


_LIBRARY = {
    "json.loads": "$json_loads",
    "unicodedata.normalize": "$normalize",
    "unicodedata.combining": "$combining",
    "unicodedata.east_asian_width": "$width",
    "str.maketrans": "$maketrans",
    "dict.fromkeys": "$fromkeys",
}
