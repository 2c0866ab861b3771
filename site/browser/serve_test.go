package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
)

// rebuildLine is what serve prints when it is ready, and after each build.
type rebuildLine struct{ Event, Address string }

// running is a `packgen serve` that ends with the test.
type running struct {
	dir, address string
	lines        <-chan rebuildLine
}

// serveLines runs packgen serve until the test ends, and returns the lines that it prints.
func serveLines(t testing.TB, dir string) <-chan rebuildLine {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, packgentest.Program(t, "packgen"), "-C", dir, "serve", "--json", "--port", "0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTime
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	lines := make(chan rebuildLine, 64)
	go func() {
		defer close(lines)
		scan := bufio.NewScanner(out)
		for scan.Scan() {
			var l rebuildLine
			if json.Unmarshal(scan.Bytes(), &l) == nil {
				lines <- l
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		for range lines { // the pipe is read to its end before it is closed
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("serve ends with %d: %s", code, &stderr)
		}
	})
	return lines
}

// startServe serves a new repository.
func startServe(t *testing.T, files map[string]string) *running {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		packgentest.WriteText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	s := &running{dir: dir, lines: serveLines(t, dir)}
	first := s.next(t)
	if first.Event != "ready" {
		t.Fatalf("the first line is %+v", first)
	}
	s.address = strings.Replace(first.Address, "localhost", "127.0.0.1", 1)
	return s
}

// next is the next line that serve prints.
func (s *running) next(t *testing.T) rebuildLine {
	t.Helper()
	select {
	case l, ok := <-s.lines:
		if !ok {
			t.Fatal("serve has ended")
		}
		return l
	case <-time.After(tabTime):
		t.Fatal("serve prints nothing")
	}
	return rebuildLine{}
}

// save writes a file of the repository.
func (s *running) save(t *testing.T, name, text string) {
	t.Helper()
	packgentest.WriteText(t, filepath.Join(s.dir, filepath.FromSlash(name)), text)
}

const servedGuide = `---
name: handbook
description: What the kettles of the harbour office need, and who looks after them.
type: domain-reference
profile: document-first
status: ready
trust: unreviewed
---

# Handbook
`

// A saved page is seen without a click; the place on the page is kept; a finding
// comes over the page and goes when it is fixed; the last good site stays.
func testServe(t *testing.T, b context.Context, _ string) {
	const page = "packs/handbook/documents/guide.md"
	body := "# Guide\n\n## Kettles\n\nThe kettle holds two litres.\n\n" + strings.Repeat("A line of text.\n\n", 200)
	s := startServe(t, map[string]string{"packs/handbook/KNOWLEDGE.md": servedGuide, page: body, "site.css": "main p { color: rgb(1, 2, 3) !important }\n", "packgen.yaml": "site:\n  css: site.css\n"})
	p := newTab(t, b)
	p.open(s.address + "packs/handbook/documents/guide.html")
	p.wait(`document.body.innerText.includes("two litres")`)
	p.eval(`window.first = true; document.querySelector("a[rel=alternate]").focus({preventScroll: true}); scrollTo({top: 700, behavior: "instant"})`, nil)

	s.save(t, page, strings.Replace(body, "two litres", "three litres", 1))
	p.wait(`document.body.innerText.includes("three litres")`)
	if !p.truth(`window.first`) {
		t.Error("the page was loaded again; want its content replaced")
	}
	p.wait(`Math.abs(scrollY - 700) < 5`)
	p.wait(`document.activeElement.rel === "alternate" && document.querySelectorAll("h2 > a.h").length === 1`)

	s.save(t, "packs/handbook/KNOWLEDGE.md", strings.Replace(servedGuide, "profile:", "language: de\nprofile:", 1))
	p.wait(`document.documentElement.lang === "de" && !window.first`)
	p.wait(`Math.abs(scrollY - 700) < 5`)

	p.eval(`window.first = true`, nil)
	s.save(t, "site.css", "main p { color: rgb(9, 8, 7) !important }\n")
	p.wait(`getComputedStyle(document.querySelector("main p")).color === "rgb(9, 8, 7)"`)
	if !p.truth(`window.first`) {
		t.Error("a stylesheet is not swapped in place: the page was loaded again")
	}

	const shown = `document.querySelector("packgen-findings")?.shadowRoot.textContent`
	s.save(t, page, strings.Replace(body, "two litres", "four litres, see [this](nope.md)", 1))
	p.wait(shown + `?.includes("nope.md")`)
	p.wait(shown + `?.includes("packs/handbook/documents/guide.md:5")`)
	p.wait(shown + `?.includes("The kettle holds four litres")`)
	s.save(t, page, body)
	p.wait(`!document.querySelector("packgen-findings") && document.body.innerText.includes("two litres")`)

	s.save(t, "packs/handbook/KNOWLEDGE.md", "---\nname: [\n---\n")
	p.wait(shown + `?.includes("packs/handbook/KNOWLEDGE.md")`)
	p.open(s.address + "packs/handbook/documents/guide.html")
	p.wait(`document.body.innerText.includes("two litres")`)
	s.save(t, "packs/handbook/KNOWLEDGE.md", servedGuide)
	p.wait(`!document.querySelector("packgen-findings")`)

	if runs, err := filepath.Glob(filepath.Join(s.dir, "packs/handbook/runs/compile-*.json")); err != nil || len(runs) != 1 {
		t.Errorf("many saves leave the run records %v, %v; want the newest alone", runs, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "public")); !os.IsNotExist(err) {
		t.Errorf("public/ is there: %v", err)
	}
}
