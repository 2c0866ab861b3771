package indexfile_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// largeText is an index.json of more than a MiB.
func largeText(word string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"version":"1.0.0","entries":[`)
	for i := range 8000 {
		fmt.Fprintf(&b, `{"id":"e%d","path":"p/%d.md","keywords":["%s","k%d"],"patterns":[],"priority":"domain","summary":"what the entry of this number says","tokens_est":%d},`+"\n", i, i, word, i%50, i%7)
	}
	b.WriteString(`{"id":"last","path":"l.md","keywords":["odd"],"patterns":[],"priority":"core","summary":"s","tokens_est":1}]}`)
	return b.Bytes()
}

// detail is the arithmetic from the prebuilt form, nil where there is none.
func detail(name, task string, o loadout.MatchOptions, most loadout.Most) *loadout.Breakdown {
	r := indexfile.OpenPrebuilt(name)
	defer r.Close()
	return r.Detail(task, o, most)
}

func TestALargeIndexAnswersFromItsPrebuiltForm(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	name := filepath.Join(t.TempDir(), "index.json")
	all := loadout.Most{Included: math.MaxInt, Others: math.MaxInt}
	check := func(text []byte, opts loadout.MatchOptions) {
		t.Helper()
		ix := oktest.Value(indexjson.Read(text))(t)
		want := oktest.Value(loadout.Detail("common k3 thing", ix, opts))(t)
		got := detail(name, "common k3 thing", opts, all)
		if got == nil {
			t.Fatal("the index was read as a whole")
		}
		if a, b := loadout.AppendBreakdown(nil, got, 0, 0), loadout.AppendBreakdown(nil, want, 0, 0); !bytes.Equal(a, b) {
			t.Errorf("%d bytes, the whole has %d", len(a), len(b))
		}
	}
	write := func(text []byte) {
		t.Helper()
		oktest.Check(t, os.WriteFile(name, text, 0o600))
	}
	text := largeText("common")
	write(text)
	for _, dialect := range []loadout.Dialect{loadout.Coverage, loadout.Recall, loadout.Weighted} {
		check(text, loadout.MatchOptions{Dialect: dialect})
	}
	made, err := filepath.Glob(filepath.Join(home, ".ai-loadout", "prebuilt", "*.bin"))
	if err != nil || len(made) != 1 {
		t.Fatalf("prebuilt forms: %q, %v", made, err)
	}
	text = largeText("rare")
	write(text)
	check(text, loadout.MatchOptions{Dialect: loadout.Recall})
	oktest.Check(t, os.WriteFile(made[0], []byte("damaged"), 0o600))
	check(text, loadout.MatchOptions{Dialect: loadout.Recall})
	if b := detail(name, "task", loadout.MatchOptions{Also: []string{"other"}}, all); b != nil {
		t.Error("other wordings were left out")
	}
	write([]byte(`{"version":"1.0.0","entries":[]}`))
	if b := detail(name, "task", loadout.MatchOptions{}, all); b != nil {
		t.Error("a small index was not parsed")
	}
}
