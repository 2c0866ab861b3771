package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/schema"
)

// edge is a row of agent-knowledge section 22.5. What is nil is not compared.
type edge struct {
	row     string
	entry   string // KNOWLEDGE.md; "" is document-first, with the grounding of the table
	doc     string // documents/doc.md
	files   tree   // instead of doc, or more than it
	splits  []string
	claims  []string
	gates   []string // ids in order, each with its path
	anchors []string // of all splits together
	check   func(t *testing.T, r *Result, files tree)
}

// A record of a vault and a page that another system makes of its keys have no text.
func TestAFileThatIsAllFrontMatterIsNotEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		"---\ncategories: [a]\nyear: 2017\n---\n": false, "---\ntitle: T\nhero: {tagline: x}\n---\n": false,
		"---\ntitle: T\n---\n": true, "\n": true, "---\nstatus: ready\n---\n\n": true,
	} {
		r, _ := compileFiles(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": text, "documents/b.md": "# B\n\nText.\n"})
		if got := slices.Contains(found(r), "documents/a.md ["+gateDocumentEmpty+"] the file has no heading and no text"); got != want {
			t.Errorf("%q is empty: %v, want %v: %v", text, got, want, found(r))
		}
	}
}

func blocks(list ...string) string { return strings.Join(list, "\n\n") + "\n" }

// over is a paragraph above the soft cap.
var over = strings.TrimSpace(strings.Repeat("word ", cut.SoftCap))

func runEdges(t *testing.T, grounding string, shared tree, edges []edge) {
	for _, e := range edges {
		t.Run(e.row, func(t *testing.T) {
			t.Parallel() // most of the time goes into waiting for the disk
			files := shared.with(tree{"KNOWLEDGE.md": entry("document-first", grounding)})
			if e.entry != "" {
				files["KNOWLEDGE.md"] = e.entry
			}
			if e.doc != "" {
				files["documents/doc.md"] = e.doc
			}
			r, made := compileFiles(t, files.with(e.files))
			if e.splits != nil {
				sameStrings(t, "splits", splits(r), e.splits)
			}
			if e.claims != nil {
				sameStrings(t, "claims", claims(r), e.claims)
			}
			if e.gates != nil {
				var got []string
				for _, d := range r.Run.Diagnostics {
					id, _, _ := strings.Cut(strings.TrimPrefix(d.Message, "["), "]")
					got = append(got, id+" "+d.Path)
				}
				sameStrings(t, "gates", got, e.gates)
			}
			if e.anchors != nil {
				var got []string
				for _, s := range r.Index.Splits {
					got = append(got, s.SourceAnchors...)
				}
				sameStrings(t, "source anchors", got, e.anchors)
			}
			if e.check != nil {
				e.check(t, r, made)
			}
			checkRecords(t, made, r)
		})
	}
}

// holds checks that a split has a text in it.
func holds(path, text string) func(*testing.T, *Result, tree) {
	return func(t *testing.T, _ *Result, files tree) {
		if got := files[splitsDir+path]; !strings.Contains(got, text) {
			t.Errorf("%s does not hold %q:\n%s", path, text, got)
		}
	}
}

