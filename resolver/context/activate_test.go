package context

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

// kettleDocs is a pack with a document that every query should get, and one that
// only fits some.
func kettleDocs() tree {
	return tree{
		"KNOWLEDGE.md":        head("kettle", "document-first", "metadata:\n  primaryDocument: documents/care.md\n"),
		"documents/house.md":  "# House\n\n## Rules\n\nUnplug it first.\n\n## Words\n\nSay kettle, not boiler.\n",
		"documents/care.md":   "# Care\n\n## Descaling\n\nDescale the kettle monthly with citric acid.\n\n## Storage\n\nStore it dry.\n",
		"documents/second.md": "# Second\n\n## Warranty\n\nTwo years.\n",
	}
}

func alwaysSelected(t *testing.T, query string, budget int, always ...string) *Resolution {
	t.Helper()
	r, err := Resolve(context.Background(), []Pack{{FS: compiled(t, kettleDocs()), Dir: "kettle", Activation: Explicit, Always: always}},
		Request{Query: query, Budget: budget})
	oktest.Check(t, err)
	return r
}

func TestAlwaysSaidFilesComeFirstAndWhole(t *testing.T) {
	r := alwaysSelected(t, "descale with citric acid", 0, "documents/house.md")
	if len(r.Selection) < 2 || r.Selection[0] != (Selected{Path: "documents/house.md", Reason: "boot"}) {
		t.Fatalf("selection %v", r.Selection)
	}
	if !slices.ContainsFunc(r.Selection, func(s Selected) bool { return strings.HasPrefix(s.Reason, "match:") }) {
		t.Errorf("the query selects nothing beside it: %v", r.Selection)
	}
	if !strings.Contains(r.Context, "Unplug it first.") || !strings.Contains(r.Context, "Say kettle") {
		t.Errorf("the file is not there whole:\n%s", r.Context)
	}
}

func TestPartsOfAnAlwaysSaidFileAreNotSelectedAgain(t *testing.T) {
	r := alwaysSelected(t, "descale with citric acid", 0, "documents/care.md", "documents/care.md")
	if n := strings.Count(r.Context, "citric acid"); n != 1 {
		t.Errorf("the same text is there %d times: %v", n, r.Selection)
	}
}

func TestAlwaysSaidFileThatIsGoneIsAWarning(t *testing.T) {
	r := alwaysSelected(t, "descale with citric acid", 0, "documents/gone.md")
	if !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Path == "documents/gone.md" && w.Severity == diag.Warning }) {
		t.Errorf("warnings %v", r.Warnings)
	}
	if len(r.Selection) == 0 {
		t.Error("nothing else was selected")
	}
}

func TestNothingIsSaidAlwaysByDefault(t *testing.T) {
	for _, s := range alwaysSelected(t, "descale with citric acid", 0).Selection {
		if s.Reason == reasonBoot {
			t.Errorf("selected %v", s)
		}
	}
}

// A secret is withheld from what boot.yml says as from everything else, and nothing
// unseen is in it.
func TestAlwaysSaidFileIsLookedAtToo(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	files := kettleDocs()
	files["documents/token.md"] = "# Token\n\nIt is " + secret + ".\n"
	files["documents/hidden.md"] = "# Hidden\n\nUnplug it.\U000E0049\u202e\n"
	r, err := Resolve(context.Background(), []Pack{{FS: raw(files), Dir: "kettle", Activation: Explicit, Always: []string{"documents/token.md", "documents/hidden.md"}}},
		Request{Query: "descale with citric acid"})
	oktest.Check(t, err)
	if strings.Contains(r.Context, secret) || !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Path == "documents/token.md" && w.Severity == diag.Error }) {
		t.Errorf("the secret is said, or not reported: %v\n%s", r.Warnings, r.Context)
	}
	if !strings.Contains(r.Context, "Unplug it.\n") || !slices.ContainsFunc(r.Warnings, func(w Warning) bool {
		return w.Path == "documents/hidden.md" && strings.HasPrefix(w.Message, "2 invisible characters")
	}) {
		t.Errorf("warnings %v\n%q", r.Warnings, r.Context)
	}
}

// A program that reads a resolution opens the files that it names.
func TestPathsOfAResolutionAreThoseOfItsFiles(t *testing.T) {
	files := kettleDocs()
	const odd = "documents/zero\u200bwidth.md"
	files[odd] = "# Odd\n\nUnplug it.\n"
	r, err := Resolve(context.Background(), []Pack{{FS: raw(files), Dir: "kettle", Activation: Explicit, Always: []string{odd}}}, Request{Query: "descale with citric acid"})
	oktest.Check(t, err)
	if !slices.ContainsFunc(r.Selection, func(s Selected) bool { return s.Path == odd }) || !slices.Contains(r.SelectedFiles, odd) {
		t.Errorf("the selection is %q, the files %q", r.Selection, r.SelectedFiles)
	}
}
