package index

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/token"
)

func TestIDsAreKebabAndLossIsMarked(t *testing.T) {
	for _, tt := range []struct {
		pack, split, want string
	}{
		{"kettle", "", "kettle"},
		{"kettle", "care/descaling", "kettle-care-descaling"},
		{"kettle", "Care/De_scaling--2", "kettle-care-de-scaling-2"},
		{"kettle", "wiki/a/b.c", "kettle-wiki-a-b-c"},
		{"kettle", "care/über", "kettle-care-ber-" + hash("care/über")},
		{"kettle", "care/绿茶", "kettle-care-" + hash("care/绿茶")},
		{"a--b-", "", "a-b"},
	} {
		if id := idsOf([2]string{tt.pack, tt.split})[0]; id != tt.want {
			t.Errorf("%s %s: id %s, want %s", tt.pack, tt.split, id, tt.want)
		}
	}
}

func TestIDsThatMeetTakeAHashAndThePackKeepsItsName(t *testing.T) {
	ids := idsOf([2]string{"a", ""}, [2]string{"a", "b"}, [2]string{"a", "b/c"}, [2]string{"a-b", ""}, [2]string{"a-b", "c"}, [2]string{"a-b", "C"})
	want := []string{"a", "a-b-" + hash("b"), "a-b-c-" + hash("b/c"), "a-b", "a-b-c-" + hash("c"), "a-b-c-" + hash("C")}
	for i, id := range ids {
		if id != want[i] {
			t.Errorf("draft %d: id %s, want %s", i, id, want[i])
		}
	}
}

func TestIDsOfPacksThatDifferInPunctuationOnlyStayApart(t *testing.T) {
	if ids := idsOf([2]string{"a-b", "c"}, [2]string{"a--b", "c"}); ids[0] == ids[1] {
		t.Errorf("both are %s", ids[0])
	}
}

// idsOf returns the ids of drafts, each given by its pack and split.
func idsOf(drafts ...[2]string) (ids []string) {
	n := newNames(len(drafts))
	for _, d := range drafts {
		n.see(d[0], d[1])
	}
	if n.compare(); n.meet {
		for i, d := range drafts {
			n.again(i, d[0], d[1])
		}
		n.settle()
	}
	for i, d := range drafts {
		ids = append(ids, n.id(i, 0, d[0], d[1]))
	}
	return ids
}

func hash(s string) string { return withHash("", s) }

func TestSummaryIsTheFirstSentenceOnOneLine(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct{ text, want string }{
		{"One sentence. Another one.", "One sentence."},
		{"No full stop", "No full stop"},
		{"Two\nlines\tand  blanks. Next.", "Two lines and blanks."},
		{"See e.g. Figure 2 for more. Next.", "See e.g. Figure 2 for more."},
		{"Version 1.2 is out. Get it.", "Version 1.2 is out."},
		{"By J. Smith and others. Next.", "By J. Smith and others."},
		{"Really? Yes.", "Really?"},
		{"He said so. and went on. Next.", "He said so. and went on."},
		{"用八十度的水。然后等。", "用八十度的水。"},
		{"Bell\x07, \u202eturned\u202c and \u200bhidden.", "Bell, turned and hidden."},
		{"Crew 👩\u200d🚀 and 🏳\ufe0f\u200d🌈 aboard, \u200dstray\u200d.", "Crew 👩\u200d🚀 and 🏳\ufe0f\u200d🌈 aboard, stray."},
		{"می\u200cخواهم and soft\u00adhyphen.", "می\u200cخواهم and softhyphen."},
		{strings.Repeat("x", 117) + "👩\u200d🚀 more", strings.Repeat("x", 117) + "👩…"},
		{long, strings.TrimSpace(strings.Repeat("word ", 24)) + "…"},
		{strings.Repeat("x", 200), strings.Repeat("x", 119) + "…"},
		{strings.Repeat("🚀", 100), strings.Repeat("🚀", 59) + "…"},
		{"", ""},
	} {
		if got := summarize(tt.text); got != tt.want {
			t.Errorf("summarize(%.40q)\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

func FuzzSummaryFitsTheFormat(f *testing.F) {
	f.Add("One. Two.")
	f.Add(strings.Repeat("🚀 ", 90))
	f.Add("\xff\xfe\u2028x")
	f.Fuzz(func(t *testing.T, s string) {
		got := summarize(s)
		if token.Units(got) > summaryLimit || strings.ContainsAny(got, "\n\r\t\u2028\u2029") || !utf8.ValidString(got) {
			t.Errorf("summarize(%q) = %q", s, got)
		}
		if summarize(got) != got && !strings.Contains(got, ellipsis) {
			t.Errorf("summarize(%q) = %q, but again %q", s, got, summarize(got))
		}
	})
}

func TestWordsAreThoseTheMatcherKeepsWhole(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the CI/CD-runner!":              "fix ci cd runner",
		"snake_case camelCase":               "snake case camelcase",
		"naïve CAFÉ Straße":                  "",
		"reader's don't kettle’s":            "reader kettle",
		"sha256 2024 20240115t10 deadbeef01": "sha256 deadbeef01",
		"日本語 тест tea":                       "tea",
		"x y zz":                             "zz",
	} {
		var got []string
		var room []byte
		eachWord([]byte(text), &room, func(w []byte) { got = append(got, string(w)) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q gave %q, want %q", text, got, want)
		}
	}
}

var plainWord = regexp.MustCompile(`^[a-z0-9]{2,24}$`)

func FuzzWordsAreAlwaysReachable(f *testing.F) {
	f.Add("Fix the CI/CD-runner's café")
	f.Add("a’b’c' ’s")
	f.Fuzz(func(t *testing.T, s string) {
		var room []byte
		eachWord([]byte(s), &room, func(w []byte) {
			if !plainWord.Match(w) {
				t.Errorf("%q gave %q", s, w)
			}
		})
	})
}

func TestLog2IsTheLogarithmInSixteenBits(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 5, 10, 1000, 65535, 1 << 40, math.MaxUint64} {
		want := math.Log2(float64(n)) * 65536
		if got := float64(log2(n)); math.Abs(got-want) > 2 {
			t.Errorf("log2(%d) = %g, want %g", n, got, want)
		}
	}
	if log2(0) != 0 {
		t.Error("log2(0) is not 0")
	}
}

func TestLinesAreLineFeedsPlusOne(t *testing.T) {
	for text, want := range map[string]int{"": 1, "a": 1, "a\n": 2, "a\nb\n": 3} {
		if got := lines(text); got != want {
			t.Errorf("lines(%q) = %d, want %d", text, got, want)
		}
	}
}

// The sketch never hides a common word.
func TestCommonEnglishIsFoundBySketch(t *testing.T) {
	for w := range commonEnglish() {
		if !isCommonEnglish([]byte(w)) {
			t.Errorf("%q is not found", w)
		}
	}
	if isCommonEnglish([]byte("kettle")) {
		t.Error("kettle is found")
	}
}
