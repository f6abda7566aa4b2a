"""Texts of models around their actions: thoughts, commands, prose. All are handwritten."""

# Some have words and marks of actions, which a reader must not take for actions.
THOUGHTS = [
    "I will write the module first and the tests after it.",
    "The configuration must be read before the server starts.",
    "セキュリティ要件: パスワードのハッシュ化が必須",
    "ユーザー認証システムを実装する",
    "Split the parser from the command line so that both can be tested.",
    "Note: the old file is not needed any more, so it can go",
    "Use a dataclass; a dict would hide mistakes (see the review).",
    "First create the schema, then run the migration.",
    "The bug is in `load()`: it swallows the error.",
    "Edit config.py as well? No, the default is fine.",
    "We need -> arrows here, and 'quotes' too",
    "Check that a > b holds for every input",
    "步骤: 先写接口, 再写实现",
    "Keep it simple: one function, one test.",
    "Need to implement user authentication, will use bcrypt for secure password hashing",
]

LAST_THOUGHTS = [
    "The tests should pass if bcrypt is installed",
    "テスト実行後、結果を確認する",
    "Nothing else has to change.",
    "Next step: wire it into the command line.",
]

# By verb. Some have marks of dialects in them.
COMMANDS = {
    "run": [
        "pytest tests/test_auth.py",
        "python -m app --port 8000",
        "npm install && npm run build",
        "make clean all",
        "python manage.py migrate > migrate.log 2>&1",
        "docker compose up -d",
        "echo 'hello world' >> notes.txt",
        "ruff check . --fix",
        "python scripts/load.py data/in.csv | sort > data/out.csv",
    ],
    "test": [
        "pytest -q",
        "pytest tests/ -x --maxfail=1",
        "npm test",
        "python -m unittest discover -s tests",
        "cargo test --all",
        "go test ./...",
    ],
}

# Files that an action deletes.
OLD_PATHS = [
    "old/legacy.py",
    "src/unused.ts",
    "docs/draft.md",
    "tmp/cache.json",
    "scripts/old_build.sh",
]
# Files that an action may depend on.
BASE_PATHS = [
    "src/base.py",
    "lib/types.ts",
    "config.yaml",
    "auth.py",
    "src/models/user.py",
    "utils.py",
]

# With the choices.
QUESTIONS = [
    ("Which database do you use?", ("PostgreSQL", "SQLite")),
    ("bcryptを使用しますか？", ("はい", "いいえ", "argon2")),
    ("Should old users keep their tokens?", ()),
    ("Where shall the logs go", ("stdout", "logs/app.log")),
]

# With the target.
ERRORS: list[tuple[str, str | None]] = [
    ("FileNotFound", "config.json"),
    ("ImportError", "src/auth.py"),
    ("Ambiguous", None),
    ("PermissionDenied", "/etc/hosts"),
]

# Before the first action.
PREAMBLES = [
    "Here is the implementation:",
    "Sure! Here's the solution in the requested format:",
    "Certainly! Below are the changes that you asked for.",
    "I'll help you with that.\n\nLet me start with the module.",
    "Okay, I've looked at the code. "
    "The problem is that the error is swallowed, so nobody learns of it.",
    "以下が実装です：",
    "好的，下面是修改后的代码：",
    "Based on your request, I will make these changes. They are small.",
    "To fix this, we need to change two places:",
]

# Prose with verbs and paths: the hardest kind for a tolerant reader.
PLANS = [
    "First update config.py and then run the tests.",
    "I will create auth.py, edit config.py and delete the old file.",
    "Plan:\n1. Create `auth.py`\n2. Update `config.py`\n3. Run the tests",
    "1. Create auth.py with the login function\n2. Edit settings.py to enable it\n3. Run pytest",
    "- create the module\n- edit the settings\n- test everything with pytest",
    "Here's what I'm going to do:\n\n* Create `src/auth.py` - the authentication module\n"
    "* Edit `src/config.py` - add the settings\n* Delete `old.py`",
    "Create a new file for the helpers, then update main.py accordingly.",
    "Edit config.py if you need another port.",
    "Run pytest tests/ to check that nothing broke, and delete tmp.txt afterwards.",
    "**Step 1:** Create the file utils.py\n**Step 2:** Test it with `pytest -q`",
    "### Changes\n\nUpdate app.py to use the new helper and remove the old one from utils.py.",
    "We could run @pytest here, but test files such as test_a.py are not ready.",
]

