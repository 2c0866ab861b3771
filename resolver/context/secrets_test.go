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

// A value that a comment in its document accepts is printed as any other text, out of the split
// and out of the document; where it is written again without a comment, it is withheld.
func TestAcceptedSecretsAreNotWithheld(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	page := "# Kettle\n\n## Access\n\n<!-- packgen-disable-next-line secret-suspect: it was revoked -->\nThe litre token is " + secret + ".\n"
	files := compiled(t, tree{"KNOWLEDGE.md": head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n"), "documents/kettle.md": page})
	for name, changes := range map[string]tree{"compiled": nil, "not compiled": {"compiled": "-", "indexes": "-", "runs": "-"}} {
		r := resolve(t, Request{Query: "litre token", Scorer: rank.Overlap{}}, named("kettle", with(files, changes)))
		if !strings.Contains(r.Context, secret) {
			t.Errorf("%s: %v in\n%s", name, remarks(r.Warnings), r.Context)
		}
	}
	again := raw(tree{"KNOWLEDGE.md": string(files["KNOWLEDGE.md"].Data), "documents/kettle.md": page + "\nAgain: " + secret + ".\n"})
	if r := resolve(t, Request{Query: "litre token", Scorer: rank.Overlap{}}, named("kettle", again)); strings.Contains(r.Context, secret) {
		t.Errorf("printed:\n%s", r.Context)
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
