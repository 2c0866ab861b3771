package context

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// packWith is a pack with the given front matter lines in place of the usual
// status and trust.
func packWith(t testing.TB, name, lines string) fstest.MapFS {
	t.Helper()
	return raw(tree{
		"KNOWLEDGE.md": "---\nname: " + name + "\ndescription: All about kettles.\ntype: domain-reference\nprofile: document-first\n" +
			lines + "metadata:\n  primaryDocument: documents/a.md\n---\n",
		"documents/a.md": "# A\n\n## Kettle care\n\nDescale kettles.\n",
	})
}

// settle is what a pack of one's own says about its trust.
const settle = "Pack trust is unreviewed. Set trust: user-confirmed in its KNOWLEDGE.md when its pages have been read."

// Agent-knowledge sections 12.6 and 14.1.
func TestStatusAndTrustDecideWhatIsUsed(t *testing.T) {
	for _, c := range []struct {
		rule    string
		lines   string
		pack    Pack // without its files
		req     Request
		blocked bool
		warning string // the first, of KNOWLEDGE.md
	}{
		{rule: "ready passes", lines: "status: ready\ntrust: official\n", pack: Pack{Activation: Implicit}},
		{rule: "draft needs consent", lines: "status: draft\ntrust: official\n", pack: Pack{Activation: Implicit}, blocked: true, warning: "error: Pack status is draft."},
		{rule: "draft with --allow", lines: "status: draft\ntrust: official\n", pack: Pack{Activation: Implicit}, req: Request{Allow: []schema.Status{"draft"}}, warning: "warning: Pack status is draft."},
		{rule: "draft that is named", lines: "status: draft\n", pack: Pack{Activation: Explicit}, warning: "warning: Pack status is draft."},
		{rule: "needs-review warns", lines: "status: needs-review\n", pack: Pack{Activation: Explicit}, warning: "warning: Pack status is needs-review."},
		{rule: "stale warns", lines: "status: stale\n", pack: Pack{Activation: Explicit}, warning: "warning: Pack status is stale."},
		{rule: "disputed is blocked even when named", lines: "status: disputed\n", pack: Pack{Activation: Explicit}, blocked: true, warning: "error: Pack status is disputed."},
		{rule: "disputed with --confirm", lines: "status: disputed\n", pack: Pack{Activation: Explicit}, req: Request{Confirm: []schema.Status{"disputed"}}, warning: "warning: Pack status is disputed."},
		{rule: "disputed is not a matter of --allow", lines: "status: disputed\n", pack: Pack{Activation: Explicit}, req: Request{Allow: []schema.Status{"disputed"}}, blocked: true, warning: "error: Pack status is disputed."},
		{rule: "archived is blocked even when named", lines: "status: archived\n", pack: Pack{Activation: Explicit}, blocked: true, warning: "error: Pack status is archived."},
		{rule: "archived with --allow", lines: "status: archived\n", pack: Pack{Activation: Explicit}, req: Request{Allow: []schema.Status{"archived"}}, warning: "warning: Pack status is archived."},
		{rule: "declared unreviewed trust warns", lines: "status: ready\ntrust: unreviewed\n", pack: Pack{Activation: Explicit}, warning: "warning: Pack trust is unreviewed."},
		{rule: "absent trust does not warn", lines: "status: ready\n", pack: Pack{Activation: Explicit}},
		{rule: "an untrusted workspace pack is not activated unasked", lines: "status: ready\n", pack: Pack{Activation: Implicit}, blocked: true, warning: "error: Pack is not trusted; only its metadata is used."},
		{rule: "an untrusted workspace pack with --allow-untrusted", lines: "status: ready\n", pack: Pack{Activation: Implicit}, req: Request{AllowUntrusted: true}},
		{rule: "a pack of one's own repository is used, and says how to settle its trust", lines: "status: ready\n", pack: Pack{Activation: Implicit, Own: true}, warning: "warning: " + settle},
		{rule: "declared unreviewed trust of one's own pack says how to settle it", lines: "status: ready\ntrust: unreviewed\n", pack: Pack{Activation: Explicit, Own: true}, warning: "warning: " + settle},
		{rule: "one's own pack that is named and declares no trust has nothing to settle", lines: "status: ready\n", pack: Pack{Activation: Explicit, Own: true}},
		{rule: "one's own pack that is confirmed has nothing to settle", lines: "status: ready\ntrust: user-confirmed\n", pack: Pack{Activation: Implicit, Own: true}},
		{rule: "one's own pack still needs a status", lines: "status: draft\n", pack: Pack{Activation: Implicit, Own: true}, blocked: true, warning: "error: Pack status is draft."},
		{rule: "absent trust in the user's own scope is no obstacle", lines: "status: ready\n", pack: Pack{Activation: Implicit, Scope: User}},
		{rule: "naming a pack from elsewhere is not enough", lines: "status: ready\ntrust: official\n", pack: Pack{Activation: Explicit, Unapproved: true}, blocked: true, warning: "error: Pack is not trusted; only its metadata is used."},
		{rule: "a pack from elsewhere that is locked is used, whatever trust it declares", lines: "status: ready\n", pack: Pack{Activation: ResolverDriven, MaxTrust: "external"}},
		{rule: "a locked pack that declares unreviewed trust is used with a warning", lines: "status: ready\ntrust: unreviewed\n", pack: Pack{Activation: ResolverDriven, MaxTrust: "external"}, warning: "warning: Pack trust is unreviewed."},
		{rule: "a pack from elsewhere with --allow-untrusted", lines: "status: ready\ntrust: official\n", pack: Pack{Activation: Explicit, Unapproved: true}, req: Request{AllowUntrusted: true}},
		{rule: "an unknown type must be named", lines: "status: ready\ntrust: official\n", pack: Pack{Activation: ResolverDriven, Dir: "odd"}, blocked: true, warning: `error: Pack type "odd" is not known; name the pack to use it.`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			files := packWith(t, "kettles", c.lines)
			if c.pack.Dir == "odd" {
				files = with(files, tree{"KNOWLEDGE.md": strings.Replace(string(files["KNOWLEDGE.md"].Data), "domain-reference", "odd", 1)})
			}
			c.pack.FS = files
			c.req.Query, c.req.Scorer = "kettle care", rank.Overlap{}
			r := resolve(t, c.req, c.pack)
			if c.blocked != r.Refused || c.blocked == r.OK || c.blocked != (r.Context == "") {
				t.Errorf("refused %v, ok %v, context %q; want blocked %v", r.Refused, r.OK, r.Context, c.blocked)
			}
			got := ""
			for _, w := range r.Warnings {
				if w.Path == "KNOWLEDGE.md" {
					got = w.Severity.String() + ": " + w.Message
					break
				}
			}
			if got != c.warning {
				t.Errorf("warning %q, want %q", got, c.warning)
			}
			if c.blocked && len(r.Selection) > 0 {
				t.Errorf("a blocked pack gave %v", r.Selection)
			}
		})
	}
}

