// Package browser_test shows the built site to a browser, as packgen builds and serves it.
package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// Every wait for the browser ends: a page that hangs fails its test and leaves
// the others alone.
const (
	startTime = 30 * time.Second // the browser to come up
	tabTime   = 2 * time.Minute  // all that one tab does
	stepTime  = 45 * time.Second // one navigation, click or evaluation
	stopTime  = 10 * time.Second // the browser to go away
)

// browserTest is what is looked at in one tab.
type browserTest struct {
	name string
	run  func(t *testing.T, b context.Context, own string)
}

// TestInBrowser shows the generated site to Chromium once: what a change of the site breaks
// most likely. make test-browser looks at the rest.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	inBrowser(t, []browserTest{
		{"the match page says what packgen match says", testMatchPage},
		{"the keyboard finds, opens, copies, tries and goes back", testJourney},
		{"every kind of page is clean", testCleanPages},
		{"the search scores as the program does", testSearchScores},
	})
}

// TestBrowserShowsTheWholeSite tries every script, width and fault of the site in Chromium.
func TestBrowserShowsTheWholeSite(t *testing.T) {
	t.Parallel()
	inBrowser(t, []browserTest{
		{"pages are accessible", testAccessible},
		{"pages are whole without JavaScript", testWithoutScript},
		{"no page scrolls sideways on a phone", testNarrow},
		{"nothing in a pack runs", testHostilePack},
		{"the watch on a tab sees what it watches for", testWatch},
		{"a task is typed and a dialect chosen", testTyping},
		{"golden cases through the loader", testGoldenInBrowser},
		{"a trap is followed by a fresh instance", testTrap},
		{"a changed file is refused", testChangedFiles},
		{"a host may unpack the module", testUnpackingHost},
		{"the matcher is fetched when it is used", testFetchedOnUse},
		{"entries are edited and the evals scored again", testWorkbench},
		{"the context is what packgen resolve prints", testFenced},
		{"the match page bears bad input", testMatchFaults},
		{"splits say what leads to them", testSplits},
		{"a site of one pack opens on the pack", testOnePack},
		{"the colour scheme is kept across pages", testTheme},
		{"the keyboard finds, opens and goes back", testSearchKeys},
		{"filters narrow a search", testSearchFilters},
		{"a query that is sent finds what it found", testSearchSent},
		{"pages are before their copies and unfold", testSearchGroups},
		{"a search is found again", testSearchReturn},
		{"the search bears bad input", testSearchFaults},
		{"a boot is picked without JavaScript", testPickRole},
		{"a boot is shown as text with what more costs", testBootText},
		{"pages and their tables fit at every width", testFits},
		{"nothing moves after it was painted", testNoShift},
		{"a heading is shown, whatever it is called", testOwnWords},
		{"the contents mark what is read", testReadingMark},
		{"landmarks can be told apart", testLandmarks},
		{"a page is read at once", testFirstLook},
		{"what is known of a pack is in tabs", testTabs},
		{"the graph is drawn and listed", testGraph},
		{"pictures are enlarged", testZoom},
		{"a pack is printed as one document", testPrint},
		{"what was read is there without a network", testOffline},
		{"a task that loads more than the page lists", testManyMatches},
		{"the keyboard reaches everything", testKeyboard},
		{"the Markdown of a page is copied", testCopyMarkdown},
		{"the tree leads to every page", testTree},
		{"long titles and deep folders stay usable", testExtremes},
		{"lists are filtered and sorted", testLists},
		{"links and chips have previews", testPreviews},
		{"a finger sees what a claim rests on", testTapChip},
		{"room is kept for what leads to the splits", testSplitsRoom},
		{"a lost address finds the site", testLost},
		{"a saved page is seen at once", testServe},
	})
}

// inBrowser runs tests in tabs of one browser, which is closed at their end.
func inBrowser(t *testing.T, tests []browserTest) {
	t.Helper()
	b := startBrowser(t)
	own := buildOwnSite(t)
	crowdedRepository(t, crowdOf(own))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, b, own)
		})
	}
}

// findBrowser returns the path of a browser, empty when there is none.
func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// startBrowser starts the browser; it is closed when the test ends. A machine
// without one skips the test, CI fails it.
func startBrowser(t testing.TB) context.Context {
	t.Helper()
	path := findBrowser()
	if path == "" {
		packgentest.Lacks(t, "chromium", "nothing of the site is tried in a browser")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true),
		// Nothing but the test servers can be reached.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	b, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() {
		bounded, done := context.WithTimeout(b, stopTime)
		defer done()
		if err := chromedp.Cancel(bounded); err != nil {
			t.Logf("close the browser: %v", err)
		}
		cancel()
		stop()
	})
	// The first step binds the browser to its context, which must not end.
	late := time.AfterFunc(startTime, cancel)
	defer late.Stop()
	if err := chromedp.Do(b); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return b
}

// tab is one tab with storage of its own. It notes what a page should not do.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	faults   []string // console errors, exceptions, violations of the policy, dialogs
	requests []string
}

// newTab opens a tab that is closed with the test.
func newTab(t *testing.T, b context.Context) *tab {
	t.Helper()
	bounded, stop := context.WithTimeout(b, tabTime)
	ctx, cancel := chromedp.NewContext(bounded, chromedp.WithNewBrowserContext())
	t.Cleanup(func() { cancel(); stop() })
	p := &tab{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.note); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	// Tabs run side by side; each behaves as the one in front.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	return p
}

