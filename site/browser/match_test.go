package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/amount"
)

// tasks are put to the match page and to packgen match.
var tasks = []string{
	"fix the release workflow, then publish",
	"How do I add a first pack to a new repository with a Makefile?",
	"why is the exit status of packgen in ci not 0",
	"claim-unsourced",
	"explain coverage and recall of the matcher dialect",
	"wie schreibt man ein Knowledge Pack? agents.md, CLAUDE.md & <b>llms.txt</b>",
	"anchor-unresolved: the source map names no line",
	"knowledge pack field packgen manual documents wiki site index",
	"journal atomic crash rename\nreproducible build 知识包",
	"zebra",
}

// said is what packgen match --json says.
type said struct {
	Loads struct {
		Entries int         `json:"entries"`
		Tokens  json.Number `json:"tokens"`
	} `json:"loads"`
	Result []struct {
		Entry struct {
			ID string `json:"id"`
		} `json:"entry"`
		Score json.Number `json:"score"`
	} `json:"result"`
	Detail struct {
		Dialect  string      `json:"dialect"`
		MinScore json.Number `json:"minScore"`
		Tokens   []string    `json:"tokens"`
		Total    int         `json:"total"`
		Entries  []saidEntry `json:"entries"`
	} `json:"detail"`
}

// saidEntry is one scored entry. Its numbers keep every digit.
type saidEntry struct {
	ID              string        `json:"id"`
	Priority        string        `json:"priority"`
	Mode            string        `json:"mode"`
	Tokens          json.Number   `json:"tokens"`
	Included        bool          `json:"included"`
	Score           json.Number   `json:"score"`
	Hits            int           `json:"hits"`
	Keywords        int           `json:"keywords"`
	PatternBonus    json.Number   `json:"patternBonus"`
	Words           []string      `json:"words"`
	Worth           []json.Number `json:"worth"`
	InSummary       int           `json:"inSummary"`
	MatchedKeywords []string      `json:"matchedKeywords"`
	MissedKeywords  []string      `json:"missedKeywords"`
	MatchedPatterns []string      `json:"matchedPatterns"`
	Summary         string        `json:"summary"`
}

// say runs packgen match.
func say(t *testing.T, dir, dialect, task string, also ...string) said {
	t.Helper()
	args := []string{"-C", dir, "match", "--json", "--matcher", dialect, "-"}
	for _, text := range also {
		args = append(args, "--also", text)
	}
	code, stdout, stderr := packgentest.Run(t, task, args...)
	if code != 0 {
		t.Fatalf("match %q ends with %d: %s", task, code, stderr)
	}
	var s said
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatalf("match %q: %v", task, err)
	}
	return s
}

// shown is what the match page shows.
type shown struct {
	State   string
	Entries []shownEntry
	More    string
}

// shownEntry is one row of the match page.
type shownEntry struct {
	ID, Score, Short, Mode, Cost, Summary, Sum string
	Near                                       bool
	On, Patterns, Off                          []string
}

// readShown reads the answer off the page.
const readShown = `(() => {
	const texts = (row, selector) => [...row.querySelectorAll(selector)].map((e) => e.textContent);
	const text = (row, selector) => texts(row, selector).join("|");
	return {
		State: document.querySelector(".state").textContent,
		More: text(document, ".result .more"),
		Entries: [...document.querySelectorAll(".result ol:not(.forms) > li > .hit")].map((row) => ({
			ID: text(row, ".id"), Score: row.querySelector(".score").title, Short: text(row, ".score"),
			Mode: text(row, ".badge"), Cost: text(row, ".cost"), Sum: text(row, ".sum"),
			Summary: row.querySelector(".line + p").textContent,
			Near: row.closest("ol").classList.contains("near"),
			On: texts(row, ".word.on:not(.pattern)"), Patterns: texts(row, ".word.on.pattern"), Off: texts(row, ".word:not(.on)"),
		})),
	};
})()`

// answered says that the page has answered the last question.
const answered = `document.querySelector(".state").textContent && !document.querySelector(".state").textContent.startsWith("Loading")`