func TestBlockedPackLeavesTheOthersAlone(t *testing.T) {
	r := resolve(t, Request{Query: "kettle care", Scorer: rank.Overlap{}},
		Pack{FS: packWith(t, "old", "status: disputed\n"), Dir: "old", Activation: Explicit},
		Pack{FS: packWith(t, "new", "status: ready\n"), Dir: "new", Activation: Explicit})
	if !r.Refused || r.OK || len(r.Selection) != 1 || r.Selection[0].Path != "new:documents/a.md#kettle-care" {
		t.Errorf("refused %v, ok %v, selection %v", r.Refused, r.OK, r.Selection)
	}
}

func TestCapOnTrustHolds(t *testing.T) {
	p := Pack{FS: packWith(t, "kettles", "status: ready\ntrust: official\n"), Activation: Explicit, MaxTrust: "external"}
	r := resolve(t, Request{Query: "care", FullWrapper: true}, p)
	if !strings.Contains(r.Context, `trust="external"`) {
		t.Errorf("wrapper is %q, want trust external", r.Context)
	}
}

func TestTwoPersonasNeedConfirmation(t *testing.T) {
	one, two := mira(t), mira(t)
	two = with(two, tree{"KNOWLEDGE.md": strings.ReplaceAll(string(two["KNOWLEDGE.md"].Data), "mira", "nora"), "documents/nora.md": string(two["documents/mira.md"].Data)})
	packs := []Pack{named("mira", one), named("nora", two), named("kettle", kettle(t))}
	r := resolve(t, Request{Query: "litre"}, packs...)
	if !r.Refused || r.OK || strings.Contains(r.Context, `mode="persona"`) || !strings.Contains(r.Context, `name="kettle"`) {
		t.Errorf("refused %v, ok %v, context %s", r.Refused, r.OK, r.Context)
	}
	r = resolve(t, Request{Query: "litre", Confirm: []schema.Status{"personas"}}, packs...)
	if want := []string{"mira", "nora", "kettle"}; r.Refused || cmp.Diff(want, r.Packs) != "" || strings.Count(r.Context, `mode="persona"`) != 2 {
		t.Errorf("refused %v, packs %v", r.Refused, r.Packs)
	}
}

