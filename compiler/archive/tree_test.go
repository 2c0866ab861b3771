package archive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
)

// What CheckTree takes, Extract takes, and what it refuses, Extract refuses by the
// same rule.
func TestCheckTreeSaysWhatExtractWillSay(t *testing.T) {
	limits := archive.Limits{Files: 6, Bytes: 20, FileBytes: 10}
	for want, tree := range map[string][]item{
		"":                         {{name: "a/b", body: "0123456789"}, {name: "a/c", body: "0123456789"}, {name: "d"}},
		archive.RulePath:           {{name: "a"}, {name: "aux.md"}},
		archive.RuleClash:          {{name: "README.md"}, {name: "readme.md"}},
		archive.RuleTooMany:        {{name: "a/b/c/d/e/f/g"}},
		archive.RuleTooLarge:       {{name: "a", body: "0123456789a"}},
		archive.RuleTooLarge + " ": {{name: "a", body: "0123456789"}, {name: "b", body: "0123456789"}, {name: "c", body: "0"}},
	} {
		var files []archive.File
		for _, it := range tree {
			files = append(files, archive.File{Path: it.name, Size: int64(len(it.body))})
		}
		_, _, extracted := extract(t, tarOf(t, tree...), limits)
		for what, err := range map[string]error{"CheckTree": archive.CheckTree(files, limits), "Extract": extracted} {
			var r *archive.Refusal
			if errors.As(err, &r); err != nil != (want != "") || err != nil && r.Rule != strings.TrimSpace(want) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
		}
	}
}

// Nothing of a tar archive with too many entries is unpacked: progress counts what
// is read to be unpacked.
func TestTooManyEntriesAreCountedBeforeTheFirstIsWritten(t *testing.T) {
	plain := tarOf(t, item{name: "a", body: "x"}, item{name: "b", body: "y"}, item{name: "c", body: "z"})
	for name, data := range map[string][]byte{"a.tar": plain, "a.tar.gz": gzipOf(t, plain)} {
		for files, taken := range map[int]bool{2: false, 3: true} {
			file := filepath.Join(t.TempDir(), name)
			oktest.Check(t, os.WriteFile(file, data, 0o666))
			read := int64(0)
			_, err := archive.Extract(context.Background(), file, filepath.Join(t.TempDir(), "out"), archive.Options{
				Limits: archive.Limits{Files: files}, Progress: func(done, _ int64) { read = max(read, done) },
			})
			var refusal *archive.Refusal
			switch {
			case taken && (err != nil || read == 0):
				t.Errorf("%s within the limit: %v, %d bytes read", name, err, read)
			case !taken && (!errors.As(err, &refusal) || refusal.Rule != archive.RuleTooMany || read != 0):
				t.Errorf("%s beyond the limit: %v, %d bytes read to be unpacked", name, err, read)
			}
		}
	}
}

// hostilePaths are paths that no archive may hold, by what is wrong with them.
var hostilePaths = map[string]string{
	"parent":                   "../x",
	"parent alone":             "..",
	"parent inside":            "a/../../x",
	"parent that comes back":   "a/../x",
	"parent at the end":        "a/..",
	"parent after the dot":     "./../x",
	"absolute":                 "/etc/passwd",
	"absolute after the dot":   ".//etc/passwd",
	"network share":            "//host/share",
	"backslash":                `a\b`,
	"backslash parent":         `..\x`,
	"drive":                    "C:/x",
	"drive without a slash":    "c:x",
	"drive further in":         "a/C:x",
	"hidden stream":            "a.txt:b",
	"NUL":                      "a\x00.md",
	"newline":                  "a\nb",
	"escape":                   "a\x1b[2Jb",
	"delete":                   "a\x7f",
	"C1 control":               "a\u009bb",
	"not UTF-8":                "a\xff",
	"overlong slash":           "a\xc0\xafb",
	"surrogate":                "a\xed\xa0\x80",
	"empty name inside":        "a//b",
	"dot inside":               "a/./b",
	"dot at the end":           "a/.",
	"trailing dot":             "a.",
	"trailing dot in a parent": "a./b",
	"three dots":               "...",
	"trailing blank":           "a /b",
	"blank":                    " ",
	"reserved":                 "con",
	"reserved with extension":  "a/NUL.md",
	"reserved with two":        "aux.tar.md",
	"reserved before a blank":  "Prn .md",
	"reserved port":            "docs/COM1",
	"reserved printer":         "lpt9.md",
	"reserved superscript":     "COM².md",
	"reserved console":         "CONOUT$",
	"star":                     "a*b.md",
	"question mark":            "docs/what?.md",
	"quotation mark":           "a\"b",
	"bar":                      "a|b.md",
	"angle brackets":           "a/<b>.md",
	"git":                      ".git/config",
	"git further down":         "a/.git/HEAD",
	"git by case":              ".Git/config",
	"git unseen":               ".g\u200cit/config",
	"git's short name":         "git~1/config",
	"git's other short name":   "a/GIT~23",
	"too long":                 strings.Repeat("a/", 30) + strings.Repeat("b", 1281-60),
	"too deep":                 strings.Repeat("a/", 64) + "b",
}

