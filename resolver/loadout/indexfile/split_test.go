package indexfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// splitOf writes an index as a root with two parts.
func splitOf(t *testing.T, name string, text []byte) {
	t.Helper()
	ix, err := indexjson.Read(text)
	oktest.Check(t, err)
	root := &indexjson.Root{Index: *ix}
	for i, entries := range [][]loadout.Entry{ix.Entries[:len(ix.Entries)/3], ix.Entries[len(ix.Entries)/3:]} {
		part := *ix
		part.Entries = entries
		text, path := indexjson.Write(&part), fmt.Sprintf("index/p%d.json", i)
		sum := sha256.Sum256(text)
		root.Parts = append(root.Parts, indexjson.Part{Pack: path, Path: path, Entries: len(entries), Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])})
		file := filepath.Join(filepath.Dir(name), filepath.FromSlash(path))
		oktest.Check(t, os.MkdirAll(filepath.Dir(file), 0o777))
		oktest.Check(t, os.WriteFile(file, text, 0o666))
	}
	oktest.Check(t, os.WriteFile(name, root.Write(), 0o666))
}

func TestAnIndexThatIsSplitAnswersAsInOneFile(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	var text strings.Builder
	text.WriteString(`{"version":"1.0.0","tokenizer":"unicode","entries":[`)
	for i := range 9000 {
		fmt.Fprintf(&text, `{"id":"e%d","path":"p/%d.md","keywords":["k%d","日本語 word"],"patterns":[],"priority":"domain","summary":"what the entry of the number %d says to its reader","tokens_est":%d},`, i, i, i%50, i, i%7)
	}
	text.WriteString(`{"id":"l","path":"l.md","keywords":["odd"],"patterns":[],"priority":"core","summary":"s","tokens_est":3}]}`)
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole.json"), filepath.Join(dir, "index.json")
	oktest.Check(t, os.WriteFile(whole, []byte(text.String()), 0o666))
	splitOf(t, parts, []byte(text.String()))
	need := &loadout.Need{Tasks: []string{"日本語 k7 odd"}, IDs: []string{"e8000"}, Hits: true}
	var texts [2]string
	for i, name := range []string{whole, parts} {
		ix, err := readFile(name)
		if err != nil || len(ix.Entries) != 9001 {
			t.Fatalf("%s: %v", name, err)
		}
		few, _ := OpenPrebuilt(name).Select(need)
		if few == nil {
			t.Fatalf("%s has no prebuilt form", name)
		}
		results, err := loadout.Match("日本語 k7 odd", few, loadout.MatchOptions{})
		if err != nil || len(results) < 9000/50 {
			t.Fatalf("%s: %d results, %v", name, len(results), err)
		}
		texts[i] = string(loadout.AppendResults(nil, results)) + string(few.Lookup("e8000").JSON())
	}
	if texts[0] != texts[1] {
		t.Errorf("%.500s\nin one file:\n%.500s", texts[1], texts[0])
	}
	oktest.Check(t, os.Remove(filepath.Join(dir, "index", "p1.json")))
	oktest.Check(t, os.RemoveAll(filepath.Join(os.Getenv("HOME"), ".ai-loadout")))
	var part *indexjson.PartError
	if _, err := OpenReader(parts, filepath.Join(dir, "x.bin")); !errors.As(err, &part) {
		t.Errorf("without a part: %v", err)
	}
	if OpenPrebuilt(parts) != nil {
		t.Error("without a part, the rest answers")
	}
	for link, to := range map[string]string{"index/p1.json": "../../outside.json"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
		if _, err := readFile(parts); err == nil || errors.As(err, &part) && part.Problem != "it is missing" {
			t.Errorf("a link that leads outside: %v", err)
		}
	}
}

// readFile reads an index.json, in one file or split.
func readFile(name string) (*loadout.Index, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return ReadBeside(name, text)
}
