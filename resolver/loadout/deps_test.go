package loadout_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The kernel reaches the browser, so what it imports is part of its size. Each
// of these is paid for already or costs next to nothing; fmt, encoding/json,
// time, os, reflect, strings and unicode are what must stay out.
func TestImportsInWebAssembly(t *testing.T) {
	allowed := strings.Fields(`errors math math/bits slices strconv unicode/utf8 unsafe
		cmp iter sync sync/atomic runtime structs
		github.com/packgen/packgen/resolver/loadout github.com/packgen/packgen/compiler/stem github.com/packgen/packgen/compiler/token`)
	cmd := exec.Command("go", "list", "-deps", ".")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 5 {
		t.Fatalf("go list names only %q", packages)
	}
	for _, p := range packages {
		if !strings.HasPrefix(p, "internal/") && !slices.Contains(allowed, p) {
			t.Errorf("%s is imported", p)
		}
	}
}
