package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// searchable are the packs of a repository that is made to be searched: words of
// several scripts, forms of one word, questions, pages of one section and of many.
func searchable(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("compile compiled compiler compilation statuses status the of how 知识 边界検索 コンパイル 检 지식은 검색을 ความรู้ การค้นหา ខ្មែរ straße Émile release-notes don't ÄB publish published deploy website e.g. 42 K9 über naïve Ελλάδα ΣΑΣ конфигурация folder rotate rotation queue queues gateway C++ C# I/O R R&D 1.2.3 v1.2.4 2.0.0-rc.1 python3.12 .NET --force node.js Größe GRÖSSE İstanbul ISPARTA ısparta ＡＢＣ１２３ Ｃ＋＋ ﬁle cafe\u0301 быстрый й 3")
	some := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[rng.IntN(len(words))] + []string{" ", "-", ", ", " ", ". ", " `", "` "}[rng.IntN(7)])
		}
		return strings.TrimSpace(b.String())
	}
	for p := range 3 {
		name := fmt.Sprintf("pack-%c", 'a'+p)
		folder := filepath.Join(dir, "packs", name)
		questions := "metadata:\n  loadout:\n    wiki/page-01:\n      questions: [where does a kettle stand]\n"
		packgentest.WriteText(t, filepath.Join(folder, "KNOWLEDGE.md"), "---\nname: "+name+"\ndescription: Words to look for.\ntype: domain-reference\nprofile: wiki-first\nstatus: "+
			[]string{"ready", "needs-review", "ready"}[p]+"\nlanguage: en\ngrounding: none\n"+questions+"---\n\n# "+name+"\n\nWords.\n")
		for i := range 30 {
			var b strings.Builder
			if i%5 == 1 {
				fmt.Fprintf(&b, "---\nquestions:\n  - %s\n---\n", strconv.Quote("how is "+some(4)))
			}
			fmt.Fprintf(&b, "# %s %d\n\n%s\n", some(2), i, some(20+rng.IntN(60)))
			if i%7 == 2 {
				fmt.Fprintf(&b, "\n## %s\n\n%s\n", []string{"How", "for", "What it does"}[p], some(60))
			}
			if i%7 == 3 {
				fmt.Fprintf(&b, "\n## %s\n\nIt is not so.\n", []string{"Not", "Do not", "What it does, and what not"}[p])
			}
			for s := range rng.IntN(4) {
				fmt.Fprintf(&b, "\n## Part %d %s\n\n%s\n\n### Deeper %s\n\n%s\n", s, some(1), some(150+rng.IntN(150)), some(1), some(150+rng.IntN(200)))
			}
			packgentest.WriteText(t, filepath.Join(folder, "wiki", fmt.Sprintf("page-%02d.md", i)), b.String())
		}
	}
	buildSite(t, dir)
}

// searched are the sections of a built repository as the scorer takes them, with the
// address of the page of each.
func searched(t *testing.T, dir string) (sections []rank.Section, pages []string) {
	t.Helper()
	entries := oktest.Value(os.ReadDir(filepath.Join(dir, "packs")))(t)
	for _, e := range entries {
		folder := filepath.Join(dir, "packs", e.Name())
		data := oktest.Value(os.ReadFile(filepath.Join(folder, "compiled/index.json")))(t)
		index := oktest.Value(schema.DecodeIndex(data))(t)
		for _, s := range index.Splits {
			text := oktest.Value(os.ReadFile(filepath.Join(folder, filepath.FromSlash(s.Path))))(t)
			page := strings.TrimSuffix(s.Document, ".md")
			section := rank.Section{Path: e.Name() + "/" + s.Path, Document: e.Name() + "/" + s.Document, Title: s.Title, Text: string(text)}
			section.TitlePath = strings.Split(page, "/")[1:]
			whole := oktest.Value(os.ReadFile(filepath.Join(folder, filepath.FromSlash(s.Document))))(t)
			if front, rest, ok := strings.Cut(string(whole), "\n---\n"); ok && strings.HasPrefix(front, "---\nquestions:\n  - ") && rest != "" {
				question := oktest.Value(strconv.Unquote(strings.TrimPrefix(front, "---\nquestions:\n  - ")))(t)
				section.Questions = append(section.Questions, question)
			}
			if s.ID == "wiki/page-01" {
				section.Questions = append(section.Questions, "where does a kettle stand")
			}
			sections = append(sections, section)
			pages = append(pages, "packs/"+e.Name()+"/"+page+".html")
		}
	}
	return sections, pages
}

