package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/packgen/packgen/compiler/oktest"
)

// testWatch makes each fault that a tab must note: the other tests rely on it.
func testWatch(t *testing.T, b context.Context, _ string) {
	const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">`
	pages := map[string]struct{ body, fault, host string }{
		"console":   {body: `<script>console.error("spilt")</script>`, fault: "spilt"},
		"exception": {body: `<script>null.spilt</script>`, fault: "exception"},
		"policy":    {body: policy + `<script>1</script>`, fault: "Content Security Policy"},
		"style":     {body: policy + `<p style="color: red">x</p>`, fault: "Content Security Policy"},
		"missing":   {body: `<img src="missing.png">`, fault: "404"},
		"dialog":    {body: `<script>alert("spilt")</script>`, fault: "dialog alert: spilt"},
		"host":      {body: `<img src="http://other.example/x.png">`, host: "http://other.example/x.png"},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, known := pages[strings.TrimPrefix(r.URL.Path, "/")]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><link rel=icon href='data:,'>"+page.body)
	}))
	defer s.Close()
	p := newTab(t, b)
	for name, page := range pages {
		p.open(s.URL + "/" + name)
		faults, requests := p.taken()
		if !strings.Contains(strings.Join(faults, "\n"), page.fault) {
			t.Errorf("%s: not noted: %q", name, faults)
		}
		if !strings.Contains(strings.Join(requests, "\n"), page.host) {
			t.Errorf("%s: the request is not noted: %q", name, requests)
		}
	}
}

// testCleanPages opens a page of each kind: no error, no violation of the
// policy, nothing from another host, every script and style in force.
func testCleanPages(t *testing.T, b context.Context, dir string) {
	for _, base := range []string{subPath, "/"} {
		s := serve(t, dir, base)
		p := newTab(t, b)
		for _, kind := range pageKinds(t, dir) {
			if kind.path == "404.html" && base != subPath {
				continue // it names its assets by the path of base_url
			}
			what := kind.name + " below " + base
			p.open(s.url(kind.path))
			p.clean(what, s.URL)
			if !p.truth(`document.querySelector("meta[http-equiv=Content-Security-Policy]")`) {
				t.Errorf("%s has no policy", what)
			}
			if !p.truth(`document.querySelector("h1")?.textContent.trim() && document.querySelector(".top .theme")`) {
				t.Errorf("%s lacks a heading, or its script did not run", what)
			}
			if !p.truth(`getComputedStyle(document.querySelector(".skip")).position === "absolute"`) {
				t.Errorf("%s has no style", what)
			}
		}
	}
	// A page that does not exist is answered with 404.html at any depth.
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("packs/no/such/page.html"))
	faults, _ := p.taken()
	for _, f := range faults {
		if !strings.Contains(f, "404") || !strings.Contains(f, "no/such/page.html") {
			t.Errorf("the page not found: %s", f)
		}
	}
	if !p.truth(`document.querySelector(".top .theme") && getComputedStyle(document.querySelector(".skip")).position === "absolute"`) {
		t.Error("the page not found has lost its style or script")
	}
	p.do(chromedp.Click("main a.button"))
	p.wait(`location.pathname.endsWith("/base/index.html")`)
}

func testTheme(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.prefer("light")
	const paper = `getComputedStyle(document.documentElement).backgroundColor`
	p.open(s.url("index.html"))
	light := p.text(paper)
	p.do(chromedp.Click(".top .theme"))
	dark := p.text(paper)
	if light == dark {
		t.Fatalf("the switch changes nothing: %s", light)
	}
	for _, kind := range pageKinds(t, dir) {
		p.open(s.url(kind.path))
		if got := p.text(paper); got != dark {
			t.Errorf("the page %s is %s after the switch, want %s", kind.name, got, dark)
		}
	}
	p.do(chromedp.Click(".top .theme"))
	if got := p.text(paper); got != light {
		t.Errorf("switched back, the page is %s, want %s", got, light)
	}
	// Without a choice the system decides.
	other := newTab(t, b)
	other.prefer("dark")
	other.open(s.url("index.html"))
	if got := other.text(paper); got != dark {
		t.Errorf("a system in dark shows %s, want %s", got, dark)
	}
}

// hiddenParts lists what a page keeps from its reader: everything in main that
// is not displayed, closed details, the button of a script and what has no box of its own
// aside.
const hiddenParts = `[...document.querySelectorAll("main *")]
	.filter((e) => e.textContent.trim() && !e.closest("script, noscript, title, button.copy") && !e.checkVisibility() && getComputedStyle(e).display !== "contents" && !(e.closest("details:not([open])")))
	.map((e) => e.outerHTML.slice(0, 120))`

