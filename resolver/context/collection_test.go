package context

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

var same = cmp.AllowUnexported(Activated{})

// Whatever was asked of a collection before, with whichever budgets, a query gets
// what it would get alone.
func TestCollectionAnswersAsResolveDoes(t *testing.T) {
	packs := []Pack{{FS: mira(t), Dir: "mira"}, {FS: kettle(t), Dir: "kettle"}, {FS: ferry(t), Dir: "ferry"}, {FS: shore(t), Dir: "shore"}}
	open := oktest.Value(Open(context.Background(), packs))(t)
	budgets := []int{1, 6000, 250, 0, 40, 300}
	queries := []string{"litre of the kettle", "about the ferry: boarding checklist and zebras", "mira", "mussel beds on the shore", "nothing of the kind", "kettle and ferry"}
	var wait sync.WaitGroup
	for _, query := range slices.Concat(queries, queries) {
		wait.Go(func() {
			together, err := open.ResolveAt(context.Background(), Request{Query: query}, budgets)
			if err != nil || len(together) != len(budgets) {
				t.Errorf("%q: %d resolutions, error %v", query, len(together), err)
				return
			}
			for i, budget := range budgets {
				alone, err := Resolve(context.Background(), packs, Request{Query: query, Budget: budget})
				if diff := cmp.Diff(alone, together[i], same); diff != "" || err != nil {
					t.Errorf("%q at %d: error %v (-alone +together):\n%s", query, budget, err, diff)
				}
			}
		})
	}
	wait.Wait()
}

func TestCollectionReadsAPackOnce(t *testing.T) {
	files := &watched{MapFS: kettle(t)}
	open := oktest.Value(Open(context.Background(), []Pack{{FS: files, Dir: "kettle", Activation: Explicit}}))(t)
	for _, query := range []string{"litre", "descale", "litre"} {
		if r, err := open.Resolve(context.Background(), Request{Query: query}); err != nil || !r.OK {
			t.Fatalf("%q: %+v, error %v", query, r, err)
		}
	}
	seen := map[string]int{}
	for _, name := range files.opened {
		if seen[name]++; seen[name] > 1 && name != "KNOWLEDGE.md" {
			t.Errorf("%s was opened %d times", name, seen[name])
		}
	}
	if seen[kettleSplits+"care.md"] == 0 {
		t.Error("the watch does not see what the pack is asked for")
	}
}

// A pack whose compiled/ does not match its inputs is noticed without compiling
// it (agent-knowledge section 13.7).
func TestInputsThatNoRunHasSeenAreSaid(t *testing.T) {
	ferry := ferry(t)
	many := tree{}
	for i := range 7 {
		many[fmt.Sprintf("documents/new-%d.md", i)] = "# New\n"
	}
	unseen := func(name string) string {
		return "warning: " + name + ": No compile run has seen this file; what it says is not selected."
	}
	for _, c := range []struct {
		rule    string
		changes tree
		want    []string
	}{
		{"nothing changed", nil, []string{}},
		{"a new document", tree{"documents/anchor.md": "# Anchor\n"}, []string{unseen("documents/anchor.md")}},
		{"a new page", tree{"wiki/concepts/knot.md": "# Knot\n"}, []string{unseen("wiki/concepts/knot.md")}},
		{"pages without splits and other files say nothing", tree{"wiki/log.md": "x\n", "documents/x.png": "x", "wiki/open-questions/q.md": "# Q\n"}, []string{}},
		{"a document that is gone", tree{"documents/storm.md": "-"}, []string{"warning: documents/storm.md: This file is gone since the newest compile run."}},
		{
			"a document that was not selected changed", tree{"documents/storm.md": "# Storm\n\n## Ice\n\nStop.\n"},
			[]string{"warning: documents/storm.md: This file has changed since the newest compile run; what is new in it is not selected."},
		},
		{
			"a document that was selected changed: its own warnings speak", tree{"documents/boarding.md": "# Boarding\n\n## Checklist\n\nCount hats.\n"},
			[]string{outdatedSplit("compiled/splits/boarding/checklist.md", "documents/boarding.md"), outdatedSplit("compiled/splits/boarding/limits.md", "documents/boarding.md")},
		},
		{
			"many are counted", many, []string{
				unseen("documents/new-0.md"), unseen("documents/new-1.md"), unseen("documents/new-2.md"), unseen("documents/new-3.md"), unseen("documents/new-4.md"),
				"warning: compiled/: 2 more files came, went or changed since the newest compile run.",
			},
		},
		{"without a run nothing is known", tree{"runs": "-", "documents/anchor.md": "# Anchor\n"}, []string{}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := resolve(t, Request{Query: "boarding checklist"}, named("ferry", with(ferry, c.changes)))
			if diff := cmp.Diff(c.want, remarks(r.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeadIsTheFrontMatterAlone(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# No front matter\n\n---\n", ""},
		{"---\nstatus: ready\n---\n\nText.\n", "---\nstatus: ready\n---\n"},
		{"---\nstatus: ready\n--- \t\nText.\n", "---\nstatus: ready\n--- \t\n"},
		{"---\na: \"x\n---- y\"\n---", "---\na: \"x\n---- y\"\n---"},
		{"---\nnever: closed\n", ""},
		{"---\na: " + strings.Repeat("x", 1<<20) + "\n---\n", ""},
	} {
		if got := string(headOf([]byte(c.text))); got != c.want {
			t.Errorf("%.40q: got %.40q, want %q", c.text, got, c.want)
		}
	}
}

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
