package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What the hook links is what a prompt waits for: each package beyond the standard
// library is listed here, and was measured.
func TestTheHookLinksOnlyWhatItNeeds(t *testing.T) {
	const own = "github.com/packgen/packgen/"
	allowed := []string{
		"github.com/gofrs/flock", "golang.org/x/sys/unix", "golang.org/x/sys/windows",
		own + "cmd/packgen-hook",
		own + "compiler/atomicfile", own + "compiler/bytesize", own + "compiler/prose", own + "compiler/regularfile", own + "compiler/secret", own + "compiler/stem", own + "compiler/token", own + "compiler/invisible",
		own + "resolver/agent/hook", own + "resolver/agent/jsonfile",
		own + "resolver/context/escape", own + "resolver/context/parallel", own + "resolver/context/rank",
		own + "resolver/loadout", own + "resolver/loadout/indexfile", own + "resolver/loadout/javascript", own + "resolver/loadout/json", own + "resolver/loadout/layers",
	}
	// Of the standard library, what costs time or weight before main.
	refused := []string{"encoding/json", "html/template", "net", "net/http", "regexp", "text/template"}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Standard}}", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		name, standard, _ := strings.Cut(strings.TrimSpace(line), " ")
		seen++
		if standard == "false" && !slices.Contains(allowed, name) || slices.Contains(refused, name) {
			t.Errorf("%s is linked", name)
		}
	}
	if seen < len(allowed) {
		t.Errorf("go list names only %d packages", seen)
	}
}
