package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeFile is the accessibility checker; `npm ci` in assets/ puts it there.
const axeFile = "../../assets/node_modules/axe-core/axe.min.js"

// runAxe checks the page by the rules it is given.
const runAxe = `axe.run(document, { runOnly: %s, resultTypes: ["violations"] }).then((result) => ({
	Rules: result.passes.length,
	Violations: result.violations.map((v) => v.id + " (" + v.help + "): " + v.nodes.slice(0, 3)
		.map((n) => n.target + " " + n.html.slice(0, 120) + " " + n.failureSummary.replace(/\s+/g, " ")).join(" … ")),
}))`

const (
	// axeRules are those of WCAG 2.2, levels A and AA, and what is good practice beside them.
	axeRules = `{ type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }`
	// axeColours are those of them that depend on the colour scheme.
	axeColours = `{ type: "rule", values: ["color-contrast"] }`
)

type axeReport struct {
	Rules      int // rules that the page keeps
	Violations []string
}

func testAccessible(t *testing.T, b context.Context, dir string) {
	axe, err := os.ReadFile(axeFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED, ACCESSIBILITY IS NOT CHECKED: run npm ci in assets/ to get axe-core")
	}
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, subPath)
	var p *tab
	check := func(path, rules string) (found axeReport) {
		t.Helper()
		p.open(s.url(path))
		if path == "match.html" { // with everything unfolded
			p.ask("coverage", tasks[0])
			p.do(chromedp.Click(".result .hit .line"))
			p.wait(`document.querySelector(".result .hit[open] .edit")`)
			p.do(chromedp.Click(".result .hit[open] .edit"))
			p.wait(`document.querySelector(".editor textarea")`)
			p.fill(".editor textarea[name=keywords]", "zebra")
			p.wait(`document.querySelector(".changes .evals")`)
		}
		p.eval(string(axe)+"\n;0", nil)
		p.eval(fmt.Sprintf(runAxe, rules), &found)
		return found
	}
	kinds := append(pageKinds(t, dir), pageKind{"graph", "packs/release-engineering/graph.html"}, pageKind{"print", "packs/release-engineering/print.html"})
	for _, width := range []int64{390, 820, 1440} {
		p = newTab(t, b)
		p.do(chromedp.EmulateViewport(width, 900))
		for _, kind := range kinds {
			p.prefer("light")
			light := check(kind.path, axeRules)
			if light.Rules < 10 {
				t.Errorf("%s: only %d rules were applied", kind.name, light.Rules)
			}
			for _, v := range light.Violations {
				t.Errorf("%s, light, %d: %s", kind.name, width, v)
			}
			p.prefer("dark")
			for _, v := range check(kind.path, axeColours).Violations {
				t.Errorf("%s, dark, %d: %s", kind.name, width, v)
			}
		}
	}
	// The checker finds what is wrong when something is.
	s.add("control.html", []byte(`<!doctype html><html><title>x</title><main><img src="x.png"><p style="color:#ccc;background:#fff">pale</p></main></html>`))
	found := strings.Join(check("control.html", axeRules).Violations, "\n")
	for _, rule := range []string{"image-alt", "color-contrast", "html-has-lang"} {
		if !strings.Contains(found, rule) {
			t.Errorf("the control page passes %s: %s", rule, found)
		}
	}
}
