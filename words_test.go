package packgen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/packgen/packgen/compiler/oktest"
)

// Comments, messages, names and pages are plain technical English. This file lists the
// words and phrases that are not, and looks for them everywhere.

// vocabulary lists words that read as translated, and what to write instead.
var vocabulary = map[string]string{
	"mend": "fix", "mends": "fixes", "mended": "fixed", "mending": "fixing",
	"anew": "again", "afresh": "again",
	"graver": "worse", "gravest": "worst", "dearer": "more expensive",
	"stand": "is", "stands": "is", "stood": "was",
	"tell": "report, record or distinguish", "tells": "reports, records or distinguishes", "told": "reported, recorded or distinguished",
	"behind":   "after, below or left over",
	"heeded":   "applied",
	"lately":   "recently",
	"likewise": "in the same way, or too",
	"whereof":  "of which", "thereof": "of it",
}

// phrases lists phrases of the same kind.
var phrases = []struct {
	*regexp.Regexp
	better string
	has    []string // one of these is in every match, in lower case
}{
	{regexp.MustCompile(`(?i)[,;] else (?:the|a|an|it|what|that|by|from|in|to|of|"|\d)`), "otherwise", []string{"else "}},
	{regexp.MustCompile(`(?i)\ball else\b`), "everything else", []string{"all else"}},
	{regexp.MustCompile(`(?i)\b(?:least|most|of|from|in|to|with|leaves|which|returns|reads) so many\b`), "that many", []string{" so many"}},
	{regexp.MustCompile(`(?i)\b(?:go|goes|going|went) on\b(?: [^lt]|[.,;:)]|$)`), "continue", []string{" on"}},
	{regexp.MustCompile(`(?i)\b(?:nothing|none|that|those|files|records|settings|heads|actions|comments|text) of (?:others|theirs|strangers)\b`), "other people's, or another tool's", []string{" of "}},
	{regexp.MustCompile(`(?i)\b(?:comes?|came|coming) out as\b`), "the result of", []string{" out as"}},
	{regexp.MustCompile(`(?i)\b(?:takes?|took|taken|taking) (?:\w+ ){0,4}for (?:an?|one|its own|false|settled|what|facts?|text|instructions)\b`), "treat as, or mistake for", []string{" for "}},
	{regexp.MustCompile(`(?i)\bthere is none of\b`), "no … has", []string{"there is none of"}},
	{regexp.MustCompile(`(?i)\bonce more\b`), "again", []string{"once more"}},
	{regexp.MustCompile(`(?i)\bfor ever\b`), "forever", []string{"for ever"}},
	{regexp.MustCompile(`(?i)\bnone any more\b`), "no longer any", []string{"none any more"}},
	{regexp.MustCompile(`(?i)\b(?:last one|tests|one|names?|links|phone|others?) (?:aside|apart)\b`), "except for", []string{" aside", " apart"}},
	{regexp.MustCompile(`(?i)\b(?:that|what) nobody sees\b`), "invisible", []string{"nobody sees"}},
	{regexp.MustCompile(`(?i)\b(?:that|state|key) nobody knows\b`), "unknown", []string{"nobody knows"}},
	{regexp.MustCompile(`(?i)\bbut for (?:the|a|an|what|those|its|summary|one|this)\b`), "except for", []string{"but for "}},
	{regexp.MustCompile(`(?i)\bpass(?:ed|es|ing)? over\b`), "skip", []string{" over"}},
	{regexp.MustCompile(`(?i)\bone (?:behind|after) the other\b`), "one after another", []string{" the other"}},
	{regexp.MustCompile(`(?i)\blet(?:s|ting)? go of\b`), "release", []string{" go of"}},
	{regexp.MustCompile(`(?i)\bon its way\b`), "in progress", []string{"on its way"}},
	{regexp.MustCompile(`(?i)\bin the making\b`), "while it is made", []string{"in the making"}},
	{regexp.MustCompile(`(?i)\b(?:is|are) (?:not there|there already)(?:[.,;:)]|$)`), "exists, or does not exist", []string{" not there", " there already"}},
	{regexp.MustCompile(`(?i)\bthat (?:is|are) there\b`), "that exists", []string{"there"}},
	{regexp.MustCompile(`(?i)\bwhen it is none\b|\bis none of\b`), "is not one (of)", []string{" none"}},
	{regexp.MustCompile(`(?i)\bspeaks? (?:of|for|against)\b`), "is about, or describes, or the reason against", []string{"speak"}},
}

