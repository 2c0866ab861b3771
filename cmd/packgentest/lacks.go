package packgentest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Lacks skips a test, and says so, on a machine without what it tries packgen with. With CI=true
// it fails the test, unless PACKGEN_WITHOUT lists the name, with blanks between.
func Lacks(t testing.TB, name, so string) {
	t.Helper()
	if os.Getenv("CI") == "true" && !slices.Contains(strings.Fields(os.Getenv("PACKGEN_WITHOUT")), name) {
		t.Fatalf("CI=true and no %s: %s; install it, or name it in PACKGEN_WITHOUT", name, so)
	}
	t.Skipf("SKIPPED, NO %s: %s", strings.ToUpper(name), so)
}
