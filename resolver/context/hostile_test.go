package context

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

func TestQueriesOfAnyKindHaveAnAnswer(t *testing.T) {
	kettle, shore := kettle(t), shore(t)
	for name, query := range map[string]string{
		"empty": "", "spaces": " \n\t", "punctuation": "?!… -- ,,,;;", "stop words": "how do you do what",
		"emoji": "🚀🚀 ⚠️", "CJK": "产品边界は何ですか", "closing tag": "</knowledge_pack> litre", "NUL": "litre\x00capacity", "not UTF-8": "litre \xff\xfe",
		"10 MB": strings.Repeat("litre capacity and, zebra. ", 10<<20/27), "one long word": strings.Repeat("x", 1<<20),
		"many parts": strings.Repeat("a b and c d, ", 10_000),
	} {
		for _, scorer := range []rank.Scorer{rank.Overlap{}, rank.BM25F{}} {
			for pack, files := range map[string]fstest.MapFS{"kettle": kettle, "shore": shore} {
				r := resolve(t, Request{Query: query, Scorer: scorer}, named(pack, files))
				if r.Refused || !r.OK || len(r.SelectedFiles) == 0 || r.Query != query {
					t.Errorf("%s, %s, %s: refused %v, ok %v, selected %v", name, scorer.Name(), pack, r.Refused, r.OK, r.SelectedFiles)
				}
				if strings.Count(r.Context, "<knowledge_pack") != 1 {
					t.Errorf("%s: context %s", name, r.Context)
				}
				for _, m := range r.Missing {
					if len(m) > maxUnanswered+len("…") {
						t.Errorf("%s: a missing phrase has %d bytes", name, len(m))
					}
				}
			}
		}
	}
}

func TestRecordsThatCannotBeUsedAreSaid(t *testing.T) {
	kettle := kettle(t)
	for _, c := range []struct {
		name    string
		changes tree
		want    []string
		path    string // of the warning
	}{
		{"a broken index is rebuilt from the files", tree{indexPath: "{"}, []string{kettleSplits + "capacity.md match:1", kettleSplits + "care.md match:1", kettleSplits + "limits.md boundary"}, indexPath},
		{"an index that is an array", tree{indexPath: "[]"}, []string{kettleSplits + "capacity.md match:1", kettleSplits + "care.md match:1", kettleSplits + "limits.md boundary"}, indexPath},
		{"a broken source map", tree{sourceMapPath: `{"claims": 1}`}, []string{kettleSplits + "capacity.md match:1", kettleSplits + "care.md match:1", kettleSplits + "limits.md boundary"}, sourceMapPath},
		{"a run record of another shape", tree{"runs/compile-2030-01-01T00-00-00Z.json": `{"id": "x", "status": "completed"}`}, []string{kettleSplits + "capacity.md match:1", kettleSplits + "care.md match:1", kettleSplits + "limits.md boundary"}, "runs/compile-2030-01-01T00-00-00Z.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolve(t, Request{Query: "litre", Scorer: rank.Overlap{}}, named("kettle", with(kettle, c.changes)))
			if diff := cmp.Diff(c.want, selection(r)); diff != "" {
				t.Errorf("selection (-want +got):\n%s", diff)
			}
			got := ""
			for _, w := range r.Warnings {
				got += w.Path
				if !strings.HasPrefix(w.Message, "[schema-invalid] ") || w.Severity != diag.Warning {
					t.Errorf("warning %s", w)
				}
			}
			if got != c.path {
				t.Errorf("warnings on %q, want %q", got, c.path)
			}
		})
	}
}

// An index and a source map are text of the pack: they cannot lead out of it,
// nor make a view of what is not one.
func TestRecordsCannotLeadOutOfThePack(t *testing.T) {
	kettle := kettle(t)
	hash := schema.SHA256(kettle[kettleSplits+"care.md"].Data)
	entry := func(path, document string) string {
		return `{"id": "x", "order": 1, "title": "Litre", "document": "` + document + `", "section_id": "s", "path": "` + path +
			`", "token_estimate": 1, "sha256": "` + hash + `", "source_anchors": []}`
	}
	files := with(kettle, tree{
		"sources/secret.md": "litre secret\n",
		indexPath: `{"schema_version": 1, "pack": "kettle", "profile": "document-first", "runtime_mode": "data", "views": [], "splits": [` +
			strings.Join([]string{
				entry("../outside.md", "documents/kettle.md"), entry("/etc/passwd", "x"), entry("compiled/splits/../../sources/secret.md", "x"),
				entry("sources/secret.md", "x"), entry(kettleSplits+"care.md", "../../etc/passwd"), entry(kettleSplits+"care.md", "documents/kettle.md"),
			}, ", ") + `], "total_token_estimate": 1}`,
		sourceMapPath: `{"claims": [{"claim_id": "clm-1", "text": "litre", "status": "missing", "source": {"path": "../../etc/passwd", "anchor": "L1"},
			"compiled_into": ["../../x", "` + kettleSplits + `care.md"], "document": "../../y", "section_id": "z"}]}`,
	})
	r := resolve(t, Request{Query: "litre source", Scorer: rank.Overlap{}}, named("kettle", files))
	if diff := cmp.Diff([]string{"documents/kettle.md#care match:1"}, selection(r)); diff != "" {
		t.Errorf("selection (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"documents/kettle.md"}, r.SelectedDocuments); diff != "" || strings.Contains(r.Context, "secret") {
		t.Errorf("documents %v, context %s", r.SelectedDocuments, r.Context)
	}
}

func TestResolveIsSafeForConcurrentUse(t *testing.T) {
	packs := []Pack{named("kettle", kettle(t)), named("shore", shore(t))}
	req := Request{Query: "litre mussel beds and capacity, tide"}
	want := resolve(t, req, packs...)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			got, err := Resolve(context.Background(), packs, req)
			if err != nil || got.Context != want.Context || cmp.Diff(want.Selection, got.Selection) != "" {
				t.Errorf("error %v, selection %v", err, got)
			}
		})
	}
	wait.Wait()
}

func TestEndedContextEndsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Resolve(ctx, []Pack{named("kettle", kettle(t))}, Request{Query: "litre"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
