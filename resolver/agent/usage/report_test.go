package usage

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/resolver/repo"
)

// What a report counts and how much of it is shown (loadout section 24).
func TestRowsOfAReport(t *testing.T) {
	dir := t.TempDir()
	var entries, log []string
	for i := range 30 {
		entries = append(entries, fmt.Sprintf(`{"id":"e%02d","path":"p","keywords":["word%d"],"patterns":[],"priority":"domain","summary":"About topic%d","triggers":{},"tokens_est":10,"lines":1}`, i, i, i))
	}
	entries[29] = strings.Replace(entries[29], "topic29", "topic7", 1) // the first that has a word counts
	scores := []string{"-1", "0", "0.05", "0.1", "0.3", "0.99", "1", "2", `"1"`, "null", "0.5", "0.5"}
	for i, score := range scores {
		log = append(log, fmt.Sprintf(`{"timestamp":"2026-01-%02dT00:00:00.000Z","taskHash":"a","entryId":"e%02d","trigger":"t","mode":"lazy","score":%s,"tokensEst":10}`, i+1, i, score))
	}
	oktest.Check(t, indexfile.Write(filepath.Join(dir, "index.json"), []byte(`{"version":"1","generated":"x","entries":[`+strings.Join(entries, ",")+`],"budget":{}}`)))
	writeText(t, filepath.Join(dir, "usage.jsonl"), strings.Join(log, "\n")+"\nnot a line\n")
	writeText(t, filepath.Join(dir, "misses.jsonl"), strings.Repeat(`{"words":["topic7","topic7x","the","ab"]}`+"\n", 2)+`{"words":["once"]}`+"\n{}\n")
	var stdout bytes.Buffer
	p := &render.Printer{W: &stdout}
	r, err := Read(&repo.Repo{Paths: repo.Paths{Dir: dir}}, filepath.Join(dir, "index.json"), filepath.Join(dir, layers.LogName))
	oktest.Check(t, err)
	if want := []int{3, 1, 0, 1, 0, 2, 0, 0, 0, 3}; !slices.Equal(r.Scores, want) {
		t.Errorf("scores %v, want %v", r.Scores, want)
	}
	if r.Skipped != 1 || len(r.Events) != len(scores) || len(r.Dead) != 30-len(scores) || r.Misses != 3 {
		t.Errorf("%d events, %d skipped, %d dead, %d misses", len(r.Events), r.Skipped, len(r.Dead), r.Misses)
	}
	if got := fmt.Sprint(r.Words); got != "[{topic7 2 e07} {topic7x 2 }]" {
		t.Errorf("words %s", got)
	}
	for verbose, want := range map[bool][2]int{false: {10, 15}, true: {len(scores), 30 - len(scores)}} {
		stdout.Reset()
		p.Verbose = verbose
		r.WriteText(p, layers.LogName)
		loaded := len(regexp.MustCompile(`(?m)^e\d\d +1 `).FindAllString(stdout.String(), -1))
		dead := len(regexp.MustCompile(`(?m)^e\d\d +10$`).FindAllString(stdout.String(), -1))
		if loaded != want[0] || dead != want[1] || !strings.Contains(stdout.String(), "18 entries never loaded, 180 tokens") {
			t.Errorf("verbose %t: %d loaded and %d dead rows in\n%s", verbose, loaded, dead, &stdout)
		}
	}
	at := -1
	text := string(r.JSON())
	for _, key := range []string{"inputs", "events", "skipped", "usage", "dead", "budget", "scoreDistribution", "ok", "overlaps", "misses"} {
		next := strings.Index(text, `"`+key+`":`)
		if key == "usage" {
			next = strings.Index(text, `"usage":[`)
		}
		if next <= at {
			t.Errorf("%s is out of order in %s", key, text)
		}
		at = next
	}
	if !strings.Contains(text, `"scoreDistribution":[{"label":"0.0–0.1","count":3},`) || !strings.Contains(text, `{"label":"0.9–1.0","count":3}]`) {
		t.Errorf("scores in %s", text)
	}
	// Without a score there is no distribution.
	writeText(t, filepath.Join(dir, "usage.jsonl"), log[8]+"\n")
	if r, err = Read(&repo.Repo{Paths: repo.Paths{Dir: dir}}, filepath.Join(dir, "index.json"), filepath.Join(dir, layers.LogName)); err != nil || !strings.Contains(string(r.JSON()), `"scoreDistribution":null`) {
		t.Errorf("%+v, %v", r, err)
	}
}

// A hit of three words scores 0.6 and is not a chance; most loads below it are.
func TestReportCallsKeywordsTooCommonOnlyWhereFewWordsHit(t *testing.T) {
	for _, c := range []struct {
		rule   string
		scores []string
		told   bool
	}{
		{"three words each", slices.Repeat([]string{"0.6"}, 20), false},
		{"two words and a pattern", slices.Repeat([]string{"0.6000000000000001"}, 20), false},
		{"core entries", slices.Repeat([]string{"1"}, 20), false},
		{"half of them faint", slices.Concat(slices.Repeat([]string{"0.5"}, 10), slices.Repeat([]string{"0.6"}, 10)), false},
		{"most of them faint", slices.Concat(slices.Repeat([]string{"0.5"}, 11), slices.Repeat([]string{"0.6"}, 9)), true},
		{"too few loads to tell", slices.Repeat([]string{"0.5"}, 9), false},
		{"ten loads", slices.Repeat([]string{"0.5"}, 10), true},
	} {
		dir := t.TempDir()
		var log strings.Builder
		for _, score := range c.scores {
			fmt.Fprintf(&log, `{"timestamp":"2026-01-01T00:00:00.000Z","taskHash":"a","entryId":"e","trigger":"t","mode":"lazy","score":%s,"tokensEst":10}`+"\n", score)
		}
		oktest.Check(t, indexfile.Write(filepath.Join(dir, "index.json"), []byte(`{"version":"1","generated":"x","entries":[],"budget":{}}`)))
		writeText(t, filepath.Join(dir, "usage.jsonl"), log.String())
		var stdout bytes.Buffer
		p := &render.Printer{W: &stdout}
		r := oktest.Value(Read(&repo.Repo{Paths: repo.Paths{Dir: dir}}, filepath.Join(dir, "index.json"), filepath.Join(dir, layers.LogName)))(t)
		r.WriteText(p, layers.LogName)
		if got := strings.Contains(stdout.String(), "too common"); got != c.told {
			t.Errorf("%s: too common %t in\n%s", c.rule, got, &stdout)
		}
	}
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	oktest.Check(t, os.WriteFile(name, []byte(text), 0o600))
}
