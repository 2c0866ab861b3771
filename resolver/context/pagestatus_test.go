package context

import (
	"context"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/schema"

	"github.com/packgen/packgen/compiler/oktest"
)

// A page that is not ready says so in every wrapper, though its text has no claim that
// could be marked and its pack is ready.
func TestAWrapperSaysTheStatusOfAPage(t *testing.T) {
	for _, status := range []string{string(schema.NeedsReview), string(schema.Stale), string(schema.Disputed), "ready"} {
		files := compiled(t, tree{
			"KNOWLEDGE.md":  head("kettle", "wiki-first", ""),
			"wiki/page.md":  "---\nstatus: " + status + "\n---\n# Valve\n\nThe valve opens at nine bar.\n\n- It is made of brass. [source: sources/s.md#L1]\n",
			"wiki/other.md": "# Lamp\n\nThe lamp is green.\n\n- It is made of glass. [source: sources/s.md#L1]\n",
			"sources/s.md":  "one\n",
		})
		p := named("kettle", files)
		texts := map[string]string{"resolve": resolve(t, Request{Query: "when does the valve open"}, p).Context}
		for _, name := range []string{"compiled/splits/wiki/page.md", "wiki/page.md", "wiki/page.md#valve"} {
			passage, err := Read(context.Background(), p, name, 0, 1000)
			oktest.Check(t, err)
			texts[name] = passage.Context
		}
		line := "> Status: " + status + ". Say so where you use what follows.\n\n"
		for name, text := range texts {
			if !strings.Contains(text, "nine bar") || strings.Contains(text, "-->\n"+line) != (status != "ready") {
				t.Errorf("%s of a page that is %s:\n%s", name, status, text)
			}
		}
		facts, err := Read(context.Background(), p, "compiled/facts.md", 0, 1000)
		if err != nil || strings.Contains(facts.Context, line) != (status == string(schema.NeedsReview)) {
			t.Errorf("the facts of a page that is %s: %v\n%+v", status, err, facts)
		}
		other := resolve(t, Request{Query: "which colour has the lamp"}, p)
		if _, text, found := strings.Cut(other.Context, "wiki/other.md -->\n"); !found || strings.HasPrefix(text, ">") {
			t.Errorf("a page that is ready:\n%s", other.Context)
		}
	}
}
