package indexfile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// vocabulary has keywords and words of tasks that hit, miss, and never can hit.
var vocabulary = []string{"ci", "runner", "release train", "release-train", "landing page", "c++", "CI", "x", "plan b", "deploy", "cache", "café", "", " ci", "ci-", "a  b", "publish", "train", "page", "ci_cd"}

var intents = []string{"ci_pipeline", "package_release", "x", "_", "deploy_cache", "CI_runner", "ci-pipeline"}

func pick(r *rand.Rand, list []string, most int) []string {
	out := []string{}
	for range r.IntN(most + 1) {
		out = append(out, list[r.IntN(len(list))])
	}
	return out
}

// The words answer as a look at every entry does, but for what lies below the
// floor or loads by name only.
func TestWordsAnswerAsAScan(t *testing.T) {
	dir := t.TempDir()
	found := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 3))
		ix := &loadout.Index{Version: "1", Generated: "x"}
		for i := range r.IntN(30) {
			ix.Entries = append(ix.Entries, loadout.Entry{
				ID: fmt.Sprintf("e%d", i), Path: "p", Summary: "S", Keywords: pick(r, vocabulary, 8), Patterns: pick(r, intents, 2),
				Priority: []string{"domain", "domain", "domain", "core", "manual", "odd"}[r.IntN(6)], TokensEst: float64(r.IntN(3)),
			})
		}
		name := filepath.Join(dir, fmt.Sprint(seed), "index.json")
		text := indexjson.Write(ix)
		if seed%7 == 0 {
			text = []byte(strings.Replace(string(text), `"keywords": []`, `"keywords": 5`, 1))
		}
		if err := Write(name, text); err != nil {
			t.Fatal(err)
		}
		read, err := indexjson.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		w, err := OpenWords(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			task := strings.Join(pick(r, vocabulary, 6), " ") + " " + strings.ReplaceAll(strings.Join(pick(r, intents, 1), " "), "_", " ")
			floor := []float64{0, 0.1, 0.5, 0.6, 1}[r.IntN(5)]
			want, err := loadout.Match(task, read, loadout.MatchOptions{Dialect: loadout.Recall})
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Match(task, floor)
			if err != nil {
				t.Fatal(err)
			}
			below := func(r loadout.Result) bool { return r.Score < floor || r.Mode == loadout.ByManual }
			want, got = slices.DeleteFunc(want, below), slices.DeleteFunc(got, below)
			found += len(got)
			if x, y := string(loadout.AppendResults(nil, got)), string(loadout.AppendResults(nil, want)); x != y {
				t.Fatalf("seed %d, task %q, floor %v\n got %s\nwant %s", seed, task, floor, x, y)
			}
		}
		if err := w.file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if found < 300 {
		t.Errorf("only %d results were compared", found)
	}
}

func TestWordsOfAnotherIndexAreNotUsed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	if err := Write(name, []byte(one)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(one, "runner", "walker", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWords(name); err == nil {
		t.Error("words of other bytes, of the same size, are used")
	}
	if err := Write(name, []byte(one)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(info.ModTime()); age < jsonAge {
		t.Errorf("a change within %v of the write might not show", jsonAge-age)
	}
	err = os.WriteFile(name, []byte(one+" "), 0o666)
	if err := errors.Join(err, os.Chtimes(name, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWords(name); err == nil {
		t.Error("words of another size, of the same time, are used")
	}
}

// A program that copies files sets their times: size and modification time of
// another index can be those of the one that the words were made from.
func TestWordsOfAnotherIndexOfEqualSizeAndTimeAreNotUsed(t *testing.T) {
	other := []byte(strings.Replace(one, "runner", "walker", 1))
	for name, replace := range map[string]func(name string) error{
		"written over": func(name string) error { return os.WriteFile(name, other, 0o666) },
		"replaced": func(name string) error {
			err := os.WriteFile(name+".new", other, 0o666)
			return errors.Join(err, os.Rename(name+".new", name))
		},
	} {
		t.Run(name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "index.json")
			if err := Write(name, []byte(one)); err != nil {
				t.Fatal(err)
			}
			w, err := OpenWords(name)
			if err != nil {
				t.Fatal(err)
			}
			w.file.Close()
			info, err := os.Stat(name)
			if err == nil {
				err = errors.Join(replace(name), os.Chtimes(name, info.ModTime(), info.ModTime()))
			}
			if err != nil {
				t.Fatal(err)
			}
			if after, err := os.Stat(name); err != nil || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
				t.Fatalf("the test is none: %v, %v", after, err)
			}
			if _, err := OpenWords(name); err == nil {
				t.Error("words of other bytes, of the same size and time, are used")
			}
		})
	}
}

// Where the system does not tell of changes, the text itself is compared.
func TestASealWithoutATimeOfChangeLooksAtTheText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	if err := Write(name, []byte(one)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if s := sealOf(info, sumOf([]byte(one))); readSeal(s.append(nil)) != s || !s.fits(name) || !s.holds(name) {
		t.Errorf("the seal %+v does not fit its own file", s)
	}
	if s := sealOf(info, sumOf([]byte("other"))); s.holds(name) {
		t.Error("the seal of another text holds")
	}
}

func TestDamagedWordsAreNeverAWrongAnswer(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	if err := Write(name, []byte(one)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(wordsPath(name))
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x41
		if i%3 == 0 {
			damaged = damaged[:i]
		}
		if err := os.WriteFile(wordsPath(name), damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		w, err := OpenWords(name)
		if err != nil {
			continue
		}
		if results, err := w.Match("the runner", 0); err == nil {
			t.Fatalf("byte %d is damaged and the answer is %+v", i, results)
		}
		w.file.Close()
	}
}

func TestAnIndexOfOtherWordsHasNone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	for _, text := range []string{one, strings.Replace(one, `"version"`, `"tokenizer":"unicode","version"`, 1)} {
		if err := Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenWords(name); err == nil {
		t.Error("an index of Unicode words is answered by plain ones")
	}
	if _, fast := first(t, name); !fast {
		t.Error("its index.bin is not used")
	}
}
