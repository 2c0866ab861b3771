package browser_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
)

// On a touch screen the first tap on a chip whose source is published shows the cited lines,
// with what the claim is disputed with; the second opens the source at the line.
func testTapChip(t *testing.T, b context.Context, _ string) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"packgen.yaml": "site: {sources: true}\n",
		"packs/kettle/KNOWLEDGE.md": "---\nname: kettle\ndescription: About a kettle. Use it for questions about it.\ntype: domain-reference\nprofile: document-first\nstatus: ready\n" +
			"metadata:\n  primaryDocument: documents/main.md\n---\n\n# Kettle\n",
		"packs/kettle/documents/main.md":  "# Main\n\n- The lid is red. [source: sources/lid.md#L3] [status: disputed]\n- It has a spout. [source: sources/lid.md#L4]\n",
		"packs/kettle/documents/other.md": "# Other\n\n- The lid is brown. [source: sources/lid.md#L3]\n",
		"packs/kettle/sources/lid.md":     "# Lid\n\nRed or brown.\nA spout.\n",
	} {
		packgentest.WriteText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if code, _, stderr := packgentest.Run(t, "", "-C", dir, "build", "-q"); code > 1 {
		t.Fatalf("build ends with %d:\n%s", code, stderr)
	}
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.size(narrow)
	p.open(s.url("packs/kettle/documents/main.html"))
	tap := func(what string) {
		p.eval(`(() => {
			const e = document.querySelector(`+literal(t, what)+`);
			e.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, pointerType: "touch"}));
			e.click();
		})()`, nil)
	}
	const chip = "article a.src"
	tap(chip)
	p.wait(`document.querySelector(".peek pre")?.textContent === "Red or brown."`)
	if got := p.text(`document.querySelector(".peek").innerText.replace(/\s+/g, " ")`); !strings.HasPrefix(got, "disputed The lid is red. Disputed with Other: The lid is brown. Red or brown. SHA-256") {
		t.Errorf("the card says %q", got)
	}
	tap("h1")
	p.wait(`!document.querySelector(".peek")`)
	tap(chip)
	p.wait(`document.querySelector(".peek pre")`)
	tap(chip)
	p.wait(`location.pathname.endsWith("/cited/lid.md.html") && location.hash === "#L3"`)
	p.clean("chips", s.URL)
}

// marginal reports that all marks of splits, with what leads to them, are beside the text.
const marginal = `[...document.querySelectorAll(".cut, .routed")].every((e) => e.getBoundingClientRect().left > document.querySelector("article").getBoundingClientRect().right)`

// Where the switch of the splits was left on, what leads to them comes into room that is kept,
// beside the text where there is room.
func testSplitsRoom(t *testing.T, b context.Context, own string) {
	s := serve(t, own, subPath)
	p := newTab(t, b)
	p.script(watchShifts)
	p.script(`localStorage.setItem("packgen-splits", "shown")`)
	for _, width := range []int64{narrow, 820, 1280, 1440} {
		p.size(width)
		for path, box := range map[string]string{
			"packs/packgen-manual/documents/reference/commands.html": ".cut + .routed",
			"packs/packgen-manual/documents/reference/site.html":     ".cut + .routed",
			"packs/knowledge-pack-field/wiki/concepts/split.html":    "article > .routed",
		} {
			p.open(s.url(path))
			p.wait(`document.querySelector("` + box + `")`)
			var moved float64
			p.eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(shifts.reduce((sum, s) => sum + s.value, 0)), 50))))`, &moved)
			if moved > 0.02 {
				t.Errorf("%s shifts by %.3f at %d", path, moved, width)
			}
			// A page that is one split says at its head what leads to it.
			if strings.HasPrefix(box, ".cut") && p.truth(marginal) != (width >= 1280) {
				t.Errorf("%s at %d has its marks in the wrong place", path, width)
			}
		}
	}
	p.clean("splits", s.URL)
}
