package context

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// cited is a compiled pack whose claims rest on several sources.
func cited(t testing.TB) fstest.MapFS {
	return compiled(t, tree{
		"KNOWLEDGE.md": head("kettle", "hybrid", "metadata:\n  primaryDocument: documents/kettle.md\n"),
		"documents/kettle.md": "# Kettle\n\n## Capacity [source: sources/heading.md]\n\n- It is new. [source: sources/heading.md] [status: inferred]\n- It holds one litre. [source: sources/s.md#L1]\n- It is blue. [source: sources/colour.md]\n- It is old. [source: sources/s.md] [status: inferred]\n- It is light. [source: documents/other.md#other]\n\n" +
			"## Care\n\nDescale it monthly. [source: sources/s.md#L2]\n\n| Part | Life |\n| --- | --- |\n| Seal | a year [source: sources/s.md#L3] |\n",
		"documents/other.md": "# Other\n\nText.\n",
		"wiki/page.md":       "# Page\n\n- Brass is louder. [source: sources/s.md#L1]\n",
		"sources/s.md":       "one\ntwo\nthree\n", "sources/colour.md": "blue\n", "sources/heading.md": "heading\n",
	})
}

// A pack that was pulled from the directory that it is written in has neither sources nor a
// pack.json: its claims are as they were compiled.
func TestSourcesOfAPulledDirectoryAreNotGone(t *testing.T) {
	pulled := named("kettle", with(cited(t), tree{"sources": "-"}))
	pulled.MaxTrust = "external"
	r := resolve(t, Request{Query: "source of the kettle capacity and care"}, pulled)
	said := strings.Join(remarks(r.Warnings), "\n")
	if len(r.Claims) != 0 || strings.Contains(r.Context, "stale") || strings.Contains(said, "stale") || strings.Contains(said, "not resolve") {
		t.Errorf("claims %v in\n%s\n%s", r.Claims, r.Context, said)
	}
}

// Claims on a source that has changed since the newest compile run are stale, and the
// text says so.
func TestClaimsOnChangedSourcesAreStale(t *testing.T) {
	files := cited(t)
	const changed, gone = "This source has changed since the newest compile run; the claims on it are stale.", "This source is gone since the newest compile run; the claims on it are stale."
	for _, c := range []struct {
		name    string
		changes tree
		claims  []string
		warning string
		status  string
	}{
		{"nothing changed", nil, nil, "", "needs-review"},
		{"a source was edited", tree{"sources/s.md": "uno\ntwo\nthree\n"}, []string{"It holds one litre. sources/s.md#L1", "Descale it monthly. sources/s.md#L2", "Seal | a year sources/s.md#L3"}, "sources/s.md: " + changed, "stale"},
		{"a source of the same size was edited", tree{"sources/colour.md": "teal\n"}, []string{"It is blue. sources/colour.md"}, "sources/colour.md: " + changed, "stale"},
		{"a source that a heading cites, and a claim with a marker, was edited", tree{"sources/heading.md": "x\n"}, nil, "sources/heading.md: " + changed, "stale"},
		{"a source was deleted", tree{"sources/colour.md": "-"}, []string{"It is blue. sources/colour.md"}, "sources/colour.md: " + gone, "stale"},
		{"a document that is a source was edited", tree{"documents/other.md": "# Other\n\nOther text.\n"}, []string{"It is light. documents/other.md#other"}, "documents/other.md: " + changed, "stale"},
		{"no run lists the hash of any", tree{"sources/s.md": "uno\n", "runs": "-"}, nil, "", "needs-review"},
		{"it is a pack from an archive without sources", tree{"sources": "-", "pack.json": archiveOf(t, files)}, nil, "", "needs-review"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolve(t, Request{Query: "kettle capacity and care"}, named("kettle", with(files, c.changes)))
			var got []string
			for _, claim := range r.Claims {
				if claim.Status != "stale" || !strings.HasPrefix(claim.Path, "compiled/splits/kettle/") {
					t.Errorf("claim %+v", claim)
				}
				got = append(got, claim.Text+" "+claim.Source)
			}
			slices.Sort(got)
			slices.Sort(c.claims)
			if diff := cmp.Diff(c.claims, got); diff != "" {
				t.Errorf("claims (-want +got):\n%s", diff)
			}
			if n := strings.Count(r.Context, "[status: stale]"); n != len(c.claims) {
				t.Errorf("%d claims are marked in\n%s", n, r.Context)
			}
			if said := strings.Join(remarks(r.Warnings), "\n"); c.warning != "" && !strings.Contains(said, "warning: "+c.warning) || c.warning == "" && strings.Contains(said, "stale") {
				t.Errorf("warnings:\n%s", said)
			}
			if string(r.Status) != c.status {
				t.Errorf("status %s, want %s: %v", r.Status, c.status, r.CompileWarnings)
			}
			if len(c.claims) > 0 && !strings.Contains(strings.Join(remarks(r.CompileWarnings), "\n"), "This runtime view depends on a stale compile run.") {
				t.Errorf("compile warnings %v", r.CompileWarnings)
			}
		})
	}
}