func TestEdgeCasesOfHeadings(t *testing.T) {
	runEdges(t, "", tree{"sources/s.md": "# S\n\nb\n"}, []edge{
		{row: "1 setext headings", doc: "Title\n===\n\nintro\n\nA\n-\n\nx\n",
			splits: []string{"doc/overview|Title", "doc/a|A"}, check: holds("doc/a.md", "A\n-\n\nx\n")},
		{row: "2 setext heading of two lines", doc: blocks("# T", "B\nc\n---", "x"), splits: []string{"doc/b-c|B c"}},
		{row: "3 closing hashes", doc: blocks("# T", "## A ##", "## B #c", "## C#"),
			splits: []string{"doc/a|A", "doc/b-c|B #c", "doc/c|C#"}},
		{row: "4 what is not a heading", doc: blocks("# T", "#A", "####### A", "    ## A", "\t## A", "   ## B", "##\tC"),
			splits: []string{"doc/overview|T", "doc/b|B", "doc/c|C"}},
		{row: "5 headings in lists and quotes", doc: blocks("# T", "- ## A", "> ## A", "- x\n\n  ## A"), splits: []string{"doc/t|T"}},
		{row: "6 heading ends a list", doc: blocks("# T", "- a\n## B"), splits: []string{"doc/overview|T", "doc/b|B"}},
		{row: "7 headings in code and HTML", doc: blocks("# T", "```\n## E\n```", "<!--\n## E\n-->", "<div>\n## E\n</div>", "```\n## E"),
			splits: []string{"doc/t|T"}},
		{row: "8 HTML block ends at a blank line", doc: blocks("# T", "<div>", "## C"), splits: []string{"doc/overview|T", "doc/c|C"}},
		{row: "9 empty headings", doc: blocks("# T", "##", "x", "## ##"), splits: []string{"doc/section|section", "doc/section-1|section-1"}},
		{row: "10 inline markup", doc: blocks("# T", "## The `--force` *flag* of [x](u) <b>now</b> &amp; \\*here\\*"),
			splits: []string{"doc/the---force-flag-of-x-now--here|The --force flag of x now & *here*"}},
		{row: "11 explicit ids", doc: blocks("# T", "## A {#My.Id}", "## D {#x} ##"), splits: []string{"doc/myid|A", "doc/x|D"}},
		{row: "12 no explicit ids", doc: blocks("# T", "## `{#q}`", "## C {#y .k}"), splits: []string{"doc/q|{#q}", "doc/c-y-k|C {#y .k}"}},
		{row: "13 anchor in a heading", doc: blocks("# T", "## Facts [source: sources/s.md#L1]"),
			splits: []string{"doc/facts|Facts"}, anchors: []string{"sources/s.md#L1"}, claims: []string{}},
		{row: "14 repeated ids", doc: blocks("# T", "## A", "### Notes", "## A", "## Notes", "## A-1"),
			splits: []string{"doc/a|A", "doc/a-1|A", "doc/notes-1|Notes", "doc/a-1-1|A-1"}},
		{row: "15 a section called overview", doc: blocks("# T", "text", "## Overview"),
			splits: []string{"doc/overview-1|T", "doc/overview|Overview"}},
		{row: "16 letter case", doc: blocks("# T", "## LIMITS", "## Limits"), splits: []string{"doc/limits|LIMITS", "doc/limits-1|Limits"}},
		{row: "17 ideographic space", doc: blocks("# T", "## 使用 边界", "## 第１章　概要"),
			splits: []string{"doc/使用-边界|使用 边界", "doc/第１章-概要|第１章 概要"}},
		{row: "18 simple case mapping", doc: blocks("# T", "## ÜBER İstanbul ΣΑΣ"), splits: []string{"doc/über-istanbul-σασ|ÜBER İstanbul ΣΑΣ"}},
		{row: "19 composed and decomposed", doc: blocks("# T", "## Cafe\u0301", "## Caf\u00e9"),
			splits: []string{"doc/caf\u00e9|Cafe\u0301", "doc/caf\u00e9-1|Caf\u00e9"}},
		{row: "20 emoji", doc: blocks("# T", "## 🚀", "## ⚠️ Limits", "## 👍🏽 Ok"),
			splits: []string{"doc/section|🚀", "doc/-limits|⚠️ Limits", "doc/-ok|👍🏽 Ok"}},
		{row: "21 punctuation", doc: blocks("# T", "## ???", "## C++ & C#", "## a.b/c:d", "## 2.1 Sizes"),
			splits: []string{"doc/section|???", "doc/c--c|C++ & C#", "doc/abcd|a.b/c:d", "doc/21-sizes|2.1 Sizes"}},
		{row: "22 long id", doc: blocks("# T", "## "+strings.Repeat("境", 40)),
			splits: []string{"doc/" + strings.Repeat("境", 23) + "-33864588|" + strings.Repeat("境", 40)},
			check: func(t *testing.T, r *Result, _ tree) {
				if got := r.Index.Splits[0].SectionID; got != strings.Repeat("境", 40) {
					t.Errorf("section id %q", got)
				}
			}},
	})
}

