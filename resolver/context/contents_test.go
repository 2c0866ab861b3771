package context

import (
	"encoding/json"
	"testing"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// layoutIndex lists a split for each title, all of one document but the last.
func layoutIndex(titles ...string) *schema.Index {
	x := &schema.Index{}
	for i, title := range titles {
		name := string(rune('a' + i))
		x.Splits = append(x.Splits, schema.Split{ID: "x/" + name, Order: i + 1, Title: title, Document: "documents/x.md", SectionID: name, Path: "compiled/splits/x/" + name + ".md"})
	}
	last := &x.Splits[len(x.Splits)-1]
	last.Document, last.Path = "documents/limits.md", "compiled/splits/limits/overview.md"
	x.Views = []schema.View{{Path: "compiled/briefing.md", Kind: "briefing"}}
	return x
}

func TestLayoutOfHybridPack(t *testing.T) {
	p := &pack.Pack{Meta: pack.Knowledge{Profile: pack.Hybrid, PrimaryDocument: "documents/limits.md"}}
	p.EntryText = []byte("---\nname: x\n---\n\n## Context map\n\n- Warranty of kettles: `documents/x.md#b`, `compiled/briefing.md`\n")
	got := oktest.Value(json.Marshal(LayoutOf(p, layoutIndex("Overview", "Warranty", "Known limits", "Limits"), []string{"documents/x.md#a"})))(t)
	want := `{"views":["compiled/briefing.md"],"boundaries":[{"unit":0,"declared":true},{"unit":2},{"unit":3,"alone":true}],` +
		`"map":[{"words":["warranty","kettle"],"splits":[1],"views":["compiled/briefing.md"]}],"primary":{"splits":[3]}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLayoutOfPersonaPack(t *testing.T) {
	p := &pack.Pack{Meta: pack.Knowledge{RuntimeMode: pack.ModePersona}}
	got, err := json.Marshal(LayoutOf(p, layoutIndex("Tone of voice", "Taboos", "Greetings"), nil).Classes)
	if want := `{"taboos":[1],"voice":[0]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestMarkedTextNamesDoubtfulClaims(t *testing.T) {
	doubts := compiler.DoubtsOf(&schema.SourceMap{Claims: []schema.Claim{{Document: "documents/x.md", Text: "Kettles last.", Status: "stale"}}})
	p := &pack.Pack{}
	const text = "## Life\n\nKettles last. [source: sources/a.md]\n\nOthers do not.\n"
	if got, want := Marked(p, doubts, "documents/x.md", "compiled/splits/x/life.md", text), "## Life\n\nKettles last. [source: sources/a.md] [status: stale]\n\nOthers do not.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Marked(p, doubts, "documents/y.md", "compiled/splits/y/life.md", text); got != text {
		t.Errorf("another document: %q", got)
	}
}
