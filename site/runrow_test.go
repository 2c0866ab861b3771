package site

import (
	"bytes"
	"io"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// The record of a run that a build has made is not read again by the builds after it: what
// the history says of it is kept, and is what reading the record would give.
func TestTheRowOfANewRunIsKeptAsItsRecordReads(t *testing.T) {
	kept := &store.Memory{}
	var record, beside []byte
	generateWith(t, Options{Store: kept}, map[string]files{"kettle": kettle}, func(in *Input) {
		r := in.Results[0]
		written := map[string][]byte{}
		ledger := oktest.Value(r.Run.Ledger())(t)
		for path, value := range map[string]any{
			r.RunPath: r.Run, schema.RunLedgerPath(r.RunPath): ledger, "compiled/index.json": r.Index, "indexes/source-map.json": r.SourceMap,
		} {
			data := oktest.Value(schema.Encode(value))(t)
			written[path] = data
		}
		record, beside = written[r.RunPath], written[schema.RunLedgerPath(r.RunPath)]
		in.Read = func(p *pack.Pack, path string) ([]byte, error) {
			if data, ok := written[path]; ok {
				return data, nil
			}
			return p.ReadFile(path)
		}
		in.Open = func(p *pack.Pack, path string) (io.ReadCloser, error) {
			data, err := in.Read(p, path)
			return io.NopCloser(bytes.NewReader(data)), err
		}
	})
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