// archiveOf is the pack.json of files from which the sources were left out.
func archiveOf(t testing.TB, files fstest.MapFS) string {
	t.Helper()
	m := schema.PackManifest{SchemaVersion: 1, Name: "kettle", Profile: "hybrid", Status: "ready", Tree: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}) {
		if !strings.HasPrefix(name, "sources/") {
			m.Files = append(m.Files, schema.PublishedFile{Path: name, SHA256: strings.Repeat("0", 64)})
		}
	}
	data, err := schema.Encode(m)
	oktest.Check(t, err)
	return string(data)
}

// The mark comes after the claim, costs tokens, and is the same for every query.
func TestMarksFollowTheirClaims(t *testing.T) {
	files := with(cited(t), tree{"sources/s.md": "uno\n"})
	o, err := Open(context.Background(), []Pack{named("kettle", files)})
	oktest.Check(t, err)
	var first *Resolution
	for range 2 {
		r, err := o.Resolve(context.Background(), Request{Query: "kettle capacity and care"})
		oktest.Check(t, err)
		for _, want := range []string{
			"- It holds one litre. [source: sources/s.md#L1] [status: stale]\n- It is blue. [source: sources/colour.md]\n- It is old. [source: sources/s.md] [status: inferred]\n",
			"Descale it monthly. [source: sources/s.md#L2] [status: stale]\n", "| Seal | a year [source: sources/s.md#L3] [status: stale] |\n",
		} {
			if !strings.Contains(r.Context, want) {
				t.Errorf("%q does not stand in\n%s", want, r.Context)
			}
		}
		tokens := 0
		for _, f := range r.Activated[0].Files {
			tokens += f.Tokens
			if !strings.Contains(r.Context, strings.TrimSpace(f.Text)) {
				t.Errorf("%s is not what is in the context", f.Path)
			}
		}
		if tokens != r.TokenEstimate {
			t.Errorf("%d tokens, the files have %d", r.TokenEstimate, tokens)
		}
		if first != nil && first.Context != r.Context {
			t.Errorf("the second query gives\n%s", r.Context)
		}
		first = r
	}
}

// Claims that the source map calls stale or disputed are marked where they are shown,
// in splits, views, and pages as they are.
func TestClaimsInDoubtAreMarked(t *testing.T) {
	files := compiled(t, tree{
		"KNOWLEDGE.md": head("star", "wiki-first", "grounding: none\n"), "sources/s.md": "five\n",
		"wiki/arms.md":    "# Arms\n\n- The star has five arms. [source: sources/s.md#L1]\n- It is orange. [source: sources/s.md#L1]\n",
		"wiki/legs.md":    "# Legs\n\n- The star has five arms. [source: sources/s.md#L1] [status: disputed]\n",
		"compiled/own.md": "# Own\n\n- The star has *five* arms!\n- It is orange.\n",
	})
	for _, c := range []struct {
		name    string
		changes tree
		path    string
	}{
		{"in a split", nil, "compiled/splits/wiki/arms.md"},
		{"in a page that takes the place of a split", tree{"compiled/splits/wiki/arms.md": "-"}, "wiki/arms.md#arms"},
		{"in a page as it is", tree{"compiled": "-"}, "wiki/arms.md"},
	} {
		r := resolve(t, Request{Query: "arms of the star"}, named("star", with(files, c.changes)))
		if !slices.Contains(r.SelectedFiles, c.path) || !strings.Contains(r.Context, "- The star has five arms. [source: sources/s.md#L1] [status: disputed]\n- It is orange. [source: sources/s.md#L1]\n") {
			t.Errorf("%s: selected %v\n%s", c.name, r.SelectedFiles, r.Context)
		}
		if !slices.ContainsFunc(r.Claims, func(claim Claim) bool { return claim.Path == c.path && claim.Status == "disputed" }) || r.Status != "disputed" {
			t.Errorf("%s: status %s, claims %+v", c.name, r.Status, r.Claims)
		}
	}
	s, err := openContents(&Pack{FS: files, Dir: "star"}, nil)
	oktest.Check(t, err)
	if u := s.marked(s.view("compiled/own.md")); u.text != "# Own\n\n- The star has *five* arms! [status: disputed]\n- It is orange.\n" || u.doubt != "disputed" {
		t.Errorf("a view of its own is %s:\n%s", u.doubt, u.text)
	}
}

