package compiler

import (
	"maps"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// unpacked is what a pack looks like where its archive was unpacked: without
// sources/, with a pack.json that lists the rest.
func unpacked(tb testing.TB, files tree) tree {
	tb.Helper()
	out := maps.Clone(files)
	m := schema.PackManifest{
		SchemaVersion: 1, Name: "p", Profile: "wiki-first", Status: "ready",
		Tree: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
	}
	for name := range files {
		if strings.HasPrefix(name, "sources/") {
			delete(out, name)
		}
	}
	for _, name := range sortedKeys(out) {
		m.Files = append(m.Files, schema.PublishedFile{Path: name, SHA256: strings.Repeat("0", 64)})
	}
	data := oktest.Value(schema.Encode(m))(tb)
	return out.with(tree{"pack.json": string(data)})
}

func TestSourceThatAnArchiveLeavesOutIsNoFinding(t *testing.T) {
	files := tree{
		"KNOWLEDGE.md":      entry("wiki-first", "required") + "Read [the log](sources/log.md).\n",
		"sources/log.md":    "# Log\n\nLow water at six.\n",
		"sources/change.md": "One.\n",
		"wiki/tides.md": "# Tides\n\n- Low water is at six. [source: sources/log.md#L3]\n- It was one. [source: sources/change.md#L1]\n" +
			"- Nobody knows. [source: sources/log.md#no-such-heading]\n\nSee [the log](../sources/log.md) and [all](../sources/).\n",
	}
	dir := packDir(t, files)
	compileDir(t, dir, Options{Now: clock})
	tree{"sources/change.md": "Two.\n"}.write(t, dir)
	there := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})

	elsewhere := packDir(t, unpacked(t, readTree(t, dir)))
	here := compileDir(t, elsewhere, Options{Now: clock.AddDate(0, 0, 2)})
	for _, d := range here.Diagnostics {
		if d.ID == gateSourceMissing || d.ID == refBroken || d.ID == gateAnchorUnresolved {
			t.Errorf("%s: %s: %s", d.ID, d.Place(), d.Message)
		}
	}
	sameStrings(t, "claims", claims(here), claims(there))
	if text := strings.Join(claims(there), "\n"); !strings.Contains(text, "stale") || !strings.Contains(text, "confirmed") {
		t.Errorf("the test needs claims of several statuses, and has\n%s", text)
	}
}

func TestSourceThatIsLostIsAFinding(t *testing.T) {
	page := tree{"KNOWLEDGE.md": entry("wiki-first", "required"), "wiki/tides.md": "# Tides\n\n- Low. [source: sources/log.md]\n"}
	for name, files := range map[string]tree{
		"of a pack that is not an archive": page,
		"of an archive that had it":        unpacked(t, page).with(tree{"pack.json": listing(t, "KNOWLEDGE.md", "sources/log.md", "wiki/tides.md")}),
	} {
		r, _ := compileFiles(t, files)
		missing := false
		for _, d := range r.Diagnostics {
			missing = missing || d.ID == gateSourceMissing
		}
		if !missing {
			t.Errorf("%s: no source-missing in %v", name, found(r))
		}
	}
}

// listing is a pack.json that lists those files.
func listing(tb testing.TB, names ...string) string {
	tb.Helper()
	files := tree{}
	for _, name := range names {
		files[strings.Replace(name, "sources/", "SOURCES/", 1)] = ""
	}
	return strings.Replace(unpacked(tb, files)["pack.json"], "SOURCES/", "sources/", 1)
}
