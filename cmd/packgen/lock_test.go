package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// list, update and remove are the lock as people know it; a trial changes nothing.
func TestLockIsListedUpdatedAndReduced(t *testing.T) {
	t.Parallel()
	source, reader, env := packgentest.Repository(t), t.TempDir(), cacheOf(t)
	packgen := commands(t, env)
	archive := filepath.Join(reader, "p.tar.gz")
	lock := func() string {
		data, _ := os.ReadFile(filepath.Join(reader, "packgen.lock")) // there may be none
		return string(data)
	}
	packgen(exitDone, source, "pack", "p", "--out", archive)
	packgen(exitDone, reader, "pull", "p.tar.gz")
	if out := packgen(exitDone, reader, "lock", "list"); !strings.Contains(out, "p.tar.gz") {
		t.Error(out)
	}
	if out := packgen(exitDone, reader, "lock", "update"); out != "packgen.lock holds what its references mean now.\n" {
		t.Error(out)
	}
	writeText(t, filepath.Join(source, "packs/p/wiki/b.md"), "# B\n\n"+strings.Repeat("Another, much longer text.\n", 100))
	packgen(exitDone, source, "pack", "p", "--out", archive)
	before := lock()
	trial := packgen(exitDone, reader, "lock", "update", "--dry-run")
	if lock() != before || !strings.Contains(trial, "| p | ") || strings.Count(trial, " → ") != 2 || !strings.Contains(trial, "| p.tar.gz |") {
		t.Errorf("%s", trial)
	}
	if out := packgen(exitDone, reader, "lock", "update", "p"); out != trial || lock() == before {
		t.Errorf("%s", out)
	}
	if out := packgen(exitDone, reader, "lock", "update", "--json"); !strings.Contains(out, `"command": "lock update"`) || !strings.Contains(out, `"summary": `) {
		t.Error(out)
	}
	before = lock()
	packgen(exitMisuse, reader, "lock", "remove", "q")
	packgen(exitMisuse, reader, "lock", "remove")
	packgen(exitDone, reader, "lock", "remove", "p", "--dry-run")
	if lock() != before {
		t.Error("a trial or a mistake changed the lock")
	}
	packgen(exitDone, reader, "lock", "remove", "p")
	if out := packgen(exitDone, reader, "lock", "list", "--json"); !strings.Contains(out, `"references": []`) {
		t.Error(out)
	}
	packgen(exitMisuse, reader, "lock", "update")
}

