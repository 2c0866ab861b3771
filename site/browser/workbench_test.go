package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// unanswered is a query of the context evals of release-engineering that nothing answers.
const unanswered = "What is the on-call phone number?"

// benchTask is a task of the manual's routing evals, and the entry that it must load first.
const (
	benchTask  = "what does exit code 2 mean"
	benchEntry = "packgen-manual-reference-commands-exit-codes"
)

// fill writes into a field.
func (p *tab) fill(selector, text string) {
	p.Helper()
	p.eval(`(() => { const f = document.querySelector(`+literal(p.T, selector)+`); f.value = `+literal(p.T, text)+`; f.dispatchEvent(new Event("input", {bubbles: true})); })()`, nil)
}

// testWorkbench edits an entry in the page: the evals are scored again, and the change is
// copied as front matter and as a patch that git applies; the address holds it.
func testWorkbench(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.mayCopy(s)
	copied := func(selector, want string) string {
		t.Helper()
		p.eval(`navigator.clipboard.writeText("nothing")`, nil)
		p.eval(`document.querySelector(`+literal(t, selector)+`).click()`, nil)
		p.wait(`document.querySelector(` + literal(t, selector) + `).textContent === "Copied"`)
		text := p.text(`navigator.clipboard.readText()`)
		if !strings.Contains(text, want) {
			t.Errorf("%s copies %q, want %q in it", selector, text, want)
		}
		return text
	}
	p.do(chromedp.EmulateViewport(1280, 900)) // the context is beside the matches
	p.open(s.url("match.html"))
	p.ask("coverage", benchTask)
	p.wait(answered)
	if n := s.count("search/index.json"); n != 0 {
		t.Error("the files of the search are fetched before the context is opened")
	}
	p.do(chromedp.Click(".fenced summary"))
	p.wait(`document.querySelector(".fenced pre")?.textContent === ` + literal(t, resolvedText(t, dir, 6000, []string{benchTask})))
	p.wait(`document.querySelector(".near") || document.querySelector(".result").textContent.includes("No other entry")`)
	if wrong := p.text(`[...document.querySelectorAll(".forms .sum")].map((e) => e.textContent).filter((s) => !s.endsWith("in the weighted dialect")).join("; ")`); wrong != "" {
		t.Errorf("entries of another dialect say %q", wrong)
	}
	copied("button.case", "  - task: \""+benchTask+"\"\n    must:\n      - {id: "+benchEntry+", rank: 1}")
	if p.truth(`document.querySelector(".changes").childElementCount`) {
		t.Error("changes are shown before there are any")
	}

	// Nothing leads to the entry any more.
	p.do(chromedp.Click(".result .hit .line"))
	p.wait(`document.querySelector(".result .hit[open] .edit")`)
	p.do(chromedp.Click(".result .hit[open] .edit"))
	p.wait(`document.querySelector(".editor textarea[name=keywords]")`)
	p.fill(".editor textarea[name=keywords]", "zebra crossing\nyes")
	p.fill(".editor textarea[name=patterns]", "")
	p.wait(`document.querySelector(".changes .moved")?.innerText.includes("worse")`)
	const scored = `document.querySelector(".changes").innerText.includes("prompts that select")` // the last of the evals
	p.wait(scored)
	said := p.text(`document.querySelector(".changes").innerText`)
	if !strings.Contains(said, benchEntry+" is not selected") {
		t.Errorf("after a change for the worse the page says %q", said)
	}
	p.wait(`![...document.querySelectorAll(".result .hits:not(.near) .id")].some((e) => e.textContent === "` + benchEntry + `")`)
	copied(".changes .matter", "metadata:\n  loadout:\n    reference/commands/exit-codes:\n      keywords: [zebra crossing, \"yes\"]\n      patterns: []\n")
	address := p.text("location.href") // the context is open

	other := newTab(t, b)
	other.open(address)
	other.wait(`document.querySelector(".changes .evals")`)
	other.wait(scored)
	other.wait(`document.querySelector(".fenced").open && document.querySelector(".fenced pre")`)
	if again := other.text(`document.querySelector(".changes").innerText`); again != said {
		t.Errorf("passed on, the page says %q, not %q", again, said)
	}
	other.do(chromedp.Click(".changes .take button:last-child"))
	other.wait(`document.querySelector(".changes").childElementCount === 0 && !location.hash.includes("edit=")`)
	other.wait(`document.querySelector(".result .id")?.textContent === "` + benchEntry + `"`)
	other.clean("the page passed on", s.URL)

	// An entry that declares nothing: a patch adds it.
	edit := url.Values{"task": {"zebra"}, "edit": {`{"path":"release-engineering/compiled/briefing","keywords":["zebra"],"questions":["where are zebras?"]}`}}.Encode()
	p.eval(`location.hash = `+literal(t, edit), nil)
	p.wait(`document.querySelector(".changes .names")?.textContent.includes("release-engineering") && document.querySelector(".result .id")?.textContent === "release-engineering-briefing"`)
	patch := copied(".changes .patch", "+++ b/packs/release-engineering/KNOWLEDGE.md")
	file := filepath.Join(t.TempDir(), "change.patch")
	oktest.Check(t, os.WriteFile(file, []byte(patch), 0o666))
	apply := exec.Command("git", "apply", "--check", file)
	apply.Dir = dir
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := apply.CombinedOutput(); err != nil {
		t.Errorf("git apply: %v: %s\n%s", err, out, patch)
	}

	// A question that cannot be answered gets an answer: its query fails. The keyword selects
	// nothing new, so no prompt has another result.
	edit = url.Values{"edit": {`{"path":"release-engineering/wiki/concepts/size-gate","keywords":["zebra"],"questions":["` + unanswered + `"]}`}}.Encode()
	p.eval(`location.hash = `+literal(t, edit), nil)
	p.wait(`document.querySelectorAll(".changes .outcome").length === 2`)
	_, stdout, stderr := packgentest.Run(t, "", "-C", dir, "eval", "release-engineering", "--json") // its own figures may be below what they must be
	var evaluated struct {
		Suites  []struct{ Summary struct{ Total, Passed int } }
		Context []struct{ Summary struct{ Cases, Passed int } }
	}
	if err := json.Unmarshal([]byte(stdout), &evaluated); err != nil || len(evaluated.Context) != 1 {
		t.Fatalf("eval: %v: %s", err, stderr)
	}
	prompts, passed := 0, 0
	for _, suite := range evaluated.Suites {
		prompts, passed = prompts+suite.Summary.Total, passed+suite.Summary.Passed
	}
	queries := evaluated.Context[0].Summary
	want := fmt.Sprintf("%d of %d prompts that select release-engineering or not pass; %d did before.\n%d of %d queries of release-engineering pass; %d did before.\nworse %s",
		passed, prompts, passed, queries.Passed-1, queries.Cases, queries.Passed, unanswered)
	if got := p.text(`document.querySelector(".others").innerText.replaceAll(/\n+/g, "\n")`); got != want {
		t.Errorf("the other evals say %q, want %q", got, want)
	}
	p.clean("the workbench", s.URL)
}

