#!/bin/sh
# Each public header compiles alone, as C11, with each compiler there is.
set -u
cd "$PYR_SOURCE" || exit 1
roots=$(printf -- '-I%s ' src/*/include)
failed=0
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null 2>&1 || continue
    for header in src/*/include/pyramids/*.h; do
        # shellcheck disable=SC2086  # lists of flags
        printf '#include "%s"\n' "${header#*/include/}" |
            "$compiler" -x c -std=c11 -Wall -Wextra -Wstrict-prototypes -pedantic -Werror $roots -fsyntax-only - ||
            { echo "$header does not compile alone with $compiler"; failed=1; }
    done
done
exit $failed
