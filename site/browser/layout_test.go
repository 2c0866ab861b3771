package browser_test

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/oktest"
)

// widths are those at which every kind of page is looked at, in CSS pixels.
var widths = []int64{390, 820, 1280, 1440}

// narrow is the width of a phone.
const narrow = 390

// size sets the size of the window.
func (p *tab) size(width int64) {
	p.Helper()
	if width == narrow {
		p.do(chromedp.EmulateViewport(width, 844, chromedp.EmulateMobile))
		return
	}
	p.do(chromedp.EmulateViewport(width, 900))
}

// ownWords are names that the site's own scripts, styles and elements go by, and
// went by: a page may use any of them as a heading.
var ownWords = []string{
	"Away", "Match", "Task", "Threshold", "Share", "Examples", "State", "Result", "Toc", "Cut", "Top", "Main", "s.main",
	"Copy", "Folder", "Ask", "uall", "usome", "u0", "b0", "all", "some", "hidden", "notice", "theme", "side", "scroll", "constructor",
}

// crowdedRepository builds a site with lists of several pages, a word that more
// entries have than the match page lists, long names, and headings that are
// names of the site's own.
func crowdedRepository(t *testing.T, dir string) {
	t.Helper()
	write := func(name, text string) {
		t.Helper()
		packgentest.WriteText(t, filepath.Join(dir, "packs", "crowd", filepath.FromSlash(name)), text)
	}
	write("KNOWLEDGE.md", "---\nname: crowd\ndescription: Many pages about kettles. Use it for questions about kettles.\ntype: research-wiki\nprofile: hybrid\nstatus: ready\n"+
		"metadata:\n  primaryDocument: documents/words.md\n---\n\n# Crowd\n\n## Away\n\nThe guide.\n\n## State\n\nText.\n")
	write("sources/s.md", "one\n")
	long := "How a kettle is descaled, rinsed, dried and put away by somebody who has never before seen one"
	for i := range 230 {
		write(fmt.Sprintf("wiki/a-folder-with-quite-a-long-name/page-%03d-about-a-kettle-and-much-else-besides.md", i),
			fmt.Sprintf("# %s %d\n\n## Kettle %d\n\n- Fact %d. [source: sources/s.md#L1]\n\n## %s\n\nText.\n", long, i, i, i, long))
	}
	var words strings.Builder
	words.WriteString("# Words\n")
	for _, word := range ownWords {
		fmt.Fprintf(&words, "\n## %s\n\nText.\n", word)
	}
	write("documents/words.md", words.String())

	// Sections of all lengths, with several in view at the end.
	var read strings.Builder
	read.WriteString("# Reading\n\nThe start.\n")
	for i, lines := range []int{12, 1, 30, 2, 2, 25, 1, 1, 1} {
		fmt.Fprintf(&read, "\n## Part %d\n%s", i, strings.Repeat("\nA line of the part.\n", lines))
	}
	write("documents/reading.md", read.String())

	// A picture that comes after the text around it.
	var picture strings.Builder
	oktest.Check(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 640, 400))))
	write("assets/kettle.png", picture.String())
	write("documents/pictures.md", "# Pictures\n\n![A kettle](../assets/kettle.png)\n\n"+strings.Repeat("A line below it.\n\n", 8))
	buildSite(t, dir)
}

// crowdOf is where the crowded repository is, beside this project's own.
func crowdOf(own string) string { return filepath.Join(own, "crowd") }

// crowdedPages are the pages of the crowded site that show what it is for.
var crowdedPages = []string{
	"packs/crowd/index.html", "packs/crowd/wiki.html", "packs/crowd/wiki-2.html", "packs/crowd/claims-2.html",
	"packs/crowd/documents/words.html", "packs/crowd/documents/reading.html", "packs/crowd/documents/pictures.html",
	"packs/crowd/wiki/a-folder-with-quite-a-long-name/page-000-about-a-kettle-and-much-else-besides.html",
}

// A task that loads more than the page lists has the sums of the command.
func testManyMatches(t *testing.T, b context.Context, own string) {
	dir := crowdOf(own)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("match.html"))
	for _, dialect := range []string{"coverage", "recall"} {
		want := say(t, dir, dialect, "descale the kettle")
		if want.Loads.Entries <= mostLoaded {
			t.Fatalf("only %d entries load", want.Loads.Entries)
		}
		p.ask(dialect, "descale the kettle")
		var got shown
		p.eval(readShown, &got)
		compare(t, dialect+", many", got, want)
		if left := amount.Grouped(want.Loads.Entries-mostLoaded) + " more entries that would load are not shown."; !strings.Contains(got.More, left) {
			t.Errorf("%s: the page says %q, want %q", dialect, got.More, left)
		}
	}
}

