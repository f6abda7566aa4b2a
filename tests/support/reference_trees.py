"""Folders in six languages for the law of references: what each line that names the target must be found as.

A comment at the end of a line says `yes` (certain), `perhaps`, or `no: KIND` (left out, and who owns it).
"""

from __future__ import annotations

from reference_trees_compiled import JAVA, RUST, RUST_MEMBERS
from reference_trees_public import PUBLIC
from reference_trees_values import VALUES

SCRIPT = {
    "package.json": """\
{"name": "shop", "workspaces": ["packages/*"]}""",
    "packages/core/package.json": """\
{"name": "@shop/core", "exports": {".": "./dist/index.js", "./deep/*": "./src/deep/*.ts"}}""",
    "packages/core/src/index.ts": """\
export * from './strange';
export { target } from './deep/real';  // yes
export { target as renamed } from './deep/real';  // yes
export * as all from './deep/real';
""",
    "packages/core/src/again.ts": """\
export { default as target } from './deep/real';  // yes
""",
    "packages/core/src/strange.ts": """\
export * from 'unheard-of';
export const other = 1;
""",
    "packages/core/src/deep/real.ts": """\

export function target(): number { return 1; }
export const again = () => target();  // yes
function local(target: number) { return target; }  // no: binding
const keyed = { target: 2 };  // no: role
const short = { target };  // yes
label: for (;;) { break label; }
export default target;  // yes
""",
    "packages/core/src/merged.ts": """\
export interface target { size: number }  // no: definition
export const q: target = { size: 1 };  // no: definition
""",
    "packages/app/package.json": """\
{"name": "app", "dependencies": {"@shop/core": "workspace:*", "cmd-kit": "^1.0.0"}}""",
    "packages/app/tsconfig.json": """\
{"extends": "../../tsconfig.base.json", /* paths */ "compilerOptions": {"paths": {"@/*": ["./src/*"]},}}""",
    "tsconfig.base.json": """\
{"compilerOptions": {"strict": true}} // base""",
    "packages/app/src/barrel/index.ts": """\
export { target } from '@shop/core';  // yes
""",
    "packages/app/src/work.ts": """\
import { target } from '@shop/core';  // yes
target();  // yes
""",
    "packages/app/src/deep.ts": """\
import { target } from '@shop/core/deep/real';  // yes
target();  // yes
""",
    "packages/app/src/alias.ts": """\
import { target as t } from '@/barrel';  // yes
import { target } from './barrel';  // yes
[target].map(t);  // yes
""",
    "packages/app/src/outer.tsx": """\
import { target } from 'cmd-kit';  // no: outside
export const v = <target.Part at={target} />;  // no: outside
""",
    "packages/app/src/node.ts": """\
import { target } from 'node:fs';  // no: outside
target();  // no: outside
""",
    "packages/app/src/unknown.ts": """\
import { target } from 'who-knows';  // perhaps
target();  // perhaps
""",
    "packages/app/src/space.ts": """\
import * as core from '@shop/core';
core.target();  // yes
core.all.target();  // perhaps
""",
    "packages/app/src/lazy.ts": """\
const { target } = await import('@shop/core');  // yes
target();  // yes
const core = await import('@shop/core');
core.target();  // yes
""",
    "packages/app/src/old.cjs": """\
const core = require('@shop/core');
core.target();  // yes
const { target: t } = require('@shop/core');  // yes
""",
    "packages/app/src/auto.vue.ts": """\
export const v = target();  // perhaps
""",
    "packages/app/src/default.ts": """\
import target from '@shop/core/deep/real';  // yes
target();  // yes
""",
    "packages/app/src/some.ts": """\
export const use = (o: { target: () => void }) => o.target();  // perhaps
""",
}
SCRIPT_MEMBERS = {
    "base.ts": """\

export abstract class Base {
  target() { return 0; }  // no: definition
  run() { return this.target(); }  // perhaps
}
export class Stranger { target() { return this.target(); } }  // no: definition
""",
    "middle.ts": """\
import { Base } from './base';
export class Middle extends Base {}
""",
    "sub.ts": """\

import { Middle } from './middle';
export class Sub extends Middle {
  static make() { return new Sub(); }
  target() { return 1; }
  twice() { return this.target() + this.target(); }  // yes
  up() { return super.target(); }  // no: definition
}
const value = new Sub();
value.target();  // perhaps
const { target } = value;  // perhaps
Sub.target();  // yes
target();  // no: definition
""",
}
GO = {
    "go.mod": """\
module example.org/shop
""",
    "doc.go": """\
package shop // the root

func Target() int { return 1 }
""",
    "other_system.go": """\
package shop

var Value = Target()  // yes
var table = map[string]func() int{"a": Target}  // yes
var list = []func() int{Target}  // yes
""",
    "system_one.go": """\
package shop

func System() int { return Target() }  // yes
""",
    "inner_test.go": """\
package shop

var inner = Target  // yes
""",
    "outer_test.go": """\
package shop_test

import "example.org/shop"

var outer = shop.Target()  // yes
""",
    "dot_test.go": """\
package shop_test

import . "example.org/shop"

var dotted = Target()  // yes
""",
    "cmd/main.go": """\
package main

import (
	lib "example.org/shop"
	"example.org/shop/v2x"
	"example.com/else"
)
func main() {
	lib.Target()  // yes
	other.Target()  // no: definition
	else_.Target()  // perhaps
	Target := 1  // no: binding
	_ = Target  // no: binding
}
""",
    "cmd/out.go": """\
package main

import "golang.org/x/text"

var o = text.Target()  // no: outside
""",
    "v2x/other.go": """\
package other

func Target() {}  // no: definition
var O = Target  // no: definition
""",
    "kinds/kinds.go": """\
package kinds

type Box struct { Target int }  // no: definition
var b = Box{Target: 1}  // no: definition
var c = &Box{Target: 1}  // no: definition
func (Box) m(b Box) { _ = b.Target }  // no: role
""",
}
GO_SYSTEMS = {
    "go.mod": """\
module example.org/shop
""",
    "a/a_linux.go": """\
package a

func Target() {}
func one() { Target() }  // yes
""",
    "a/a_darwin.go": """\
package a

func Target() {}  // no: definition
func one() { Target() }  // no: definition
""",
    "a/all.go": """\
package a

func all() { Target() }  // yes
""",
}
GO_FIELDS = {
    "go.mod": """\
module example.org/shop
""",
    "a/a.go": """\
package a

type Key string
const Target Key = "t"  // no: definition
type Box struct { Target int }
type Table map[Key]int
var m = map[Key]int{Target: 1}  // no: definition
var s = []Box{{Target: 2}}  // yes
var p = map[string]*Box{"x": {Target: 2}}  // yes
var x = b.Target  // perhaps
var q = struct{ Target int }{Target: 1}  // perhaps
""",
    "b/b.go": """\
package b

import "example.org/shop/a"

var y = a.Box{Target: 1}  // yes
var z = a.Target  // no: definition
""",
}
PYTHON = {
    "pkg/__init__.py": """\
from .real import target as target  # yes
""",
    "pkg/real.py": """\
def target(): return 1
def again(): return target()  # yes
def local(target): return target  # no: binding
""",
    "pkg/star.py": """\
from .real import *
target()  # yes
""",
    "pkg/lazy.py": """\
def f():
    from pkg import target  # yes
    return target()  # yes
""",
    "pkg/outside.py": """\
from subprocess import target  # no: binding
target()  # no: binding
""",
    "pkg/other.py": """\
def target(): return 2  # no: definition
target()  # no: definition
""",
    "pkg/member.py": """\
def f(x): return x.target()  # perhaps
""",
    "pkg/quoted.py": """\
from pkg import target  # yes
def f(x: "target") -> "list[target | None]": ...  # perhaps
def g(x: Literal["target"], y: Annotated[int, "a target"]): "target"
print("target")
__all__ = ["target"]  # perhaps
""",
    "pkg/keywords.py": """\
unknown(target=1)  # no: role
""",
    "pkg/quoted_other.py": """\
from pkg.other import target  # no: definition
def f(x: "target"): ...  # no: definition
""",
    "pkg/parts.py": """\
from enum import Enum
from typing import Self
class Kind(Enum):
    A = "a"
    def target(self): ...  # no: definition
class Base:
    @classmethod
    def make(cls) -> Self: ...
    def target(self): ...  # no: definition
class Sub(Base):
    def target(self): ...  # no: definition
Kind.A.target()  # no: definition
Sub.make().target()  # no: definition
""",
}
KEYS = {
    "a.ts": """\
export class One { target = 1; other = "target"; }
export function target() { return 'target'; }  // no: definition
export type Kind = One["target"];  // perhaps
export const value = new One()["target"];  // perhaps
export type Part = Pick<One, "target">;  // perhaps
export const text: "target" = "target";
"""
}
PRIVATE = {
    "a.ts": """\
class One {
  #target = 1;
  get() { return this.#target; }  // yes
}
class Two {
  #target = 2;  // no: definition
  get() { return this.#target; }  // no: definition
}
"""
}
PYTHON_FIELDS = {
    "a.py": """\
from abc import ABC
from typing import cast
class Base(ABC):
    def __init__(self, other): self.other = other
class Box(Base):
    __slots__ = ("target",)  # perhaps
    target: int
    def __init__(self, target):  # no: binding
        self.target = target  # yes
class Sub(Box):
    def set(self): self.target = 3  # yes
Box(target=1)  # no: binding
def f(base: Base): return isinstance(base, Box) and base.target  # perhaps
def g(text): return text.target()  # perhaps
def h(box: Box): return type(box).target  # yes
def i(): return cast("Box", 1).target  # yes
class Rival: target = 0  # no: binding
def j(x: Box | Rival): return x.target  # perhaps
def k(x: Rival): return x.target  # no: binding
"""
}
PYTHON_PROPERTY = {
    "a.py": """\
class Box:
    @property
    def target(self): return 1
    def own(self): return self.target  # yes
class Other:
    def target(self): return 2  # no: definition
unknown(target=1)  # perhaps
Other().target()  # no: definition
def f(box: Box): return box.target  # yes
"""
}
TREES = {
    "python": (PYTHON, "target", "pkg/real.py"),
    "python-fields": (PYTHON_FIELDS, "Box.target", "a.py:7"),
    "python-property": (PYTHON_PROPERTY, "Box.target", None),
    "typescript": (SCRIPT, "target", "packages/core/src/deep/real.ts"),
    "typescript-members": (SCRIPT_MEMBERS, "Sub.target", None),
    "typescript-keys": (KEYS, "One.target", None),
    "typescript-private": (PRIVATE, "One.#target", None),
    "go": (GO, "Target", "doc.go"),
    "go-systems": (GO_SYSTEMS, "Target", "a/a_linux.go"),
    "go-fields": (GO_FIELDS, "Box.Target", None),
    "rust": (RUST, "target", "core-lib/src/deep/real.rs"),
    "rust-members": (RUST_MEMBERS, "Cart.target", None),
    "java": (JAVA, "target", "src/shop/Cart.java"),
    **VALUES,
    **PUBLIC,
}
STRANGERS = {  # three other files that define a name, for trees that have it once
    "python": {f"far{n}/m.py": "def NAME(): pass\n" for n in range(3)},
    "typescript": {f"far{n}/m.ts": "export function NAME() {}\n" for n in range(3)},
    "go": {f"far{n}/m.go": f"package far{n}\n\nfunc NAME() {{}}\n" for n in range(3)},
    "rust": {f"far{n}/src/lib.rs": "pub fn NAME() {}\n" for n in range(3)},
    "java": {f"far{n}/M.java": f"package far{n};\nclass M {{ static void NAME() {{}} }}\n" for n in range(3)},
}
