package site

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/templates"
)

// Report is what a usage report shows (loadout section 24). It has no text of a
// prompt, and no path.
type Report struct {
	Events    []loadout.Event
	Skipped   int // lines of the log that were not events
	Entries   int // of the index
	Estimated float64
	Observed  *float64 // nil when nothing was loaded
	Loads     []loadout.Summary
	Dead      []loadout.Dead
	Overlaps  []loadout.Overlap
	Scores    []ReportScore
	Misses    int
	Words     []ReportWord
}

// ReportScore is a range of scores and how many loads had one in it.
type ReportScore struct {
	Label string
	Count int
}

// ReportWord is a word of prompts that nothing matched. Entry is one whose texts
// have it, or "".
type ReportWord struct {
	Word    string
	Prompts int
	Entry   string
}

const (
	reportPage = "report.html"
	// maxReportIDs is how many entries of a shared keyword are named, maxReportID
	// the length of an id or a word that is shown, in characters.
	maxReportIDs = 8
	maxReportID  = 80
	// aboveEstimate is how many times the estimated load the observed one is
	// before the page says so.
	aboveEstimate = 1.5
)

// addReport plans the page of the usage report.
func (b *build) addReport() {
	if b.in.Report == nil {
		return
	}
	b.add(func() error {
		f := b.frames.Of(reportPage, "Usage report", "What the prompt hook loaded, what it never did, and what it missed")
		f.Here = ""
		return b.render(reportPage, b.in.Report.view(f))
	})
}

// WriteReport writes a usage report as a page that stands alone.
func WriteReport(w io.Writer, r *Report, title, language string) error {
	f, err := frameAlone("Usage report", title, language)
	if err != nil {
		return err
	}
	return templates.Render(w, r.view(f))
}

// frameAlone returns the frame of a page that stands alone, with the stylesheet in it.
func frameAlone(page, title, language string) (templates.Frame, error) {
	bundle, err := assets.Build(assets.Options{})
	if err != nil {
		return templates.Frame{}, err
	}
	i := slices.IndexFunc(bundle.Files, func(f assets.File) bool { return slices.Contains(bundle.Style, f.Path) })
	if i < 0 {
		return templates.Frame{}, errors.New("the bundle has no stylesheet")
	}
	style := bundle.Files[i].Data
	sum := sha256.Sum256(style)
	return templates.Frame{
		Lang: language, Site: title, Title: page, Version: compiler.Version,
		Alone: &templates.Alone{Style: string(style), Sum: base64.StdEncoding.EncodeToString(sum[:])},
	}, nil
}

// view cuts the report to what one page shows.
func (r *Report) view(f templates.Frame) templates.Report {
	v := templates.Report{
		Frame: f, Events: len(r.Events), Skipped: r.Skipped, Entries: r.Entries, Estimated: tokenCount(r.Estimated), Misses: r.Misses,
	}
	if r.Observed != nil {
		v.Observed = tokenCount(*r.Observed)
		v.Above = r.Estimated > 0 && *r.Observed > aboveEstimate*r.Estimated
	}
	v.From, v.To = daysOf(r.Events)
	for _, s := range r.Loads[:min(len(r.Loads), page.RowsPerPage)] {
		v.Loads = append(v.Loads, templates.LoadRow{
			ID: shown(s.EntryID), Times: s.LoadCount, Width: share(s.LoadCount, r.Loads[0].LoadCount),
			Tokens: tokenCount(s.TotalTokens), Last: day(s.LastLoaded),
		})
	}
	sum := 0.0
	for i, d := range r.Dead {
		if !math.IsNaN(d.Entry.TokensEst) {
			sum += d.Entry.TokensEst
		}
		if i < page.RowsPerPage {
			v.Dead = append(v.Dead, templates.DeadRow{ID: shown(d.Entry.ID), Tokens: tokenCount(d.Entry.TokensEst)})
		}
	}
	v.DeadSum = tokenCount(sum)
	for _, o := range r.Overlaps[:min(len(r.Overlaps), page.RowsPerPage)] {
		row := templates.OverlapRow{Keyword: shown(o.Keyword), More: max(0, len(o.Entries)-maxReportIDs)}
		for _, id := range o.Entries[:min(len(o.Entries), maxReportIDs)] {
			row.Entries = append(row.Entries, shown(id))
		}
		v.Overlaps = append(v.Overlaps, row)
	}
	most := 0
	for _, s := range r.Scores {
		most = max(most, s.Count)
	}
	for _, s := range r.Scores {
		v.Scores = append(v.Scores, templates.ScoreRow{Label: s.Label, Count: s.Count, Width: share(s.Count, most)})
	}
	for _, w := range r.Words[:min(len(r.Words), page.RowsPerPage)] {
		v.Words = append(v.Words, templates.WordRow{Word: shown(w.Word), Prompts: w.Prompts, Entry: shown(w.Entry)})
	}
	v.MoreLoads, v.MoreDead = len(r.Loads)-len(v.Loads), len(r.Dead)-len(v.Dead)
	v.MoreOver, v.MoreWords = len(r.Overlaps)-len(v.Overlaps), len(r.Words)-len(v.Words)
	return v
}

// shown is an id or a word as the page shows it: one line, without control
// characters.
func shown(s string) string { return diag.OneLine(javascript.Line(s), maxReportID) }

// share is a length of a bar: n of most, in hundredths.
func share(n, most int) int {
	if most <= 0 {
		return 0
	}
	return max(1, 100*n/most)
}

// tokenCount writes an estimate of tokens; a dash for what is not a number.
func tokenCount(n float64) string {
	if math.IsNaN(n) || math.Abs(n) > 1e15 {
		return "—"
	}
	return amount.Grouped(int(math.Round(n)))
}

// daysOf is the days of the first and the last event.
func daysOf(events []loadout.Event) (from, to string) {
	for i := range events {
		d := day(events[i].Timestamp)
		if d == "" {
			continue
		}
		if from == "" || d < from {
			from = d
		}
		to = max(to, d)
	}
	return from, to
}

// day is the date of a time stamp, "" when it has none.
func day(stamp string) string {
	if len(stamp) < 10 || strings.Trim(stamp[:10], "0123456789-") != "" {
		return ""
	}
	return stamp[:10]
}
