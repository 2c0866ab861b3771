package browser_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// axeFile is the accessibility checker; `npm ci` in assets/ puts it there.
const axeFile = "../../assets/node_modules/axe-core/axe.min.js"

// runAxe checks the page by the rules it is given.
const runAxe = `axe.run(document, { runOnly: %s, resultTypes: ["violations"] }).then((result) => ({
	Rules: result.passes.length,
	Violations: result.violations.map((v) => v.id + " (" + v.help + "): " + v.nodes.slice(0, 3)
		.map((n) => n.target + " " + n.html.slice(0, 120) + " " + n.failureSummary.replace(/\s+/g, " ")).join(" … ")),
}))`

// axeRules are those of WCAG 2.2, levels A and AA, and what is good practice beside them.
const axeRules = `{ type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }`

const (
	withChips = "packs/packgen-manual/documents/reference/site.html"
	printed   = "packs/release-engineering/print.html"
	withHits  = "search.html?q=publish+a+site"
)

type axeReport struct {
	Rules      int // rules that the page keeps
	Violations []string
}

func testAccessible(t *testing.T, b context.Context, dir string) {
	axe, err := os.ReadFile(axeFile)
	if errors.Is(err, fs.ErrNotExist) {
		packgentest.Lacks(t, "axe", "accessibility is not checked; npm ci in assets/ gets axe-core")
	}
	oktest.Check(t, err)
	s := serve(t, dir, subPath)
	var p *tab
	check := func() (found axeReport) {
		t.Helper()
		p.eval(fmt.Sprintf(runAxe, axeRules), &found)
		return found
	}
	open := func(path string) {
		t.Helper()
		p.open(s.url(path))
		switch path {
		case "match.html": // with everything unfolded
			p.ask("coverage", tasks[0])
			p.do(chromedp.Click(".result .hit .line"))
			p.wait(`document.querySelector(".result .hit[open] .edit")`)
			p.do(chromedp.Click(".result .hit[open] .edit"))
			p.wait(`document.querySelector(".editor textarea")`)
			p.fill(".editor textarea[name=keywords]", "zebra")
			p.wait(`document.querySelector(".changes .evals")`)
		case withChips: // with the card of a chip, and what leads to its splits
			p.do(chromedp.Click("button.marks"))
			p.wait(`document.querySelector("article .routed .word")`)
			p.eval(`document.querySelector("article a.src[href]").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}))`, nil)
			p.wait(`document.querySelector(".peek .badge")`)
		case printed:
			p.wait(`document.documentElement.dataset.sheaf === ""`)
		case withHits:
			p.wait(`document.querySelector(".hits mark, .result mark, main mark")`)
		}
		p.eval(string(axe)+"\n;0", nil)
	}
	kinds := append(pageKinds(t, dir), pageKind{"graph", "packs/release-engineering/graph.html"}, pageKind{"print", printed},
		pageKind{"page with a card and splits", withChips}, pageKind{"search with hits", withHits})
	for _, width := range []int64{390, 820, 1440} {
		for _, kind := range kinds {
			p = newTab(t, b) // each with a time of its own
			p.do(chromedp.EmulateViewport(width, 900))
			open(kind.path)
			for _, scheme := range []string{"light", "dark"} {
				p.prefer(scheme)
				found := check()
				if found.Rules < 10 {
					t.Errorf("%s, %s: only %d rules were applied", kind.name, scheme, found.Rules)
				}
				for _, v := range found.Violations {
					t.Errorf("%s, %s, %d: %s", kind.name, scheme, width, v)
				}
			}
		}
	}
	// The checker finds what is wrong when something is.
	s.add("control.html", []byte(`<!doctype html><html><title>x</title><main><img src="x.png"><p style="color:#ccc;background:#fff">pale</p></main></html>`))
	open("control.html")
	found := strings.Join(check().Violations, "\n")
	for _, rule := range []string{"image-alt", "color-contrast", "html-has-lang"} {
		if !strings.Contains(found, rule) {
			t.Errorf("the control page passes %s: %s", rule, found)
		}
	}
}
