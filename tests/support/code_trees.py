"""A small tree of code in six languages, and where its names are defined."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "auth/service.py": '''"""認証のサービス。"""
import os
from .tokens import decode


class AuthService:
    LIMIT = 3

    def login(self, user):
        """login of users"""
        def check():
            return decode(user)
        return check()


async def main(): pass
''',
    "auth/names.py": """type Tree[T] = dict[str, T]
(one, (two, [three, *four])) = main()
for five, (six, _) in (seven := []): pass
with main() as eight, main() as (nine, ten): pass
match one:
    case [eleven, {"key": twelve, **thirteen}]: pass
""",
    "web/app.js": """import { get } from './http';
const limit = 3;
export class LoginController { submit() { return get(limit); } }
const onClick = () => { const inner = 1; return inner; };
exports.reset = function () {};
export const { loader, old: fresh, size = 1, ...others } = limit;
const [first, [second = 2], ...rest] = limit;
const { loaned } = require(name);
const { borrowed } = await import(name);
function local({ shown }) { const { hidden } = shown; }
""",
    "web/user.ts": """export interface User { name: string }
export type Id = string;
export enum Role { Admin, Guest = 2 }
abstract class Base { abstract load(): void; }
""",
    "web/View.tsx": "export const View = () => <div>{title}</div>;\n",
    "srv/main.go": """package main
import "fmt"
type Server struct { Port int }
type Handler interface { Serve() }
func (s *Server) Run() { fmt.Println(s.Port) }
func NewServer() *Server { return &Server{} }
""",
    "lib/lib.rs": """use std::fmt;
pub struct Point { x: i32 }
impl Point { pub fn norm(&self) -> i32 { self.x } }
trait Shape { fn area(&self) -> f64; }
enum Color { Red }
macro_rules! square { ($x:expr) => { $x * $x } }
""",
    "src/Account.java": """import java.util.List;
class Account { private int balance; Account() {} int total() { return balance; } interface Visitor {} }
@interface Route { int order() default 1; }
interface Limits { int MOST = 1; }
record Pair(int left, int right) { Pair { } }
""",
    "script.rb": "class Robot\n  def walk\n    1\n  end\nend\n",
    "README.md": "# Login\n\nAuthService does the login. ログイン機能の説明。\n",
}
DEFINED = {
    "AuthService": ("auth/service.py", 6, "class"),
    "AuthService.LIMIT": ("auth/service.py", 7, "variable"),
    "AuthService.login": ("auth/service.py", 9, "method"),
    "check": ("auth/service.py", 11, "function"),
    "main": ("auth/service.py", 16, "function"),
    "Tree": ("auth/names.py", 1, "type"),
    **dict.fromkeys(("one", "two", "three", "four"), ("auth/names.py", 2, "variable")),
    **dict.fromkeys(("five", "six", "seven"), ("auth/names.py", 3, "variable")),
    **dict.fromkeys(("eight", "nine", "ten"), ("auth/names.py", 4, "variable")),
    **dict.fromkeys(("eleven", "twelve", "thirteen"), ("auth/names.py", 6, "variable")),
    "LoginController.submit": ("web/app.js", 3, "method"),
    "limit": ("web/app.js", 2, "variable"),
    "onClick": ("web/app.js", 4, "function"),
    "reset": ("web/app.js", 5, "function"),
    **dict.fromkeys(("loader", "fresh", "size", "others"), ("web/app.js", 6, "variable")),
    **dict.fromkeys(("first", "second", "rest"), ("web/app.js", 7, "variable")),
    "User": ("web/user.ts", 1, "interface"),
    "Id": ("web/user.ts", 2, "type"),
    "Role": ("web/user.ts", 3, "enum"),
    "Role.Admin": ("web/user.ts", 3, "variant"),
    "Role.Guest": ("web/user.ts", 3, "variant"),
    "Base.load": ("web/user.ts", 4, "method"),
    "View": ("web/View.tsx", 1, "function"),
    "Server": ("srv/main.go", 3, "struct"),
    "Handler": ("srv/main.go", 4, "interface"),
    "Run": ("srv/main.go", 5, "method"),
    "NewServer": ("srv/main.go", 6, "function"),
    "Point": ("lib/lib.rs", 2, "struct"),
    "Point.norm": ("lib/lib.rs", 3, "method"),
    "Shape.area": ("lib/lib.rs", 4, "method"),
    "Color": ("lib/lib.rs", 5, "enum"),
    "square": ("lib/lib.rs", 6, "macro"),
    "Account.total": ("src/Account.java", 2, "method"),
    "Account.balance": ("src/Account.java", 2, "field"),
    "Account.Visitor": ("src/Account.java", 2, "interface"),
    "Route.order": ("src/Account.java", 3, "method"),
    "Limits.MOST": ("src/Account.java", 4, "field"),
    "Pair.Pair": ("src/Account.java", 5, "method"),
    "Robot": ("script.rb", 1, "class"),
    "walk": ("script.rb", 2, "def"),
}


def write_tree(root: Path, files: dict[str, str] | None = None) -> Path:
    """Write files below a root and return it."""
    for name, text in (FILES if files is None else files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root