// The record of a resolution names the claims, and still fits its schema.
func TestRecordNamesStaleClaims(t *testing.T) {
	packs := []Pack{named("kettle", with(cited(t), tree{"sources/colour.md": "teal\n"})), named("shore", shore(t))}
	r := resolve(t, Request{Query: "kettle capacity and mussel beds"}, packs...)
	record, err := r.Record("context-2026-06-01T08-00-00Z")
	oktest.Check(t, err)
	data, err := schema.Encode(record)
	oktest.Check(t, err)
	read, err := schema.DecodeContext(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	want := schema.RunWarning{Severity: diag.Warning, Path: kettleSplits + "capacity.md", Message: `The claim "It is blue.", which rests on sources/colour.md, is stale.`}
	if got := read.ActivatedPacks[0].Warnings; !slices.Contains(got, want) || read.Status != "stale" {
		t.Errorf("status %s, warnings %v", read.Status, got)
	}
	shown, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(shown), `"claims":[{"path":"kettle:`+kettleSplits+`capacity.md","text":"It is blue.","status":"stale","source":"sources/colour.md"}]`) {
		t.Errorf("%v %s", err, shown)
	}
}

// Size and times come first where there is much to read: a large source that nobody has
// touched since its hash was taken is not read.
func TestSourcesThatNobodyTouchedAreNotRead(t *testing.T) {
	scan := strings.Repeat("blue ", freeBytes/4) + "\n"
	files := compiled(t, tree{
		"KNOWLEDGE.md":        head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n"),
		"documents/kettle.md": "# Kettle\n\n- It is blue. [source: sources/scan.txt]\n- It is small. [source: sources/note.txt]\n",
		"sources/scan.txt":    scan, "sources/note.txt": "small\n",
	})
	sum := schema.SHA256([]byte(scan))
	for _, c := range []struct {
		name    string
		known   func(f pack.File) string
		scan    string
		read    bool
		claimed bool
	}{
		{"nothing is remembered", nil, scan, true, false},
		{"the hash is remembered", func(pack.File) string { return sum }, scan, false, false},
		{"the file was touched", func(pack.File) string { return "" }, scan, true, false},
		{"the file was edited", func(pack.File) string { return "" }, "red" + scan[3:], true, true},
		{"the hash is another one, as after an edit that was compiled elsewhere", func(pack.File) string { return strings.Repeat("0", 64) }, "red" + scan[3:], true, true},
	} {
		w := &watched{MapFS: with(files, tree{"sources/scan.txt": c.scan})}
		r, err := Resolve(context.Background(), []Pack{{FS: w, Dir: "kettle", Activation: Explicit, Known: c.known}}, Request{Query: "kettle"})
		oktest.Check(t, err)
		if read := slices.Contains(w.opened, "sources/scan.txt"); read != c.read || (len(r.Claims) > 0) != c.claimed {
			t.Errorf("%s: read %v, claims %+v", c.name, read, r.Claims)
		}
		if !slices.Contains(w.opened, "sources/note.txt") {
			t.Errorf("%s: a small source is not read", c.name)
		}
	}
}
