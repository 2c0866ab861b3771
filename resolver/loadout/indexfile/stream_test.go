package indexfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

func TestAFormMadeInPiecesIsThatOfTheWhole(t *testing.T) {
	dir := t.TempDir()
	name, bin := filepath.Join(dir, "index.json"), filepath.Join(dir, "made", "x.bin")
	var many strings.Builder
	many.WriteString(`{"tokenizer":"unicode","entries":[`)
	for i := range 3000 {
		fmt.Fprintf(&many, `{"id":"e%d","path":"p/%d.md","keywords":["k%d","日本語 word"],"patterns":["a_b"],"priority":"domain","summary":"what %d says","tokens_est":%d},`, i, i, i%50, i, i%7)
	}
	many.WriteString(`{"id":"l","keywords":[],"patterns":[],"odd":[1.0,{"x":"\u00e9"}]}],"version":"1.0.0","budget":null}`)
	last := strings.Replace(strings.Replace(many.String(), `"tokenizer":"unicode",`, "", 1), `"budget":null`, `"tokenizer":"unicode"`, 1)
	for _, text := range []string{one, two, many.String(), last, `{"entries":[{"id":"unicode","keywords":["日本語"]}],"odd":"unicode"}`, `{"entries":[]}`, `{"entries":[{"keywords":7},"x"],"5":1,"2":1}`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := stream(name, bin); err != nil {
			t.Fatalf("%.80s: %v", text, err)
		}
		want, err := Build([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(bin); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%.80s: %d bytes, the whole gives %d, %v", text, len(got), len(want), err)
		}
	}
	before, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{``, `{`, `[]`, `{"entries":[{]}`, `{"entries":[]} {}`, `{"entries":[],"entries":[]}`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := stream(name, bin); !errors.Is(err, indexjson.ErrWhole) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.WriteFile(name, []byte(`{"version":"1.0.0"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	var shape *loadout.ShapeError
	if err := stream(name, bin); !errors.As(err, &shape) {
		t.Errorf("no list of entries: %v", err)
	}
	if after, err := os.ReadFile(bin); err != nil || !bytes.Equal(after, before) {
		t.Errorf("a text that is refused changed the form: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(bin)); err != nil || len(left) != 1 {
		t.Errorf("files left beside the form: %v, %v", left, err)
	}
}
