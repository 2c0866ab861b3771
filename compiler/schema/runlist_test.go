package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSplicesGiveTheListBack: whatever two lists hold, one is the other after its
// splices, and of two that differ in k places about k entries are written.
func TestSplicesGiveTheListBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		words := 1 + r.IntN(12) // few: entries repeat
		list := func() []RunInput {
			l := make([]RunInput, r.IntN(10))
			for i := range l {
				l[i].Path = fmt.Sprint(r.IntN(words))
			}
			return l
		}
		base, now := &RunList{Inputs: list()}, &Run{Inputs: list()}
		sums, _ := base.Sums()
		own, _ := ListOf(now).Sums()
		short := now.Against(digest, &sums, &own)
		if err := short.expand(base, false); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprint(now.Inputs), fmt.Sprint(short.Inputs)); diff != "" {
			t.Fatalf("%v to %v:\n%s", base.Inputs, now.Inputs, diff)
		}
	}
	whole := make([]RunInput, 1000)
	for i := range whole {
		whole[i].Path = fmt.Sprint(i)
	}
	sums, _ := (&RunList{Inputs: whole}).Sums()
	edited := append([]RunInput{{Path: "new"}}, whole[:500]...)
	edited = append(append(edited, RunInput{Path: "other"}), whole[501:990]...)
	edited = append(append(edited, whole[995:]...), whole[990]) // one moved
	run := &Run{Inputs: edited}
	own, _ := ListOf(run).Sums()
	short := run.Against(digest, &sums, &own)
	if len(short.Inputs) != 3 || len(short.Base.Inputs) > 4 {
		t.Errorf("entries %v, splices %v", short.Inputs, short.Base.Inputs)
	}
}

// TestHostileSplicesAreRefused: places that the list does not have are an error,
// never a panic or another list.
func TestHostileSplicesAreRefused(t *testing.T) {
	const huge = int(^uint(0) >> 1)
	for _, splices := range [][]RunSplice{
		{{At: 3}}, {{At: huge, Drop: 1}}, {{Drop: huge}}, {{At: 1, Drop: 2}}, {{At: 1}, {At: 0}}, {{Drop: 2}, {At: 1}}, {{Add: 2}}, {{Add: huge}}, {},
	} {
		own, list := []string{"x"}, []string{"a", "b"}
		if err := splice(&own, list, splices, "inputs"); err == nil && len(splices) != 1 {
			t.Errorf("%v gave %v", splices, own)
		} else if err == nil {
			t.Errorf("%v was taken", splices)
		}
	}
}

// TestListsThatCannotBeUsed: each is a ListFault, which is not a missing record.
func TestListsThatCannotBeUsed(t *testing.T) {
	data := encoded(t, fullRunAgainst())
	for _, read := range []func(string) ([]byte, error){
		func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		func(string) ([]byte, error) { return []byte("{}"), nil },
	} {
		_, err := ReadRun(data, read)
		if fault := new(ListFault); !errors.As(err, &fault) || errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(fault.Path, "runs/list-") {
			t.Errorf("%v", err)
		}
	}
	var record map[string]any
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	delete(record, "base")
	if _, err := ReadRun(encoded(t, record), nil); err == nil {
		t.Error("a record of version 3 without a base was read")
	}
}
