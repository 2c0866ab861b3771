package site

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/page"
)

// A report is cut to what one page can show, says what is left out, and shows
// hostile names as text.
func TestReportIsOnePageOfText(t *testing.T) {
	const bad = "<script>alert(1)</script>\n\x1b[31m"
	r := &Report{Entries: 900, Misses: 3, Estimated: 10}
	mean := 40.0
	r.Observed = &mean
	for i := range 900 {
		id := fmt.Sprintf("e%d %s", i, bad)
		r.Events = append(r.Events, loadout.Event{Timestamp: fmt.Sprintf("2026-01-%02dT00:00:00.000Z", 1+i%28)})
		r.Loads = append(r.Loads, loadout.Summary{EntryID: id, LoadCount: 900 - i, TotalTokens: 5, LastLoaded: bad})
		r.Dead = append(r.Dead, loadout.Dead{Entry: &loadout.Entry{ID: id, TokensEst: 2}})
		r.Overlaps = append(r.Overlaps, loadout.Overlap{Keyword: bad, Entries: []string{id, id, id, id, id, id, id, id, id, id}})
		r.Words = append(r.Words, ReportWord{Word: bad, Prompts: 2, Entry: id})
	}
	var one, two bytes.Buffer
	for _, out := range []*bytes.Buffer{&one, &two} {
		oktest.Check(t, WriteReport(out, r, "Site <script>", "en"))
	}
	text := one.String()
	if text != two.String() {
		t.Error("the page differs from run to run")
	}
	for _, want := range []string{
		"<b>900 loads</b> of 900 entries, from <b>2026-01-01</b> to <b>2026-01-28</b>", "700 more entries", "700 more keywords", "700 more words",
		" and 2 more", "1,800 tokens that nobody", "Prompts cost more than the index expects", "e0 &lt;script&gt;alert(1)&lt;/script&gt;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(text, "<tr><td>"); n > 4*page.RowsPerPage+20 {
		t.Errorf("%d rows", n)
	}
	for _, no := range []string{"<script", "<link", "http:", "https:", "src=", "\x1b"} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %q", no)
		}
	}
}
