#!/bin/sh
# Replaces a test that cannot be run here; the arguments are the reason.
echo "skipped: $*"
exit 77
