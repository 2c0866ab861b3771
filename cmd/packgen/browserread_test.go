package main

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// collisions lists the parts of the header that touch each other or leave the window.
const collisions = `(() => {
	const parts = [...document.querySelectorAll(".top > *, .top nav a")].filter((e) => e.tagName !== "NAV" && e.checkVisibility());
	const boxes = parts.map((e) => [e.className || e.textContent, e.getBoundingClientRect()]);
	const bad = boxes.filter(([, b]) => b.left < 0 || b.right > innerWidth).map(([name]) => name + " leaves the window");
	for (let i = 0; i < boxes.length; i++)
		for (let j = 0; j < i; j++)
			if (boxes[i][1].left < boxes[j][1].right + 4 && boxes[j][1].left < boxes[i][1].right + 4) bad.push(boxes[j][0] + " touches " + boxes[i][0]);
	return bad.join("; ");
})()`

// longestLine returns the most characters that a line of running text has.
const longestLine = `(() => {
	let most = 0;
	for (const p of [...document.querySelectorAll("article.prose > p:not(.cut), article.prose > ul > li, .lede")].slice(0, 40)) {
		const walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT), lines = new Map(), range = document.createRange();
		for (let node; (node = walk.nextNode()); )
			for (const word of node.data.matchAll(/\S+\s?/g)) {
				range.setStart(node, word.index);
				range.setEnd(node, word.index + word[0].trimEnd().length);
				const top = Math.round(range.getBoundingClientRect().bottom / 8);
				lines.set(top, (lines.get(top) ?? 0) + word[0].length);
			}
		most = Math.max(most, ...lines.values());
	}
	return most;
})()`

// A page is read at once: its title is near the top, its lines are short, and nothing in
// its header touches.
func testFirstLook(t *testing.T, b context.Context, own string) {
	p := newTab(t, b)
	read := 0
	for dir, pages := range map[string][]string{own: paths(pageKinds(t, own)), crowdOf(own): crowdedPages} {
		s := serve(t, dir, subPath)
		for _, width := range widths {
			p.size(width)
			for _, path := range pages {
				p.open(s.url(path))
				if bad := p.text(collisions); bad != "" {
					t.Errorf("%s at %d: %s", path, width, bad)
				}
				var top, line float64
				if p.eval(`document.querySelector("h1").getBoundingClientRect().top`, &top); top > 120 && path != "404.html" {
					t.Errorf("%s at %d: the title is %.0f pixels down", path, width, top)
				}
				if p.eval(longestLine, &line); line > 70 {
					t.Errorf("%s at %d: a line of text has %.0f characters", path, width, line)
				}
				if line > 40 {
					read++
				}
				if toc := p.truth(`document.querySelector(".toc")`); toc && width >= 1280 && !p.truth(`document.querySelector(".toc li").checkVisibility() && document.querySelector(".toc").getBoundingClientRect().top < 200`) {
					t.Errorf("%s at %d: the contents are not beside the text", path, width)
				}
			}
		}
	}
	if read < 8 {
		t.Errorf("only %d pages have text to measure", read)
	}
}

// What is known of a pack is in tabs: one is open at a time, with the keyboard and without
// script.
func testTabs(t *testing.T, b context.Context, own string) {
	s := serve(t, own, subPath)
	p := newTab(t, b)
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	const shown = `[...document.querySelectorAll(".pane")].filter((e) => e.lastElementChild.checkVisibility({ contentVisibilityAuto: true })).map((e) => e.firstElementChild.textContent).join()`
	for _, width := range []int64{narrow, 1280} {
		p.size(width)
		p.open(s.url("packs/packgen-manual/index.html"))
		if got := p.text(shown); got != "Budget" {
			t.Errorf("at %d %q is open first", width, got)
		}
		p.do(chromedp.Focus(".pane:last-child > summary"), chromedp.KeyEvent("\r"))
		if got := p.text(shown); got != "Take away" {
			t.Errorf("at %d the keyboard opens %q", width, got)
		}
	}
}
