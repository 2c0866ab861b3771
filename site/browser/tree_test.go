package browser_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/packgen/packgen/cmd/packgentest"
)

// The tree opens at the page, its folders open by key, and on a phone it is in a drawer
// that comes before the article.
func testTree(t *testing.T, b context.Context, own string) {
	const page = "packs/crowd/wiki/a-folder-with-quite-a-long-name/page-100-about-a-kettle-and-much-else-besides.html"
	s := serve(t, crowdOf(own), subPath)
	p := newTab(t, b)
	p.size(1280)
	p.open(s.url(page))
	p.wait(`document.querySelector(".tree b")?.textContent.endsWith("away 100") || document.querySelector(".tree b")?.textContent.includes("never before seen one 100")`)
	p.wait(`document.querySelectorAll(".tree li.dir li.dir > ul > li").length === 230`)
	// The page is in sight.
	p.wait(`(() => { const b = document.querySelector(".tree b").getBoundingClientRect(); return b.top > 0 && b.bottom < innerHeight; })()`)
	if !p.truth(`document.querySelector(".toc ul").checkVisibility()`) {
		t.Error("the contents are not visible at 1280 pixels")
	}
	const folder = `[...document.querySelectorAll(".tree > li.dir > button")].find((b) => b.getAttribute("aria-expanded") === "false")`
	p.eval(folder+`.focus()`, nil)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.activeElement.getAttribute("aria-expanded") === "true" && [...document.querySelectorAll(".tree a")].some((a) => a.textContent === "Reading")`)
	p.eval(`[...document.querySelectorAll(".tree a")].find((a) => a.textContent === "Reading").click()`, nil)
	p.wait(`location.pathname.endsWith("/documents/reading.html") && document.querySelector(".tree b")?.textContent === "Reading"`)
	// A server may leave out the ending, and answer for a folder.
	p.open(s.url("packs/crowd/wiki/a-folder-with-quite-a-long-name/"))
	p.wait(`document.querySelector(".tree b")?.textContent === "a-folder-with-quite-a-long-name"`)
	p.clean("the tree", s.URL)

	// A part that cannot be loaded says so, and is tried again when asked for.
	q := newTab(t, b)
	q.size(1280)
	q.script(`{ const real = fetch; let down = true; addEventListener("up", () => (down = false)); window.fetch = (what, ...rest) => down && /\/tree\/(?!index)/.test(what) ? Promise.reject(new TypeError("down")) : real(what, ...rest); }`)
	q.open(s.url(page))
	q.wait(`document.querySelector(".tree li.dir li.dir")?.textContent.includes("could not be loaded")`)
	q.eval(`dispatchEvent(new Event("up")); document.querySelector(".tree .more").click()`, nil)
	q.wait(`document.querySelectorAll(".tree li.dir li.dir > ul > li").length === 230 && document.activeElement.closest("li").matches(".tree li.dir li.dir > ul > li:first-child")`)

	p.size(narrow)
	p.open(s.url(page))
	p.wait(`document.readyState === "complete" && !document.querySelector(".side").checkVisibility()`)
	p.eval(`document.querySelector(".menu").focus()`, nil)
	if !p.truth(`document.querySelector(".menu").compareDocumentPosition(document.querySelector("article")) & Node.DOCUMENT_POSITION_FOLLOWING`) {
		t.Error("the button of the drawer comes after the article")
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.querySelector(".side").matches(":popover-open") && document.querySelector(".tree b")?.checkVisibility()`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait(`!document.querySelector(".side").checkVisibility()`)
	p.clean("the drawer", s.URL)
}

