package model

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// The record of a run that a build has made is not read again by the builds after it: what
// the history says of it is kept, and is what reading the record would give.
func TestTheRowOfANewRunIsKeptAsItsRecordReads(t *testing.T) {
	fsys := fstest.MapFS{
		"KNOWLEDGE.md":        {Data: []byte("---\nname: kettle\ndescription: How the kettle works.\ntype: domain-reference\nstatus: ready\ngrounding: required\n---\n# Kettle\n")},
		"documents/kettle.md": {Data: []byte("# Kettle\n\n- It holds a litre. [source: sources/spec.md#L1]\n")},
		"sources/spec.md":     {Data: []byte("Capacity: 1 l\n")},
	}
	p, _, err := pack.OpenFS(fsys, "kettle")
	oktest.Check(t, err)
	out := t.TempDir()
	r := oktest.Value(compiler.Compile(context.Background(), p, compiler.Options{
		Now: time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC), Store: &store.Memory{}, OutDir: filepath.Join(out, "p"), StateDir: filepath.Join(out, "state"),
	}))(t)
	record := oktest.Value(schema.Encode(r.Run))(t)
	beside := oktest.Value(schema.Encode(oktest.Value(r.Run.Ledger())(t)))(t)
	written := map[string][]byte{r.RunPath: record, schema.RunLedgerPath(r.RunPath): beside}
	kept := &store.Memory{}
	h := History{res: r, store: kept, read: func(_ *pack.Pack, path string) ([]byte, error) { return written[path], nil }}
	h.KeepNewest()
	for claims, read := range map[bool]func([]byte, func(string) ([]byte, error)) (*schema.Run, error){
		true: schema.ReadRun, false: schema.ReadRunSummary,
	} {
		run := oktest.Value(read(record, func(path string) ([]byte, error) { return beside, nil }))(t)
		found, ok := kept.Action(rowKey(store.Sum(record), store.Sum(beside), claims))
		if !ok || len(found) != 1 {
			t.Fatalf("the row is not kept (with claims: %v)", claims)
		}
		if text, _ := kept.Blob(found[0]); len(text) == 0 || !bytes.Equal(text, rowText(run)) {
			t.Errorf("the row is kept as\n%s\nits record reads as\n%s", text, rowText(run))
		}
	}
}
