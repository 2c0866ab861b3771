package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestDefinitionFollowsKeysAndValues(t *testing.T) {
	c := start(t, kettle())
	head := "---\nname: kettle\ndescription: d\ntype: domain-reference\nstatus: ready\nprofile: hybrid\nmetadata:\n"
	for _, tt := range []struct {
		name, text, file string
		line             int
	}{
		{"KNOWLEDGE.md", head + "  primaryDocument: documents/ket|tle.md\n---\n# K\n", "documents/kettle.md", 0},
		{"KNOWLEDGE.md", head + "  loadout:\n    kettle/dai|ly-care:\n      keywords: [a]\n---\n# K\n", "documents/kettle.md", 2},
		{"documents/safety.md", "---\nquestions:\n  hot-|water: [\"Is it hot?\"]\n---\n# S\n\n## Hot water\n", "documents/safety.md", 6},
		{"evals/context.yaml", "cases:\n  - query: q\n    required: [\"wiki/descaling.md\", documents/kettle.md#dai|ly-care]\n", "documents/kettle.md", 2},
	} {
		var got location
		c.call("textDocument/definition", c.at("packs/kettle/"+tt.name, tt.text), &got)
		if got.URI != c.uri("packs/kettle/"+tt.file) || got.Range.Start.Line != tt.line {
			t.Errorf("%q: got %+v", tt.text, got)
		}
	}
}

func TestHoverShowsWhatASplitCosts(t *testing.T) {
	c := start(t, kettle())
	var got hover
	c.call("textDocument/hover", c.at("packs/kettle/documents/kettle.md", "# Kettle\n\n## Daily| care\n\nText.\n"), &got)
	if want := "split `kettle/daily-care`: 12 tokens, `compiled/splits/kettle/daily-care.md`"; !strings.Contains(got.Contents.Value, want) {
		t.Errorf("got %q", got.Contents.Value)
	}
}

func TestReferencesAreTheLinksToAHeading(t *testing.T) {
	files := kettle()
	c := start(t, files)
	var got []location
	c.call("textDocument/references", c.at("packs/kettle/documents/kettle.md", strings.Replace(files["packs/kettle/documents/kettle.md"], "Daily", "Dai|ly", 1)), &got)
	if len(got) != 3 || got[0].URI != c.uri("packs/kettle/documents/safety.md") || got[2].URI != c.uri("packs/kettle/wiki/descaling.md") {
		t.Errorf("%+v", got)
	}
}

// An editor that gives files other names at the word of an edit renames a page from a link
// to it.
func TestRenameOfALinkRenamesItsPage(t *testing.T) {
	files := kettle()
	dir := t.TempDir()
	c := startAt(t, dir, dir, files, map[string]any{"capabilities": map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"resourceOperations": []string{"rename"}}}}})
	params := c.at("packs/kettle/documents/safety.md", strings.Replace(files["packs/kettle/documents/safety.md"], "kettle.md", "ket|tle.md", 1))
	var offered prepared
	if fault := c.call("textDocument/prepareRename", params, &offered); fault != nil || offered.Placeholder != "kettle" {
		t.Errorf("%+v, %v", offered, fault)
	}
	params["newName"] = "jug"
	var e workspaceEdit
	if fault := c.call("textDocument/rename", params, &e); fault != nil {
		t.Fatal(fault)
	}
	last := e.DocumentChanges[len(e.DocumentChanges)-1]
	if last.Kind != "rename" || last.OldURI != c.uri("packs/kettle/documents/kettle.md") || last.NewURI != c.uri("packs/kettle/documents/jug.md") {
		t.Errorf("%+v", last)
	}
	e.DocumentChanges = e.DocumentChanges[:len(e.DocumentChanges)-1]
	after := edited(c, e, files)
	if !strings.Contains(after["packs/kettle/documents/safety.md"], "[care](jug.md#daily-care)") || !strings.Contains(after["packs/kettle/wiki/descaling.md"], "[[jug#daily-care]]") {
		t.Errorf("%v", after)
	}
	for _, name := range []string{"", "../x", "safety", `a\b`} {
		params["newName"] = name
		if fault := c.call("textDocument/rename", params, nil); fault == nil {
			t.Errorf("a page is renamed to %q", name)
		}
	}
}

