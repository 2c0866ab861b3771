package remote

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// compareVersions says whether a version is older than another (less than 0), the same
// or newer; known is false when that cannot be said. Versions are semantic ones, numbers
// with dots between them, such as 2026.03, or dates, such as 2026-03-31. Any other is
// known to be the same as itself alone.
func compareVersions(a, b string) (order int, known bool) {
	if a == b && a != "" {
		return 0, true
	}
	a, b = strings.TrimPrefix(a, "v"), strings.TrimPrefix(b, "v")
	if semver.IsValid("v"+a) && semver.IsValid("v"+b) {
		return semver.Compare("v"+a, "v"+b), true
	}
	x, y := numbers(a), numbers(b)
	if x == nil || y == nil {
		return 0, false
	}
	for i := range max(len(x), len(y)) {
		if order := cmp.Compare(at(x, i), at(y, i)); order != 0 {
			return order, true
		}
	}
	return 0, true
}

// numbers reads numbers with dots between them, or a date; nil for anything else.
func numbers(version string) []uint64 {
	if _, err := time.Parse(time.DateOnly, version); err == nil {
		version = strings.ReplaceAll(version, "-", ".")
	}
	var list []uint64
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

func at(list []uint64, i int) uint64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}
