#!/usr/bin/env bash
# git: clone the repository, check it, change it, pack it, check it again.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

# Nothing of the person's own configuration; a checkout that belongs to somebody else is fine.
export HOME=$scratch GIT_CONFIG_NOSYSTEM=1
git config --global safe.directory '*'
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global advice.detachedHead false
# What `gc` does must be done when it returns.
git config --global gc.autoDetach false

cd "$work"
# --no-hardlinks: the clone writes every object itself.
git clone --quiet --no-hardlinks "$repository" clone
cd clone
git fsck --full --strict --no-dangling >&2
git log -1 --format='head %T'
find . -path ./.git -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum

git checkout --quiet -b topic
git mv Package.swift Moved.swift
printf '// a line\n' >>Moved.swift
git commit --quiet --all --message 'Move and change a file'
git rm --quiet -r Sources
git stash --quiet
git stash pop --quiet --index
git reset --quiet --hard HEAD
git worktree add --quiet --detach ../worktree HEAD
git gc --quiet --aggressive --prune=now
git fsck --full --strict --no-dangling >&2
printf 'changes %s\n' "$(git status --porcelain | wc -l)"
git log -1 --format='topic %T'
printf 'loose objects %s\n' "$(git count-objects | cut -d' ' -f1)"
git -C ../worktree status --porcelain