// Where the server runs says nothing: a file belongs to the repository around it, or to
// one that the editor has open.
func TestARepositoryIsFoundFromItsFiles(t *testing.T) {
	text := "# Safety\n\n[x](kettle.md#|\n"
	for name, tt := range map[string]struct {
		config bool
		params func(uri string) map[string]any
		want   string
	}{
		"by its configuration":      {true, func(string) map[string]any { return nil }, "kettle daily-care"},
		"by the root of the editor": {false, func(uri string) map[string]any { return map[string]any{"rootUri": uri} }, "kettle daily-care"},
		"by a folder of the editor": {false, func(uri string) map[string]any {
			return map[string]any{"rootUri": nil, "workspaceFolders": []any{map[string]any{"uri": uri, "name": "x"}}}
		}, "kettle daily-care"},
		"not by a folder that is none": {false, func(uri string) map[string]any { return map[string]any{"rootUri": uri + "/nosuch"} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files, dir := kettle(), t.TempDir()
			if tt.config {
				files["packgen.yaml"] = "title: Kettles\n"
			}
			c := startAt(t, t.TempDir(), dir, files, tt.params(uriOf(dir)))
			var got completionList
			if c.call("textDocument/completion", c.at("packs/kettle/documents/safety.md", text), &got); labels(got) != tt.want {
				t.Errorf("got %q", labels(got))
			}
		})
	}
}

// Pages that a pack reads where they are have all that its own pages have.
func TestPagesReadInPlaceAreHelpedToo(t *testing.T) {
	files := map[string]string{
		"packgen.yaml":              "documents:\n  - pack: packs/kettle\n    from: docs\n    exclude: [drafts/**]\n    mdx: true\n",
		"packs/kettle/KNOWLEDGE.md": "---\nname: kettle\ndescription: The kettle.\ntype: domain-reference\nprofile: document-first\nstatus: ready\n---\n\n# Kettle\n",
		"docs/index.md":             "# Kettle\n\n## Daily care\n\nSee [safety](use/safety.mdx#hot-water).\n",
		"docs/use/safety.mdx":       "# Safety\n\n## Hot water\n\nSee [care](../index.md#daily-care).\n",
		"docs/drafts/a.md":          "# A\n",
	}
	c := start(t, files)
	var got completionList
	c.call("textDocument/completion", c.at("docs/use/safety.mdx", "# Safety\n\n## Hot water\n\n[x](../index.md#da|\n"), &got)
	if labels(got) != "daily-care" {
		t.Errorf("completion: %q", labels(got))
	}
	got = completionList{}
	if c.call("textDocument/completion", c.at("docs/index.md", "# Kettle\n\n## Daily care\n\n[x](use/|\n"), &got); labels(got) != "use/safety.mdx" {
		t.Errorf("completion: %q", labels(got))
	}
	var to location
	c.call("textDocument/definition", c.at("docs/index.md", "# Kettle\n\n## Daily care\n\n[x](use/saf|ety.mdx#hot-water)\n"), &to)
	if to.URI != c.uri("docs/use/safety.mdx") || to.Range.Start.Line != 2 {
		t.Errorf("definition: %+v", to)
	}
	var e workspaceEdit
	c.open("docs/index.md", files["docs/index.md"])
	c.open("docs/use/safety.mdx", files["docs/use/safety.mdx"])
	c.call("workspace/willRenameFiles", map[string]any{"files": []map[string]string{{"oldUri": c.uri("docs/use/safety.mdx"), "newUri": c.uri("docs/care.mdx")}}}, &e)
	after := edited(c, e, files)
	if after["docs/index.md"] != "# Kettle\n\n## Daily care\n\nSee [safety](care.mdx#hot-water).\n" || after["docs/use/safety.mdx"] != "# Safety\n\n## Hot water\n\nSee [care](index.md#daily-care).\n" {
		t.Errorf("rename: %q", after)
	}
	c.open("docs/use/safety.mdx", "# Safety\n\nSee [x](nosuch.md).\n")
	c.waitFor("docs/use/safety.mdx", "ref-broken", true)
}

