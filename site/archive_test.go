package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// shorePack is a pack with a page, a source, an asset and an eval.
func shorePack(status, page string) files {
	return files{
		"KNOWLEDGE.md": "---\nname: shore\ndescription: What lives on the shore. Use it for questions about mussels.\ntype: research-wiki\nstatus: " + status +
			"\nprofile: wiki-first\ngrounding: required\ntrust: official\nversion: 2.0.0\n---\n# Shore\n",
		"wiki/mussels.md": page, "sources/survey.md": "Low.\n", "assets/legend.txt": "Blue: mussels.\n",
		"evals/discovery.train.json": "{}", "assets/app.js": "1\n", "assets/page.html": "<p>", "boot.yml": "version: 1\n",
	}
}

const mussels = "# Mussels\n\n- They live low. [source: sources/survey.md]\n"

// published reads the record of shore and checks the archive against it.
func (m made) published() *schema.PackManifest {
	m.t.Helper()
	manifest, err := schema.DecodePackManifest(m.files["packs/shore/pack.json"])
	oktest.Check(m.t, err)
	v, err := archive.Verify(m.t.Context(), fstest.MapFS{
		"pack.json": {Data: m.files["packs/shore/pack.json"]}, "pack.tar.gz": {Data: m.files["packs/shore/pack.tar.gz"]},
	}, archive.VerifyOptions{})
	if err != nil || len(v.Diagnostics) > 0 {
		m.t.Errorf("%v, %v", v, err)
	}
	return manifest
}

func paths(m *schema.PackManifest) []string {
	var list []string
	for _, f := range m.Files {
		list = append(list, f.Path)
	}
	return list
}

func TestPackIsPublishedWithoutItsSources(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"shore": shorePack("ready", mussels)})
	got := m.published()
	want := []string{
		"KNOWLEDGE.md", "assets/app.js", "assets/legend.txt", "assets/page.html", "boot.yml", "compiled/briefing.md", "compiled/facts.md",
		"compiled/index.json", "compiled/splits/wiki/mussels.md", "evals/discovery.train.json", "indexes/source-map.json",
	}
	list := slices.DeleteFunc(paths(got), func(p string) bool { return strings.HasPrefix(p, "runs/") })
	if want = append(want, "wiki/mussels.md"); !slices.Equal(list, want) {
		t.Errorf("got %q, want %q", list, want)
	}
	if len(list)+2 != len(got.Files) { // a record and its ledger
		t.Error("the newest run is not published")
	}
	if got.Name != "shore" || got.Version != "2.0.0" || got.Trust != "official" || got.Status != "ready" || got.Profile != "wiki-first" {
		t.Errorf("%+v", got)
	}
	page := "packs/shore/index.html"
	m.has(page, `<a href="pack.tar.gz" download>`)
	m.has(page, strings.ReplaceAll(got.Tree, "+", "&#43;"))
	for _, script := range []string{"assets/app.js", "assets/page.html"} {
		if m.files["packs/shore/"+script] != nil {
			t.Errorf("%s is on the site as it is", script)
		}
	}
}

func TestSourcesAreArchivedWhereTheConfigurationAsks(t *testing.T) {
	m := generate(t, Options{PublishSources: true}, map[string]files{"shore": shorePack("ready", mussels)})
	if !slices.Contains(paths(m.published()), "sources/survey.md") {
		t.Error("sources/ is left out")
	}
}

func TestASecretIsNotPublished(t *testing.T) {
	const secret = "AKIAQ3EGRTYUXPLMZN7W"
	pack := shorePack("ready", mussels)
	pack["wiki/keys.md"] = "# Keys\n\nThe key is " + secret + " for now.\n\n## Other\n\n- They open doors. [source: sources/survey.md]\n"
	pack["assets/config.txt"] = "access_key = " + secret + "\n"
	pack["indexes/vector/notes.txt"] = "seen: " + secret + "\n"
	pack["indexes/vector/clean.txt"] = "nothing\n"
	m := generate(t, Options{}, map[string]files{"shore": pack})
	list := paths(m.published())
	for _, path := range []string{"wiki/keys.md", "assets/config.txt", "indexes/vector/notes.txt"} {
		if slices.Contains(list, path) {
			t.Errorf("%s is published", path)
		}
	}
	if !slices.Contains(list, "indexes/vector/clean.txt") || !slices.Contains(list, "wiki/mussels.md") {
		t.Errorf("too much is left out: %q", list)
	}
	z, err := gzip.NewReader(bytes.NewReader(m.files["packs/shore/pack.tar.gz"]))
	oktest.Check(t, err)
	all, err := io.ReadAll(z)
	oktest.Check(t, err)
	if bytes.Contains(all, []byte(secret)) || bytes.Contains(m.files["packs/shore/pack.json"], []byte(secret)) {
		t.Error("the secret is in the archive")
	}
	if !slices.ContainsFunc(m.out.Diagnostics, func(d diag.Diagnostic) bool { return d.Path == "indexes/vector/notes.txt" && d.ID == secretSuspect }) {
		t.Error("nothing says what was left out")
	}
}

func TestPublishedViewsHaveTheStatusThatIsKnownBesideTheSources(t *testing.T) {
	for _, tt := range []struct {
		name, page      string
		briefing, facts string
	}{
		{"nothing in doubt", mussels, "passed", "passed"},
		{"a stale page", "---\nstatus: stale\n---\n" + mussels, "stale", ""},
		{"a disputed page", "---\nstatus: disputed\n---\n" + mussels, "disputed", ""},
		{"one stale claim", mussels + "- They are blue. [source: sources/survey.md] [status: stale]\n", "stale", "passed"},
		{"a source that is lost", mussels + "- They are old. [source: sources/gone.md]\n", "passed", "passed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := generate(t, Options{}, map[string]files{"shore": shorePack("ready", tt.page)})
			got := map[string]string{}
			for _, v := range m.published().Views {
				got[v.Path] = string(v.Status)
				if (v.Status != "passed") != (len(v.Warnings) > 0) {
					t.Errorf("%s is %s with the warnings %q", v.Path, v.Status, v.Warnings)
				}
			}
			if got["compiled/briefing.md"] != tt.briefing || got["compiled/facts.md"] != tt.facts {
				t.Errorf("got %v, want %s and %q", got, tt.briefing, tt.facts)
			}
		})
	}
}
