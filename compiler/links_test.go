package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestBrokenLinksAreReportedWithTheirPlace(t *testing.T) {
	files := tree{
		"KNOWLEDGE.md":             entry("document-first", "") + "[a](documents/d.md#d) [b](documents/gone.md) [c](documents/d.md#none) [d](#p) [e](#q) [f](compiled/splits/d/d.md)\n",
		"documents/guide/setup.md": "# Set up\n\n## First step {#one}\n",
		"documents/a b.md":         "# Spaces\n",
		"assets/plan.svg":          "<svg/>",
		"wiki/page.md":             "# Page\n\n[gone](gone.md)\n",
		"documents/d.md": "\ufeff# D\r\n\r\nText, [here](guide/setup.md#one), [up](../assets/plan.svg?raw=1), [dir](guide/), [sp](a%20b.md),\r\n" +
			"[self](#d) [top](#top) [url](https://e.org/x.md) [mail](mailto:a@e.org) [host](//e.org/x) <https://e.org/y>\r\n" +
			"[split](../compiled/splits/d/d.md) [empty]()\r\n\r\n" +
			"- x [1](guide/setpu.md)\r\n- [2](setup.md)\r\n- [3](guide/setup.md#two)\r\n- [4](#nothing-like-it)\r\n- [5](../../etc/passwd)\r\n" +
			"- [6](/documents/guide/setup.md)\r\n- ![7](plan.svg)\r\n- [8](../compiled/splits/d/e.md)\r\n- [9](guide/setup.md#One)\r\n- [11](guide/setup.md#first-step)\r\n- [10](%zz.md)\r\n" +
			"- [12](../KNOWLEDGE.md#p) [13](../KNOWLEDGE.md#none)\r\n",
	}
	var first []string
	for run := range 2 { // the first compile makes the outputs that links lead to
		dir := packDir(t, files)
		for range run {
			compileDir(t, dir, Options{})
		}
		r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
		var got []string
		for _, d := range r.Diagnostics {
			if d.ID == refBroken {
				got = append(got, fmt.Sprintf("%s %s %s | %s", d.Place(), d.Severity, d.Message, d.Hint))
			}
		}
		slices.Sort(got)
		if run == 0 {
			first = got
		}
		sameStrings(t, "second compile", got, first)
		if r.Run.Status != "passed" || len(r.Run.Diagnostics) != 0 {
			t.Errorf("links are not a gate, yet the run is %s with %v", r.Run.Status, r.Run.Diagnostics)
		}
	}
	sameStrings(t, "broken links", first, []string{
		`KNOWLEDGE.md:12:23 warning the link "documents/gone.md" leads to no file | correct the link, or remove it`,
		`KNOWLEDGE.md:12:46 warning the link "documents/d.md#none" leads to no heading | correct the link, or remove it`,
		`KNOWLEDGE.md:12:79 warning the link "#q" leads to no heading | correct the link, or remove it`,
		`documents/d.md:10:3 warning the link "#nothing-like-it" leads to no heading | correct the link, or remove it`,
		`documents/d.md:11:3 warning the link "../../etc/passwd" leads out of the pack | link to a file of the pack or to a full URL`,
		`documents/d.md:13:3 warning the link "plan.svg" leads to no file | did you mean "assets/plan.svg"?`,
		`documents/d.md:14:3 warning the link "../compiled/splits/d/e.md" leads to no file | correct the link, or remove it`,
		`documents/d.md:16:3 warning the link "guide/setup.md#first-step" leads to no heading | correct the link, or remove it`,
		`documents/d.md:17:3 warning the link "%zz.md" leads to no file | correct the link, or remove it`,
		`documents/d.md:18:27 warning the link "../KNOWLEDGE.md#none" leads to no heading | correct the link, or remove it`,
		`documents/d.md:7:5 warning the link "guide/setpu.md" leads to no file | did you mean "documents/guide/setup.md"?`,
		`documents/d.md:8:3 warning the link "setup.md" leads to no file | did you mean "documents/guide/setup.md"?`,
		`documents/d.md:9:3 warning the link "guide/setup.md#two" leads to no heading | correct the link, or remove it`,
		`wiki/page.md:3:1 warning the link "gone.md" leads to no file | correct the link, or remove it`,
	})
}