// ask puts a task to the match page through its address.
func (p *tab) ask(dialect, task string, also ...string) {
	p.Helper()
	hash := url.Values{"task": {task}, "dialect": {dialect}, "also": also}.Encode()
	p.eval(`document.querySelector(".state").replaceChildren(); location.hash = `+literal(p.T, hash), nil)
	p.wait(answered)
}

// The most entries that the match page lists.
const (
	mostLoaded = 20
	mostMissed = 12
)

// rowsOf returns the rows that the page must show for what the command says:
// those that load, then the nearest misses.
func rowsOf(s said) []shownEntry {
	var rows, missed []shownEntry
	for _, e := range s.Detail.Entries {
		row := shownEntry{
			ID: e.ID, Score: e.Score.String(), Mode: e.Mode, Cost: "tokens unknown", Summary: e.Summary, Near: !e.Included,
			Sum: paper(e, s.Detail.Dialect),
			On:  e.MatchedKeywords, Patterns: e.MatchedPatterns, Off: e.MissedKeywords,
		}
		if n, err := e.Tokens.Int64(); err == nil {
			row.Cost = amount.Grouped(int(n)) + " tokens"
		}
		if e.Included && len(rows) < mostLoaded {
			rows = append(rows, row)
		} else if !e.Included && len(missed) < mostMissed {
			missed = append(missed, row)
		}
	}
	return append(rows, missed...)
}

// paper writes the sum as one would on paper, up to the score (loadout
// sections 6.3 and 7). What the page adds in words is its own affair.
func paper(e saidEntry, dialect string) string {
	if e.Priority == "core" || e.Priority == "manual" {
		return e.Priority + ": "
	}
	sum := fmt.Sprintf("%d ÷ %d", e.Hits, e.Keywords)
	if dialect == "recall" {
		sum = fmt.Sprintf("max(%s, %d ÷ 5)", sum, e.Hits)
	}
	if dialect == "weighted" && e.Words != nil {
		list := make([]string, len(e.Words))
		for i, word := range e.Words {
			if list[i] = e.Worth[i].String() + " " + word; i >= len(e.Words)-e.InSummary {
				list[i] += " in the summary"
			}
		}
		sum = "(" + strings.Join(list, " + ") + ") ÷ 2"
	}
	if bonus, _ := e.PatternBonus.Float64(); bonus > 0 {
		sum += " + " + e.PatternBonus.String()
	}
	return sum + " = " + e.Score.String()
}

// compare requires that the page shows what the command says.
func compare(t *testing.T, what string, got shown, want said) {
	t.Helper()
	loads := " entries would load, "
	if want.Loads.Entries == 1 {
		loads = " entry would load, "
	}
	tokens, err := strconv.Atoi(want.Loads.Tokens.String())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	words := "no word it can use"
	if len(want.Detail.Tokens) > 0 {
		words = strings.Join(want.Detail.Tokens, ", ")
	}
	state := amount.Grouped(want.Loads.Entries) + loads + amount.Grouped(tokens) + " tokens. The matcher saw: " + words + "."
	if got.State != state {
		t.Errorf("%s: the page says %q, want %q", what, got.State, state)
	}
	rows := rowsOf(want)
	if len(got.Entries) != len(rows) {
		t.Fatalf("%s: the page lists %d entries, want %d", what, len(got.Entries), len(rows))
	}
	for i, row := range rows {
		g := got.Entries[i]
		checkShort(t, what, g)
		g.Short = ""
		if !sameRow(g, row) {
			t.Fatalf("%s, entry %d:\n got %+v\nwant %+v", what, i, g, row)
		}
	}
	for i, r := range want.Result[:min(len(want.Result), mostLoaded)] {
		if i >= len(got.Entries) || got.Entries[i].ID != r.Entry.ID || got.Entries[i].Score != r.Score.String() || got.Entries[i].Near {
			t.Errorf("%s: match %d of the command is %s, %s", what, i, r.Entry.ID, r.Score)
		}
	}
}

// checkShort requires that the score in the line is the full one, rounded.
func checkShort(t *testing.T, what string, e shownEntry) {
	t.Helper()
	full, err := strconv.ParseFloat(e.Score, 64)
	short, err2 := strconv.ParseFloat(e.Short, 64)
	if err != nil || err2 != nil || len(e.Short) != len("0.00") || math.Abs(full-short) > 0.00501 {
		t.Errorf("%s: %s shows the score %q for %q", what, e.ID, e.Short, e.Score)
	}
}

