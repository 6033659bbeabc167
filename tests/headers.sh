#!/bin/sh
# Each public header compiles alone: as C11 and as C++11, with each installed compiler. Its declarations have C linkage in
# both, so that a C++ program links with the library.
set -u
cd "$PYR_SOURCE" || exit 1
roots="$(printf -- '-I%s ' src/*/include) -I$PYR_BUILD/src/engine/include"
strict='-Wall -Wextra -pedantic -Werror -fsyntax-only'
failed=0

compile() {    # compile COMPILER FLAG...: each header alone
    compiler=$1
    shift
    command -v "$compiler" >/dev/null 2>&1 || return 0
    for header in src/*/include/pyramids/*.h "$PYR_BUILD"/src/*/include/pyramids/*.h; do
        # shellcheck disable=SC2086  # lists of flags
        printf '#include "pyramids/%s"\nextern int more;\n' "${header##*/}" | "$compiler" "$@" $strict $roots - ||
            { echo "$header does not compile alone with $compiler"; failed=1; }
    done
}

command -v g++ >/dev/null 2>&1 || { echo 'g++ is needed'; exit 1; }
for compiler in gcc clang; do
    compile "$compiler" -x c -std=c11 -Wstrict-prototypes
done
for compiler in g++ clang++; do
    compile "$compiler" -x c++ -std=c++11
done

# Functions outside of PYR_BEGIN_DECLS would have C++ names, which the library does not define.
for header in src/*/include/pyramids/*.h "$PYR_BUILD"/src/*/include/pyramids/*.h; do
    grep -q 'PYR_API .*(' "$header" || continue
    awk '/^PYR_BEGIN_DECLS/ { inside = 1 } /^PYR_END_DECLS/ { inside = 0 }
        /PYR_API [^_]*\(/ && !/#define/ && !inside { exit 1 }' "$header" ||
        { echo "$header declares functions outside of PYR_BEGIN_DECLS"; failed=1; }
done
exit $failed