func TestEdgeCasesOfDocuments(t *testing.T) {
	runEdges(t, "", tree{}, []edge{
		{row: "23 empty files", files: tree{
			"documents/a.md": "", "documents/b.md": "---\nstatus: ready\n---\n", "documents/c.md": "<!-- c -->\n\n<!--\nd\n-->\n",
		}, splits: []string{}, gates: []string{"document-empty documents/a.md", "document-empty documents/b.md", "document-empty documents/c.md"},
			check: func(t *testing.T, r *Result, _ tree) {
				if n := len(r.SourceMap.DocumentSections); n != 0 {
					t.Errorf("%d sections, want none", n)
				}
			}},
		{row: "24 only a title", doc: "# Only title\n", splits: []string{"doc/only-title|Only title"}, check: coverage("missing")},
		{row: "25 only text", doc: "just text", splits: []string{"doc/doc|doc"}, check: coverage("full")},
		{row: "26 H1 behind a cut", doc: blocks("intro", "## A", "# T", "## B"),
			splits: []string{"doc/overview|doc", "doc/a|A", "doc/b|B"}, check: holds("doc/a.md", "# T\n")},
		{row: "27 H1 behind text", doc: blocks("intro", "# T", "y"), splits: []string{"doc/t|T"}, check: holds("doc/t.md", "intro\n\n# T\n\ny\n")},
		{row: "28 several H1", doc: blocks("pre", "# A", "## S", "# B"),
			splits: []string{"doc/overview|doc", "doc/a|A", "doc/b|B"}, check: holds("doc/a.md", "## S\n")},
		{row: "29 shallowest level", doc: blocks("# T", "#### D", "x", "### C"),
			splits: []string{"doc/overview|T", "doc/c|C"}, check: holds("doc/overview.md", "#### D\n")},
		{row: "30 preamble without content", doc: blocks("# T", "<!-- c -->", "---", "[r]: u", "### E", "## C"), splits: []string{"doc/c|C"}},
		{row: "31 reference in another section", doc: blocks("## A", "[x][r]", "## B", "[r]: http://e.org/"),
			splits: []string{"doc/a|A", "doc/b|B"}, check: holds("doc/b.md", "[r]: http://e.org/\n")},
		{row: "32 line ends and byte-order mark", doc: "\ufeff# T\r\n\r\nx\r\r## A\r\n\r\ny\r\n",
			splits: []string{"doc/overview|T", "doc/a|A"}, check: func(t *testing.T, r *Result, files tree) {
				if got := files[splitsDir+"doc/overview.md"]; got != "# T\n\nx\n" {
					t.Errorf("overview is %q", got)
				}
				if got, want := r.Units[0].SHA256, schema.SHA256([]byte(files["documents/doc.md"])); got != want {
					t.Errorf("input hash %s is not that of the file bytes, %s", got, want)
				}
			}},
		{row: "33 draft", doc: "--- \nstatus: draft\n---\n# T\n\nx\n", splits: []string{}, gates: []string{}},
		{row: "34 no front matter", files: tree{
			"documents/a.md": "----\nstatus: draft\n\n# A\n\nx\n", "documents/b.md": "---\n\nstatus: draft\n\n# B\n\nx\n",
			"documents/c.md": "---\nstatus: draft\n...\n\n# C\n\nx\n", "documents/d.md": "---\ntitle: D\n\n# D\n\nx\n",
		}, splits: []string{"a/a|A", "b/b|B"}, gates: []string{"metadata-invalid documents/d.md"}},
		{row: "35 broken front matter", files: tree{
			"documents/a.md": "---\ntext\n---\n# A\n\nx\n", "documents/b.md": "---\nstatus: disputd\n---\n# B\n\nx\n",
		}, splits: []string{"a/a|A", "b/b|B"}, gates: []string{},
			check: func(t *testing.T, r *Result, files tree) {
				if got := files[splitsDir+"a/a.md"] + files[splitsDir+"b/b.md"]; got != "# A\n\nx\n# B\n\nx\n" || r.Run.Status != "passed" {
					t.Errorf("run is %s, splits are %q", r.Run.Status, got)
				}
			}},
		{row: "36 folder beside a document", files: tree{"documents/a.md": "# A\n\n## B\n", "documents/a/b.md": "# A\n\n## C\n"},
			splits: []string{"a/b|B", "a/b/c|C"}, gates: []string{}},
		{row: "37 hidden files and other endings", files: tree{"documents/.x.md": "# X\n", "documents/n.MD": "# N\n"},
			splits: []string{}, check: func(t *testing.T, r *Result, _ tree) {
				var inputs []string
				for _, in := range r.Run.Inputs {
					inputs = append(inputs, in.Path)
				}
				sameStrings(t, "inputs", inputs, []string{"KNOWLEDGE.md", "documents/n.MD"})
			}},
		{row: "38 page and document called wiki", entry: entry("hybrid", ""),
			files:  tree{"documents/wiki.md": "# W\n\n## Zone\n\nof the document\n", "wiki/zone.md": "# Zone\n\nof the wiki\n"},
			splits: []string{"wiki/zone|Zone"}, gates: []string{"path-collision wiki/zone.md"}, check: holds("wiki/zone.md", "of the document")},
		// A pack lists names that are alike apart.
		{row: "39 letter case of documents", files: tree{"documents/A.md": "# A\n\nfirst\n", "documents/a.md": "# A\n\nsecond\n"},
			splits: []string{"A/a|A", "a-2/a|A"}, check: holds("a-2/a.md", "second")},
		{row: "40 deeper cut", doc: blocks("# T", "## Terms", "lead", "### Conditions", over, "## Terms & conditions"),
			splits: []string{"doc/terms|Terms", "doc/terms--conditions-1|Terms: Conditions", "doc/terms--conditions|Terms & conditions"}},
		{row: "41 deeper cut without lead", doc: blocks("# T", "## Bare", "#### One", over, "#### Two"),
			splits: []string{"doc/bare--one|Bare: One", "doc/bare--two|Bare: Two"}},
		{row: "42 nothing to cut at", doc: blocks("# T", "## A", over), splits: []string{"doc/a|A"},
			gates: []string{"split-oversize documents/doc.md"}, check: status("passed")},
		{row: "43 long page", entry: entry("wiki-first", ""), files: tree{"wiki/big.md": blocks("# Big", "lead", "## One", over)},
			splits: []string{"wiki/big/overview|Big", "wiki/big/one|Big: One"}},
	})
}

