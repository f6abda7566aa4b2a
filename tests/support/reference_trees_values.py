"""Folders where modules are values, and names are in quotes; see `reference_trees` for their comments."""

from __future__ import annotations

_MODULES = {
    "src/real.ts": """\
export function target() { return 1; }
""",
    "src/index.ts": """\
export { target as renamed } from './real';  // yes
export * as whole from './real';
""",
    "src/values.ts": """\
import * as real from './real';
import { whole } from './index';
const { target } = real;  // yes
const { target: other } = real;  // yes
const again = real;
again.target();  // yes
whole.target();  // perhaps
const { target: third } = whole;  // perhaps
import Old = real.target;  // yes
""",
    "src/later.ts": """\
async function later() {
  import('./real').then(({ target }) => target());  // yes
  import('./real').then((real) => real.target());  // yes
  import('./real').then(real => real['target']());  // perhaps
  return import('./real').then(function (real) { return real.target; });  // yes
}
fetch('x').then(({ target }) => 1);  // perhaps
""",
    "src/strange.ts": """\
import { target } from 'outside';  // no: outside
import('outside').then(({ target }) => target());  // no: outside
function own(target: string) { return target; }  // no: binding
""",
    "package.json": """\
{"name": "values", "dependencies": {"outside": "1"}}
""",
}

_QUOTED = {
    "pkg/__init__.py": "",
    "pkg/real.py": """\
def target(): pass
""",
    "use.py": """\
from typing import NewType, TypeVar, cast
from pkg import real
from pkg.real import target  # yes
a = getattr(real, "target")  # perhaps
b = hasattr(real, "target") or setattr(real, "target", 1)  # perhaps
T = TypeVar("T", bound="target")  # perhaps
U = TypeVar("U", "target", int)  # perhaps
N = NewType("N", "target")  # perhaps
c = cast("target", 1)  # perhaps
class Body:
    early = target  # yes
    target = staticmethod(target)  # yes
    late = target  # no: binding
    def inside(self): return target()  # yes
""",
}
VALUES = {"typescript-values": (_MODULES, "target", "src/real.ts"), "python-quoted": (_QUOTED, "target", "pkg/real.py")}
