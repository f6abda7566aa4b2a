"""Constructs that public projects have, in small folders; see `reference_trees` for their comments."""

from __future__ import annotations

_GENERIC_QUOTES = {
    "pkg/__init__.py": "",
    "pkg/real.py": """\
class Target: pass
""",
    "use.py": """\
import typing as t
from pkg.real import Target  # yes
def f(x: t.Optional["Target"], *y: t.Callable[["Target"], None]): pass  # perhaps
def g() -> t.List["Target"] | None: pass  # perhaps
Alias = t.Union["Target", None]  # perhaps
class Box(t.Generic["Target"]): pass  # perhaps
later = t.cast(t.Type["Target"], None)  # perhaps
words: t.Literal["Target"] = t.Literal["Target"]
row = table["Target"]
TABLE["Target"] = ["Target"]
def own(Target): return Target  # no: binding
""",
}
_DECORATED = {
    "pkg/__init__.py": "",
    "pkg/real.py": """\
class Command:
    def target(self): pass
def command(function) -> Command: return Command(function)
""",
    "use.py": """\
from functools import cache
from pkg.real import command
from outside import group
@command
def one(): return 1
@group()
def two(): return 2
@cache
def three(): return 3
def four(): return 4
one.target()  # perhaps
two.target()  # perhaps
two().target()  # perhaps
three.target()  # no: outside
four.target()  # no: outside
""",
}
_DECLARED_AGAIN = {
    "a.py": """\
class Base:
    target: str
    def read(self): return self.target  # yes
class Sub(Base):
    def __init__(self): self.target = ""  # yes
class Typed(Base):
    def __init__(self): self.target: str = ""  # perhaps
def own(target): return target  # no: binding
"""
}
_EMBEDDED = {
    "go.mod": """\
module example.org/e
""",
    "a.go": """\
package e

type Target struct{ size int }
type Top struct{ *Target }  // yes
func (t Top) m() { t.Target.n() }  // perhaps
var x = Top{Target: nil}  // perhaps
func (t *Target) n() {}  // yes
func m() { y := top().Target }  // perhaps
func own(Target int) { _ = Target }  // no: binding
""",
}
_BOUND_LATER = {
    "go.mod": """\
module example.org/e
""",
    "a.go": """\
package e

type Target struct{}
func f() {
	Target := g(Target{})  // yes
	_ = Target  // no: binding
}
""",
}
_BOUND_LATER_RUST = {
    "Cargo.toml": """\
[package]
name = "shop"
""",
    "src/lib.rs": """\
fn target() -> u8 { 1 }
fn f() {
    let _ = target();  // yes
    let target = target();  // yes
    let again = target;  // no: binding
}
""",
}
_FIELD_AND_METHOD = {
    "Cargo.toml": """\
[package]
name = "shop"
""",
    "src/lib.rs": """\
pub struct Cart { target: u8 }  // no: definition
impl Cart {
    pub fn target(&self) -> u8 { self.r() }
    fn read(&self) -> u8 { self.target }  // no: definition
    fn twice(&self) -> u8 { self.target() + Self::target(self) }  // yes
    fn make() -> Self { Self { #[cfg(test)] target: 1 } }  // no: definition
    fn all() -> Self { Cart { target: 1 } }  // no: definition
    fn more(&self) { self.target::<u8>(); }  // yes
    fn held(other: Cart) -> u8 { (other.target)() }  // perhaps
}
fn own(target: u8) -> u8 { target }  // no: binding
""",
}
_TRAITS = {
    "Cargo.toml": """\
[package]
name = "shop"
""",
    "src/lib.rs": """\
pub struct Cart;
impl From<u8> for Cart { fn target(x: u8) -> Self { Cart } }
impl From<u16> for Cart { fn target(x: u16) -> Self { Cart } }  // no: definition
fn f(x: T) { Cart::target(x); }  // perhaps
fn own(target: u8) -> u8 { target }  // no: binding
""",
}
PUBLIC = {
    "python-generics": (_GENERIC_QUOTES, "Target", "pkg/real.py"),
    "python-decorated": (_DECORATED, "Command.target", None),
    "python-declared": (_DECLARED_AGAIN, "Base.target", "a.py:2"),
    "go-embedded": (_EMBEDDED, "Target", "a.go"),
    "go-later": (_BOUND_LATER, "Target", "a.go"),
    "rust-later": (_BOUND_LATER_RUST, "target", "src/lib.rs"),
    "rust-field": (_FIELD_AND_METHOD, "Cart.target", "src/lib.rs:3"),
    "rust-traits": (_TRAITS, "Cart.target", "src/lib.rs:2"),
}