// foundSection is a hit as the results page shows it.
type foundSection struct {
	Page, Title, Text, Pack, Score string
}

const readFound = `[...document.querySelectorAll(".search .found")].map((a) => ({
	Page: new URL(a.href).pathname, Title: a.closest(".onpage").querySelector(".title").textContent.toLowerCase(), Pack: a.closest(".onpage").querySelector(".pack").textContent,
	Text: a.querySelector(".text").dataset.text, Score: a.querySelector(".score").textContent,
}))`

// testSearchScores compares the results page with the scorer of the program.
func testSearchScores(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	searchable(t, dir)
	sections, _ := searched(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	for _, query := range []string{
		"compilation", "how is a website published", "compile status, and the 边界 of a K9", "Straße ÄB émile 知识", "directory deployment",
		"ΕΛΛΆΔΑ σας", "检", "검색", "지식", "ค้นหา", "รู้", "지식을 언제 compile", "知识何时 folder", "kettle", "rotation of the queues", "webfolder", "конфигурации конфигурация", "page 12 deeper",
		"C++", "c# or R&D", "what does R do with I/O", "io", "1.2.4", "v1.2", "1.2.9 of the gateway", "release 2.0.0", "2.0.0rc1", "3", "python 3.12", "--force and .NET", "groesse", "isparta ISTANBUL", "abc123", "file", "cafés", "for", "what it does", "do not", "What it does, and what not?", "how", "БЫСТРЫЙ", "nodejs queu",
	} {
		want := map[string]string{}
		ranking := rank.BM25F{}.Score(query, sections).(rank.Positioner)
		for i := range sections {
			if score := ranking.Position(i).Score; score > 0 {
				want[sections[i].Path] = strconv.FormatFloat(score, 'f', 2, 64)
			}
		}
		p.open(s.url("search.html?q=" + url.QueryEscape(query)))
		p.wait(`/first|no word|No section/.test(document.querySelector(".search .state").textContent)`)
		p.eval(`new Promise((done) => {
			const press = () => {
				const more = document.querySelector(".further");
				if (more.hidden) done(true);
				else { more.click(); setTimeout(press, 50); }
			};
			press();
		})`, nil)
		var got []foundSection
		p.eval(readFound, &got)
		if len(want) > 0 && len(got) == 0 {
			t.Errorf("%q: the page finds nothing; %s", query, p.text(`document.querySelector(".search .state").textContent`))
		}
		shown := map[string]bool{}
		for _, hit := range got {
			path := hit.Pack + "/compiled/splits/" + hit.Text + ".md"
			if shown[path] = true; want[path] != hit.Score {
				t.Errorf("%q: %s has %s on the page, %q by the program", query, path, hit.Score, want[path])
			}
		}
		state := p.text(`document.querySelector(".search .state").textContent`)
		if prefix := fmt.Sprintf("%d section", len(want)); len(want) > 0 && !strings.HasPrefix(state, prefix) {
			t.Errorf("%q: the page says %q, the program finds %d sections", query, state, len(want))
		}
		if len(shown) < min(len(want), 20) {
			t.Errorf("%q: %d of %d sections are shown", query, len(shown), len(want))
		}
		// The best section of each page is before those of the pages after it.
		best := 100.0
		for i, hit := range got {
			if i > 0 && got[i-1].Page == hit.Page || strings.Contains(hit.Title, query) { // called as the query
				continue
			}
			score, err := strconv.ParseFloat(hit.Score, 64)
			if err != nil || score > best {
				t.Errorf("%q: %s is after a page with %g", query, hit.Score, best)
			}
			best = score
		}
	}
	p.clean("the results page", s.URL)
}

// testSearchKeys finds, opens and goes back by the keyboard alone.
func testSearchKeys(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("packs/packgen-manual/index.html"))
	if _, requests := p.taken(); slices.ContainsFunc(requests, func(r string) bool { return strings.Contains(r, "search") }) {
		t.Errorf("a page loads the search before it is used: %v", requests)
	}
	const ready = `document.querySelector("dialog.seek")?.open && document.activeElement.matches(".seek input")`
	p.press("/", false)
	p.wait(ready)
	p.do(chromedp.KeyEvent("source ma"))
	const chosen = `document.getElementById("seek.active")`
	p.wait(chosen + ` && document.querySelector(".seek .all").href.endsWith("source+ma")`)
	if !p.truth(`document.activeElement.getAttribute("aria-activedescendant") === "seek.active" && document.activeElement.getAttribute("aria-expanded") === "true"`) {
		t.Error("the field does not say what is chosen")
	}
	first := p.text(chosen + `.href`)
	p.do(chromedp.KeyEvent(kb.ArrowDown))
	if second := p.text(chosen + `.href`); second == first {
		t.Error("an arrow chooses nothing else")
	}
	p.do(chromedp.KeyEvent(kb.ArrowUp))
	p.wait(`document.querySelector(".seek .found mark")`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait(`!document.querySelector("dialog.seek").open && !document.activeElement.matches("input")`)
	p.press("?", false)
	p.wait(`document.querySelector("dialog.seek").open && !document.querySelector(".seek .keys").hidden`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait(`!document.querySelector("dialog.seek").open && !document.activeElement.matches("input")`)
	p.press("k", true)
	p.wait(ready)
	p.wait(chosen)
	// An answer may still come for what was typed last.
	p.eval(`document.addEventListener("keydown", () => sessionStorage.setItem("chosen", `+chosen+`.href), true)`, nil)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`location.href === sessionStorage.getItem("chosen")`)
	p.eval(`history.back()`, nil)
	p.wait(`location.pathname.endsWith("packgen-manual/index.html") && document.readyState === "complete"`)
	// What was asked is offered again.
	p.press("/", false)
	p.wait(ready)
	p.eval(`(() => { const input = document.querySelector(".seek input"); input.value = ""; input.dispatchEvent(new Event("input")); })()`, nil)
	p.wait(`document.querySelector(".seek .again")?.textContent === "source ma"`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.querySelector(".seek .found")`)
	p.clean("the search", s.URL)
}

// testSearchSent types a query, sends it, and compares what is found: also where the last
// word is unfinished, or no word is a topic.
func testSearchSent(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	searchable(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	const found = `JSON.stringify([...document.querySelectorAll(".search .found")].map((a) => a.href))`
	for _, query := range []string{"compi", "rotat", "Größ", "v1.2.", "C+", "知识", "naïv", "do not", "for", "deeper stat", "release-n", "I/"} {
		p.open(s.url("search.html"))
		p.wait(`document.activeElement.matches(".query input") && document.querySelector(".filters select")`)
		p.do(chromedp.SendKeys(".query input", query))
		p.wait(`/first|no word|No section/.test(document.querySelector(".search .state").textContent) && new URL(location.href).searchParams.get("q") === ` + strconv.Quote(query))
		typed := p.text(found)
		// The answer makes the list again.
		p.text(`document.querySelector(".search .results").replaceChildren(), ""`)
		p.do(chromedp.KeyEvent(kb.Enter))
		p.wait(`document.querySelector(".search .results").childElementCount > 0 || ` + strconv.Quote(typed) + ` === "[]"`)
		if sent := p.text(found); sent != typed {
			t.Errorf("%q finds %s after Enter, %s before", query, sent, typed)
		}
	}
	p.clean("a query that is sent", s.URL)
}

// testSearchGroups looks at the order of pages that are nearly as good, and unfolds one.
func testSearchGroups(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "packs/tea")
	packgentest.WriteText(t, filepath.Join(folder, "KNOWLEDGE.md"), "---\nname: tea\ndescription: Tea.\ntype: domain-reference\nprofile: wiki-first\nstatus: ready\nlanguage: en\ngrounding: none\n---\n\n# Tea\n\nWords.\n")
	for name, text := range map[string]string{
		"brew": "# Brewing notes\n\nSteeping takes a while, four minutes at least.\n", "brew.hebrew": "# Brewing notes\n\nSteeping.\n",
		"name": "# MenuToggle\n\nOpens on a phone.\n", "toggle": "# Toggles\n\nOther things.\n",
		"a": "# Samovar and more\n\nSamovar, samovar.\n", "b": "# Samovar\n\nA word on it, and then others that have nothing to do with the one above.\n",
	} {
		packgentest.WriteText(t, filepath.Join(folder, "wiki", name+".md"), text)
	}
	long := "# Everything\n"
	for i := range 6 {
		long += fmt.Sprintf("\n## Part %d\n\nKettle. %s\n", i, strings.Repeat(fmt.Sprintf("word%d other%d. ", i, i), 120))
	}
	packgentest.WriteText(t, filepath.Join(folder, "wiki/long.md"), long)
	buildSite(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	for query, want := range map[string]string{"steeping": "brew.html brew.hebrew.html", "samovar": "b.html a.html", "menu+toggle": "name.html toggle.html"} {
		p.open(s.url("search.html?q=" + query))
		p.wait(`document.querySelector(".search .found")`)
		if got := p.text(`[...new Set([...document.querySelectorAll(".search .found")].map((a) => new URL(a.href).pathname.split("/").at(-1)))].join(" ")`); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
	p.open(s.url("search.html?q=kettle"))
	p.wait(`document.querySelector(".search button.unfold")?.textContent === "3 more in this page"`)
	p.do(chromedp.Click(".search .unfold"))
	p.wait(`document.querySelectorAll(".search .found").length === 6 && document.activeElement === document.querySelectorAll(".search .found")[3]`)
	// The same by the keyboard, in the dialog.
	p.open(s.url("packs/tea/index.html"))
	p.wait(`document.querySelector("button.theme")`)
	p.press("/", false)
	p.wait(`document.activeElement.matches(".seek input")`)
	// All letters at once: what is selected goes when the hits of a further letter come.
	p.text(`document.activeElement.value = "kettle", document.activeElement.dispatchEvent(new Event("input", { bubbles: true })), ""`)
	p.wait(`document.querySelector(".seek .unfold")`)
	p.do(chromedp.KeyEvent(kb.ArrowUp))
	p.wait(`document.getElementById("seek.active").matches(".unfold")`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.querySelectorAll(".seek .found").length === 6 && document.getElementById("seek.active").matches(".found") && document.activeElement.matches(".seek input")`)
	p.clean("unfolded results", s.URL)
}

// testSearchReturn looks at what a hit shows, comes back from one to a long list, and opens
// the dialog on a phone.
func testSearchReturn(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "packs/tea")
	packgentest.WriteText(t, filepath.Join(folder, "KNOWLEDGE.md"), "---\nname: tea\ndescription: Tea.\ntype: domain-reference\nprofile: wiki-first\nstatus: ready\nlanguage: en\ngrounding: none\n---\n\n# Tea\n\nWords.\n")
	for i := range 45 {
		packgentest.WriteText(t, filepath.Join(folder, fmt.Sprintf("wiki/cup-%02d.md", i)), fmt.Sprintf("# Cup %02d\n\nPorcelain.\n", i))
	}
	packgentest.WriteText(t, filepath.Join(folder, "wiki/marks.md"), "# Saucers\n\n## Glaze {#glaze}\n\n![✔] A teapot is [fired][kiln] twice.\n\n[✔]: ok.png\n[kiln]: cup-00.md\n")
	buildSite(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	// What a hit shows of its text is its text.
	p.open(s.url("search.html?q=glaze+teapot"))
	p.wait(`document.querySelector(".search .found .text")?.textContent.includes("teapot")`)
	if got := p.text(`document.querySelector(".search .found .text").textContent`); got != "A teapot is fired twice." {
		t.Errorf("a hit shows %q", got)
	}
	// Whoever comes back from a hit finds the list where it was.
	p.size(narrow)
	p.open(s.url("search.html?q=porcelain"))
	p.wait(`document.querySelectorAll(".search .onpage").length === 20 && document.title.startsWith("porcelain · Search")`)
	p.do(chromedp.Click(".further"))
	p.wait(`document.querySelectorAll(".search .onpage").length === 40`)
	p.eval(`document.querySelectorAll(".search .found")[35].scrollIntoView()`, nil)
	at := p.text(`String(scrollY)`)
	p.eval(`document.querySelectorAll(".search .found")[36].click()`, nil)
	p.wait(`location.pathname.includes("/wiki/cup-") && document.readyState === "complete"`)
	p.eval(`history.back()`, nil)
	p.wait(`document.querySelectorAll(".search .onpage").length === 40 && String(scrollY) === "` + at + `"`)
	// On a phone the dialog is as wide and as high as the screen.
	p.open(s.url("packs/tea/index.html"))
	p.wait(`document.querySelector("button.theme")`)
	p.press("/", false)
	p.wait(`(({ width, height }) => width === innerWidth && height === innerHeight)(document.querySelector("dialog.seek").getBoundingClientRect())`)
	p.clean("a search that was left", s.URL)
}

// testSearchFilters narrows what is found, in an address that can be passed on.
func testSearchFilters(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	searchable(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("search.html?q=compile&pack=pack-b"))
	p.wait(`document.querySelector(".search .found")`)
	if !p.truth(`[...document.querySelectorAll(".search .pack")].every((e) => e.textContent === "pack-b")`) {
		t.Error("other packs are shown")
	}
	// What no section has is not offered: all pages are of one kind, and no status but two is used.
	if got := p.text(`[...document.querySelectorAll(".search option")].map((e) => e.textContent).join(", ")`); got != "All packs, pack-a, pack-b, pack-c, Any status, ready, needs review" {
		t.Errorf("the filters offer %s", got)
	}
	p.eval(`(() => { const s = document.querySelector("select[name=pack]"); s.value = ""; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, nil)
	p.wait(`[...document.querySelectorAll(".search .pack")].some((e) => e.textContent !== "pack-b")`)
	p.eval(`(() => { const s = document.querySelector("select[name=status]"); s.value = "needs-review"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, nil)
	p.wait(`[...document.querySelectorAll(".search .pack")].every((e) => e.textContent === "pack-b") && location.search.includes("status=needs-review") && !location.search.includes("pack=")`)
	p.clean("filters", s.URL)
}

// testSearchFaults gives the search bad input.
func testSearchFaults(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	searchable(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	// Storage that is denied.
	p.script(`Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } })`)
	state := `document.querySelector(".search .state").textContent`
	for query, want := range map[string]string{
		strings.Repeat("compile 知识 ", 1000): "sections on",
		"?!… ,;:-":                          "no word to look for",
		"the of in":                         "no word to look for",
		"zzzzzz":                            "No section has these words",
		`<img src=qx onerror=qalert(qq)>`:   "No section has these words",
	} {
		p.open(s.url("search.html?q=" + url.QueryEscape(query)))
		p.wait(state + `.includes(` + literal(t, want) + `)`)
	}
	p.clean("bad queries", s.URL)

	// A file that cannot be loaded is said, and tried again when asked for.
	var root struct {
		Words struct{ Names []string }
	}
	data, err := os.ReadFile(filepath.Join(dir, "public/search/index.json"))
	if err != nil || json.Unmarshal(data, &root) != nil || len(root.Words.Names) == 0 {
		t.Fatalf("read the root: %v", err)
	}
	gone := t.TempDir()
	for _, name := range root.Words.Names {
		oktest.Check(t, os.Rename(filepath.Join(dir, "public/search", name+".bin"), filepath.Join(gone, name)))
	}
	p.open(s.url("search.html?q=compile"))
	p.wait(state + `.includes("could not be loaded")`)
	for _, name := range root.Words.Names {
		oktest.Check(t, os.Rename(filepath.Join(gone, name), filepath.Join(dir, "public/search", name+".bin")))
	}
	p.eval(`document.querySelector(".search .state button").click()`, nil)
	p.wait(`document.querySelector(".search .found")`)
	p.taken()

	// So is the root, in the dialog; the filters come with it.
	p.script(`{ const real = fetch; let down = true; addEventListener("up", () => (down = false)); window.fetch = (what, ...rest) => down && String(what).endsWith("search/index.json") ? Promise.reject(new TypeError("down")) : real(what, ...rest); }`)
	p.open(s.url("index.html"))
	p.wait(`document.querySelector("button.theme")`)
	p.press("/", false)
	p.wait(`document.activeElement.matches(".seek input")`)
	p.do(chromedp.KeyEvent("compile"))
	const seeking = `document.querySelector(".seek .state").textContent`
	p.wait(seeking + `.includes("could not be loaded")`)
	p.eval(`new Promise((done) => setTimeout(done, 600))`, nil) // what says that it takes long would be shown by now
	if got := p.text(seeking); !strings.Contains(got, "The index could not be loaded.") {
		t.Errorf("the fault of the root is replaced by %q", got)
	}
	p.eval(`dispatchEvent(new Event("up")); document.querySelector(".seek .state button").click()`, nil)
	p.wait(`document.querySelector(".seek .found") && document.querySelector(".seek select[name=pack]") && document.activeElement.matches(".seek input")`)
	p.script(`dispatchEvent(new Event("up"))`)
	p.taken()

	// An old tab after a deployment.
	p.open(s.url("search.html"))
	p.wait(`document.querySelector(".search select")`)
	s.add("search/index.json", []byte(strings.Replace(string(data), `"version":1`, `"version": 1`, 1)))
	for _, name := range root.Words.Names {
		oktest.Check(t, os.Remove(filepath.Join(dir, "public/search", name+".bin")))
	}
	p.eval(`(() => { const input = document.querySelector(".search input"); input.value = "gateway"; input.dispatchEvent(new Event("input")); })()`, nil)
	p.wait(state + `.includes("has changed") && document.querySelector(".search .state button").textContent === "Reload"`)
	p.taken()
}
