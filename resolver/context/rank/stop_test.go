package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/stem"
)

// manual is a small manual, some sections of which are about the same thing.
func manual() []Section {
	list := []Section{
		{Document: "a", Title: "Descale the boiler", Text: "Pour vinegar in."},
		{Document: "b", Title: "Boiler parts", Text: "Descale the boiler: boiler, descale, boiler, descale, boiler."},
		{Document: "c", Title: "Renew the warranty", Text: "Send the card."},
		{Document: "d", Title: "Odds and ends", Text: "Descale, boiler, renew, warranty: everything about it, renew, descale."},
		{Document: "e", Title: "Gauge", Text: "Lever gauge hose."}, {Document: "f", Title: "Hose", Text: "The hose has a gauge."},
	}
	for _, document := range []string{"h", "i", "j"} {
		list = append(list, Section{Document: document, Title: "Lever valve", Text: "Turn it."})
	}
	for _, document := range []string{"k", "l", "m"} {
		list = append(list, Section{Document: document, Title: "Pen", Text: "A quill."})
	}
	list = append(list, Section{Document: "p", Title: "Paint", Text: "Ochre, umber, sienna."}, Section{Document: "q", Title: "Ochre", Text: "Ochre, ochre."})
	list = append(list, Section{Document: "s", Title: "Chute and hopper", Text: "Clean it once a week."}, Section{Document: "t", Title: "Chute", Text: "Chute, hopper, chute, hopper, chute, hopper, hopper, chute, chute, hopper."})
	for i := range 40 {
		list = append(list, Section{Document: fmt.Sprint(i), Title: "Other thing", Text: "Words of no use."})
	}
	for i := range list {
		list[i].Path = fmt.Sprint(i)
	}
	return list
}