// isNo finds "x is no y", for which English has "x is not a y".
var isNo = regexp.MustCompile(`(?i)\b(\w+ )(?:is|are|was|were) no (\w+)`)

// isNone finds "x is none", for which English has "x is not one"; "there is none" is English.
var isNone = regexp.MustCompile(`(?i)\b(\w+ )(?:is|are|was|were) none\b`)

// soundNo are the words after "is no" with which it is English.
var soundNo = strings.Fields("longer more less better worse higher lower larger smaller other way need such room reason point place difference one sooner earlier later further obstacle whole")

// soundUses are uses of the words above that are English.
var soundUses = regexp.MustCompile(`(?i)stands? ?(in )?for\b|stands? alone|stand-|stand ?ins?\b|\b(a|the) stand\b|stands? out|(tells?|told) (\S+ ){0,6}(apart|from)\b|(tells?|told) (an?|the|its|every) (agents?|user|model|reader|truth|difference)\b|(leaves?|leaving|left|stays?|stay|nothing|falls?) (\S+ ){0,2}behind|behind (an?|the) (symbolic |web )?(links?|address|bar|pair|proxy|\*pages\*|button|script)\b|behind (them|every|make)\b|(?:is|are) behind the \*|on and on\b|none, recommended\b|"[^"]*\b(tell|stands?|stood)\b[^"]*"`)

// camelCase and article find where one word of an identifier ends and the next begins.
var (
	camelCase = regexp.MustCompile(`([a-z])([A-Z])`)
	article   = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
)

// words returns the words of a comment, a string or an identifier, in lower case,
// except those in a sound use.
func words(text string) []string {
	split := article.ReplaceAllString(camelCase.ReplaceAllString(text, "$1 $2"), "$1 $2")
	if strings.ContainsAny(split, " \n") {
		split = soundUses.ReplaceAllString(strings.Join(strings.Fields(split), " "), " ")
	}
	return strings.FieldsFunc(strings.ToLower(split), func(r rune) bool { return !unicode.IsLetter(r) })
}

// translated returns the words and phrases of a text that read as translated, each with
// what to write in its place.
func translated(text string) []string {
	var found []string
	lower := strings.ToLower(text)
	has := func(part string) bool { return strings.Contains(lower, part) } // most texts have none: an expression costs a hundred times as much
	for word := range vocabulary {
		if has(word) {
			for _, word := range words(text) {
				if better := vocabulary[word]; better != "" {
					found = append(found, fmt.Sprintf("%q: write %s", word, better))
				}
			}
			break
		}
	}
	if !strings.Contains(text, " ") {
		return found
	}
	text = strings.Join(strings.Fields(text), " ")
	lower = strings.ToLower(text)
	for _, p := range phrases {
		if !slices.ContainsFunc(p.has, has) {
			continue
		}
		if hit := p.FindString(text); hit != "" {
			found = append(found, fmt.Sprintf("%q: write %s", hit, p.better))
		}
	}
	if !has(" no") {
		return found
	}
	for _, m := range isNo.FindAllStringSubmatch(text, -1) {
		if !strings.EqualFold(m[1], "there ") && !slices.Contains(soundNo, strings.ToLower(m[2])) {
			found = append(found, fmt.Sprintf("%q: write is not", m[0]))
		}
	}
	for _, m := range isNone.FindAllStringSubmatch(soundUses.ReplaceAllString(text, " "), -1) {
		if !strings.EqualFold(m[1], "there ") {
			found = append(found, fmt.Sprintf("%q: write is not one", m[0]))
		}
	}
	return found
}