// testExtremes opens pages whose titles are very long or markup, and one below 40 folders.
func testExtremes(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	name := strings.Repeat("k", 64)
	folder := filepath.Join(dir, "packs", name)
	packgentest.WriteText(t, filepath.Join(folder, "KNOWLEDGE.md"), "---\nname: "+name+"\ndescription: Kettles.\ntype: domain-reference\nprofile: wiki-first\nstatus: ready\nlanguage: en\ngrounding: none\n---\n\n# Kettle\n\nWords.\n")
	deep := "wiki"
	for i := range 40 {
		deep += fmt.Sprintf("/level-%d", i)
		packgentest.WriteText(t, filepath.Join(folder, deep, "page.md"), fmt.Sprintf("# Level %d\n\nText.\n", i))
	}
	long := strings.Repeat("Descaling", 55)
	packgentest.WriteText(t, filepath.Join(folder, "wiki/long.md"), "# "+long+"\n\nText of the long one.\n\n- "+long+" [source: sources/spec.md#L1]\n")
	packgentest.WriteText(t, filepath.Join(folder, "sources/spec.md"), "Line.\n")
	packgentest.WriteText(t, filepath.Join(folder, "wiki/markup.md"), "# <script>alert(1)</script> <img src=x onerror=alert(2)> kept\n\nText.\n\n## <svg onload=alert(3)> xylophone\n\nMore.\n")
	buildSite(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	for _, width := range []int64{1280, narrow} {
		p.size(width)
		for _, page := range []string{deep + "/page", "wiki/long", "wiki/markup"} {
			p.open(s.url("packs/" + name + "/" + page + ".html"))
			p.wait(`document.readyState === "complete" && (innerWidth < 1100 || document.querySelector(".tree b"))`)
			if p.truth(`document.documentElement.scrollWidth > innerWidth`) {
				t.Errorf("%s scrolls sideways at %d pixels", page, width)
			}
			if p.truth(`document.querySelector("h1").offsetHeight > innerHeight / 2`) {
				t.Errorf("the title of %s fills the screen at %d pixels", page, width)
			}
			if width == 1280 && !p.truth(`document.querySelector(".tree b").getBoundingClientRect().width > 100`) {
				t.Errorf("the name of %s has no room in the tree", page)
			}
		}
	}
	p.size(narrow)
	for _, page := range []string{"index", "wiki", "claims"} {
		p.open(s.url("packs/" + name + "/" + page + ".html"))
		p.wait(`document.readyState === "complete"`)
		if wide := p.text(`[...document.querySelectorAll("html, main h1, main .scroll")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.localName + "." + e.className).join()`); wide != "" {
			t.Errorf("%s.html is wider than a phone: %s", page, wide)
		}
	}
	p.open(s.url("packs/" + name + "/wiki.html"))
	if p.truth(`[...document.querySelectorAll(".pages tr:not(.group)")].some((row) => row.offsetHeight > 150)`) {
		t.Error("a long title fills the list of pages")
	}
	for _, query := range []string{"xylophone", long} {
		p.open(s.url("search.html?q=" + query))
		p.wait(`document.querySelector(".search .found")`)
		if p.truth(`document.documentElement.scrollWidth > innerWidth`) {
			t.Errorf("the search for %s scrolls sideways", brief(query))
		}
		if p.truth(`document.querySelector(".search .onpage").offsetHeight > innerHeight / 2`) {
			t.Errorf("the first hit for %s fills the screen", brief(query))
		}
	}
	p.clean("extreme pages", s.URL)
}

// A field filters a list, and the headings of a table sort it.
func testLists(t *testing.T, b context.Context, own string) {
	s := serve(t, crowdOf(own), subPath)
	p := newTab(t, b)
	p.open(s.url("packs/crowd/wiki.html"))
	const shown = `[...document.querySelectorAll(".list tbody tr:not(.group, [hidden])")]`
	p.do(chromedp.SendKeys(".sift input", "SEEN 17"))
	p.wait(shown + `.length === 12 && document.querySelector(".sift [role=status]").textContent === "12 fit on this page. Search the pack"`)
	if got := p.text(`document.querySelector(".sift a").href`); !strings.HasSuffix(got, "/search.html?q=SEEN+17&pack=crowd") {
		t.Errorf("what is not on the page is looked for at %s", got)
	}
	p.eval(`document.querySelector(".sift input").value = ""; document.querySelector(".sift input").dispatchEvent(new Event("input"))`, nil)
	p.wait(shown + `.length === 200`)
	first := p.text(shown + `[0].cells[0].textContent`)
	p.do(chromedp.Click(".list th:first-child button"))
	p.do(chromedp.Click(".list th:first-child button"))
	p.wait(`document.querySelector("th[aria-sort=descending]") && ` + shown + `[0].cells[0].textContent.includes("one 199")`)
	p.do(chromedp.Click(".list th:first-child button"))
	p.wait(`!document.querySelector("th[aria-sort]")`)
	if again := p.text(shown + `[0].cells[0].textContent`); again != first {
		t.Errorf("the first row is %q after sorting, was %q", again, first)
	}
	p.open(s.url("packs/crowd/claims.html"))
	p.do(chromedp.SendKeys(".sift input", "confirmed 199"))
	p.wait(shown + `.length === 1`)
	p.clean("lists", s.URL)
}

// A link shows what it leads to, a chip what it rests on, both by key; the switch shows the
// splits and is kept; a lost address leads to the search.
func testPreviews(t *testing.T, b context.Context, own string) {
	s := serve(t, own, subPath)
	p := newTab(t, b)
	p.size(1280)
	const page = "packs/packgen-manual/documents/reference/site.html"
	p.open(s.url(page))
	p.wait(`document.querySelector("article a.src[href]")`)
	p.eval(`document.querySelector("article a.src[href]").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}))`, nil)
	p.wait(`document.querySelector(".peek .badge")?.textContent === "confirmed" && document.querySelector(".peek code")?.textContent.includes("SHA-256")`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait(`!document.querySelector(".peek")`)
	p.eval(`document.querySelector("article a[href*='write-evals.html#']").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}))`, nil)
	p.wait(`document.querySelector(".peek strong")?.textContent === "Write evals" && document.querySelector(".peek p").textContent.length > 50`)
	if p.truth(`getComputedStyle(document.querySelector(".cut")).visibility !== "hidden"`) {
		t.Error("the marks of splits are shown before they are asked for")
	}
	p.do(chromedp.Click("button.marks"))
	p.wait(`getComputedStyle(document.querySelector(".cut")).visibility === "visible" && document.querySelector("button.marks").getAttribute("aria-pressed") === "true"`)
	p.open(s.url("packs/packgen-manual/documents/reference/commands.html"))
	p.wait(`getComputedStyle(document.querySelector(".cut")).visibility === "visible"`)
	p.clean("previews", s.URL)

	p.open(s.url("packs/packgen-manual/documents/lost/crash-safety.html"))
	p.wait(`document.querySelector("a.guess")?.textContent === "Search for crash safety lost packgen manual" && document.querySelector("a.guess").href.endsWith("/base/search.html?q=crash+safety+lost+packgen+manual")`)
}

// The page of a lost address finds the site, at any depth, where the site does not know its
// own address.
func testLost(t *testing.T, b context.Context, own string) {
	s := serve(t, crowdOf(own), subPath)
	p := newTab(t, b)
	p.size(1280)
	p.script(watchShifts)
	p.open(s.url("packs/crowd/gone/deep/old-page.html"))
	p.wait(`document.querySelector("a.guess").href.endsWith("` + subPath + `search.html?q=old+page+deep+gone+crowd")`)
	p.wait(`getComputedStyle(document.body).display === "flex" && document.querySelector("button.theme")`)
	p.wait(`document.querySelector(".brand").href.endsWith("` + subPath + `index.html")`)
	p.wait(`document.querySelector(".near .found")?.href.startsWith(location.origin + "` + subPath + `packs/")`)
	var moved float64
	p.eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(shifts.reduce((sum, s) => sum + s.value, 0)), 50))))`, &moved)
	if moved > 0.02 {
		t.Errorf("the page of a lost address shifts by %.3f", moved)
	}
	p.eval(`document.querySelector("a.guess").click()`, nil)
	p.wait(`location.pathname.endsWith("` + subPath + `search.html") && document.querySelector(".query input").value === "old page deep gone crowd"`)
	p.open(s.url("//evil.example/x.html"))
	p.wait(`getComputedStyle(document.body).display === "flex" && document.querySelector("a.guess").origin === location.origin`)
}