// taken are the documents of the sections that a query is answered by.
func taken(query string) string {
	sections := manual()
	var list []string
	for _, h := range (BM25F{}).Score(query, sections).Ranked(nil) {
		list = append(list, sections[h.Section].Document)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestWhereAListEnds(t *testing.T) {
	for _, c := range []struct{ rule, query, want string }{
		{"a clear answer ends the list, and headings make it clear", "descale boiler", "a"},
		{"a query that is not met well gives all that come near the best", "gauge hose frob zorb blip clack", "e f"},
		{"parts with clear answers in sections of their own give these alone, not a section with words of all", "descale the boiler, and renew the warranty", "a c"},
		{"a part that several sections answer as well gives two of them", "renew the warranty, and lever the valve", "c h i"},
		{"a guess gives two", "quill zorb", "k l"},
		{"less than a guess gives one", "quill zorb frob blip clack snick", "k"},
		{"a section with words of the query that none before it holds is needed beside it", "boiler warranty", "a b c"},
		{"a section whose headings hold less of the query adds nothing", "chute hopper zorb", "s"},
		{"a part that no section meets adds nothing", "descale the boiler, and zorb quill frob blip clack snick", "a"},
		{"a section that holds much less of the query than the best one adds nothing", "ochre umber sienna frob blip zorb", "p"},
		{"parts that one section answers are one question", "descale the boiler, and pour vinegar", "a"},
	} {
		if got := taken(c.query); got != c.want {
			t.Errorf("%s: %q takes %s, want %s", c.rule, c.query, got, c.want)
		}
	}
}

func TestAHeadingWeighsMoreThanAnyNumberOfMentions(t *testing.T) {
	sections := manual()
	r := BM25F{Stop: 0.01}.Score("descale boiler", sections).(*bm25Ranking)
	if r.scores[0][0] < r.scores[0][1]+5 || r.scores[0][1] == 0 {
		t.Errorf("heading %.2f, mentions %.2f", r.scores[0][0], r.scores[0][1])
	}
}

func TestNoListIsLongerThanItsCap(t *testing.T) {
	var sections []Section
	for i := range 20 {
		sections = append(sections, Section{Path: fmt.Sprint(i), Document: fmt.Sprint(i), Title: "Kettle", Text: "Kettle."})
	}
	for most, want := range map[int]int{0: defaultMost, 2: 2} {
		if got := len(BM25F{Most: most}.Score("kettle", sections).Ranked(nil)); got != want {
			t.Errorf("most %d gives %d sections, want %d", most, got, want)
		}
	}
}

// Sections that were found among many say nothing of how rare a word is: what they share
// was looked for.
func TestRarityCountsWhatSectionsWereFoundAmong(t *testing.T) {
	t.Parallel()
	sections := []Section{
		{Path: "a", Title: "A", Text: "The runner has a token."}, {Path: "b", Title: "B", Text: "The runner has a vault."}, {Path: "c", Title: "C", Text: "A vault and a token, no machine."},
	}
	r, among := BM25F{}.Score("runner token", sections).(*bm25Ranking), BM25F{From: 1000}.Score("runner token", sections).(*bm25Ranking)
	if few := (BM25F{From: 3}).Score("runner token", sections).(*bm25Ranking); among.rarity(0) <= r.rarity(0) || few.rarity(0) != r.rarity(0) {
		t.Errorf("a word of two sections of a thousand has rarity %v, of two of three %v", among.rarity(0), r.rarity(0))
	}
}

// Agent-knowledge section 13.5.
func TestWordsFollowTheseRules(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"case and accents go", "Kettle ÜBER Größe GRÖSSE Iğdır IĞDIR e\u0301t\u00e9 Ａｂ１ ﬁle", []string{"kettle", "uber", "grosse", "grosse", "igdir", "igdir", "ete", "ab1", "file"}},
		{"split at anything but letters, marks and digits", "ab.cd-e_10/xy z9", []string{"ab", "cd", "10", "xy", "z9"}},
		{"stop words go", "how do you get the lid", []string{"lid"}},
		{"plurals lose their s from four letters on", "lids gas glass bus uses", []string{"lid", "gas", "glass", "bus", "use"}},
		{"the stop list comes before the plural", "does cans", []string{"can"}},
		{"single letters go where others stand beside them, after the plural rule too", "x_y 7.a as", nil},
		{"a word is no stop word for its accents", "iş İS où is", []string{"is", "is", "ou"}},
		{"Hangul and Thai become pairs", "지식은 ความรู้ ข", []string{"지식", "식은", "คว", "วา", "าม", "มร", "รู", "ู้", "ข"}},
		{"Han, Hiragana and Katakana become pairs", "产品边界 コーヒー", []string{"产品", "品边", "边界", "コー", "ーヒ", "ヒー"}},
		{"a single such character stays", "人 a人b", []string{"人", "人", "b"}},
		{"runs end at other letters", "iPhone手机壳", []string{"iphone", "手机", "机壳"}},
		{"accents of their own go", "cafe\u0301s", []string{"cafe"}},
		{"emoji and symbols are not words", "🚀 ⚠️ € ½", nil},
		{"broken UTF-8 parts words", "ab\xffcd", []string{"ab", "cd"}},
		{"other digits count", "٣٤", []string{"٣٤"}},
	} {
		got := Words(c.text)
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.want))
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Errorf("%s: Words(%q) (-want +got):\n%s", c.rule, c.text, diff)
		}
	}
}

