#!/bin/sh
# hardening.sh FILE...: programs and libraries are hardened like those of distributions: position-independent, address
# tables that become read-only at the start, a stack that cannot be executed, a guard before return addresses, and checked
# copies.
set -u
failed=0

fail() {
    echo "$*"
    failed=1
}

for file; do
    name=$(basename "$file")
    readelf -hW "$file" | grep -q 'Type: *DYN' || fail "$name is not position-independent"
    readelf -lW "$file" | grep -q GNU_RELRO || fail "$name: no RELRO"
    readelf -lW "$file" | grep GNU_STACK | grep -q 'RW ' || fail "$name: the stack may be executed"
    readelf -dW "$file" | grep -Eq '\(BIND_NOW\)|Flags:.*NOW' || fail "$name: no BIND_NOW"
    readelf -sW "$file" | grep -q '__stack_chk_fail' || fail "$name: no stack protector"
    case $name in
    lib*) ;;                                             # the core copies by functions of its own
    *) readelf -sW "$file" | grep -Eq '__(v?snprintf|fprintf|memcpy)_chk' || fail "$name: no _FORTIFY_SOURCE" ;;
    esac
done
exit $failed
