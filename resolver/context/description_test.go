package context

import (
	"testing"
)

// What the front matter of a page says of it finds each of its sections, also where their
// texts share no word with the question.
func TestADescriptionFindsThePage(t *testing.T) {
	r := resolve(t, Request{Query: "handling of refunds"}, named("shop", manual(t, tree{
		"documents/money.md":     "---\ndescription: Handling of refunds and vouchers\n---\n\n# Money back\n\nAsk the till.\n",
		"documents/a-opening.md": "# Opening\n\nAt nine.\n",
	})))
	if len(r.Activated) != 1 || len(r.Activated[0].Files) == 0 || r.Activated[0].Files[0].Document != "documents/money.md" {
		t.Errorf("selected %v", r.Selection)
	}
}
