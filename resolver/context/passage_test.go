package context

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// What an agent reads by name is what a reader of the page sees: no draft, no page whose
// front matter is never closed, and no hidden text.
func TestReadWhatIsPublished(t *testing.T) {
	p := named("kettle", raw(tree{
		"KNOWLEDGE.md":       head("kettle", "document-first", "metadata:\n  primaryDocument: documents/shown.md\n"),
		"documents/shown.md": "---\n# secret\ntitle: Shown\n---\n# Shown\n\n<!-- secret -->\n\nText %% secret x %% shown.\n",
		"documents/draft.md": "---\nstatus: Draft\n---\n# Secret\n",
		"documents/open.md":  "---\ntitle: secret\n\n# Secret\n",
		"wiki/draft.md":      "---\npublished: no\n---\n# Secret\n",
	}))
	for _, name := range []string{"documents/draft.md", "documents/draft.md#secret", "documents/open.md", "documents/open.md#secret", "wiki/draft.md"} {
		if got, err := Read(context.Background(), p, name, 0, 1000); !errors.Is(err, ErrNoPassage) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"documents/shown.md", "documents/shown.md#shown"} {
		got, err := Read(context.Background(), p, name, 0, 1000)
		if err != nil || strings.Contains(got.Context, "secret") || !strings.Contains(got.Context, "Text shown.") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