# Between two actions.
BETWEENS = [
    "Now the tests:",
    "Next, we need to create the test file:",
    "Here is the second file, which uses the first one.",
    "Then update the configuration in settings.py so that it is found.",
    "After that, run the tests as follows.",
    "次にテストを書きます。",
    "This keeps the interface unchanged.\n\nThe next change depends on it:",
    "**Next file**",
    "Note that edit of config.py is optional.",
]

# After the last action.
POSTAMBLES = [
    "Let me know if you need anything else!",
    "This creates the module and its tests. You can run pytest to check it.",
    "I hope this helps.\n\nFeel free to ask if something is unclear.",
    "Explanation:\n\n1. The module `auth.py` hashes passwords.\n2. The test checks it.",
    "**Note:** remember to install the dependencies, and create a .env file before you run app.py.",
    "The changes are complete. "
    "Please review src/auth.py and delete backup.py if it is still there.",
    "以上です。ご確認ください。",
    "### Summary\n- Created auth.py\n- Updated config.py",
]

# With code blocks that are not contents.
SAMPLES = [
    "You can try it with:\n\n```bash\npip install -r requirements.txt\npytest -q\n```",
    "Usage:\n\n```python\nfrom auth import login\n\nlogin('ann', 'secret')\n```",
    "The output will look like this:\n\n```\n3 passed in 0.02s\n```",
    "To run it:\n```\n$ python app.py\n```",
]

# Between a head and its content.
REMARKS = ["Here is the code:", "Content:", "The file:"]

# The thinking of a reasoning model, before its reply.
THINKING = [
    "Okay, the user wants a login module. Let me think about which files are needed.",
    "We need to create auth.py and edit config.py. Then run pytest.\n\n"
    "Wait, is bcrypt there? Probably.",
    "Let me plan:\n1. create auth.py\n2. test it\n\nThe format asks for one action per file.",
    "ユーザーは認証を求めている。まず auth.py を作る。",
]

# Tokens of chat templates that end a turn; some servers leave them in the text.
CONTROL_TOKENS = [
    "<|im_end|>",
    "<|endoftext|>",
    "</s>",
    "[/INST]",
    "<|eot_id|>",
    "<end_of_turn>",
    "<|end|>",
]
# Tokens that begin a turn.
OPENING_TOKENS = [
    "<|im_start|>assistant",
    "<|assistant|>",
    "<s>",
    "[/INST]",
    "<start_of_turn>model",
]

# Around a complete reply.
TAGS = [
    ("[REPORT]", "[/REPORT]"),
    ("[RESPONSE]", "[/RESPONSE]"),
    ("<answer>", "</answer>"),
    ("<output>", "</output>"),
    ("[ACTIONS]", "[END]"),
    ("<response>", "</response>"),
    ("[SYM-OPS]", "[/SYM-OPS]"),
]

# By verb of the dialects, the other verbs that models write.
SYNONYMS = {
    "create": ["write", "add", "make", "generate", "new"],
    "edit": ["update", "modify", "change", "patch"],
    "delete": ["remove", "rm"],
    "run": ["execute", "exec"],
    "test": ["check", "verify"],
}

# By the extension of a file, the word on a code fence.
LANGUAGES = {
    **{
        name: name
        for name in ("yaml", "json", "html", "css", "sql", "cpp", "go", "vue", "rst", "ini")
    },
    **{
        "py": "python",
        "js": "javascript",
        "ts": "typescript",
        "md": "markdown",
        "sh": "bash",
        "rb": "ruby",
        "rs": "rust",
        "patch": "diff",
        "hs": "haskell",
        "pl": "perl",
    },
}
