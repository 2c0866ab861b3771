package context

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Section 18.4: a likely secret never leaves a pack, also where no compile has
// withheld it.
func TestSecretsAreWithheld(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	files := raw(tree{
		"KNOWLEDGE.md":        head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n") + "\nUse " + secret + " here.\n",
		"documents/kettle.md": "# Kettle\n\n## Capacity\n\nOne litre.\n\n## Access\n\nThe litre token is " + secret + ".\n",
		sourceMapPath:         strings.Replace(claims("missing", "x"), "Vessel age.", "Litre token "+secret, 1),
	})
	r := resolve(t, Request{Query: "litre token", Scorer: rank.Overlap{}}, named("kettle", files))
	if diff := cmp.Diff([]string{"documents/kettle.md#capacity match:1"}, selection(r)); diff != "" || r.OK || r.Refused {
		t.Errorf("ok %v, refused %v, selection (-want +got):\n%s", r.OK, r.Refused, diff)
	}
	said := oktest.Value(schema.Encode(r))(t)
	guide := oktest.Value(Guide(context.Background(), named("kettle", files), "", "", Request{}))(t)
	if strings.Contains(string(said)+guide, secret) || !strings.Contains(string(said), "[secret-suspect]") {
		t.Errorf("the secret is printed, or not reported:\n%s\n%s", said, guide)
	}
}

// An index only proposes: without the derived layers the same text is found.
func TestDeletingIndexesChangesNoFact(t *testing.T) {
	files := kettle(t)
	req := Request{Query: "litre vessel", Scorer: rank.Overlap{}}
	want := resolve(t, req, named("kettle", files))
	got := resolve(t, req, named("kettle", with(files, tree{"indexes": "-", indexPath: "-"})))
	if diff := cmp.Diff(want.Context, got.Context); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
}