// No page is wider than the window, and none of the site's own tables is wider
// than its place, except for a history on a phone.
func testFits(t *testing.T, b context.Context, own string) {
	crowd := crowdOf(own)
	p := newTab(t, b)
	for dir, pages := range map[string][]string{own: paths(pageKinds(t, own)), crowd: crowdedPages} {
		s := serve(t, dir, subPath)
		for _, width := range widths {
			p.size(width)
			for _, path := range pages {
				p.open(s.url(path))
				if path == "match.html" {
					p.ask("coverage", strings.Join(tasks, " "))
				}
				if wide := p.text(sideways(width)); wide != "" {
					t.Errorf("%s at %d: %s", path, width, wide)
				}
				const tables = `[...document.querySelectorAll(".scroll:has(> .list)")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.clientWidth + " of " + e.scrollWidth + " " + e.innerText.slice(0, 60)).join("; ")`
				if cut := p.text(tables); cut != "" && (width != narrow || !strings.Contains(path, "history")) {
					t.Errorf("%s at %d: a table does not fit: %s", path, width, cut)
				}
			}
		}
	}
}

func paths(kinds []pageKind) []string {
	var list []string
	for _, k := range kinds {
		list = append(list, k.path)
	}
	return list
}

// watchShifts adds up how far what was painted is moved.
const watchShifts = `window.shifts = []; new PerformanceObserver((list) => {
	for (const e of list.getEntries()) shifts.push({ value: e.value, what: e.sources.map((s) => s.node?.outerHTML?.slice(0, 80) ?? "").join(" … ") });
}).observe({ type: "layout-shift", buffered: true });`