// wordLists are files that hold the words themselves, as data or as examples.
var wordLists = map[string]string{
	"resolver/context/rank/synonyms.go":                       "synonyms",
	"resolver/context/rank/query.go":                          "words that say nothing of a query",
	"testdata/script/exchange.txtar":                          "a description without sense",
	"resolver/loadout/index/stopwords.go":                     "words of English",
	"compiler/injection/phrases.go":                           "phrases that are looked for",
	"compiler/injection/wording.go":                           "the list of them",
	"words_test.go":                                           "this list",
	"messages_test.go":                                        "examples of messages",
	"packs/packgen-voice/documents/voice.md":                  "what not to write",
	"packs/release-engineering/documents/release-playbook.md": "a heading that evals name",
}

// goTexts yields the comments, names and strings of a Go file, each with its place. Of
// tests only the comments are of interest, and formats fix the strings of some packages.
func goTexts(t *testing.T, name string, yield func(at token.Position, what, text string)) {
	t.Helper()
	set := token.NewFileSet()
	file := oktest.Value(parser.ParseFile(set, name, nil, parser.ParseComments))(t)
	for _, group := range file.Comments {
		yield(set.Position(group.Pos()), "the comment", group.Text())
	}
	if strings.HasSuffix(name, "_test.go") {
		return
	}
	known := map[string]bool{}
	fixed := kernel[name] != "" || kernel[filepath.ToSlash(filepath.Dir(name))] != ""
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if !known[n.Name] {
				known[n.Name] = true
				yield(set.Position(n.Pos()), "the name "+n.Name, n.Name)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !fixed && strings.Count(n.Value, " ") > 1 {
				yield(set.Position(n.Pos()), "the text", n.Value)
			}
		}
		return true
	})
}

func TestEverythingIsPlainEnglish(t *testing.T) {
	seen := map[string]int{}
	for _, top := range []string{"cmd", "compiler", "resolver", "site", "templates", "assets", "packs", "testdata/script", "."} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			name = filepath.ToSlash(name)
			ext := filepath.Ext(name)
			switch {
			case err != nil:
				return err
			case d.IsDir():
				if name != top && (top == "." || slices.Contains([]string{"testdata", "node_modules", "dist", "compiled", "runs", "indexes", "sources"}, d.Name())) {
					return filepath.SkipDir
				}
				return nil
			case wordLists[name] != "" || name == "CHANGELOG.md":
				return nil
			case ext == ".go":
				seen[ext]++
				goTexts(t, name, func(at token.Position, what, text string) {
					for _, fault := range translated(text) {
						t.Errorf("%s: %s: %s", at, what, fault)
					}
				})
			case ext == ".html" && top == "templates", ext == ".ts", ext == ".css", ext == ".md", ext == ".txtar":
				seen[ext]++
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				for i, line := range strings.Split(string(text), "\n") {
					for _, fault := range translated(line) {
						t.Errorf("%s:%d: %s", name, i+1, fault)
					}
				}
			}
			return nil
		})
		oktest.Check(t, err)
	}
	for _, ext := range []string{".go", ".html", ".ts", ".css", ".md", ".txtar"} {
		if seen[ext] == 0 {
			t.Errorf("no %s file was looked at", ext)
		}
	}
}

func TestPlainEnglishCanFail(t *testing.T) {
	for text, want := range map[string]int{
		"The file stands below the pack.":             1,
		"Mend the file, or write it anew.":            2,
		"readAnew":                                    1,
		"Graver returns the graver of the two.":       2,
		"This is no directory.":                       1,
		"Raw where there is one, else the fields.":    1,
		"A run on its way is passed over.":            2,
		"A file that is not there.":                   1,
		"An x stands for a y.":                        0,
		"Two words that tell them apart.":             0,
		"There is no file, and it is no longer used.": 0,
		"Fix the file, or write it again.":            0,
		"What the record tells, and behind that.":     2,
		"A paste that the clipboard leaves behind.":   0,
		"A line that is none; all else goes on.":      3,
		"Agents take it for instructions once more.":  2,
		"What the pack came out as.":                  1,
	} {
		if got := translated(text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}
