package browser_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/packgen/packgen/cmd/packgentest"
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

// longestLine returns how long the longest line of running text is, in halves of the size of
// its letters: about its characters, in whichever font the machine has.
const longestLine = `(() => {
	let most = 0;
	for (const p of [...document.querySelectorAll("article.prose > p:not(.cut), article.prose > ul > li, .lede")].slice(0, 40)) {
		const walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT), lines = new Map(), range = document.createRange();
		for (let node; (node = walk.nextNode()); )
			for (const word of node.data.matchAll(/\S+\s?/g)) {
				range.setStart(node, word.index);
				range.setEnd(node, word.index + word[0].trimEnd().length);
				const box = range.getBoundingClientRect(), top = Math.round(box.bottom / 8), line = lines.get(top);
				lines.set(top, [Math.min(box.left, line?.[0] ?? box.left), Math.max(box.right, line?.[1] ?? box.right)]);
			}
		const half = parseFloat(getComputedStyle(p).fontSize) / 2;
		most = Math.max(most, ...[...lines.values()].map(([left, right]) => (right - left) / half));
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
				if p.eval(longestLine, &line); line > 66 {
					t.Errorf("%s at %d: a line of text is as long as %.0f characters", path, width, line)
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

// The graph of a page is a dialog that the keyboard opens, walks and closes; it lists what
// it draws, with the sentences that link. That of a pack is a page.
func testGraph(t *testing.T, b context.Context, own string) {
	s := serve(t, own, subPath)
	p := newTab(t, b)
	const page = "packs/packgen-manual/documents/how-to/write-a-pack.html"
	for _, width := range []int64{narrow, 1280} {
		p.size(width)
		p.open(s.url(page))
		p.eval(`[...document.querySelectorAll(".meta .marks")].find((e) => e.textContent === "Links").focus()`, nil)
		p.do(chromedp.KeyEvent("\r"))
		p.wait(`document.querySelector("dialog.over[open] .links a.s2") && document.querySelector("dialog.over .back p")`)
		if got := p.text(`document.querySelector(".links .s0 title").textContent`); got != "Write a pack" {
			t.Errorf("in the middle is %q", got)
		}
		var drawn, reached int
		p.eval(`document.querySelectorAll(".links a").length`, &drawn)
		for range drawn + 2 {
			p.do(chromedp.KeyEvent("\t"))
			if p.truth(`document.activeElement.closest(".links")`) {
				reached++
			}
		}
		if reached != drawn || drawn < 8 {
			t.Errorf("the keyboard reaches %d of %d pages", reached, drawn)
		}
		if bad := p.text(sideways(width)); bad != "" {
			t.Errorf("at %d: %s", width, bad)
		}
		p.do(chromedp.KeyEvent(kb.Escape))
		p.wait(`!document.querySelector("dialog.over")`)
		p.clean(page, s.URL)
	}
	p.open(s.url("packs/packgen-manual/graph.html"))
	p.wait(`document.querySelectorAll(".graph .links a").length > 10`)
	p.clean("the graph", s.URL)
	// A page that more link to than it says shows all of them.
	crowd := serve(t, crowdOf(own), subPath)
	p.open(crowd.url("packs/crowd/graph.html?documents/words"))
	p.wait(`document.querySelector(".graph").innerText.includes("No page links here")`)
	p.open(crowd.url("packs/crowd/graph.html?documents/%3Cimg%20src=x%20onerror=alert(1)%3E"))
	p.wait(`document.querySelector(".graph").innerText.includes("could not be loaded")`)
	p.clean("a page that is not there", crowd.URL)
}

// A picture that is larger than its place is shown whole, by key and by click.
func testZoom(t *testing.T, b context.Context, own string) {
	s := serve(t, crowdOf(own), subPath)
	p := newTab(t, b)
	p.size(narrow)
	p.open(s.url("packs/crowd/documents/pictures.html"))
	p.wait(`document.querySelector("article img.zoom")`)
	p.do(chromedp.Focus("article img"))
	p.press("Enter", false)
	p.wait(`document.querySelector("dialog.zoomed[open] img")?.clientWidth === 640`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait(`!document.querySelector("dialog") && document.activeElement.matches("article img")`)
	p.eval(`document.querySelector("article img").click()`, nil)
	p.wait(`document.querySelector("dialog.zoomed[open]")`)
	p.eval(`document.querySelector("dialog").click()`, nil)
	p.wait(`!document.querySelector("dialog")`)
	p.clean("a picture", s.URL)
}

// The pages of a pack become one document in the author's order, whose links lead to where
// they led, and whose headings have no ids that others have.
func testPrint(t *testing.T, b context.Context, own string) {
	s := serve(t, own, subPath)
	p := newTab(t, b)
	p.open(s.url("packs/packgen-manual/print.html"))
	p.wait(`document.documentElement.dataset.sheaf === ""`)
	var got struct{ Parts, IDs, Lost int }
	p.eval(`({
		Parts: document.querySelectorAll("main > section > h1").length,
		IDs: document.querySelectorAll("main > section [id]").length,
		Lost: [...document.querySelectorAll("main > section a[href]")].filter((e) => !new URL(e.href).pathname.includes("/packs/packgen-manual/") && e.origin === location.origin).length,
	})`, &got)
	if got.Parts < 20 || got.IDs > 0 || got.Lost > 0 {
		t.Errorf("the document has %+v", got)
	}
	if first := p.text(`document.querySelector("main > section > h1").textContent`); first != "Tutorial: from a folder to an agent" {
		t.Errorf("the first page is %q", first)
	}
	p.clean("the document", s.URL)
}

// A site may keep what was read for times without a network; one that was not asked to
// keeps nothing.
func testOffline(t *testing.T, b context.Context, own string) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"packgen.yaml": "site: {offline: true}\n",
		"packs/kettle/KNOWLEDGE.md": "---\nname: kettle\ndescription: About a kettle. Use it for questions about it.\ntype: domain-reference\nprofile: document-first\nstatus: ready\n" +
			"metadata:\n  primaryDocument: documents/main.md\n---\n\n# Kettle\n",
		"packs/kettle/documents/main.md": "# Main\n\nOne litre.\n",
	} {
		packgentest.WriteText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if code, _, stderr := packgentest.Run(t, "", "-C", dir, "build", "-q"); code != 0 {
		t.Fatalf("build ends with %d:\n%s", code, stderr)
	}
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("packs/kettle/index.html")) // the start page is the same
	p.eval(`navigator.serviceWorker.ready.then(() => true)`, nil)
	p.open(s.url("packs/kettle/documents/main.html"))
	p.wait(`navigator.serviceWorker.controller`)
	p.eval(`caches.keys().then(async (names) => { for (let i = 0; i < 500; i++) { if (await (await caches.open(names[0])).match(location.href)) return; await new Promise((done) => setTimeout(done, 20)); } throw new Error("not kept"); })`, nil)
	s.Close()
	p.open(s.url("index.html"))
	p.wait(`document.querySelector("h1")?.textContent.includes("kettle")`)
	p.open(s.url("packs/kettle/documents/main.html"))
	if got := p.text(`document.querySelector("article")?.textContent.trim() ?? document.body.innerText`); got != "One litre." {
		t.Errorf("without a network the page is %q", got)
	}
	if !p.truth(`document.querySelector(".top .theme") && getComputedStyle(document.querySelector(".skip")).position === "absolute"`) {
		t.Error("without a network the page has lost its style or script")
	}
	other := serve(t, own, subPath)
	q := newTab(t, b)
	q.open(other.url("index.html"))
	var workers int
	if q.eval(`navigator.serviceWorker.getRegistrations().then((list) => list.length)`, &workers); workers > 0 {
		t.Error("a site that is not asked to has a worker")
	}
}
