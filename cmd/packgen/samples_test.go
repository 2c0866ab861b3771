package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// sampleDirs are the directories of the documents whose samples are tried, each
// with a script of the same name in testdata/manual.
var sampleDirs = []string{manual, manual + "/how-to", manual + "/reference", "../.."}

// TestManualSamples tries the samples of the manual: each script in
// testdata/manual is one page, and goes through its fenced blocks from the first
// to the last. With -update the blocks become what the commands print.
//
//	run LANGUAGE [exit=N,N…] [without=PREFIX]… [needs=PROGRAM]…
//	      types the commands of the next block. Those of a console block begin
//	      with "$ " and are followed by what they print; of any other block each
//	      line is one. They end with 0, or with the codes of exit, in order. A
//	      command that begins with PREFIX is not typed. Without the program the
//	      block is not tried.
//	use LANGUAGE FILE
//	      writes the next block into a file.
//	show LANGUAGE FILE
//	      compares the next block with a file, stdout or stderr.
//	draw LANGUAGE DIR
//	      compares the next block, a drawing of a tree, with the files of DIR.
//	leave LANGUAGE REASON
//	      does not try the next block.
//	as SHOWN MEANT
//	      SHOWN is in the page where MEANT is typed and printed.
//	part FILE PATH OUT
//	      writes a part of a JSON file to another, "splits.1" or "claims.0.text".
//	replace FILE OLD NEW
//	      replaces the one place that has a text; \n is a line end.
//	kettle
//	      writes the pack of the tutorial.
//	own
//	      copies the packs of this repository.
//	finding ID FILE ARG…
//	      writes what packgen ARG… prints about one rule.
//	rebuilt OUT FILE OLD NEW
//	      writes the line that packgen serve prints when a text is replaced.
//	zeros FILE NAME MIB
//	      writes a zip of one file of zeros.
func TestManualSamples(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED, NO SAMPLE OF THE MANUAL IS TRIED: they are those of a Linux machine")
	}
	for _, name := range []string{"bash", "make"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED, NO SAMPLE OF THE MANUAL IS TRIED: %v", err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/manual",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			page, err := openPage(strings.TrimPrefix(filepath.Base(env.WorkDir), "script-") + ".md")
			if err != nil {
				return err
			}
			env.Values[pageKey{}] = page
			repository, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			for name, value := range map[string]string{
				"REPOSITORY":        repository,
				"GO_VERSION":        runtime.Version(),
				"HOME":              filepath.Join(env.WorkDir, "home"),
				"XDG_CACHE_HOME":    filepath.Join(env.WorkDir, ".cache"),
				"GIT_CONFIG_GLOBAL": os.DevNull,
				"NO_COLOR":          "1",
				"TZ":                "UTC",
				"LC_ALL":            "C.UTF-8",
				"SOURCE_DATE_EPOCH": "1780300800", // 2026-06-01T08:00:00Z
				"GIT_AUTHOR_NAME":   "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
				"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
				"MAKEFLAGS": "",
				"MAKELEVEL": "0",
			} {
				env.Setenv(name, value)
			}
			return onPath(env)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"run":     onPage((*samplePage).run),
			"use":     onPage((*samplePage).use),
			"show":    onPage((*samplePage).show),
			"leave":   onPage((*samplePage).leave),
			"as":      onPage((*samplePage).as),
			"kettle":  onPage((*samplePage).kettle),
			"draw":    onPage((*samplePage).draw),
			"rebuilt": rebuilt,
			"own":     copyOwnPacks,
			"finding": findingOf,
			"zeros":   zipOfZeros,
			"part":    jsonPart,
			"replace": replaceText,
			"serve":   serveDir,
		},
	})
}

// Every fenced block of the manual has its line in the script of its page, in the
// order of the page.
func TestEverySampleHasItsLine(t *testing.T) {
	samples := 0
	for _, dir := range sampleDirs {
		names, err := filepath.Glob(filepath.Join(dir, "*.md"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no pages in %s, %v", dir, err)
		}
		for _, name := range names {
			text := oktest.Value(os.ReadFile(name))(t)
			base := strings.TrimSuffix(filepath.Base(name), ".md")
			if base == "CHANGELOG" {
				continue // of what was once so
			}
			var want, got []string
			for _, f := range fences(string(text)) {
				want = append(want, f.language)
				samples++
			}
			script, err := os.ReadFile(filepath.Join("../../testdata/manual", base+".txtar"))
			if err != nil && !(errors.Is(err, os.ErrNotExist) && len(want) == 0) {
				t.Errorf("%s has samples and no script: %v", name, err)
				continue
			}
			commands, _, _ := strings.Cut("\n"+string(script), "\n-- ")
			for line := range strings.Lines(commands) {
				words := strings.Fields(line)
				if len(words) > 1 && (words[0] == "run" || words[0] == "use" || words[0] == "show" || words[0] == "leave" || words[0] == "draw") {
					got = append(got, words[1])
				}
			}
			if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w {
				t.Errorf("%s has the blocks\n%s\nand its script takes\n%s", name, w, g)
			}
		}
	}
	if samples < 100 {
		t.Errorf("only %d samples are found", samples)
	}
}

type pageKey struct{}

// onPage makes a command of a script out of a method of its page.
func onPage(do func(p *samplePage, ts *testscript.TestScript, args []string)) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("a sample cannot be denied")
		}
		do(ts.Value(pageKey{}).(*samplePage), ts, args)
	}
}

