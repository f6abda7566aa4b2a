"""List the files that are run or trusted without anyone asking for it.

A reply that changes one of them could run its text later: at the next build, when an editor
opens the folder, or when a shell starts. So a person is asked. Files that run only by a command
that a person gives (`Makefile`, `conftest.py`, `package.json`) are code like any other, and are
not listed.
"""

from __future__ import annotations

# Grouped by the program that runs or trusts the files. The order does not matter.
SENSITIVE = (
    # services that build and test, hooks of version control, and their managers
    *(".github/**", ".gitlab/**", ".gitlab-ci*", ".circleci/**", ".travis.yml"),
    *(".drone.yml", ".woodpecker*", ".buildkite/**", ".forgejo/**", ".gitea/**"),
    *(".ci/**", "Jenkinsfile*", "azure-pipelines*", "appveyor.yml"),
    *(".appveyor.yml", "bitbucket-pipelines.yml", "cloudbuild.y*ml"),
    *("buildspec.y*ml", ".cirrus.*", ".semaphore/**", ".teamcity/**"),
    *(".azure-pipelines/**", ".azuredevops/**", "renovate.json*", ".renovaterc*"),
    *(".mergify.yml", ".pre-commit-config.y*ml", ".pre-commit-hooks.yaml"),
    *(".husky/**", ".huskyrc*", ".githooks/**", "*lefthook*.y*ml"),
    *("*lefthook*.toml", ".overcommit.yml", ".lintstagedrc*"),
    *(".simple-git-hooks*", "git-hooks/**", ".gitattributes", ".gitmodules"),
    *(".gitconfig", ".lfsconfig", ".hgrc", "CODEOWNERS"),
    # editors: settings with commands that run when a folder or a file is opened
    *(".vscode/**", "*.code-workspace", ".idea/**", ".fleet/**", ".zed/**"),
    *(".vs/**", ".devcontainer/**", ".helix/**", ".devcontainer.json"),
    *(".gitpod*", ".replit", "*.sublime-project", ".vim*", ".gvimrc", ".exrc"),
    *(".nexrc", ".nvim*", ".lvimrc", ".ideavimrc", "Session.vim", ".emacs*"),
    *(".spacemacs*", ".doom.d/**", ".dir-locals*.el", ".kakrc", ".nanorc"),
    # coding agents: their settings, and files that they follow as instructions
    *("CLAUDE*.md", "AGENT.md", "AGENTS*.md", "GEMINI*.md", "QWEN*.md"),
    *("CRUSH.md", "WARP.md", "JULES.md", ".claude*", ".codex*", ".gemini*"),
    *(".qwen*", ".cursor*", ".windsurf*", ".cline*", ".roo*", ".kilocode*"),
    *(".continue*", ".aider*", "*.mcp.json", "mcp.json", ".mcp/**"),
    *(".amazonq/**", ".kiro/**", ".junie/**", ".augment*", ".trae/**", ".goose*"),
    *(".opencode*", "opencode.json*", ".crush*", "crush.json", ".openhands*"),
    *(".agent/**", ".agents/**", ".rules", ".tabnine*", ".cody/**"),
    *(".sourcegraph/**", ".devin/**", ".factory/**", ".warp/**", ".copilot/**"),
    # shells, debuggers and consoles: files that they run when they start
    *(".bash*", ".profile", ".zsh*", ".zprofile", ".zlog*", ".login", ".logout"),
    *(".cshrc", ".tcshrc", ".kshrc", ".mkshrc", ".shrc", ".shinit", ".inputrc"),
    *(".xinitrc", ".xprofile", ".xsession*", ".xserverrc", ".pam_environment"),
    *(".direnvrc", ".oh-my-zsh/**", ".config/**", ".local/**", "*profile.ps1"),
    *(".tmux.conf*", ".screenrc", ".curlrc", ".wgetrc", ".gdbinit*"),
    *(".gdbearlyinit*", "*-gdb.py", "*-gdb.gdb", ".lldbinit*", ".pdbrc*"),
    *(".pythonrc*", ".pystartup", ".ipython/**", ".irbrc", ".pryrc"),
    *(".Rprofile*", ".Renviron*", ".psqlrc*", ".sqliterc", ".iex.exs", ".ghci"),
    *(".ocamlinit", ".juliarc.jl", ".octaverc", ".mysqlrc", ".mongorc.js"),
    ".mongoshrc.js",
    # languages and package managers: code and settings that they load unasked
    *("*.pth", "*.egg-link", "sitecustomize.py", "usercustomize.py", ".venv/**"),
    *("venv/**", "site-packages/**", "dist-packages/**", "__pycache__/**"),
    *(".tox/**", ".nox/**", ".direnv/**", "node_modules/**", ".yarn/**"),
    *(".pnp.*js", ".pnpmfile.*js", ".cargo/**", ".rustup/**", ".gemrc"),
    *(".bundle/**", ".condarc", "pip.conf", "pip.ini", ".pip/**"),
    *(".pydistutils.cfg", ".m2/**", ".mvn/**", ".gradle/**", "gradle-wrapper.*"),
    *(".sbtopts", ".jvmopts", ".mise*", "mise.toml", "mise.*.toml", ".asdfrc"),
    *(".guix*", ".nix-*", "secrets/**", "credentials/**"),
    # systems: services, schedules, desktop shortcuts, rights
    *("crontab*", "cron.*/**", "*.service", "*.socket", "*.timer", "*.desktop"),
    *("autostart/**", "systemd/**", "init.d/**", "rc.local", "profile.d/**"),
    *("sudoers*", "rules.d/**", "ld.so.preload", "LaunchAgents/**"),
    *("LaunchDaemons/**", "*.reg", "*.lnk", "*.scf", "*.url", "*.hta"),
    *("autorun.inf", "desktop.ini"),
)
