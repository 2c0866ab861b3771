package vocabulary

import (
	"slices"
	"testing"
)

// What is there to be filled in calls no section.
func TestPlaceholdersAreNotWords(t *testing.T) {
	t.Parallel()
	lists := Words([]Text{
		{"Migrations", "- They are in `db/migrations`, named `NNNN_verb_object.sql`.\n- Call it `<gadget>_{widget}.md`, dated YYYY-MM-DD; xxx is free.\n- The schema is dumped.\n"},
		{"Releases", "- A tag is signed.\n"},
		{"Support", "- Ask the hotline.\n"},
	}, 20)
	for _, word := range []string{"nnnn", "verb", "object", "gadget", "widget", "yyyy", "xxx", "sql"} {
		if slices.Contains(lists[0], word) {
			t.Errorf("%q is a word of the section: %q", word, lists[0])
		}
	}
	for _, word := range []string{"schema", "migrations"} {
		if !slices.Contains(lists[0], word) {
			t.Errorf("%q is not a word of the section: %q", word, lists[0])
		}
	}
}