// testMatchFaults gives the match page bad input, files that are gone, and storage that is
// denied.
func testMatchFaults(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	searchable(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.script(`Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } })`)
	state := `document.querySelector(".state").textContent`
	p.open(s.url("match.html"))
	for task, want := range map[string]string{
		strings.Repeat("compile 知识 ", 1000):   "The matcher saw: compile",
		"?!… ,;:-":                            "no word it can use",
		"<img src=x onerror=alert(1)> folder": "The matcher saw: img",
	} {
		p.ask("coverage", task)
		p.wait(state + `.includes(` + literal(t, want) + `)`)
	}
	p.eval(`location.hash = "task=compile&budget=x&min=y&dialect=z&edit=%7B&edit=%5B1%5D&edit=%7B%22path%22%3A%22no/such%22%2C%22keywords%22%3A%5B1%5D%7D"`, nil)
	p.wait(state + `.includes("entries would load") && document.querySelector(".changes .evals")`)
	p.clean("bad tasks", s.URL)

	// A file that cannot be loaded is reported, and asked for again.
	var root struct {
		Words struct{ Names []string }
	}
	data, err := os.ReadFile(filepath.Join(dir, "public/match/index.json"))
	if err != nil || json.Unmarshal(data, &root) != nil || len(root.Words.Names) == 0 {
		t.Fatalf("read the root: %v", err)
	}
	s.alter(func(name string, data []byte) []byte {
		if strings.Contains(name, "match/") && strings.HasSuffix(name, ".bin") {
			return nil
		}
		return data
	})
	fresh := newTab(t, b)
	fresh.open(s.url("match.html#task=compile"))
	fresh.wait(state + `.startsWith("The matcher failed")`)
	s.alter(nil)
	fresh.do(chromedp.Click(".state button"))
	fresh.wait(state + `.includes("would load")`)

	// An old tab after a deployment.
	old := newTab(t, b)
	old.open(s.url("match.html"))
	old.ask("coverage", "?")
	s.add("match/index.json", []byte(strings.Replace(string(data), `"version":1`, `"version": 1`, 1)))
	for _, name := range root.Words.Names {
		oktest.Check(t, os.Remove(filepath.Join(dir, "public/match", name+".bin")))
	}
	old.ask("coverage", "gateway")
	old.wait(state + `.includes("has changed") && document.querySelector(".state button").textContent === "Reload"`)
	for _, one := range []*tab{p, fresh, old} {
		one.taken()
	}

	// Without WebAssembly the page says what to run.
	without := newTab(t, b)
	without.script(`delete window.WebAssembly`)
	without.open(s.url("match.html#task=compile"))
	without.wait(state + `.includes("packgen match")`)
	without.taken()
}

// testSplits shows below each mark of a split what leads to it.
func testSplits(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("packs/packgen-manual/documents/reference/commands.html"))
	if n := s.count("match/index.json"); n != 0 {
		t.Fatal("a page reads the index before the switch is on")
	}
	p.do(chromedp.Click("button.marks"))
	const exit = `[...document.querySelectorAll(".cut")].find((e) => e.textContent.startsWith("exit-codes"))?.nextElementSibling`
	p.wait(exit + `?.matches(".routed")`)
	said := p.text(exit + ".textContent") // that which is far down is laid out when it is reached
	for _, want := range []string{"exit", "domain", "load", benchTask} {
		if !strings.Contains(said, want) {
			t.Errorf("the split says %q, want %q in it", said, want)
		}
	}
	if n := p.text(`String(document.querySelectorAll(".cut").length - document.querySelectorAll(".routed").length)`); n != "0" {
		t.Errorf("%s splits do not say what leads to them", n)
	}
	link := p.text(exit + `.querySelector("a").href`)
	p.do(chromedp.Click("button.marks"))
	if p.truth(exit + `.checkVisibility()`) {
		t.Error("what leads to a split stays after the switch is off")
	}
	p.open(link)
	p.wait(answered)
	if !p.truth(`[...document.querySelectorAll(".result .hits:not(.near) .id")].some((e) => e.textContent === "` + benchEntry + `")`) {
		t.Error("the task does not load the split that names it")
	}
	// A page of one split.
	p.open(s.url("packs/knowledge-pack-field/wiki/concepts/split.html"))
	p.do(chromedp.Click("button.marks"))
	p.wait(`document.querySelector("article > .routed .word")`)
	p.clean("splits", s.URL)
}