// Nothing on a page moves after it was painted. Each page comes in parts,
// so that what was there is painted before the scripts run.
func testNoShift(t *testing.T, b context.Context, own string) {
	crowd := crowdOf(own)
	p := newTab(t, b)
	p.script(watchShifts)
	shifted := func(what string) {
		t.Helper()
		var shifts []struct {
			Value float64
			What  string
		}
		p.wait(`[...document.images].every((i) => i.complete && i.naturalWidth > 0)`)
		// Two frames later a shift has been reported.
		p.eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(shifts), 50))))`, &shifts)
		sum := 0.0
		for _, s := range shifts {
			sum += s.Value
		}
		if sum > 0.02 { // a long table settles while its rows come
			t.Errorf("%s shifts by %.3f: %v", what, sum, shifts)
		}
	}
	for dir, pages := range map[string][]string{own: paths(pageKinds(t, own)), crowd: crowdedPages} {
		s := serve(t, dir, subPath)
		s.late = true
		for _, width := range []int64{narrow, 1440} {
			p.size(width)
			for _, path := range pages {
				p.open(s.url(path))
				shifted(fmt.Sprintf("%s at %d", path, width))
			}
			p.open(s.url("match.html#task=cite+the+kettle"))
			p.wait(answered)
			shifted(fmt.Sprintf("the match page with a task at %d", width))
			const room = `(() => { const at = () => document.querySelector(".top nav").getBoundingClientRect().x, was = at(); document.querySelector(".theme").remove(); return at() - was; })()`
			var moved float64
			if p.eval(room, &moved); moved < -1 || moved > 1 {
				t.Errorf("the button beside the links of the header moves them by %g at %d", moved, width)
			}
		}
	}
	// The watch sees what it watches for.
	s := serve(t, own, subPath)
	s.add("control.html", []byte(`<!doctype html><p id=a>A</p><h1>B</h1><p>Text</p><script>requestAnimationFrame(() => requestAnimationFrame(() => { a.style.height = "300px" }))</script>`))
	p.open(s.url("control.html"))
	if p.eval(`new Promise((done) => setTimeout(() => done(0), 200))`, nil); !p.truth(`shifts.length > 0`) {
		t.Error("the shift of the control page is not seen")
	}
}

// A heading is shown, whatever it is called.
func testOwnWords(t *testing.T, b context.Context, own string) {
	s := serve(t, crowdOf(own), subPath)
	p := newTab(t, b)
	for path, want := range map[string][]string{"packs/crowd/documents/words.html": ownWords, "packs/crowd/index.html": {"Away", "State"}} {
		p.open(s.url(path))
		var got []string
		p.eval(`[...document.querySelectorAll("article.prose h2")].filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getBoundingClientRect().height > 5).map((e) => e.textContent)`, &got)
		if !slices.Equal(got, want) {
			t.Errorf("%s shows %q, want %q", path, got, want)
		}
		p.clean(path, s.URL)
	}
}

// The contents mark the section that is read, on the way down, on the way up, at
// the end, and where a reader asked for it.
func testReadingMark(t *testing.T, b context.Context, own string) {
	s := serve(t, crowdOf(own), subPath)
	p := newTab(t, b)
	p.size(1440)
	p.open(s.url("packs/crowd/documents/reading.html"))
	p.eval(`document.documentElement.style.scrollBehavior = "auto"`, nil)
	const marked = `[...document.querySelectorAll(".toc [aria-current]")].map((e) => e.textContent).join("|")`
	settle := func() string {
		p.eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`, nil)
		return p.text(marked)
	}
	if got := settle(); got != "" {
		t.Errorf("at the top %q is marked", got)
	}
	var parts []string
	p.eval(`[...document.querySelectorAll(".toc a")].map((e) => e.textContent)`, &parts)
	if len(parts) != 9 {
		t.Fatalf("the contents are %q", parts)
	}
	const reachable = `(() => { const end = document.documentElement.scrollHeight - innerHeight; return [...document.querySelectorAll("article h2")].filter((e) => e.getBoundingClientRect().top + scrollY - 16 <= end).length; })()`
	var n int
	if p.eval(reachable, &n); n < 4 || n > 7 {
		t.Fatalf("%d parts can come to the top", n)
	}
	read := func(i int, way string) {
		t.Helper()
		p.eval(fmt.Sprintf(`document.querySelectorAll("article h2")[%d].scrollIntoView()`, i), nil)
		if got := settle(); got != parts[i] {
			t.Errorf("%s, %q is marked at %q", way, got, parts[i])
		}
		// A little further the part is still the one that is read; before it, the
		// one above.
		p.eval(`scrollBy(0, 20)`, nil)
		if got := settle(); got != parts[i] {
			t.Errorf("%s, %q is marked just below %q", way, got, parts[i])
		}
		p.eval(`scrollBy(0, -60)`, nil)
		if got := settle(); i > 0 && got != parts[i-1] {
			t.Errorf("%s, %q is marked just above %q", way, got, parts[i])
		}
	}
	for i := range n {
		read(i, "down")
	}
	p.eval(`scrollTo(0, 1e6)`, nil)
	if got := settle(); got != parts[8] {
		t.Errorf("at the end %q is marked", got)
	}
	for i := n - 1; i >= 0; i-- {
		read(i, "up")
	}
	// Every part is marked somewhere on the way, in order.
	var seen []string
	p.eval(`scrollTo(0, 0)`, nil)
	for range 400 {
		if got := settle(); got != "" && (len(seen) == 0 || seen[len(seen)-1] != got) {
			seen = append(seen, got)
		}
		if p.truth(`scrollY + innerHeight >= document.documentElement.scrollHeight - 1`) {
			break
		}
		p.eval(`scrollBy(0, 40)`, nil)
	}
	if !slices.Equal(seen, parts) {
		t.Errorf("on the way down %q are marked", seen)
	}
	// What a line of the contents leads to is marked, though others are in view.
	for i := range parts {
		p.eval(fmt.Sprintf(`document.querySelectorAll(".toc a")[%d].click()`, i), nil)
		if got := settle(); got != parts[i] {
			t.Errorf("asked for %q, %q is marked", parts[i], got)
		}
	}
}

// Landmarks of one kind have names that tell them apart.
func testLandmarks(t *testing.T, b context.Context, own string) {
	crowd := crowdOf(own)
	p := newTab(t, b)
	for dir, pages := range map[string][]string{own: paths(pageKinds(t, own)), crowd: crowdedPages} {
		s := serve(t, dir, subPath)
		for _, path := range pages {
			p.open(s.url(path))
			var names []string
			p.eval(`[...document.querySelectorAll("nav, aside, main, header, footer, form, section[aria-label], section[aria-labelledby]")].map((e) => e.tagName + " " +
				(e.getAttribute("aria-label") ?? document.getElementById(e.getAttribute("aria-labelledby") ?? "")?.textContent ?? ""))`, &names)
			if len(names) < 3 {
				t.Errorf("%s has only the landmarks %q", path, names)
			}
			slices.Sort(names)
			if once := slices.Compact(slices.Clone(names)); len(once) < len(names) {
				t.Errorf("%s has landmarks of one name: %q", path, names)
			}
		}
	}
}
