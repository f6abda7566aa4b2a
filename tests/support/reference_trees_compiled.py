"""Folders of Rust and Java for the law of references; see `reference_trees` for their comments."""

from __future__ import annotations

RUST = {
    "Cargo.toml": """\
[workspace]
members = ["core-lib", "app"]
[workspace.dependencies]
core-lib = { path = "core-lib" }
""",
    "core-lib/Cargo.toml": """\
[package]
name = "core-lib"
""",
    "core-lib/src/lib.rs": """\
mod deep;
pub mod other;
pub use deep::target;  // yes
pub mod prelude { pub use crate::deep::*; }
pub mod nested { pub fn go() { super::target(); } }  // yes
""",
    "core-lib/src/deep/mod.rs": """\
pub mod real;
pub use self::real::{target, Kind};  // yes
pub use real::target as renamed;  // yes
""",
    "core-lib/src/deep/real.rs": """\
pub fn target() -> u8 { 1 }
pub enum Kind { One, Two }
fn again() { target(); }  // yes
fn local(target: u8) { let _ = target; }  // no: binding
fn inside() { println!("{}", target()); vec![super::real::target()]; }  // yes
fn member(t: T) { t.target(); }  // no: role
mod tests { use super::*; fn t() { target(); } }  // yes
""",
    "core-lib/src/other.rs": """\
pub fn target() {}  // no: definition
pub fn o() { target(); crate::other::target(); }  // no: definition
""",
    "app/Cargo.toml": """\
[package]
name = "app"
[dependencies]
core = { package = "core-lib", workspace = true }
core-lib.workspace = true
serde = "1"
""",
    "app/src/main.rs": """\
mod far;
use core_lib::target;  // yes
use core_lib::other::{self as o, target as t};  // no: definition
fn main() {
    target();  // yes
    core_lib::target();  // yes
    o::target();  // no: definition
    far::go();
    Vec::target();  // no: outside
}
""",
    "app/src/far.rs": """\
use core_lib::prelude::*;
pub fn go() { target(); }  // yes
fn s() { std::target(); }  // no: outside
""",
    "app/src/serde.rs": """\
use serde::target;  // no: outside
fn s() { target(); }  // no: outside
""",
    "app/src/blocks.rs": """\
fn b() { use core_lib::deep as d; d::target(); }  // yes
fn c() { unheard::target(); }  // perhaps
""",
}
RUST_MEMBERS = {
    "Cargo.toml": """\
[package]
name = "shop"
""",
    "src/lib.rs": """\
pub mod cart;
pub mod till;
""",
    "src/cart.rs": """\
pub struct Cart { size: u8 }
impl Cart {
    pub fn target() -> Self { Cart { size: 1 } }
    fn own(&self) { Self::target(); Cart::target(); }  // yes
    fn by_self(&self) { self.target(); }  // yes
}
""",
    "src/till.rs": """\
use crate::cart::Cart;
pub struct Till;
impl Till { pub fn target() {} }  // no: definition
fn f(x: T) {
    Cart::target();  // yes
    Till::target();  // no: definition
    crate::cart::Cart::target();  // yes
    x.target();  // perhaps
    String::target();  // no: outside
    T::target();  // perhaps
}
""",
}
JAVA = {
    "src/shop/Cart.java": """\
package shop;
public class Cart {
    static int target(int x) { return x; }
    int own() { return target(1) + this.target(2) + Cart.target(3); }  // yes
    java.util.function.Function f = Cart::target;  // yes
    void local(int target) { int y = target; }  // no: binding
    class Inner { int i = target(4); }  // yes
}
""",
    "src/shop/Van.java": """\
package shop;
class Van {
    int size = Cart.target(1);  // yes
    int m(Object o) { return o.target(); }  // perhaps
    int far = shop.Cart.target(2);  // yes
}
""",
    "src/shop/Sub.java": """\
package shop;
class Sub extends Cart { int s() { return target(1) + super.target(2); } }  // perhaps
""",
    "src/ship/Cart.java": """\
package ship;
class Cart { static void target() {} void m() { target(); } }  // no: definition
""",
    "src/ship/Use.java": """\
package ship;
class Use { void m() { Cart.target(); Math.target(); } }  // no: definition
""",
    "src/far/Static.java": """\
package far;
import static shop.Cart.target;  // yes
class Static { int s = target(9); }  // yes
""",
    "src/far/Star.java": """\
package far;
import static shop.Cart.*;
class Star { int s = target(9); }  // yes
""",
    "src/far/Out.java": """\
package far;
import static org.else.Tools.target;  // no: outside
class Out { int s = target(9); }  // no: outside
""",
    "src/far/Std.java": """\
package far;
class Std { int s = Math.target(9); }  // no: outside
""",
}
