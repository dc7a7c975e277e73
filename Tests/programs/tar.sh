#!/usr/bin/env bash
# tar both ways: a tree unpacked here is as it was packed, and packed here comes out as it is.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"
. "$(dirname -- "${BASH_SOURCE[0]}")/tree.sh"

flags=(--xattrs '--xattrs-include=*' --format=posix --numeric-owner)

make_tree "$scratch/tree"
describe_tree "$scratch/tree" >"$scratch/expected"

tar "${flags[@]}" -C "$scratch" -cf "$scratch/in.tar" tree
tar "${flags[@]}" -p -C "$work" -xf "$scratch/in.tar"
describe_tree "$work/tree" >"$scratch/inside"
diff "$scratch/expected" "$scratch/inside" && echo 'unpacked here: the same'

tar "${flags[@]}" --sparse -C "$work" -cf "$scratch/out.tar" tree
mkdir "$scratch/back"
tar "${flags[@]}" -p -C "$scratch/back" -xf "$scratch/out.tar"
describe_tree "$scratch/back/tree" >"$scratch/outside"
diff "$scratch/expected" "$scratch/outside" && echo 'packed here: the same'
tar "${flags[@]}" -C "$work" --compare -f "$scratch/in.tar" && echo 'compared here: the same'