func sameRow(a, b shownEntry) bool {
	return a.ID == b.ID && a.Score == b.Score && a.Mode == b.Mode && a.Cost == b.Cost && a.Summary == b.Summary && sumEqual(a.Sum, b.Sum) && a.Near == b.Near &&
		slices.Equal(a.On, b.On) && slices.Equal(a.Patterns, b.Patterns) && slices.Equal(a.Off, b.Off)
}

// sumEqual reports whether the sum that the page shows is the one wanted, with
// or without words after it.
func sumEqual(shown, want string) bool {
	rest, found := strings.CutPrefix(shown, want)
	return found && (rest == "" || !strings.ContainsAny(rest[:1], "0123456789.e"))
}

func testMatchPage(t *testing.T, b context.Context, dir string) {
	for _, base := range []string{subPath, "/"} {
		s := serve(t, dir, base)
		p := newTab(t, b)
		p.open(s.url("match.html"))
		matched := 0
		for _, dialect := range []string{"coverage", "recall", "weighted"} {
			for i, task := range tasks {
				var also []string
				if i%3 == 1 {
					also = strings.Split(tasks[i+1], "\n") // one a line
				}
				want := say(t, dir, dialect, task, also...)
				if want.Loads.Entries > 0 {
					matched++
				}
				var got shown
				p.ask(dialect, task, also...)
				p.eval(readShown, &got)
				compare(t, fmt.Sprintf("%q, also %q, %s, below %s", task, also, dialect, base), got, want)
			}
		}
		if matched < 2*len(tasks) {
			t.Errorf("only %d of %d questions match anything", matched, 3*len(tasks))
		}
		p.clean("the match page below "+base, s.URL)
	}
}

func testTyping(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("match.html"))
	const task = "cut a release and check the size gate"
	// What the keys reach is the task: the page has put the focus there.
	p.do(chromedp.KeyEvent(task))
	p.wait(answered + ` && document.querySelector(".state").textContent.includes("gate")`)
	var got shown
	p.eval(readShown, &got)
	compare(t, "typed", got, say(t, dir, "coverage", task))

	p.do(chromedp.Click(`input[value="recall"]`))
	p.wait(`document.querySelector(".result .sum")?.textContent.startsWith("max(")`)
	p.eval(readShown, &got)
	want := say(t, dir, "recall", task)
	compare(t, "recall chosen", got, want)
	if want.Loads.Entries == 0 {
		t.Error("the task matches nothing")
	}
	// Another way to count, and other words for the task.
	p.do(chromedp.Click(`input[value="weighted"]`))
	p.wait(`document.querySelector(".result .sum")?.textContent.startsWith("(")`)
	p.eval(readShown, &got)
	compare(t, "weighted chosen", got, say(t, dir, "weighted", task))
	p.do(chromedp.Click(`.wordings summary`))
	p.do(chromedp.SendKeys(`textarea[name="also"]`, "claim\nboundaries"))
	p.wait(`document.querySelector(".state").textContent.includes("boundaries")`)
	p.eval(readShown, &got)
	want = say(t, dir, "weighted", task, "claim", "boundaries")
	compare(t, "with other wordings", got, want)

	// The question is in the address, so it can be passed on.
	address := p.text("location.href")
	other := newTab(t, b)
	other.open(address)
	other.wait(answered)
	other.eval(readShown, &got)
	compare(t, "passed on", got, want)

	// What an entry loads can be read.
	other.do(chromedp.Click(".result .hit .line"))
	other.wait(`document.querySelector(".result .hit[open] .text summary")`)
	other.do(chromedp.Click(".result .hit[open] .text summary"))
	other.wait(`document.querySelector(".result .hit[open] pre")?.textContent.length > 20`)

	// Its link leads to its section of a page, not to a file.
	other.wait(`document.querySelector(".result .hit[open] .path a").pathname.endsWith(".html")`)
	other.open(other.text(`document.querySelector(".result .hit[open] .path a").href`))
	other.wait(`document.querySelector("main h1") && (!location.hash || document.getElementById(decodeURIComponent(location.hash.slice(1))))`)
	other.clean("the page passed on", s.URL)
}