func TestProseLeavesAnchorsAndMarkersOut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a [source: sources/x.md#L1] b", "a   b"},
		{"a [Source: x; y][status: missing].", "a   ."},
		{"a [status: whatever]", "a [status: whatever]"},
		{"`[source: x]` [source: y]", "`[source: x]`  "},
		{"```\n[source: x]\n```\n[source: y]", "```\n[source: x]\n```\n "},
		{`\[source: x] b`, `\[source: x] b`},
		{"[source: x](url)", "[source: x](url)"},
		{"[source] [text](url) [x]: y", "[source] [text](url) [x]: y"},
		{"[source: a [b] c]", "[source: a [b] c]"},
		{"[source : a]", "[source : a]"},
	} {
		if got := Prose(c.text); got != c.want {
			t.Errorf("Prose(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for _, group := range []string{
		"compile compiled compiler compiling compilation compile", "publish published publishing publisher", "release releasing released",
		"status statuse", "match matching matcher matched", "stop stopped stopping", "entry entrie", "process processe processing",
	} {
		words := strings.Fields(group)
		want := string(stem.Of([]byte(words[0])))
		for _, word := range words {
			if got := string(stem.Of([]byte(word))); got != want {
				t.Errorf("stem of %s is %s, that of %s is %s", word, got, words[0], want)
			}
		}
	}
	for _, pair := range []string{"string bring", "source sort", "index indent", "claim class"} {
		words := strings.Fields(pair)
		if string(stem.Of([]byte(words[0]))) == string(stem.Of([]byte(words[1]))) {
			t.Errorf("%s have one stem", pair)
		}
	}
}

func TestQuestionsAreCutIntoParts(t *testing.T) {
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"How large is a split, and how is a view named?", []string{"How large is a split", "how is a view named"}},
		{"one thing only", nil},
		{"salt and pepper", nil}, // one word is not a question of its own
		{"white salt and black pepper", []string{"white salt", "black pepper"}},
		{"salt and so on", nil},
		{"cut the release. then publish the site", []string{"cut the release", "then publish the site"}},
		{"产品边界，使用方法。", []string{"产品边界", "使用方法"}},
		{"version 1.0.0 formats, brand names", []string{"version 1.0.0 formats", "brand names"}},
	} {
		var got []string
		for _, p := range parseQuery(c.query).parts[1:] {
			got = append(got, p.text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.query, diff)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("How hot does the 手机 handle get? [source: x]")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Words(Prose(text)) {
			if w == "" || !utf8.ValidString(w) || strings.ContainsAny(w, " \n<[") {
				t.Errorf("%q holds the word %q", text, w)
			}
		}
		parseQuery(text)
		NewTally().Of(&Section{Text: text, Title: text})
	})
}

// The quick look at a word's first letters must never skip one that counts:
// what the words of a text are without it is what they are with it.
func TestWordsThatCountAreNeverPassedOver(t *testing.T) {
	words := strings.Fields("ai go UI tie ties flies studies boss bosses status statuses adds add egg eggs compile compilation Compiler x86 l10n 42 4 a naïve café café's wiki-first ABLE able ion ing sing sings singing")
	for _, asked := range words {
		q := parseQuery(asked)
		for _, word := range words {
			var want, got int
			var scan wordScanner
			scan.all(word, true, func(w []byte) {
				if _, ok := q.byStem[string(stem.Of(append([]byte{}, w...)))]; ok {
					want++
				}
			})
			found := oktest.Value(NewIndex([]Section{{Text: word}}).find(q))(t)
			for _, p := range slices.Concat(found.postings...) {
				got += p.count[fieldBody]
			}
			if got != want {
				t.Errorf("%q in %q: %d, want %d", asked, word, got, want)
			}
		}
	}
}