func TestMissingSourceNamesTheNearestOne(t *testing.T) {
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("document-first", ""), "sources/survey-2025.md": "x\n",
		"documents/d.md": "# D\n\n- a [source: sources/survey-2052.md#L1]\n- b [source: sources/survey-2052.md#L1]\n",
	})
	sameStrings(t, "diagnostics", found(r), []string{`documents/d.md [source-missing] "sources/survey-2052.md"`})
	var places []string
	for _, d := range r.Diagnostics {
		if d.ID == gateSourceMissing {
			places = append(places, d.Place()+" "+d.Hint)
		}
	}
	sameStrings(t, "places", places, []string{
		`documents/d.md:3:5 did you mean "sources/survey-2025.md"?`,
		`documents/d.md:4:5 did you mean "sources/survey-2025.md"?`,
	})
}

func TestHintsStayFewInOneFile(t *testing.T) {
	var doc strings.Builder
	for i := range 3 * maxHints {
		fmt.Fprintf(&doc, "[x](d%d.md)\n", i)
	}
	r, _ := compileFiles(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/d.md": doc.String()})
	hints, broken := 0, 0
	for _, d := range r.Diagnostics {
		if d.ID == refBroken {
			broken++
			if strings.HasPrefix(d.Hint, "did you mean") {
				hints++
			}
		}
	}
	if broken != 3*maxHints || hints == 0 || hints > maxHints {
		t.Errorf("%d hints for %d broken links, want at most %d", hints, broken, maxHints)
	}
}

func TestClosestPassesOverLongNames(t *testing.T) {
	long := strings.Repeat("a", maxCompared+1)
	if got := closest([]string{long, "setup"}, "setpu", maxCompared); got != "setup" {
		t.Errorf("closest = %q, want setup", got)
	}
	if got := closest([]string{long + "b"}, long, maxCompared); got != "" {
		t.Errorf("closest = %q, want nothing: such names are not compared", got)
	}
}

// A page that was renamed or moved, and a heading or a name that is misspelt, is suggested.
func TestALostLinkSaysWhatWasMeant(t *testing.T) {
	pages := tree{
		"KNOWLEDGE.md": entry("hybrid", ""), "documents/overdue.md": "# Late returns\n\n## How much\n", "documents/deep/moved.md": "# Moved\n",
		"wiki/tills.md": "# Tills of the shop\n", "wiki/one.md": "# Twice\n", "wiki/two.md": "# Twice\n",
	}
	for link, want := range map[string]string{
		"[Late returns](late-fees.md)":  `did you mean "documents/overdue.md"?`,
		"[late *returns*](/fees.md)":    `did you mean "documents/overdue.md"?`,
		"[it](moved.md)":                `did you mean "documents/deep/moved.md"?`,
		"[it](overdu.md)":               `did you mean "documents/overdue.md"?`,
		"[Twice](something.md)":         "correct the link, or remove it",
		"[D](renamed.md)":               "correct the link, or remove it",
		"[it](overdue.md#how-mush)":     `did you mean "#how-much"?`,
		"[[Tils of the shop]]":          `did you mean "Tills of the shop"?`,
		"[[Nobody knows]]":              "use the title or the file name of a page, without .md",
		"![Late returns](late-fees.md)": "correct the link, or remove it",
	} {
		r, _ := compileFiles(t, pages.with(tree{"documents/d.md": "# D\n\n" + link + "\n"}))
		n := 0
		for _, d := range r.Diagnostics {
			if d.ID == refBroken {
				if n++; d.Hint != want {
					t.Errorf("%s: %q with the hint %q, want %q", link, d.Message, d.Hint, want)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s is reported %d times", link, n)
		}
	}
}

func TestLinksThatWorkHereAloneAreRemarked(t *testing.T) {
	dir := packDir(t, map[string]string{
		"KNOWLEDGE.md":       entry("document-first", ""),
		"documents/Setup.md": "# Setup\n\n## One\n",
		"documents/b c.md":   "---\naliases: [Other name]\n---\n# B\n",
		"documents/d.md":     "# D\n\n[1](setup.md#one)\n[2](b%20c.html?x#b)\n<a href=\"SETUP.md\">3</a>\n[[Setup#One]] [[Nobody]] [[Setup#Two]] ![[Setup]]\n[4](xref:a) [5](xref:b) [6](javascript:x) [7](data:y) [8](ref:z)\n",
	})
	r := compileDir(t, dir, Options{})
	var got []string
	for _, d := range r.Diagnostics {
		if d.ID == refBroken || d.ID == linkLoose || d.ID == linkDropped {
			got = append(got, fmt.Sprintf("%s %s %s | %s", d.Place(), d.Severity, d.Message, d.Hint))
		}
	}
	slices.Sort(got)
	sameStrings(t, "remarks", got, []string{
		`documents/d.md:3:1 info the link "setup.md#one" is written in another case | write "Setup.md#one"; packgen check --fix does`,
		`documents/d.md:4:1 info the link "b%20c.html?x#b" has the ending of a published page | write "b%20c.md?x#b"; packgen check --fix does`,
		`documents/d.md:5:10 info the link "SETUP.md" is written in another case | write "Setup.md"; packgen check --fix does`,
		`documents/d.md:6:15 warning the link "[[Nobody]]" leads nowhere: no page or file has this name | use the title or the file name of a page, without .md`,
		`documents/d.md:6:26 warning the link "[[Setup#Two]]" leads to no heading | correct the link, or remove it`,
		`documents/d.md:7:1 info links with the scheme xref: are shown as text; this is the first | link to http:, https:, mailto: or tel: addresses or a file of the pack`,
		`documents/d.md:7:25 warning the link with the scheme javascript: is left out of the page | link to http:, https:, mailto: or tel: addresses or a file of the pack`,
		`documents/d.md:7:43 warning the link with the scheme data: is left out of the page | link to http:, https:, mailto: or tel: addresses or a file of the pack`,
		`documents/d.md:7:55 info links with the scheme ref: are shown as text; this is the first | link to http:, https:, mailto: or tel: addresses or a file of the pack`,
	})
}

// lost returns the findings about broken links of files in documents/.
func lost(t *testing.T, files tree) []string {
	t.Helper()
	all := tree{"KNOWLEDGE.md": entry("document-first", "")}
	for name, text := range files {
		all["documents/"+name] = text
	}
	r, _ := compileFiles(t, all)
	var got []string
	for _, d := range r.Diagnostics {
		if d.ID == refBroken {
			got = append(got, strings.TrimPrefix(d.Place()+" "+d.Message, "documents/"))
		}
	}
	slices.Sort(got)
	return got
}

func TestLinksLostForOneCauseAreOneFinding(t *testing.T) {
	sameStrings(t, "a folder that is not there", lost(t, tree{
		"d.md":   "# D\n\n![a](pictures/a.png) ![b](pictures/deep/b.png)\n",
		"x/e.md": "# E\n\n<img src=\"../pictures/c.png\">\n\n[d](../d.dm)\n",
	}), []string{
		`d.md:3:1 the link "pictures/a.png" leads to no file; the folder "documents/pictures" does not exist, and 2 more links lead into it`,
		`x/e.md:5:1 the link "../d.dm" leads to no file`,
	})
	sameStrings(t, "a file that is not there", lost(t, tree{
		"d.md": "# D\n\n[a](absent.md) [b](absent.md#x)\n", "e.md": "# E\n\n[a](absent.md) [b](other.md)\n",
	}), []string{
		`d.md:3:1 the link "absent.md" leads to no file; 1 more link leads there`,
		`d.md:3:16 the link "absent.md#x" leads to no file`,
		`e.md:3:16 the link "other.md" leads to no file`,
	})
	sameStrings(t, "a page that is not there", lost(t, tree{"d.md": "# D\n\n[[Nobody]] [[Nobody]]\n", "e.md": "# E\n\n[[Nobody]] [[None]]\n"}), []string{
		`d.md:3:1 the link "[[Nobody]]" leads nowhere: no page or file has this name; 2 more links lead there`,
		`e.md:3:12 the link "[[None]]" leads nowhere: no page or file has this name`,
	})
	sameStrings(t, "a file in two ways", lost(t, tree{"d.md": "# D\n\n[a](gone.md) [b](./gone.md) [c](README.french.md)\n", "README.korean.md": "# K\n"}), []string{
		`d.md:3:1 the link "gone.md" leads to no file; 1 more link leads there`,
		`d.md:3:29 the link "README.french.md" leads to no file`,
	})
	sameStrings(t, "paths from the root of another site", lost(t, tree{"d.md": "# D\n\n[a](/de/start/) [b](/de/more.md#x)\n", "e.md": "# E\n\n[a](/fr/start)\n"}), []string{
		`d.md:3:1 the link "/de/start/" leads nowhere: no file of the pack has this path from its root; 2 more links lead nowhere from the root`,
	})
	sameStrings(t, "links out of the pack", lost(t, tree{"d.md": "# D\n\n[a](../../a.md) [b](../../../b.md)\n", "e.md": "# E\n\n[a](../../a.md)\n"}), []string{
		`d.md:3:1 the link "../../a.md" leads out of the pack; 2 more links lead out of it`,
	})
	sameStrings(t, "sections of pages without any", lost(t, tree{"d.md": "# D\n\n[a](e.md#x) [b](f.md#y) [c](e.md)\n", "e.md": "---\ntitle: E\n---\n", "f.md": "Text.\n"}), []string{
		`d.md:3:1 the link "e.md#x" names a heading, and the page has none; 1 more link leads to sections of pages without headings`,
	})
	sameStrings(t, "sections that components may make", lost(t, tree{"d.md": "# D\n\n[a](e.mdx#x) [b](e#y) [c](e#e)\n", "e.mdx.md": "# E\n\n[own](#z)\n"}), []string{
		`d.md:3:1 the link "e.mdx#x" leads to no heading, unless a component of that page makes it; 1 more link leads to a section that such a page may make`,
		`e.mdx.md:3:1 the link "#z" leads to no heading`,
	})
	sameStrings(t, "a heading that is not there", lost(t, tree{
		"d.md": "# D\n\n[a](#top-of-it)\n\n[b](#top-of-it) [c](#top-of-that)\n", "e.md": "# E\n\n[a](#top-of-it)\n",
	}), []string{
		`d.md:3:1 the link "#top-of-it" leads to no heading; 1 more link leads there from this file`,
		`d.md:5:17 the link "#top-of-that" leads to no heading`,
		`e.md:3:1 the link "#top-of-it" leads to no heading`,
	})
}

// Another system puts a heading or an anchor in place of the comment.
func TestCommentsOfOtherSystemsGivePlaces(t *testing.T) {
	sameStrings(t, "findings", lost(t, tree{
		"d.md": "# D\n\n[a](e.md#config.lang) [b](e.md#+toc.x) [d](e.md#note) [e](e.md#other)\n",
		"e.md": "# E\n\n#### <!-- md:setting config.lang -->\n\nText.\n\n<!-- md:option toc.x -->\n\n:   more\n\n<!-- a note -->\n",
	}), []string{
		`d.md:3:40 the link "e.md#note" leads to no heading`,
		`d.md:3:55 the link "e.md#other" leads to no heading`,
	})
}

func TestWhatIsLikeAnotherFileIsAFindingOfItsOwn(t *testing.T) {
	got := lost(t, tree{"d.md": "# D\n\n[a](gone/setup.md) [b](gone/care.md) [c](gone/x.md)\n", "setup.md": "# S\n", "care.md": "# C\n"})
	sameStrings(t, "findings", got, []string{
		`d.md:3:1 the link "gone/setup.md" leads to no file`,
		`d.md:3:20 the link "gone/care.md" leads to no file`,
		`d.md:3:38 the link "gone/x.md" leads to no file`,
	})
}

func TestLinksInAListThatAToolWritesAreOneFinding(t *testing.T) {
	for _, marks := range [][2]string{
		{"PEOPLE:START - do not edit", "PEOPLE:END"}, {"START PEOPLE made", "END PEOPLE"}, {"begin PEOPLE", "end PEOPLE"},
	} {
		text := "# D\n\n<!-- " + marks[0] + " -->\n[a](#a-1) [b](#b-2)\n\n[c](#c-3)\n<!-- " + marks[1] + " -->\n\n[d](#d-4)\n"
		sameStrings(t, marks[0], lost(t, tree{"d.md": text}), []string{
			`d.md:4:1 the link "#a-1" leads to no heading; 2 more links lead nowhere in the list of PEOPLE, which a tool writes`,
			`d.md:9:1 the link "#d-4" leads to no heading`,
		})
		open := strings.Replace(text, marks[1], "other:END", 1)
		if got := lost(t, tree{"d.md": open}); len(got) != 4 {
			t.Errorf("a list without an end: %q", got)
		}
	}
}

func TestLostLinksAreTheSameFromTheStore(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md":   entry("document-first", ""),
		"documents/d.md": "# D\n\n<!-- L:START -->\n[a](#a-1) [b](#b-2)\n<!-- L:END -->\n\n![x](p/x.png) ![y](p/y.png)\n",
	})
	var first []string
	for range 2 {
		var got []string
		for _, d := range compileDir(t, dir, Options{}).Diagnostics {
			if d.ID == refBroken {
				got = append(got, fmt.Sprint(d))
			}
		}
		if first == nil {
			first = got
		}
		sameStrings(t, "findings", got, first)
	}
	if len(first) != 2 {
		t.Errorf("%q", first)
	}
}

func TestMarksOfGeneratedListsAreReadInBoundedTime(t *testing.T) {
	for _, text := range []string{strings.Repeat("<!--", 100_000), strings.Repeat("<!-- A:START -->", 50_000), strings.Repeat("<!-->", 50_000)} {
		if got := generatedLists([]byte(text)); len(got) != 0 {
			t.Errorf("%d lists in %.20q", len(got), text)
		}
	}
}

func TestWhatOtherSystemsLeaveOpenIsNoFault(t *testing.T) {
	sameStrings(t, "what a list of contributors links to", lost(t, tree{
		"d.md": "# D\n\n<!-- ALL-CONTRIBUTORS-LIST:START -->\n[📖](#content-ann)\n<!-- ALL-CONTRIBUTORS-LIST:END -->\n\n<!-- START toc -->\n[x](#gone)\n<!-- END toc -->\n",
	}), []string{`d.md:8:1 the link "#gone" leads to no heading`})
	sameStrings(t, "a page that is not translated", lost(t, tree{
		"es/a.md": "# A\n\n[b](/es/guides/b/#c) [d](/es/guides/d/) [x](/xx/guides/b/)\n", "guides/b.md": "# B\n\n## C\n",
	}), []string{`es/a.md:3:22 the link "/es/guides/d/" leads nowhere: no file of the pack has this path from its root; 1 more link leads nowhere from the root`})
	sameStrings(t, "a picture of GitBook", lost(t, tree{
		"a/d.md": "# D\n\n![x](../.gitbook/assets/x.png) ![y](../.gitbook/assets/y.png)\n", "_gitbook/assets/x.png": "x",
	}), []string{`a/d.md:3:32 the link "../.gitbook/assets/y.png" leads to no file`})
	sameStrings(t, "a slug", lost(t, tree{
		"a/d.md": "# D\n\n[a](/first) [b](first) [c](/docs/x/second/) [e](../x/second) [f](/third)\n",
		"a/e.md": "---\nslug: /first\n---\n# E\n", "a/f.md": "---\nslug: first\n---\n# F\n", "g.md": "---\nslug: /x/second/\n---\n# G\n",
	}), []string{`a/d.md:3:62 the link "/third" leads nowhere: no file of the pack has this path from its root`})
	sameStrings(t, "a tab", lost(t, tree{
		"d.md": "# D\n\n## Logo\n\n=== \":octicons-image-16: Image\"\n\n    One.\n\n=== \"Icon, bundled\"\n\n    Two.\n\n[a](#logo-image) [b](#logo-icon-bundled) [c](#logo-other)\n",
	}), []string{`d.md:13:42 the link "#logo-other" leads to no heading`})
}

func TestAMissingIncludeIsNotCalledALink(t *testing.T) {
	sameStrings(t, "", lost(t, tree{"d.md": "# D\n\n{{#include gone.rs:3:4}}\n\n--8<-- \"gone.md\"\n\n![[gone]]\n"}), []string{
		`d.md:3:1 the include {{#include gone.rs:3:4}} leads to no file`,
		`d.md:5:1 the include --8<-- "gone.md" leads to no file`,
		`d.md:7:1 the link "[[gone]]" leads nowhere: no page or file has this name`,
	})
}
