#!/usr/bin/env bash
# SQLite in WAL mode: two processes write at once, a third is killed in the middle; nothing that was
# acknowledged is lost.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

database=$work/test.sqlite
row_count=$(by_length 100 400 4000)
settings='.timeout 60000'

sqlite3 "$database" 'PRAGMA journal_mode=WAL' 'CREATE TABLE rows(writer TEXT, number INTEGER)'

# statements WRITER COUNT: each row is printed after its transaction has ended.
statements() {
    printf '%s\nPRAGMA synchronous=FULL;\n' "$settings"
    awk -v writer="$1" -v count="$2" 'BEGIN {
        for (n = 1; n <= count; n++)
            printf "INSERT INTO rows VALUES(\"%s\", %d);\nSELECT %d;\n", writer, n, n
    }'
}

statements a "$row_count" | sqlite3 "$database" >"$scratch/a.log" &
first=$!
statements b "$row_count" | sqlite3 "$database" >"$scratch/b.log" &
second=$!

# This one is killed as soon as it has acknowledged some rows; --line-buffered, so that none stays unseen.
statements killed 1000000 >"$scratch/killed.sql" 2>/dev/null
stdbuf -oL sqlite3 "$database" <"$scratch/killed.sql" >"$scratch/killed.log" &
victim=$!
while kill -0 "$victim" 2>/dev/null && [[ $(wc -l <"$scratch/killed.log") -lt 20 ]]; do
    sleep 0.05
done
kill -9 "$victim"
wait "$victim" 2>/dev/null || true

wait "$first"
wait "$second"
last_acknowledged=$(grep -E '^[0-9]+$' "$scratch/killed.log" | tail -n 1)
there=$(sqlite3 "$database" \
    "SELECT count(*) FROM rows WHERE writer = 'killed' AND number <= $last_acknowledged")
printf 'acknowledged rows lost: %s\n' "$((last_acknowledged - there))"
sqlite3 "$database" 'PRAGMA integrity_check' \
    "SELECT writer, count(*), sum(number) FROM rows WHERE writer != 'killed' GROUP BY writer ORDER BY 1" \
    'PRAGMA wal_checkpoint(TRUNCATE)' 'VACUUM' 'PRAGMA integrity_check'
# The last to leave removes them.
find "$work" -name '*-wal' -o -name '*-shm'