func testWithoutScript(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	with := newTab(t, b)
	without := newTab(t, b)
	if _, err := chromedp.Call(without.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range pageKinds(t, dir) {
		with.open(s.url(kind.path))
		without.open(s.url(kind.path))
		if without.truth(`document.querySelector(".top .theme")`) {
			t.Fatalf("%s: a script ran", kind.name)
		}
		if kind.name == "match" {
			if got := without.text(`document.querySelector("main").innerText`); !strings.Contains(got, "Needs JavaScript") {
				t.Errorf("the match page does not say what it needs: %q", got)
			}
			continue
		}
		if kind.name == "role" {
			continue // what its picker shows has a test of its own
		}
		var hidden []string
		without.eval(hiddenParts, &hidden)
		for _, part := range hidden {
			t.Errorf("%s: hidden without a script: %s", kind.name, part)
		}
		const read = `document.querySelector("main").innerText.replace(/\s+/g, "")`
		with.truth(`document.querySelector("main.lost .near")?.remove() === undefined`) // what a search finds is more than the page
		whole, got := with.text(read), without.text(read)
		if len(got) < 40 || len(got)*10 < len(whole)*9 {
			t.Errorf("%s: %d characters without a script, %d with", kind.name, len(got), len(whole))
		}
	}
	without.clean("without JavaScript", s.URL)
}

// sideways names what is wider than the window, or is empty.
func sideways(width int64) string {
	return fmt.Sprintf(`((width) => {
	if (document.documentElement.scrollWidth <= width && innerWidth <= width) return "";
	const contained = (e) => e !== document.body && (getComputedStyle(e).overflowX !== "visible" || contained(e.parentElement));
	const scrolls = (e) => getComputedStyle(e).position !== "absolute" && contained(e);
	const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 0.5 && !scrolls(e));
	return "width " + document.documentElement.scrollWidth + ": " + wide.slice(0, 3).map((e) => e.outerHTML.slice(0, 100)).join(" … ");
})(%d)`, width)
}

// testNarrow opens each kind of page, and every document, at the width of a
// phone. What a pack may write to push a page apart is in the hostile pack.
func testNarrow(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.size(narrow)
	var paths []string
	for _, kind := range pageKinds(t, dir) {
		paths = append(paths, kind.path)
	}
	for _, path := range htmlPages(t, dir) {
		if strings.Contains(path, "/documents/") && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		p.open(s.url(path))
		if path == "match.html" {
			p.ask("coverage", strings.Join(tasks, " "))
		}
		if wide := p.text(sideways(narrow)); wide != "" {
			t.Errorf("%s scrolls sideways: %s", path, wide)
		}
	}
}

// focused describes the element that has the focus.
const focused = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
	return {
		Name: e === document.body ? "" : e.outerHTML.slice(0, 100),
		Skip: e.matches(".skip"), InMain: e.closest("main") !== null,
		Seen: box.width > 0 && box.height > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth + 1 && e.checkVisibility(),
		Ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
	};
})()`

type focus struct {
	Name                     string
	Skip, InMain, Seen, Ring bool
}

func testKeyboard(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.do(chromedp.EmulateViewport(1000, 800))
	for _, kind := range pageKinds(t, dir) {
		if kind.name == "match" || kind.name == "search" {
			continue // it puts the focus on its field
		}
		p.open(s.url(kind.path))
		var f focus
		p.do(chromedp.KeyEvent(kb.Tab))
		if p.eval(focused, &f); !f.Skip || !f.Seen {
			t.Errorf("%s: the first stop is not a visible skip link: %+v", kind.name, f)
		}
		// Eight stops show the header and the start of the page.
		for range 8 {
			p.do(chromedp.KeyEvent(kb.Tab))
			if p.eval(focused, &f); f.Name == "" {
				break // past the last stop
			}
			if !f.Seen || !f.Ring {
				t.Errorf("%s: the focus cannot be seen on %s (%+v)", kind.name, f.Name, f)
			}
		}
	}
	p.open(s.url("packs/knowledge-pack-field/index.html"))
	p.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab))
	var f focus
	if p.eval(focused, &f); !f.InMain {
		t.Errorf("the skip link leads to %s, which is not in main", f.Name)
	}
}

// mayCopy allows the pages of a server to write to the clipboard, and the test to read it.
func (p *tab) mayCopy(s *server) {
	p.Helper()
	c := chromedp.FromContext(p.ctx)
	for _, name := range []string{"clipboard-write", "clipboard-read"} {
		_, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
			Origin: s.URL, BrowserContextID: c.BrowserContextID,
		})
		if err != nil {
			p.Fatalf("allow %s: %v", name, err)
		}
	}
}

func testCopyMarkdown(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.mayCopy(s)
	for _, path := range []string{"packs/packgen-manual/documents/tutorial", "packs/knowledge-pack-field/wiki/concepts/split"} {
		p.open(s.url(path + ".html"))
		const find = `[...document.querySelectorAll("main button")].find((b) => b.title === "Copy the Markdown of this page")`
		if !p.truth(find) {
			t.Fatalf("%s has no button", path)
		}
		p.eval(find+`.setAttribute("data-test", "copy")`, nil)
		p.do(chromedp.Click("[data-test=copy]"))
		p.wait(`document.querySelector("[data-test=copy]").textContent !== "Copy"`)
		if said := p.text(`document.querySelector("[data-test=copy]").textContent`); said != "Copied" {
			t.Errorf("%s: the button says %q", path, said)
		}
		want := oktest.Value(os.ReadFile(filepath.Join(dir, "public", filepath.FromSlash(path)+".md")))(t)
		if got := p.text(`navigator.clipboard.readText()`); got != string(want) {
			t.Errorf("%s: the clipboard holds %q", path, brief(got))
		}
		if n := s.count(filepath.Base(path) + ".md"); n != 1 {
			t.Errorf("%s.md was fetched %d times", path, n)
		}
	}
	p.clean("pages with a copy button", s.URL)
}
