package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// rolePage is the page of the contributor's role.
const rolePage = "roles/packgen-contributor/index.html"

// shownLines lists what the picker shows, in the order in which it is on
// the page: section, form, path and what is mentioned.
const shownLines = `[...document.querySelectorAll(".boot .sec")].filter((s) => s.checkVisibility()).flatMap((s) =>
	[...s.querySelectorAll("li")].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
		.map((li) => [s.querySelector("h3"), ...li.querySelectorAll(".kind, a, :scope > span:not(.n, .kind), .of")]
			.filter((e) => e.checkVisibility()).map((e) => e.innerText).join(" ")))`

// testPickRole chooses usecases with the checkboxes alone, and compares what the
// page shows with what the command boots.
func testPickRole(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.open(s.url(rolePage))
	var slugs []string
	p.eval(`[...document.querySelectorAll(".pick .sub input")].map((e) => e.parentElement.childNodes[1].textContent.trim())`, &slugs)
	if len(slugs) != 5 {
		t.Fatalf("subjects %v", slugs)
	}
	compare := func(usecases string) {
		t.Helper()
		var got []string
		p.eval(shownLines, &got)
		if want := bootLines(t, dir, usecases); !slices.Equal(got, want) {
			t.Errorf("usecases %q: the page shows\n%s\nthe command boots\n%s", usecases, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	compare("")
	p.do(chromedp.Click("input[value=some]"))
	for bits := 1; bits < 1<<len(slugs); bits++ {
		var set []string
		for i, slug := range slugs {
			if before := (bits-1)>>i&1 == 1; before != (bits>>i&1 == 1) {
				p.eval(fmt.Sprintf(`document.querySelector(".pick .sub input[value='%d']").click()`, i), nil)
			}
			if bits>>i&1 == 1 {
				set = append(set, slug)
			}
		}
		compare(strings.Join(set, ","))
	}
	p.do(chromedp.Click("input[value=all]"))
	compare("")

	// With the script a usecase is one click, and its price is said.
	with := newTab(t, b)
	with.open(s.url(rolePage))
	with.do(chromedp.Click(".pick .sub input[value='1']"))
	if !with.truth(`document.querySelector("input[value=some]").checked`) {
		t.Error("choosing a usecase does not choose it")
	}
	if got := with.text(`document.querySelector(".pick output").textContent`); !strings.Contains(got, "tokens said") {
		t.Errorf("the price of one usecase: %q", got)
	}
	with.clean("the picker", s.URL)
}

// bootLines boots the role with the command and returns its lines as the page
// should show them.
func bootLines(t *testing.T, dir, usecases string) []string {
	t.Helper()
	args := []string{"-C", dir, "boot", "--role", "packs/packgen-contributor", "--json"}
	if usecases != "" {
		args = append(args, "--usecase", usecases)
	}
	code, stdout, stderr := packgentest.Run(t, "", args...)
	if code != 0 {
		t.Fatalf("boot %s in %s ends with %d: %s%s", usecases, filepath.Base(dir), code, stderr, stdout)
	}
	var out struct {
		Result struct {
			Sections []struct {
				Kind  string
				Items []struct{ Type, Path, Of string }
			}
		}
	}
	oktest.Check(t, json.Unmarshal([]byte(stdout), &out))
	var lines []string
	for _, section := range out.Result.Sections {
		for _, item := range section.Items {
			line := section.Kind + " " + item.Type + " " + item.Path
			if item.Type == "mention" {
				line = section.Kind + " ref " + item.Path + " " + item.Of
			}
			lines = append(lines, line)
		}
	}
	return lines
}