// A compound of words that say nothing alone is a word of its own, in texts and in
// queries.
func TestACompoundOfStopWordsIsAWord(t *testing.T) {
	sections := []Section{
		{Path: "a", Title: "Meetings", Text: "Hold one-on-ones each week."}, {Path: "b", Title: "Templates", Text: "A template for one report."},
		{Path: "c", Title: "To-do", Text: "A list."}, {Path: "d", Title: "Lists", Text: "Each one is on a list: things to do - and what not --one--."},
	}
	for query, want := range map[string]int{"One-on-ones": 0, "one-on-one": 0, "to-do": 2, "the TO-DO": 2} {
		if hits := (BM25F{}).Score(query, sections).Ranked(nil); len(hits) == 0 || hits[0].Section != want {
			t.Errorf("%q finds %v, want section %d first", query, hits, want)
		}
	}
	for text, want := range map[string]string{
		"one-on-ones, how-to": "one-on-one how-to", "re-use": "", "to--do": "", "to-do-": "", "état-to-do": "", "to-do-é": "", "что-как": "", "to-": "",
		strings.Repeat("to-", 64) + "do": "",
	} {
		var got []string
		signs := stem.SignScanner{Common: isStopWord, Joined: joined}
		signs.Each(text, true, func(word []byte) { got = append(got, string(word)) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q has the compounds %q, want %q", text, got, want)
		}
	}
}

// What a sign belongs to is a word, in questions and in texts that are searched.
func TestWordsWithSigns(t *testing.T) {
	for _, c := range []struct{ rule, text, asked, searched string }{
		{"letters that stand alone", "the R and the x, not don't, e.g. x_y \\n %s a I 7", "r x 7", ""},
		{"letters beside a sign", "USB-C Ctrl+Shift+T X-Forwarded-For plan-a vitamin-d3 c++-x F-16", "c t x c++ f", ""},
		{"languages", "C++, c# J# F#? Notepad++ C++17 c++/C# issue#12 path.md#L10 ## A", "c++ c# j# f# notepad++ c++ c++ c#", ""},
		{"full-width forms", "Ｃ＋＋ Ｃ＃与R语言 １．２．４", "c++ c# r v1.2.4", "c++ c# r v1.2.4 v1.2 v1"},
		{"words with a slash", "I/O, R&D AT&T S/MIME TCP/IP CI/CD a/b C/C++ x/y/z /usr/lib @scope/pkg km/h", "i/o r&d at&t s/mime a/b c c++ x/y/z km/h", ""},
		{"names that begin with a point", ".NET .net-core *.go ... ..x asp.net .a", ".net .net .go", ""},
		{"options", "--dry-run -v --x- --- -1", "--dry-run -v", ""},
		{"versions", "v1.2.4 1.2.4. (2.0) 1.2.x", "v1.2.4 v1.2.4 v2.0 v1.2", "v1.2.4 v1.2 v1 v1.2.4 v1.2 v1 v2.0 v2 v1.2 v1"},
		{"stages of versions", "2.0.0-rc.1 2.0.0rc1 3.13b2 1.0-SNAPSHOT 1.0-compatible", "v2.0.0~rc1 v2.0.0~rc1 v3.13~beta2 v1.0~snapshot v1.0", "v2.0.0~rc1 v2.0.0 v2.0 v2 v2.0.0~rc1 v2.0.0 v2.0 v2 v3.13~beta2 v3.13 v3 v1.0~snapshot v1.0 v1 v1.0 v1"},
		{"names before versions", "python3.12 node-v18.2 pkg@1.2.3", "python v3.12 v18.2 v1.2.3", "python v3.12 v3 v18.2 v18 v1.2.3 v1.2 v1"},
		{"no versions", "1. 12 .5 a.1 1.2.3.4.5.6.7.8 \u00e91.2 " + strings.Repeat("1", 70) + ".1", "v1.2.3.4.5.6", "v1.2.3.4.5.6 v1.2.3.4.5 v1.2.3.4 v1.2.3 v1.2 v1"},
	} {
		words := func(searched bool) string {
			var got []string
			signs := stem.SignScanner{Common: isStopWord, Joined: joined}
			signs.Each(c.text, searched, func(word []byte) { got = append(got, string(word)) })
			return strings.Join(got, " ")
		}
		if got := words(false); got != c.asked {
			t.Errorf("%s: %q asks for\n%q, want\n%q", c.rule, c.text, got, c.asked)
		}
		want := c.searched
		if want == "" {
			want = c.asked
		}
		if got := words(true); got != want {
			t.Errorf("%s: %q holds\n%q, want\n%q", c.rule, c.text, got, want)
		}
	}
}

// A question finds the section that is called as it is, whatever its letters and signs.
func TestQuestionsFindHeadingsOfOddWords(t *testing.T) {
	var sections []Section
	for i, title := range []string{
		"Overview", "Version 7", "Python 3", "v1.2.3", "v1.2.4", "2.0.0-rc.1", "C# bindings", "C++ bindings", "R bindings", "I/O", "for", "What it does", "Réservation", "Größe der Räume", "Iğdır ofisi",
		".NET clients", "Net income", "Python 3.12", "Python 3.13", "Быстрый запуск", "The --force option",
	} {
		sections = append(sections, Section{Path: title, Document: fmt.Sprint(i), Title: title, Text: "## " + title + "\n\nWhat this release changed for the release, to do in it. Use the option with force.\n"})
	}
	for query, want := range map[string]string{
		"what changed in v1.2.4": "v1.2.4", "1.2.4": "v1.2.4", "release 2.0.0": "2.0.0-rc.1", "changes of 2.0": "2.0.0-rc.1", "C++": "C++ bindings", "the c# bindings": "C# bindings", "R": "R bindings",
		"i/o": "I/O", "IO": "I/O", "v7": "Version 7", "python3": "Python 3", "for": "for", "what it does": "What it does", "reservation": "Réservation", "RE\u0301SERVATION": "Réservation", "GRÖSSE": "Größe der Räume", "groesse": "Größe der Räume",
		"IĞDIR": "Iğdır ofisi", "ığdır": "Iğdır ofisi", ".NET": ".NET clients", "python3.12": "Python 3.12", "python 3.13": "Python 3.13", "быстрыи\u0306 ЗАПУСК": "Быстрый запуск", "--force": "The --force option", "Ｃ＋＋": "C++ bindings",
	} {
		hits := (BM25F{}).Score(query, sections).Ranked(nil)
		if len(hits) == 0 || sections[hits[0].Section].Path != want {
			t.Errorf("%q finds %v, want %s first", query, hits, want)
		}
	}
	for _, query := range []string{"to be", "does"} {
		if hits := (BM25F{}).Score(query, sections).Ranked(nil); len(hits) > 0 {
			t.Errorf("%q, which no heading is, finds %v", query, hits)
		}
	}
	r := (BM25F{}).Score("what changed in v1.2.9", sections)
	if r.Judge([]int{r.Ranked(nil)[0].Section}, nil).Sure() {
		t.Error("a version that no section has is answered as sure")
	}
}

// A question that is a heading without a topic finds it, not one that is a part of it.
func TestQuestionsFindHeadingsWithoutATopic(t *testing.T) {
	var sections []Section
	for i, title := range []string{
		"Do", "Notes", "Who we are", "What we do", "Who we are and what we do", "How do I get it", "Do not", "To be or not to be", "Why?", "Use", "Orders",
	} {
		sections = append(sections, Section{Path: title, Document: fmt.Sprint(i), Title: title, Text: "## " + title + "\n\nNot to be used before the rain comes.\n"})
	}
	for _, want := range sections {
		for _, query := range []string{want.Title, strings.ToUpper(want.Title) + "?"} {
			hits := (BM25F{}).Score(query, sections).Ranked(nil)
			if len(hits) == 0 || sections[hits[0].Section].Path != want.Title {
				t.Errorf("%q finds %v, want %s first", query, hits, want.Title)
			}
		}
	}
	for query, want := range map[string]string{"tell me who we are": "Who we are", "use of orders": "Orders"} {
		if hits := (BM25F{}).Score(query, sections).Ranked(nil); len(hits) == 0 || sections[hits[0].Section].Path != want {
			t.Errorf("%q finds %v, want %s first", query, hits, want)
		}
	}
}

// Of several equal sections the newest version is first, unless the question names one.
func TestTheNewestOfEqualSectionsIsFirst(t *testing.T) {
	var sections []Section
	for _, v := range []string{"v1.9", "v1.10", "v2.0-rc.1", "v2.0", "v0.9"} {
		sections = append(sections, Section{Path: v, Document: v, Title: "Take a snapshot", TitlePath: []string{v, "backup"}, Text: "## Take a snapshot\n\nRun save, which writes a file.\n"})
	}
	sections = append(sections,
		Section{Path: "3.0 alone", Document: "x", Title: "3.0", Text: "## 3.0\n\nA file of words without use here.\n"},
		Section{Path: "1.2.3", Document: "log", Title: "1.2.3", Text: "## 1.2.3\n\nFixed the cache of pictures.\n"},
		Section{Path: "1.2.4", Document: "log", Title: "1.2.4", Text: "## 1.2.4\n\nFixed the cache of pictures.\n"},
		Section{Path: "1.2.5", Document: "log", Title: "1.2.5", Text: "## 1.2.5\n\nFixed the pictures, which were too large for the wall.\n"},
	)
	x := NewIndex(sections)
	for query, want := range map[string]string{
		"take a snapshot": "v2.0 v2.0-rc.1 v1.10", "take a snapshot in 1.10": "v1.10", "take a snapshot in v2.0-rc.1": "v2.0-rc.1", "fixed cache of pictures": "1.2.4 1.2.3",
	} {
		read, damaged := Score(BM25F{}, query, []Part{{Index: x}})
		if len(damaged) > 0 {
			t.Fatal("the index is damaged")
		}
		for how, r := range map[string]Ranking{"texts": (BM25F{}).Score(query, sections), "an index": read} {
			var got []string
			for _, h := range r.Ranked(nil) {
				got = append(got, sections[h.Section].Path)
			}
			if !strings.HasPrefix(strings.Join(got, " ")+" ", want+" ") {
				t.Errorf("%q over %s finds %v, want %s first", query, how, got, want)
			}
		}
	}
}
