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
    "web/app.js": """import { get } from './http';
const limit = 3;
export class LoginController { submit() { return get(limit); } }
const onClick = () => { const inner = 1; return inner; };
exports.reset = function () {};
""",
    "web/user.ts": """export interface User { name: string }
export type Id = string;
export enum Role { Admin }
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
    "LoginController.submit": ("web/app.js", 3, "method"),
    "limit": ("web/app.js", 2, "variable"),
    "onClick": ("web/app.js", 4, "function"),
    "reset": ("web/app.js", 5, "function"),
    "User": ("web/user.ts", 1, "interface"),
    "Id": ("web/user.ts", 2, "type"),
    "Role": ("web/user.ts", 3, "enum"),
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