// coverage checks the coverage of the first chapter.
func coverage(want string) func(*testing.T, *Result, tree) {
	return func(t *testing.T, r *Result, _ tree) {
		if got := r.Run.Chapters[0].Coverage; got != want {
			t.Errorf("coverage %q, want %q", got, want)
		}
	}
}

// status checks the status of the run.
func status(want string) func(*testing.T, *Result, tree) {
	return func(t *testing.T, r *Result, _ tree) {
		if string(r.Run.Status) != want {
			t.Errorf("run is %s, want %s", r.Run.Status, want)
		}
	}
}

// facts checks which lines the facts view lists.
func facts(want ...string) func(*testing.T, *Result, tree) {
	return func(t *testing.T, _ *Result, files tree) {
		var got []string
		for line := range strings.Lines(files[factsPath]) {
			if strings.HasPrefix(line, "- ") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		sameStrings(t, "facts", got, want)
	}
}

func TestEdgeCasesOfClaims(t *testing.T) {
	const s1 = "[source: sources/s.md#L1]"
	hybrid := entry("hybrid", "required")
	doc := func(text ...string) string { return "# T\n\n" + strings.Join(text, "\n") + "\n" }
	runEdges(t, "required", tree{"sources/s.md": "# S\n\nb\n"}, []edge{
		{row: "44 item of several lines", doc: doc("- A claim that", "  runs on.  "),
			claims: []string{"source-required A claim that runs on."}, check: holds("doc/t.md", "  runs on. [status: source-required]  \n")},
		{row: "45 nested items", doc: doc("- Finishes: "+s1, "  - steel", "- Lead:", "  - x"),
			claims: []string{"confirmed Finishes: <- sources/s.md#L1", "source-required x"}},
		{row: "46 item of several paragraphs", entry: hybrid, doc: doc("- One. "+s1, "", "  Two.", "", "  Three. [source: sources/s.md#L3]"),
			claims: []string{"confirmed One. <- sources/s.md#L1", "confirmed Three. <- sources/s.md#L3"}, check: facts("- One. " + s1)},
		{row: "47 tasks", doc: doc("- [ ] open", "- [x] done "+s1), claims: []string{"confirmed done <- sources/s.md#L1"}},
		{row: "48 table", entry: hybrid, doc: doc("| a | b | c |", "| --- | --- | --- |", "| Capacity | 1.0 | "+s1+" |", "| Weight | 2 | |"),
			claims: []string{"confirmed Capacity | 1.0 <- sources/s.md#L1"}, check: facts()},
		{row: "49 quote", doc: doc("> Para. "+s1, ">", "> - One. "+s1, "> - Two."),
			claims: []string{"confirmed Para. <- sources/s.md#L1", "confirmed One. <- sources/s.md#L1"}, gates: []string{}},
		{row: "50 what is not an anchor", doc: doc("- a `"+s1+"`", "- b <!-- "+s1+" -->", `- c \`+s1, "- d [source : sources/s.md#L1]"),
			claims: []string{
				"source-required a " + s1, "source-required b",
				"source-required c " + s1, "source-required d [source : sources/s.md#L1]",
			}, anchors: []string{}},
		{row: "51 anchors inside text", doc: doc("- **Bold "+s1+"** rest", "- 1 l "+s1+"."),
			claims: []string{"confirmed Bold rest <- sources/s.md#L1", "confirmed 1 l. <- sources/s.md#L1"}},
		{row: "52 anchors and links", doc: doc("- A [text "+s1+"](u) b", "- "+s1+"(u)", "- [Only](u)"),
			claims: []string{"confirmed A text b <- sources/s.md#L1"}, gates: []string{}},
		{row: "53 several anchors", doc: doc("- a [source: sources/s.md#L1; sources/s.md#L3]", "- b "+s1+"[source: sources/s.md#L3]",
			"- c [source: sources/s.md#L1; sources/s.md#L1]", "- d [source: sources/s.md#L1;", "  sources/s.md#L3]"),
			claims: []string{
				"confirmed a <- sources/s.md#L1", "confirmed a <- sources/s.md#L3",
				"confirmed b <- sources/s.md#L1", "confirmed b <- sources/s.md#L3",
				"confirmed c <- sources/s.md#L1",
				"confirmed d <- sources/s.md#L1", "confirmed d <- sources/s.md#L3",
			}, check: func(t *testing.T, r *Result, _ tree) {
				if a, b := r.SourceMap.Claims[0].ClaimID, r.SourceMap.Claims[1].ClaimID; b != a+"-2" {
					t.Errorf("ids %s and %s, want the second to be the first with -2", a, b)
				}
			}},
		{row: "54 one text twice", doc: doc("- a "+s1, "- a "+s1), check: func(t *testing.T, r *Result, _ tree) {
			if a, b := r.SourceMap.Claims[0].ClaimID, r.SourceMap.Claims[1].ClaimID; b != a+"-2" {
				t.Errorf("ids %s and %s, want the second to be the first with -2", a, b)
			}
		}},
		{row: "55 markers", doc: doc("- a [status: confirmed]", "- b [status: missing] [status: stale]", "- c [status: foo]", "- d [Status: Missing]"),
			claims: []string{"source-required a", "missing b", "source-required c [status: foo]", "missing d"},
			check: func(t *testing.T, r *Result, _ tree) {
				sameStrings(t, "gates", found(r), []string{
					`documents/doc.md [anchor-unresolved] Unknown claim status "foo".`,
					`documents/doc.md [claim-missing] "b"`,
					`documents/doc.md [claim-missing] "d"`,
					`documents/doc.md [claim-unsourced] Claim has no source anchor while grounding is required: "a"`,
					`documents/doc.md [claim-unsourced] Claim has no source anchor while grounding is required: "c [status: foo]"`,
				})
			}},
		{row: "56 unusable anchors", doc: doc("- a [source:]", "- b [source: https://e.org/a]", "- c [source: KNOWLEDGE.md]", "- d [source: ../x.md]"),
			claims: []string{"source-required a", "source-required b", "source-required c", "source-required d"},
			check: func(t *testing.T, r *Result, _ tree) {
				var got []string
				for _, g := range found(r) {
					if !strings.Contains(g, gateClaimUnsourced) {
						got = append(got, g)
					}
				}
				sameStrings(t, "gates", got, []string{
					`documents/doc.md [path-escape] "../x.md"`,
					`documents/doc.md [anchor-unresolved] "KNOWLEDGE.md"`,
					`documents/doc.md [anchor-unresolved] "https://e.org/a"`,
				})
			}},
		{row: "57 fragments that resolve", doc: doc("- a [source: sources/s.md#S]", "- b [source: sources/s.md#L1-L3]",
			"- c [source: sources/s.md#page=2]", "- d [source: sources/s.md#]"), gates: []string{},
			claims: []string{
				"confirmed a <- sources/s.md#S", "confirmed b <- sources/s.md#L1-L3",
				"confirmed c <- sources/s.md#page=2", "confirmed d <- sources/s.md",
			}},
		{row: "58 fragments that do not", doc: doc("- a [source: sources/s.md#L4]", "- b [source: sources/s.md#L3-L1]",
			"- c [source: sources/s.md#L0]", "- d [source: sources/s.md#page=0]", "- e [source: sources/s.md#t=12:33]"),
			claims: []string{
				"source-required a <- sources/s.md#L4", "source-required b <- sources/s.md#L3-L1", "source-required c <- sources/s.md#L0",
				"source-required d <- sources/s.md#page=0", "source-required e <- sources/s.md#t=12:33",
			}, gates: slices.Repeat([]string{"anchor-unresolved documents/doc.md"}, 5)},
		{row: "59 items without text", doc: doc("- "+s1, "- # H", "- ```", "  code", "  ```"),
			claims: []string{}, anchors: []string{"sources/s.md#L1"}, gates: []string{}},
		{row: "60 a footnote", doc: doc("Text[^1].", "", "[^1]: Note with words. "+s1),
			claims: []string{"confirmed Note with words. <- sources/s.md#L1"}},
	})
}