// note takes down one event. It must not wait for the browser.
func (p *tab) note(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.mu.Lock()
		p.requests = append(p.requests, e.Request.URL)
		p.mu.Unlock()
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			p.fault("console.%s: %s", e.Type, describe(e.Args))
		}
	case *runtime.EventExceptionThrown:
		p.fault("exception: %v", &chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails})
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			p.fault("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		p.fault("dialog %s: %s", e.Type, e.Message)
		go func() {
			_, _ = chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}()
	}
}

func describe(args []*runtime.RemoteObject) string {
	var list []string
	for _, a := range args {
		list = append(list, string(a.Value)+a.Description)
	}
	return strings.Join(list, " ")
}

func (p *tab) fault(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// taken returns what was noted since the last call, and forgets it.
func (p *tab) taken() (faults, requests []string) {
	// An event that precedes the answer to a command has been noted by then.
	p.eval("0", nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	faults, requests = p.faults, p.requests
	p.faults, p.requests = nil, nil
	return faults, requests
}

// clean requires that nothing was noted but requests to the given server.
func (p *tab) clean(what, server string) {
	p.Helper()
	faults, requests := p.taken()
	for _, f := range faults {
		p.Errorf("%s: %s", what, f)
	}
	for _, r := range requests {
		if !strings.HasPrefix(r, server+"/") {
			p.Errorf("%s asks another host: %s", what, r)
		}
	}
}

// do runs actions, each within stepTime.
func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	for i, action := range actions {
		if err := p.try(action); err != nil {
			p.Fatalf("step %d: %v", i+1, err)
		}
	}
}

func (p *tab) try(action chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(p.ctx, stepTime)
	defer cancel()
	return chromedp.Do(ctx, action)
}

// open navigates to a page.
func (p *tab) open(url string) {
	p.Helper()
	if err := p.try(chromedp.Navigate(url)); err != nil {
		p.Fatalf("open %s: %v", url, err)
	}
	// A long page loads its scripts once it is seen.
	p.wait(`!document.querySelector("link[as=script]") || !matchMedia("(scripting: enabled)").matches || document.querySelector("button.theme")`)
}

// eval evaluates an expression, waits for the promise it may be, and stores the
// value. It is evaluated again where the page was left meanwhile.
func (p *tab) eval(expression string, value any) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stepTime)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
	for try := 0; err != nil && leftPage(err) && try < 3; try++ {
		data, err = chromedp.Run(ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
	}
	if err != nil {
		p.Fatalf("evaluate %s: %v", brief(expression), err)
	}
	if value == nil {
		return
	}
	if err := json.Unmarshal(data, value); err != nil {
		p.Fatalf("evaluate %s: %v in %s", brief(expression), err, brief(string(data)))
	}
}

func (p *tab) text(expression string) string {
	p.Helper()
	var s string
	p.eval(expression, &s)
	return s
}

func (p *tab) truth(expression string) bool {
	p.Helper()
	var b bool
	p.eval("Boolean("+expression+")", &b)
	return b
}

// wait waits until an expression is true. It asks again and again, since a promise
// that waits in the page is lost when the page is left.
func (p *tab) wait(expression string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stepTime)
	defer cancel()
	var last error
	for ctx.Err() == nil {
		// A page that is just being opened may lack what the expression reads.
		var data []byte
		data, last = chromedp.Run(ctx, chromedp.Evaluate[[]byte]("Boolean("+expression+")", chromedp.EvalAwaitPromise))
		if last == nil && string(data) == "true" {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.Fatalf("%s is not true (%v); the page says: %s", brief(expression), last, p.text(`[...document.querySelectorAll("dialog[open], main")].map((e) => [...e.querySelectorAll("input")].map((i) => i.value) + " " + e.innerText.slice(0, 800)).join("; ")`))
}

// leftPage reports whether an evaluation failed because the browser went to another
// page, rather than because its expression is wrong.
func leftPage(err error) bool {
	for _, sign := range []string{"Inspected target navigated or closed", "Execution context was destroyed", "Cannot find context", "uniqueContextId not found"} {
		if strings.Contains(err.Error(), sign) {
			return true
		}
	}
	return false
}

// press presses a key that opens something, without its character: the protocol sends
// that apart, and a field that has opened meanwhile would take it. The page must say
// that the character is not to be typed.
func (p *tab) press(key string, control bool) {
	p.Helper()
	if p.truth(fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q, ctrlKey: %t, bubbles: true, cancelable: true}))`, key, control)) {
		p.Errorf("the key %s is typed as well", key)
	}
}

// script runs a script before those of each page opened from now on.
func (p *tab) script(source string) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source}); err != nil {
		p.Fatalf("add a script: %v", err)
	}
}

// prefer sets the colour scheme of the system.
func (p *tab) prefer(scheme string) {
	p.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.Fatalf("prefer %s: %v", scheme, err)
	}
}

func brief(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// literal writes a value as JavaScript reads it.
func literal(t *testing.T, value any) string {
	t.Helper()
	return string(oktest.Value(json.Marshal(value))(t))
}
