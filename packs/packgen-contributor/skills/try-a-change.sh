#!/bin/sh
# Tests what a change touches: formatting, vet, and the tests of every package
# with a changed file, then the scripts of the command line.
#
# usage: skills/try-a-change.sh [COMMIT]    compares with HEAD by default
set -eu

root=$(git rev-parse --show-toplevel)
cd "$root"
files=$( { git diff --name-only --diff-filter=d "${1:-HEAD}"; git ls-files --others --exclude-standard; } | grep '\.go$' || true)
if [ -z "$files" ]; then
	echo "no Go file has changed"
	exit 0
fi
unformatted=$(echo "$files" | xargs gofmt -l)
if [ -n "$unformatted" ]; then
	echo "not formatted: $unformatted"
	exit 1
fi
packages=$(echo "$files" | xargs -n 1 dirname | sort -u | sed 's|^|./|')
# shellcheck disable=SC2086 # one word for each package
go vet $packages
# shellcheck disable=SC2086
go test $packages
go test -run TestScripts ./cmd/packgen
