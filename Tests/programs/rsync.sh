#!/usr/bin/env bash
# rsync -aHX and diff -r: a tree copied here and back is the same, and a second copy finds nothing to do.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"
. "$(dirname -- "${BASH_SOURCE[0]}")/tree.sh"

make_tree "$scratch/tree"
describe_tree "$scratch/tree" >"$scratch/expected"

rsync -aHX "$scratch/tree/" "$work/tree/"
describe_tree "$work/tree" | diff "$scratch/expected" - && echo 'copied here: the same'
# A fifo is no content to compare.
diff -r --no-dereference --exclude=fifo "$scratch/tree" "$work/tree" && echo 'diff: the same'
rsync -aHXi --checksum "$scratch/tree/" "$work/tree/" | sed 's/^/again: /'

rsync -aHX "$work/tree/" "$scratch/back/"
describe_tree "$scratch/back" | diff "$scratch/expected" - && echo 'copied back: the same'

printf 'more\n' >>"$scratch/tree/folder/file-1"
rm "$scratch/tree/folder/file-10"
rsync -aHXi --delete "$scratch/tree/" "$work/tree/" | sort
rsync -aHX --inplace --append-verify "$scratch/tree/folder/" "$work/second/"
diff -r "$scratch/tree/folder" "$work/second" && echo 'in place: the same'
