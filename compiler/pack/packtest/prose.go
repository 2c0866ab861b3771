package packtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	nouns = []string{"queue", "gateway", "ledger", "scheduler", "replica", "cache", "index", "session", "tenant", "invoice",
		"pipeline", "cluster", "router", "archive", "snapshot", "journal", "worker", "balancer", "registry", "monitor"}
	verbs      = []string{"rotation", "recovery", "upgrade", "sizing", "billing", "draining", "sharding", "auditing", "tuning", "failover", "retention"}
	adjectives = []string{"steady", "partial", "regional", "cold", "nightly", "manual", "blocked", "signed", "shared", "bounded", "elastic", "strict"}
	phrases    = []string{
		"is restarted before the window closes", "keeps the last %d versions", "waits for %d acknowledgements",
		"moves to the standby after %d seconds", "is never written by two workers at once", "holds at most %d open files",
		"reports its depth every %d minutes", "must be drained by hand", "falls back to the older format",
		"needs a second pair of eyes", "is compared with the ledger of the day before", "drops requests above %d per second",
	}
)

// writer composes one page from its own random stream.
type writer struct {
	b           strings.Builder
	rng         *rand.Rand
	page, pages int
}

func (w *writer) pick(list []string) string { return list[w.rng.IntN(len(list))] }

func (w *writer) linef(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *writer) frontMatter() {
	w.linef("---\ntitle: %s\nkeywords: [%s, %s, %s]\npriority: domain\n---\n", pageTitle(w.page), w.pick(nouns), w.pick(verbs), w.pick(adjectives))
}

func (w *writer) sentence() string {
	phrase := w.pick(phrases)
	if strings.Contains(phrase, "%d") {
		phrase = fmt.Sprintf(phrase, 2+w.rng.IntN(900))
	}
	subject := fmt.Sprintf("The %s %s", w.pick(adjectives), w.pick(nouns))
	switch w.rng.IntN(9) {
	case 0:
		subject = "The " + w.link()
	case 1:
		subject = "The " + w.wikilink()
	case 2:
		subject = fmt.Sprintf("`%s.%s`", w.pick(nouns), w.pick(verbs))
	}
	return fmt.Sprintf("%s %s when the *%s* %s %s.", subject, phrase, w.pick(adjectives), w.pick(nouns), w.pick([]string{"is slow", "is full", "has moved", "reports **late**", "asks twice"}))
}

// neighbour is a page near this one, in the same folder as far as possible.
func (w *writer) neighbour() int {
	first := w.page / pagesPerFolder * pagesPerFolder
	size := min(pagesPerFolder, w.pages-first)
	return first + w.rng.IntN(max(size, 1))
}

func (w *writer) link() string {
	n := w.neighbour()
	return fmt.Sprintf("[%s](%s)", nouns[n%len(nouns)], pageFile(n))
}

func (w *writer) wikilink() string { return fmt.Sprintf("[[%s]]", pageTitle(w.neighbour())) }

func (w *writer) paragraph(sentences int) {
	for i := range sentences {
		if i > 0 {
			w.b.WriteByte(' ')
		}
		w.b.WriteString(w.sentence())
	}
	w.b.WriteString("\n\n")
}

func (w *writer) list() {
	for range 4 + w.rng.IntN(3) {
		w.linef("- %s [source: sources/measurements.md#L%d]", w.sentence(), 1+w.rng.IntN(sourceLines))
	}
	w.linef("")
}

func (w *writer) table() {
	w.linef("| %s | %s | limit | note |\n| --- | --- | ---: | --- |", w.pick(nouns), w.pick(verbs))
	for range 5 + w.rng.IntN(4) {
		w.linef("| `%s-%d` | %s | %d | %s |", w.pick(nouns), w.rng.IntN(99), w.pick(adjectives), w.rng.IntN(9000), w.pick(verbs))
	}
	w.linef("")
}