// samplePage is a document and how far its script has come.
type samplePage struct {
	name  string // its file
	text  string
	taken int         // fences behind the script
	names [][2]string // what is shown, and what is meant
}

func openPage(base string) (*samplePage, error) {
	for _, dir := range sampleDirs {
		name := filepath.Join(dir, base)
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		return &samplePage{name: name, text: string(text)}, err
	}
	return nil, errors.New("no document " + base)
}

// fence is a fenced block.
type fence struct {
	language   string
	line       int // of its first line, 1-based
	start, end int // of its text, in bytes
}

// fences returns the fenced blocks of a document, in order.
func fences(text string) []fence {
	var list []fence
	at, number, ticks := 0, 0, ""
	for line := range strings.Lines(text) {
		number++
		bare := strings.TrimRight(line, "\n")
		switch {
		case ticks == "" && strings.HasPrefix(bare, "```"):
			language := strings.TrimLeft(bare, "`")
			ticks = strings.TrimSuffix(bare, language)
			list = append(list, fence{language: language, line: number + 1, start: at + len(line)})
		case ticks != "" && bare == ticks:
			ticks = ""
			list[len(list)-1].end = at
		}
		at += len(line)
	}
	return list
}

// next returns the next block, which must be in that language.
func (p *samplePage) next(ts *testscript.TestScript, language string) (fence, string) {
	list := fences(p.text)
	if p.taken >= len(list) {
		ts.Fatalf("%s has no further block", p.name)
	}
	f := list[p.taken]
	p.taken++
	if f.language != language {
		ts.Fatalf("%s:%d is a block of %q", p.name, f.line, f.language)
	}
	return f, p.text[f.start:f.end]
}

// compare requires that a block is as it should be, or makes it so.
func (p *samplePage) compare(ts *testscript.TestScript, f fence, want string) {
	got := p.text[f.start:f.end]
	if sameSample(got, want) || f.language == "json" && sameJSON(got, want) {
		return
	}
	if !*update {
		ts.Fatalf("%s:%d shows\n%s\nand it should be\n%s\ngo test ./cmd/packgen -run TestManualSamples -update writes it", p.name, f.line, got, want)
	}
	want, err := elide(got, want)
	if err != nil {
		ts.Fatalf("%s:%d: %v; it should be\n%s", p.name, f.line, err, want)
	}
	// Other tests write parts of the page too, and other scripts read it at this
	// moment.
	now, err := os.ReadFile(p.name)
	ts.Check(err)
	f = fences(string(now))[p.taken-1]
	p.text = string(now[:f.start]) + want + string(now[f.end:])
	ts.Check(os.WriteFile(p.name+".new", []byte(p.text), 0o644))
	ts.Check(os.Rename(p.name+".new", p.name))
}

// shown returns a text as the page has it, meant as it is typed.
func (p *samplePage) shown(text string) string { return p.translate(text, 1, 0) }
func (p *samplePage) meant(text string) string { return p.translate(text, 0, 1) }

func (p *samplePage) translate(text string, from, to int) string {
	for _, pair := range p.names {
		text = strings.ReplaceAll(text, pair[from], pair[to])
	}
	return text
}

func (p *samplePage) as(ts *testscript.TestScript, args []string) {
	if len(args) != 2 || args[0] == "" || args[1] == "" {
		ts.Fatalf("usage: as SHOWN MEANT")
	}
	p.names = append(p.names, [2]string{args[0], args[1]})
}

func (p *samplePage) leave(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: leave LANGUAGE REASON")
	}
	p.next(ts, args[0])
}

func (p *samplePage) use(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: use LANGUAGE FILE")
	}
	_, text := p.next(ts, args[0])
	writeIn(ts, args[1], text)
}

func (p *samplePage) show(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: show LANGUAGE FILE")
	}
	f, _ := p.next(ts, args[0])
	p.compare(ts, f, p.shown(ts.ReadFile(args[1])))
}

// kettle writes the pack of the tutorial, from the page that shows it.
func (p *samplePage) kettle(ts *testscript.TestScript, _ []string) {
	from, err := openPage("tutorial.md")
	ts.Check(err)
	files := packgentest.Blocks(from.text, "markdown")
	for i, name := range []string{"KNOWLEDGE.md", "documents/kettle.md", "sources/spec-sheet.md"} {
		writeIn(ts, "packs/kettle/"+name, files[i])
	}
}

func writeIn(ts *testscript.TestScript, name, text string) {
	name = ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte(text), 0o666))
}