// What an update does to routing is in its summary: the repository's own tasks, against
// what was locked and what is.
func TestLockUpdateComparesRouting(t *testing.T) {
	t.Parallel()
	source, reader, env := packgentest.Repository(t), t.TempDir(), cacheOf(t)
	packgen := commands(t, env)
	archive := filepath.Join(reader, "p.tar.gz")
	packgen(exitDone, source, "pack", "p", "--out", archive)
	packgen(exitDone, reader, "pull", "p.tar.gz")
	writeText(t, filepath.Join(reader, "evals/routing.yaml"), "tasks:\n  - task: descale the samovar with vinegar\n    must: [p-wiki-descaling]\n  - task: weather\n    must_not: [p]\n")
	writeText(t, filepath.Join(source, "packs/p/wiki/descaling.md"), "# Descaling\n\n## Samovar\n\nDescale the samovar with vinegar.\n")
	packgen(exitDone, source, "pack", "p", "--out", archive)

	if out := commands(t, cacheOf(t))(exitDone, reader, "lock", "update", "--dry-run"); !strings.Contains(out, "| p | ") || !strings.Contains(out, "\nRouting is not compared: read p as it was locked&#58; the cache does not hold it. ") {
		t.Error(out)
	}
	out := packgen(exitDone, reader, "lock", "update")
	for _, want := range []string{"| Tasks met, of 2 | 1 | 2 |\n", "| Recall | 0.00 | 1.00 |\n", "| descale the samovar with vinegar | "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := packgen(exitDone, reader, "lock", "update"); strings.Contains(out, "Routing") {
		t.Error(out)
	}
}

// renovateMatches applies a custom manager of Renovate, as the manual shows it, to the
// file that it is for, and returns the named groups of each match with what they hold.
func renovateMatches(t *testing.T, file, text string) (matches []map[string]string, dataSource string) {
	t.Helper()
	var config struct {
		CustomManagers []struct {
			CustomType, DatasourceTemplate    string
			ManagerFilePatterns, MatchStrings []string
		}
	}
	shown := packgentest.Blocks(manualPage(t, "how-to/lock-packs.md"), "json")
	at := slices.IndexFunc(shown, func(s string) bool { return strings.Contains(s, "customManagers") })
	if at < 0 {
		t.Fatal("the manual shows no custom manager")
	}
	oktest.Check(t, json.Unmarshal([]byte(shown[at]), &config))
	manager := config.CustomManagers[0]
	if pattern := strings.Trim(manager.ManagerFilePatterns[0], "/"); manager.CustomType != "regex" || !regexp.MustCompile(pattern).MatchString(file) {
		t.Errorf("%s is not one of %s", file, pattern)
	}
	match := regexp.MustCompile(manager.MatchStrings[0])
	for _, m := range match.FindAllStringSubmatch(text, -1) {
		groups := map[string]string{}
		for i, name := range match.SubexpNames()[1:] {
			groups[name] = m[i+1]
		}
		matches = append(matches, groups)
	}
	return matches, manager.DatasourceTemplate
}

// Renovate finds what the manual says in a real lock; with the tag and the digest that it
// writes, lock update locks the new files, and pull --frozen refuses until then.
func TestRenovateFindsTheTagsOfALock(t *testing.T) {
	t.Parallel()
	server, source, reader := fetchtest.NewRegistry(t), packgentest.Repository(t), t.TempDir()
	env := cacheOf(t)
	env["PACKGEN_TOKEN_127_0_0_1"] = "me:" + fetchtest.RegistryPassword
	packgen := commands(t, env)
	name := server.Host() + "/acme/p"
	packgen(exitDone, source, "push", "oci://"+name+":1.0")
	// Other files than 1.0 has: what one reference brings, the cache has for all.
	writeText(t, filepath.Join(source, "packs/p/wiki/other.md"), "# Other\n\nSomething else.\n")
	packgen(exitDone, source, "pack", "p", "--out", filepath.Join(reader, "other.tar.gz"))
	packgen(exitDone, reader, "pull", "oci://"+name+":1.0#p", "other.tar.gz")
	writeText(t, filepath.Join(source, "packs/p/wiki/new.md"), "# New\n\nSomething new.\n")
	packgen(exitDone, source, "push", "oci://"+name+":1.1")
	elsewhere := t.TempDir()
	packgen(exitDone, elsewhere, "pull", "oci://"+name+":1.1")

	lockOf := func(dir string) string {
		return string(oktest.Value(os.ReadFile(filepath.Join(dir, "packgen.lock")))(t))
	}
	found, dataSource := renovateMatches(t, "packgen.lock", lockOf(reader))
	next, _ := renovateMatches(t, "sub/packgen.lock", lockOf(elsewhere))
	if len(found) != 1 || len(next) != 1 || found[0]["depName"] != name || found[0]["currentValue"] != "1.0" || next[0]["currentValue"] != "1.1" || dataSource != "docker" {
		t.Fatalf("found %v and %v, from %s, in\n%s", found, next, dataSource, lockOf(reader))
	}
	text := strings.NewReplacer(name+":1.0", name+":1.1", found[0]["currentDigest"], next[0]["currentDigest"]).Replace(lockOf(reader))
	writeText(t, filepath.Join(reader, "packgen.lock"), text)
	env["PACKGEN_CACHE_DIR"] = t.TempDir()
	packgen(exitMismatch, reader, "pull", "--frozen")
	packgen(exitDone, reader, "lock", "update")
	packgen(exitDone, reader, "pull", "--frozen")
	if again, _ := renovateMatches(t, "packgen.lock", lockOf(reader)); len(again) != 1 || again[0]["currentDigest"] != next[0]["currentDigest"] || again[0]["currentValue"] != "1.1" {
		t.Errorf("%v in\n%s", again, lockOf(reader))
	}
}