// Section 12.2.
func TestNamesCollideByPrecedence(t *testing.T) {
	trusted, plain := packWith(t, "kettles", "status: ready\ntrust: official\n"), packWith(t, "kettles", "status: ready\ntrust: external\n")
	for _, c := range []struct {
		rule   string
		packs  []Pack
		winner string
		first  string // remark of the winner
	}{
		{"a named pack wins", []Pack{{FS: trusted, Dir: "a"}, {FS: plain, Dir: "b", Activation: Explicit}}, "b", "warning: KNOWLEDGE.md: The pack in b shadows the one of the same name in a."},
		{"the workspace wins over the user's", []Pack{{FS: trusted, Dir: "a", Scope: User}, {FS: plain, Dir: "b"}}, "b", "warning: KNOWLEDGE.md: The pack in b shadows the one of the same name in a."},
		{"the path that sorts first wins", []Pack{{FS: plain, Dir: "b"}, {FS: trusted, Dir: "a"}}, "a", "info: KNOWLEDGE.md: The pack in a shadows the one of the same name in b."},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := resolve(t, Request{Query: "kettle"}, c.packs...)
			if len(r.Activated) != 1 || r.Activated[0].Dir != c.winner || len(r.Warnings) == 0 || r.Warnings[0].String() != c.first {
				t.Errorf("activated %v, warnings %v", r.Activated, remarks(r.Warnings))
			}
		})
	}
}

func TestCatalogActivatesWhatFits(t *testing.T) {
	entry := func(name, description, lines string) Pack {
		return Pack{Dir: name, FS: raw(tree{
			"KNOWLEDGE.md": "---\nname: " + name + "\ndescription: " + description + "\ntype: domain-reference\nprofile: document-first\ntrust: official\n" +
				lines + "metadata:\n  primaryDocument: documents/a.md\n---\n",
			"documents/a.md": "# A\n\ntext\n",
		})}
	}
	kettles := entry("kettles", "Descaling and repair of vessels.", "status: ready\n")
	ferries := entry("ferries", "Timetable of boats.", "status: ready\n")
	old := entry("vessel-history", "Descaling vessels in the past.", "status: stale\n")
	gone := entry("gone", "Descaling vessels.", "status: archived\n")
	in := entry("doubt", "Descaling vessels.", "status: disputed\n")
	all := []Pack{ferries, old, gone, in, kettles}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"descaling vessels", []string{"kettles resolver-driven"}},
		{"kettles and ferries: descaling and timetable", []string{"ferries implicit", "kettles implicit"}},
		{"zebra", nil},
		{"zebra | descaling vessels", []string{"kettles resolver-driven"}}, // in other words
	} {
		query, also, _ := strings.Cut(c.query, " | ")
		r := resolve(t, Request{Query: query, Also: strings.Fields(also)}, all...)
		var got []string
		for _, a := range r.Activated {
			got = append(got, a.Name+" "+string(a.Activation))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.query, diff)
		}
		if len(c.want) == 0 && (!r.Refused || r.Status != "failed" || len(r.Warnings) != 1) {
			t.Errorf("%q: refused %v, status %s, warnings %v", c.query, r.Refused, r.Status, r.Warnings)
		}
	}
}

func TestCatalogSaysWhyTheOnlyPackThatFitsIsNotUsed(t *testing.T) {
	r := resolve(t, Request{Query: "kettles"}, Pack{FS: packWith(t, "kettles", "status: ready\n"), Dir: "a"},
		Pack{FS: packWith(t, "attic", "status: archived\n"), Dir: "b"})
	want := []string{"error: KNOWLEDGE.md: Pack is not trusted; only its metadata is used."}
	if diff := cmp.Diff(want, remarks(r.Warnings)); diff != "" || r.Pack != "kettles" || !r.Refused || r.Context != "" {
		t.Errorf("pack %q, refused %v (-want +got):\n%s", r.Pack, r.Refused, diff)
	}
}

func TestBrokenPackIsBlockedWithItsFault(t *testing.T) {
	for _, entry := range []string{"no front matter\n", "---\nname: x\n---\n", "---\nname: x\nstatus: [\n---\n", ""} {
		r := resolve(t, Request{Query: "x"}, named("x", raw(tree{"KNOWLEDGE.md": entry})))
		if !r.Refused || r.OK || r.Pack != "x" || r.Status != "failed" || len(r.Warnings) == 0 || r.Warnings[0].Severity != diag.Error {
			t.Errorf("%q: refused %v, pack %q, status %s, warnings %v", entry, r.Refused, r.Pack, r.Status, r.Warnings)
		}
	}
	if _, err := Resolve(context.Background(), nil, Request{Query: "x"}); err == nil {
		t.Error("no packs: want an error")
	}
}

// Where nothing fits, the packs that were not asked are named with the reason.
func TestPacksThatWereNotAskedAreNamed(t *testing.T) {
	draft := Pack{FS: packWith(t, "sauces", "status: draft\n"), Dir: "sauces", Own: true}
	ready := Pack{FS: packWith(t, "kettles", "status: ready\ntrust: official\n"), Dir: "kettles", Own: true}
	r := resolve(t, Request{Query: "zzz"}, ready, draft)
	const want = "error: KNOWLEDGE.md: No match in kettles. Not asked: sauces (Pack status is draft)."
	if said := remarks(r.Warnings); len(said) != 1 || said[0] != want {
		t.Errorf("%q, want %q", said, want)
	}
}
