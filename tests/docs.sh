#!/bin/sh
# The pages about the rules are complete and up to date: every tag is explained, and named by a test, and every name in the
# pages is in the code.
# shellcheck disable=SC2016  # backticks are meant
set -u
cd "$PYR_SOURCE" || exit 1
failed=0
for tag in $(seq -f 'R%g' 1 17) $(seq -f 'Q%g' 1 10) $(seq -f 'E%g' 1 5); do
    grep -qE "^(\| |- \*\*)$tag\b" docs/rules.md || { echo "docs/rules.md does not tell $tag"; failed=1; }
    grep -qE "TEST\(\"[^\"]*\b$tag\b" tests/test_*.c || { echo "no test names $tag"; failed=1; }
done
for page in docs/rules.md docs/architecture.md docs/formats.md; do
    for name in $(grep -oE '`(struct |enum )?[A-Za-z_]+`' "$page" | tr -d '`' | sed 's/^struct //; s/^enum //' |
        grep _ | sort -u); do
        grep -rqw --include='*.[ch]' --include='*.inc' -e "$name" src ||
            { echo "$page names $name, which is not in src"; failed=1; }
    done
    for file in $(grep -oE '\b[a-z_]+/[a-z_]+\.[ch]\b|`[a-z_]+\.(c|h|inc)`' "$page" | tr -d '`' | sort -u); do
        [ -n "$(find src -path "*/$file")" ] || { echo "$page names $file, which is not in src"; failed=1; }
    done
done
# The table of starting points names files and functions that exist.
places=$(sed -n '/^## Where does it go/,/^## How to add/p' CONTRIBUTING.md)
[ "$(echo "$places" | grep -c '^| a')" -ge 5 ] || { echo "CONTRIBUTING.md has no table of places to begin"; failed=1; }
for file in $(echo "$places" | grep -oE '`[a-z_/]+\.(c|h|inc|js|py)`' | tr -d '`' | sort -u); do
    [ -n "$(find src web tests scripts -path "*/$file" -o -path "$file")" ] ||
        { echo "CONTRIBUTING.md names $file, which does not exist"; failed=1; }
done
for name in $(echo "$places" | grep -oE '`(struct )?[A-Za-z_]+(\[\]|\*)?`' | tr -d '`[]*' | sed 's/^struct //' | sort -u); do
    grep -rq --include='*.[ch]' --include='*.js' -e "\b$name" src web || [ -d "src/$name" ] ||
        { echo "CONTRIBUTING.md names $name, which is not in src or web"; failed=1; }
done
exit $failed