// testJourney goes from a page to a section, its Markdown, a task and back, by the
// keyboard alone.
func testJourney(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.mayCopy(s)
	p.do(chromedp.EmulateViewport(1280, 800))
	tabTo := func(what string, with ...chromedp.KeyOption) {
		t.Helper()
		for range 200 {
			p.do(chromedp.KeyEvent(kb.Tab, with...))
			if p.truth(what) {
				return
			}
		}
		t.Fatalf("no number of tabs leads to %s", what)
	}
	p.open(s.url("index.html"))
	// Find and open.
	p.press("/", false)
	p.wait(`document.activeElement.matches(".seek input")`)
	p.do(chromedp.KeyEvent("exit codes"))
	p.wait(`document.getElementById("seek.active")?.href.includes("commands.html") && document.querySelector(".seek .all").href.endsWith("exit+codes")`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`location.pathname.endsWith("reference/commands.html") && document.readyState === "complete"`)
	// Copy.
	p.eval(`document.activeElement.blur()`, nil)
	tabTo(`document.activeElement.matches(".meta .copy")`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.activeElement.textContent === "Copied"`)
	if got := p.text(`navigator.clipboard.readText()`); !strings.Contains(got, "# Commands") {
		t.Errorf("the clipboard holds %q", brief(got))
	}
	// Try.
	tabTo(`document.activeElement.matches("header a[href$='match.html']")`, chromedp.KeyModifiers(chromedp.ModifierShift))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`location.pathname.endsWith("/match.html") && document.readyState === "complete"`)
	p.wait(`document.activeElement.matches("textarea[name=task]")`)
	p.do(chromedp.KeyEvent(benchTask))
	p.wait(answered + ` && document.querySelector(".result .id")?.textContent === "` + benchEntry + `"`)
	tabTo(`document.activeElement.matches(".result .line")`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.querySelector(".result .hit[open] .edit")`)
	tabTo(`document.activeElement.matches(".hit .edit")`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.querySelector(".editor")`)
	tabTo(`document.activeElement.matches(".editor textarea")`)
	// Back.
	p.eval(`history.back()`, nil)
	p.wait(`location.pathname.endsWith("reference/commands.html")`)
	p.clean("the journey", s.URL)
}

// testBootText shows the boot of a choice as the command prints it, and what one usecase
// more costs.
func testBootText(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url(rolePage))
	p.do(chromedp.Click(".boottext > summary"))
	booted := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := packgentest.Run(t, "", append([]string{"-C", dir, "boot", "--role", "packs/packgen-contributor"}, args...)...)
		if code != 0 {
			t.Fatalf("boot %q ends with %d: %s", args, code, stderr)
		}
		return strings.ReplaceAll(stdout, dir+"/", "")
	}
	p.wait(`document.querySelector(".boottext pre")?.textContent === ` + literal(t, booted()))
	p.do(chromedp.Click(".pick .sub input"))
	name := p.text(`document.querySelector(".pick .sub input").nextSibling.textContent.trim()`)
	p.wait(`document.querySelector(".boottext pre")?.textContent === ` + literal(t, booted("--usecase", name)))
	p.wait(`document.querySelectorAll(".larger li").length === 4`)
	other := p.text(`document.querySelector(".larger code").textContent`)
	p.eval(`[...document.querySelectorAll(".pick .sub")].find((e) => e.textContent.includes(`+literal(t, other)+`)).querySelector("input").id = "s.test"`, nil)
	want := p.text(`document.querySelector(".larger b").textContent`)
	p.do(chromedp.Click(`[id="s.test"]`))
	p.wait(`document.querySelector(".pick output").textContent.endsWith(` + literal(t, " "+want+" printed") + `)`)
	p.wait(`document.querySelector(".boottext code").textContent.includes("--usecase ")`)
	p.clean("the role", s.URL)
}

// testOnePack opens a site of one pack, which opens on the pack; one of several does not.
func testOnePack(t *testing.T, b context.Context, own string) {
	dir := t.TempDir()
	packgentest.WriteText(t, filepath.Join(dir, "packs/kettle/KNOWLEDGE.md"), "---\nname: kettle\ndescription: Kettles.\ntype: domain-reference\nprofile: wiki-first\nstatus: ready\nlanguage: en\ngrounding: none\n---\n\n# Kettle\n\nWords.\n")
	packgentest.WriteText(t, filepath.Join(dir, "packs/kettle/wiki/descale.md"), "# Descale\n\nWith vinegar.\n")
	buildSite(t, dir)
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.open(s.url("index.html"))
	p.wait(`location.pathname.endsWith("/index.html") && !location.pathname.includes("packs") && document.querySelector("h1").textContent.includes("kettle")`)
	p.wait(`document.querySelector(".quiet.copy")`)
	p.do(chromedp.Click(".shelf .deep a"))
	p.wait(`location.pathname.endsWith("/packs/kettle/wiki/descale.html") && document.querySelector("h1").textContent.includes("Descale")`)
	p.clean("a site of one pack", s.URL)
	if text, err := os.ReadFile(filepath.Join(own, "public/index.html")); err != nil || strings.Contains(string(text), "http-equiv=refresh") {
		t.Errorf("a site of several packs leads on: %v", err)
	}
}
