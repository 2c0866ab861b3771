package usage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

const (
	// scoreBuckets is the number of ranges that scores are counted in.
	scoreBuckets = 10
	// faintHits is how many words of a prompt make a load that is not chance. The
	// hook's matcher scores a hit as a fifth (loadout section 7).
	faintHits = 3
)

// Report is the content of a usage report (loadout section 24).
type Report struct {
	Index, Log string // absolute
	Events     []loadout.Event
	Skipped    int
	Usage      []loadout.Summary
	Dead       []loadout.Dead
	Overlaps   []loadout.Overlap
	Breadth    *loadout.Breadth
	Estimated  float64 // per domain entry, as the index says
	Scores     []int   // by tenths; nil without a score
	Faint      int     // loads that fewer than faintHits words have made
	Entries    int     // of the index
	Misses     int     // prompts that nothing matched
	Words      []missedWord
}

// missedWord is a word of prompts that nothing matched.
type missedWord struct {
	Word    string
	Prompts int
	Near    string // the entry whose texts have the word; "" when none has
}

// Read reads the log, then the index; both paths are absolute.
func Read(w *repo.Repo, index, log string) (*Report, error) {
	r, err := readLog(index, log)
	if err != nil {
		return nil, diag.WithHint(err, "name the usage log with --usage FILE")
	}
	ix, err := repo.ReadIndex(w.Paths, r.Index)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("global index missing or unreadable: %w", err), "run packgen memory publish --store DIR with the directory of the MEMORY.md")
	}
	return r, r.analyze(ix)
}

// ReadEntries reads the log, and reports on entries where there is no index at the path that
// one would have.
func ReadEntries(ix *loadout.Index, index, log string) (*Report, error) {
	r, err := readLog(index, log)
	if err != nil {
		return nil, diag.WithHint(err, "name the usage log with --usage FILE")
	}
	return r, r.analyze(ix)
}

// readLog begins a report with the events of a log; one that does not exist has none.
func readLog(index, log string) (*Report, error) {
	events, skipped, err := layers.Log{Path: log}.Read()
	return &Report{Index: index, Log: log, Events: events, Skipped: skipped}, err
}

// ReadForSite reads the report that a site shows. A log that does not exist is an
// empty one: a build elsewhere than where the hook runs has none.
func ReadForSite(w *repo.Repo, index string) (*Report, error) {
	r, err := readLog(index, layers.LogBeside(index).Path)
	if err != nil {
		return nil, err
	}
	ix, err := repo.ReadIndex(w.Paths, index)
	if err == nil {
		err = r.analyze(ix)
	}
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("site.report: %w", err), "name in site.report an index that packgen memory publish or packgen memory index wrote")
	}
	return r, nil
}

// MalformedLines is the finding about lines of a log that are not events; none when
// every line is one.
func MalformedLines(path string, skipped int) []diag.Diagnostic {
	if skipped == 0 {
		return nil
	}
	return []diag.Diagnostic{{
		ID: idMalformed, Severity: diag.Warning, Path: path,
		Message: amount.Counted(skipped, "line") + " of the log could not be read as an event",
		Hint:    "write one JSON object with an entryId per line; the others are counted",
	}}
}

func (r *Report) analyze(ix *loadout.Index) (err error) {
	r.Usage = loadout.Summarize(r.Events)
	if r.Dead, err = loadout.FindDead(ix, r.Events); err != nil {
		return err
	}
	if r.Overlaps, err = loadout.FindOverlaps(ix, false); err != nil {
		return err
	}
	if r.Breadth, err = loadout.AnalyzeBudget(ix, r.Usage, false); err != nil {
		return err
	}
	r.Estimated, r.Entries = ix.Budget.AvgTaskLoad, len(ix.Entries)
	for i := range r.Events {
		if score, ok := r.Events[i].JSON().Get("score").Num(); ok && !math.IsNaN(score) {
			if r.Scores == nil {
				r.Scores = make([]int, scoreBuckets)
			}
			r.Scores[int(max(0, min(scoreBuckets-1, math.Floor(score*scoreBuckets))))]++
			if score < faintHits/5.0 {
				r.Faint++
			}
		}
	}
	return r.readMisses(ix)
}

// readMisses counts the words of prompts that nothing matched. They lie beside
// the index.
func (r *Report) readMisses(ix *loadout.Index) error {
	count := map[string]int{}
	base := filepath.Join(filepath.Dir(r.Index), "misses.jsonl")
	for _, name := range []string{base + ".1", base} {
		text, err := atomicfile.Read(name, 2*hook.MaxMisses)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return diag.WithHint(fmt.Errorf("read the misses: %w", err), "move the file away; the hook writes a new one")
		}
		for line := range strings.Lines(string(text)) {
			v, err := indexjson.Parse([]byte(line))
			if err != nil || v.Get("words").Kind() != loadout.Array {
				continue
			}
			r.Misses++
			for w := range v.Get("words").Items {
				if word, ok := w.Str(); ok && len(word) > 2 && !memory.IsStopWord(word) {
					count[word]++
				}
			}
		}
	}
	for word, n := range count {
		r.Words = append(r.Words, missedWord{Word: word, Prompts: n})
	}
	slices.SortFunc(r.Words, func(x, y missedWord) int {
		return cmp.Or(y.Prompts-x.Prompts, strings.Compare(x.Word, y.Word))
	})
	// A word of a single prompt is chance; the most frequent are enough.
	r.Words = slices.DeleteFunc(r.Words, func(w missedWord) bool { return w.Prompts < 2 })
	r.Words = r.Words[:min(len(r.Words), 100)]
	findNear(ix, r.Words)
	return nil
}

// findNear finds for each word the first entry whose id or summary has it: it is
// where the word may be missing as a keyword.
func findNear(ix *loadout.Index, words []missedWord) {
	at := map[string]*missedWord{} // those without an entry
	for i := range words {
		at[words[i].Word] = &words[i]
	}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority == loadout.PriorityCore || len(at) == 0 {
			continue
		}
		for _, word := range ix.Tokenizer.Words(e.ID + " " + e.Summary) {
			if w := at[word]; w != nil {
				w.Near = e.ID
				delete(at, word)
			}
		}
	}
}

// ScoreLabel names a range of scores.
func ScoreLabel(i int) string {
	return fmt.Sprintf("%.1f–%.1f", float64(i)/scoreBuckets, float64(i+1)/scoreBuckets)
}

// Scored is the number of loads with a score.
func (r *Report) Scored() int {
	sum := 0
	for _, n := range r.Scores {
		sum += n
	}
	return sum
}

// idMalformed is the finding about lines of a log that are not events.
const idMalformed = "usage-malformed"