func TestPathsThatNoArchiveMayHold(t *testing.T) {
	for what, name := range hostilePaths {
		t.Run(what, func(t *testing.T) {
			var r *archive.Refusal
			if err := archive.CheckPath(strings.TrimPrefix(name, "./")); !errors.As(err, &r) || r.Rule != archive.RulePath {
				t.Errorf("CheckPath: %v", err)
			}
			refused(t, rawZip(honest("good.md", "x"), honest(name, "x")), archive.Limits{}, archive.RulePath)
			refused(t, rawZip(honest(name, "x")), archive.Limits{}, archive.RulePath)
			if strings.Contains(name, "\x00") {
				return // a tar header cannot say it; see the test of PAX records
			}
			data := tarOf(t, item{name: "good.md", body: "x"}, item{name: name, body: "x", kind: '0'})
			refused(t, data, archive.Limits{}, archive.RulePath)
			refused(t, gzipOf(t, data), archive.Limits{}, archive.RulePath)
			// As a folder it is no better.
			refused(t, tarOf(t, item{name: name + "/", kind: '5'}, item{name: "x"}), archive.Limits{}, archive.RulePath)
		})
	}
}

func TestPathsThatAnArchiveMayHold(t *testing.T) {
	for _, name := range []string{
		"a", ".nojekyll", "..a", "a..b", "console", "com", "COM10", "com1x.md", "nul-set.md", "a/b/c.md", "ä/ß.md", "中文.md",
		"a b.md", "a'bc.md", ".gitignore", "git~x", "~", "-rf", strings.Repeat("a/", 63) + "b", "x\u200dy",
	} {
		if err := archive.CheckPath(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		taken(t, tarOf(t, item{name: name, body: "x"}), "tar", map[string]string{name: "x"})
		taken(t, rawZip(honest(name, "x")), "zip", map[string]string{name: "x"})
	}
}

func TestNULInAPAXPathIsRefused(t *testing.T) {
	data := append(tarBlock("pax", 'x', 14, "14 path=a\x00.md\n"), tarBlock("a", '0', 1, "x")...)
	refused(t, append(data, tarEnd...), archive.Limits{}, archive.RuleCorrupt)
}

func TestFoldersThatAreNotTheRoot(t *testing.T) {
	for _, name := range []string{"/", "././", ".//", "../", "//", " /"} {
		refused(t, tarOf(t, item{name: name, kind: '5'}, item{name: "x"}), archive.Limits{}, archive.RulePath)
		refused(t, zipOf(t, item{name: name}, item{name: "x"}), archive.Limits{}, archive.RulePath)
	}
}

func TestPathsThatClash(t *testing.T) {
	clashes := map[string][]string{
		"twice":                     {"a.md", "b.md", "a.md"},
		"letter case":               {"README.md", "readme.md"},
		"letter case of a folder":   {"Docs/a.md", "docs/b.md"},
		"folder further up":         {"a/B/c/d", "a/b/c/e"},
		"case beyond ASCII":         {"Ä.md", "ä.md"},
		"full folding":              {"straße.md", "STRASSE.md"},
		"final sigma":               {"ος", "οσ"},
		"Unicode form":              {"caf\u00e9.md", "cafe\u0301.md"},
		"Unicode form of a folder":  {"caf\u00e9/a", "cafe\u0301/b"},
		"order of marks":            {"a\u0323\u0307", "a\u0307\u0323"},
		"Kelvin sign":               {"k.md", "\u212a.md"},
		"unseen":                    {"a.md", "a\u200c.md"},
		"unseen in a folder":        {"a\u200d/b", "a/c"},
		"file then folder":          {"a", "a/b"},
		"folder then file":          {"a/b", "a"},
		"file then folder, by case": {"A", "a/b"},
		"folder entry then file":    {"a/", "a"},
		"file then folder entry":    {"a", "a/"},
		"folder entries by case":    {"A/", "a/", "x"},
	}
	for what, names := range clashes {
		t.Run(what, func(t *testing.T) {
			var items []item
			var lies []*zipLie
			for _, name := range names {
				it := item{name: name}
				if !strings.HasSuffix(name, "/") {
					it.body = "x"
				}
				items = append(items, it)
				lie := honest(name, it.body)
				if it.body == "" {
					lie.mode = 0o40755
				}
				lies = append(lies, lie)
			}
			refused(t, tarOf(t, items...), archive.Limits{}, archive.RuleClash)
			refused(t, rawZip(lies...), archive.Limits{}, archive.RuleClash)
		})
	}
}

func TestAFolderMayComeTwiceAndAfterItsFiles(t *testing.T) {
	data := tarOf(t, item{name: "./"}, item{name: "./a/b.md", body: "x"}, item{name: "a/"}, item{name: "./a/"}, item{name: "empty/"})
	taken(t, data, "tar", map[string]string{"a/b.md": "x"})
	data = zipOf(t, item{name: "a/b.md", body: "x"}, item{name: "a/"}, item{name: "a/"}, item{name: "./"})
	taken(t, data, "zip", map[string]string{"a/b.md": "x"})
}
