"""A small project with a login that has a fault, twins of a file name, and a link out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symops_lark.code_intelligence import Session

FILES = {
    "auth/service.py": """
class AuthService:
    def login(self, name, password):
        user = find_user(name)
        if not user.check_password(password):
            raise LoginError("login failed: wrong password")
        return Session(user)


class LoginError(Exception):
    pass
""",
    "auth/controller.py": """
from auth.service import AuthService


class LoginController:
    def post(self, request):
        return AuthService().login(request["name"], request["password"])
""",
    "auth/session.py": """
class Session:
    def __init__(self, user):
        self.user = user


def open_session(user):
    return Session(user)
""",
    "users/model.py": """
class User:
    def check_password(self, password):
        return self.password == password


def find_user(name):
    return User()
""",
    "billing/service.py": """
class BillingService:
    def charge(self, amount):
        return amount
""",
    "web/style.css": "button { color: red; }\n",
    "README.md": "# Shop\n",
    "app.py": """
from auth.controller import LoginController


def main():
    LoginController().post({})
""",
}
VAGUE = "ログイン機能直して"
DETAILED = "AuthService で間違ったパスワードを入力したときに、login failed というエラーが出るので、メッセージを修正して"
SLOTS = {
    VAGUE: {
        "target_feature": {"value": "ログイン機能", "quote": "ログイン機能"},
        "desired_action": {"value": "直して", "quote": "直して"},
    },
    DETAILED: {
        "target_feature": {"value": "AuthService", "quote": "AuthService"},
        "trigger_condition": {
            "value": "間違ったパスワードを入力したとき",
            "quote": "間違ったパスワードを入力したときに",
        },
        "observed_issue": {"value": "login failed というエラーが出る", "quote": "login failed というエラーが出る"},
        "desired_action": {"value": "メッセージを修正", "quote": "メッセージを修正して"},
    },
}
DEEP: dict[str, Any] = {
    "symbols_identified": ["AuthService", "LoginController", "LoginError", "Session", "find_user"],
    "entry_points": ["LoginController.post", "app.py"],
    "existing_patterns": ["raise LoginError in auth/service.py", "AuthService().login in the controller"],
    "files_analyzed": ["auth/service.py", "auth/controller.py", "auth/session.py", "users/model.py"],
}
SHORT: dict[str, Any] = {
    "symbols_identified": ["AuthService", "LoginController", "LoginError"],
    "entry_points": ["LoginController"],
    "existing_patterns": ["raise LoginError"],
    "files_analyzed": ["auth/service.py", "auth/controller.py"],
}
EVIDENCE = {
    "target_feature": {"tool": "find_definitions", "params": {"symbol": "AuthService"}, "result": "auth/service.py"},
    "observed_issue": {"tool": "search_text", "params": {"patterns": ["login failed"]}, "file": "auth/service.py"},
}


def build_shop(folder: Path) -> Path:
    """Make the project in a folder, and return it."""
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text.lstrip("\n"), encoding="utf-8")
    return folder


def explore(session: Session, deep: bool = True) -> None:
    """Look at what the login is made of."""
    session.find_definitions("AuthService")
    session.find_references("AuthService")
    session.search_text(["login failed"])
    session.find_definitions("LoginController")
    session.find_definitions("LoginError")
    if deep:
        session.get_symbols("auth")
        session.find_definitions("find_user")
        session.find_references("LoginController")