// A change of packgen.yaml counts for findings once it is saved.
func TestASavedConfigurationCounts(t *testing.T) {
	files := kettle()
	files["packgen.yaml"] = "title: Kettles\n"
	c := start(t, files)
	name := "packs/kettle/documents/safety.md"
	c.open(name, "# Safety\n\n## Hot water\n\nSee [x](nosuch.md).\n")
	c.waitFor(name, "ref-broken", true)
	oktest.Check(t, os.WriteFile(filepath.Join(c.dir, "packgen.yaml"), []byte("rules:\n  - rule: ref-broken\n    severity: \"off\"\n    reason: a draft\n"), 0o666))
	oktest.Check(t, c.conn.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": c.uri("packgen.yaml")}}))
	c.waitFor(name, "ref-broken", false)
}

// A text that changes while a rename is asked for keeps its version in the edits: the
// editor refuses what came too late.
func TestEditsOfARenameNameTheVersionTheyAreFor(t *testing.T) {
	files := kettle()
	c := start(t, files)
	name := "packs/kettle/documents/kettle.md"
	params := c.at(name, strings.Replace(files[name], "Daily", "Dai|ly", 1))
	params["newName"] = "Weekly care"
	for version := 2; version < 40; version++ {
		text := files[name] + strings.Repeat("More.\n", version)
		oktest.Check(t, c.conn.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": c.uri(name), "version": version}, "contentChanges": []map[string]any{{"text": text}}}))
		var e workspaceEdit
		if fault := c.call("textDocument/rename", params, &e); fault != nil {
			t.Fatal(fault)
		}
		for _, d := range e.DocumentChanges {
			if d.TextDocument.URI == c.uri(name) && (d.TextDocument.Version == nil || *d.TextDocument.Version != version) {
				t.Fatalf("version %d: edits for %v", version, d.TextDocument.Version)
			}
			if d.TextDocument.URI != c.uri(name) && d.TextDocument.Version != nil {
				t.Fatalf("a closed file has the version %v", *d.TextDocument.Version)
			}
		}
	}
}

// What names a page or a section without a link gets its new name too.
func TestRenameUpdatesWhatNamesASection(t *testing.T) {
	files := kettle()
	files["packs/kettle/KNOWLEDGE.md"] = "---\nname: kettle\ndescription: The kettle.\ntype: domain-reference\nprofile: hybrid\nstatus: ready\nmetadata:\n  primaryDocument: documents/kettle.md\n  loadout:\n    kettle/daily-care:\n      keywords: [rinse]\n---\n\n# Kettle\n\n- Care: `documents/kettle.md`, not `documents/kettle.md.txt`. [Care](documents/kettle.md#daily-care)\n"
	files["packs/kettle/documents/kettle.md"] = "---\nquestions:\n  daily-care:\n    - How do I rinse it?\n---\n\n# Kettle\n\n## Daily care\n\nRinse it.\n"
	files["packs/kettle/evals/context.yaml"] = "pack_name: kettle\ncases:\n  - query: how do I rinse it\n    required: [documents/kettle.md#daily-care]\n    forbidden: [\"documents/kettle.md#daily-care-of-old\", documents/kettle.md]\n"
	c := start(t, files)
	params := c.at("packs/kettle/documents/kettle.md", strings.Replace(files["packs/kettle/documents/kettle.md"], "## Dai", "## Dai|", 1))
	params["newName"] = "Weekly care"
	var e workspaceEdit
	if fault := c.call("textDocument/rename", params, &e); fault != nil {
		t.Fatal(fault)
	}
	after := edited(c, e, files)
	for name, wants := range map[string][]string{
		"packs/kettle/documents/kettle.md": {"questions:\n  weekly-care:\n", "## Weekly care\n"},
		"packs/kettle/KNOWLEDGE.md":        {"    kettle/weekly-care:\n", "[Care](documents/kettle.md#weekly-care)"},
		"packs/kettle/evals/context.yaml":  {"required: [documents/kettle.md#weekly-care]\n", "documents/kettle.md#daily-care-of-old"},
	} {
		for _, want := range wants {
			if !strings.Contains(after[name], want) {
				t.Errorf("%s: no %q in\n%s", name, want, after[name])
			}
		}
	}
	e = workspaceEdit{}
	c.call("workspace/willRenameFiles", map[string]any{"files": []map[string]string{{"oldUri": c.uri("packs/kettle/documents/kettle.md"), "newUri": c.uri("packs/kettle/documents/jug.md")}}}, &e)
	after = edited(c, e, files)
	for name, wants := range map[string][]string{
		"packs/kettle/KNOWLEDGE.md":       {"primaryDocument: documents/jug.md\n", "- Care: `documents/jug.md`, not `documents/kettle.md.txt`. [Care](documents/jug.md#daily-care)\n"},
		"packs/kettle/evals/context.yaml": {"[documents/jug.md#daily-care]", "\"documents/jug.md#daily-care-of-old\", documents/jug.md]"},
	} {
		for _, want := range wants {
			if !strings.Contains(after[name], want) {
				t.Errorf("%s: no %q in\n%s", name, want, after[name])
			}
		}
	}
}
