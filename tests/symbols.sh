#!/bin/sh
# symbols.sh ARCHIVE...: the core needs only functions that bare WebAssembly can supply, and has no writable globals. The
# stack protector's function is libc's, and used only where the host is protected (meson.build); the WebAssembly module is
# built without.
set -u
allowed='__stack_chk_fail|__stack_chk_fail_local|memcpy|memset|memmove|memcmp'
allowed="$allowed"'|__popcountdi2|__cpu_model|__cpu_indicator_init|_GLOBAL_OFFSET_TABLE_'
failed=0

# Symbols that another part of the core defines are not undefined.
defined=$(nm -A --defined-only "$@" 2>/dev/null | awk '{ print $NF }' | sort -u)
for archive; do
    for symbol in $(nm --undefined-only "$archive" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u); do
        echo "$symbol" | grep -Eqx "$allowed" && continue
        echo "$defined" | grep -Fqx "$symbol" && continue
        echo "$(basename "$archive") asks for $symbol, which is not on the list"
        failed=1
    done
    # d, b, c, s: data that can be written to. Tables of pointers are in .data.rel.ro, which is read-only once loaded.
    writable=$(nm --defined-only --format=sysv "$archive" 2>/dev/null |
        awk -F'|' '$7 ~ /\.(data|bss)/ && $7 !~ /\.data\.rel\.ro/ && $1 ~ /[^ ]/ { print $1 }')
    for symbol in $writable; do
        echo "$(basename "$archive") has the writable global $symbol"
        failed=1
    done
done
exit $failed
