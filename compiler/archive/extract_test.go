package archive_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
)

func TestExtractUnpacksEveryFormatAndLayer(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 40_000) // more than a writer takes at once
	files := map[string]string{"KNOWLEDGE.md": "k", "documents/a.md": "a", "documents/empty.md": "", "wiki/x/y/z.md": big}
	items := []item{{name: "wiki/x/y/z.md", body: big}, {name: "documents/"}, {name: "documents/empty.md"}, {name: "documents/a.md", body: "a"}, {name: "KNOWLEDGE.md", body: "k"}}
	plain, zipped := tarOf(t, items...), zipOf(t, items...)
	packed := gzipOf(t, plain)
	for format, data := range map[string][]byte{
		"tar":            plain,
		"tar.gz":         packed,
		"zip":            zipped,
		"zip+tar":        zipOf(t, item{name: "artifact.tar", body: string(plain)}),
		"zip+tar.gz":     zipOf(t, item{name: "dist/"}, item{name: "dist/p.TGZ", body: string(packed)}),
		"zip+zip+tar.gz": zipOf(t, item{name: "p.zip", body: string(zipOf(t, item{name: "p.tar.gz", body: string(packed)}))}),
		"tar.gz+zip":     gzipOf(t, tarOf(t, item{name: "p.zip", body: string(zipped)})),
		"tar+tar":        tarOf(t, item{name: "p.tar", body: string(plain)}),
	} {
		t.Run(format, func(t *testing.T) { taken(t, data, format, files) })
	}
}

func TestSeveralArchivesInOneBecomeAFolderEach(t *testing.T) {
	one := string(gzipOf(t, tarOf(t, item{name: "x", body: "1"})))
	two := string(zipOf(t, item{name: "x", body: "2"}))
	taken(t, zipOf(t, item{name: "d/one.tar.gz", body: one}, item{name: "two.zip", body: two}), "zip+tar.gz|zip",
		map[string]string{"d/one/x": "1", "two/x": "2"})
	refused(t, zipOf(t, item{name: "one.tar.gz", body: one}, item{name: "ONE.tgz", body: one}), archive.Limits{}, archive.RuleClash)
}

func TestAnArchiveBesideOtherFilesStaysAsItIs(t *testing.T) {
	inner := string(gzipOf(t, tarOf(t, item{name: "x", body: "1"})))
	taken(t, zipOf(t, item{name: "pack.json", body: "{}"}, item{name: "pack.tar.gz", body: inner}), "zip",
		map[string]string{"pack.json": "{}", "pack.tar.gz": inner})
	taken(t, zipOf(t, item{name: ".zip", body: "x"}), "zip", map[string]string{".zip": "x"})
}

func TestTheTargetMustNotExistOrBeEmpty(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	write(t, at("a.zip"), string(zipOf(t, item{name: "x", body: "new"})))
	write(t, at("full/x"), "old")
	write(t, at("file"), "old")
	oktest.Check(t, errors.Join(os.Mkdir(at("empty"), 0o700), os.Symlink("full", at("link"))))
	for _, name := range []string{"full", "file", "link"} {
		if _, err := archive.Extract(t.Context(), at("a.zip"), at(name), archive.Options{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := archive.Extract(t.Context(), at("a.zip"), at("empty"), archive.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := archive.Extract(t.Context(), at("a.zip"), at("not/there"), archive.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := archive.Extract(t.Context(), at("no.zip"), at("new"), archive.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if got := strings.Join(listed(t, top), " "); got != "a.zip empty file full link" {
		t.Errorf("left over: %s", got)
	}
	if old, err := os.ReadFile(at("full/x")); string(old) != "old" || err != nil {
		t.Errorf("overwritten: %q %v", old, err)
	}
}

func write(t testing.TB, name, body string) {
	t.Helper()
	oktest.Check(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(body), 0o600)))
}

func TestACancelledExtractLeavesNothing(t *testing.T) {
	var items []item
	for _, c := range "abcdefghij" {
		items = append(items, item{name: string(c), body: strings.Repeat(string(c), 300_000)})
	}
	for what, data := range map[string][]byte{"tar": tarOf(t, items...), "zip": zipOf(t, items...), "tar.gz": gzipOf(t, tarOf(t, items...))} {
		t.Run(what, func(t *testing.T) {
			top := t.TempDir()
			write(t, filepath.Join(top, "a"), string(data))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := archive.Extract(ctx, filepath.Join(top, "a"), filepath.Join(top, "tree"), archive.Options{Progress: func(done, total int64) { cancel() }})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if got := listed(t, top); len(got) != 1 {
				t.Errorf("left over: %v", got)
			}
		})
	}
}

func TestAFailedWriteLeavesNothingAndNamesTheFile(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "a"), string(tarOf(t, item{name: strings.Repeat("n", 256), body: "x"}))) // longer than a file system takes
	_, err := archive.Extract(t.Context(), filepath.Join(top, "a"), filepath.Join(top, "tree"), archive.Options{})
	var r *archive.Refusal
	if err == nil || errors.As(err, &r) || !strings.Contains(err.Error(), "create nnn") {
		t.Errorf("error %v", err)
	}
	if got := listed(t, top); len(got) != 1 {
		t.Errorf("left over: %v", got)
	}
}

func TestProgressEndsAtTheWhole(t *testing.T) {
	inner := tarOf(t, item{name: "x", body: strings.Repeat("x", 1<<20)})
	top := t.TempDir()
	for what, data := range map[string][]byte{"a": zipOf(t, item{name: "a.tar", body: string(inner)}), "b": gzipOf(t, inner)} {
		write(t, filepath.Join(top, what), string(data))
		var done, total int64
		_, err := archive.Extract(t.Context(), filepath.Join(top, what), filepath.Join(top, what+"-tree"), archive.Options{Progress: func(d, all int64) {
			if d < done || all < total || d > all {
				t.Errorf("%d of %d after %d of %d", d, all, done, total)
			}
			done, total = d, all
		}})
		if err != nil || total < int64(len(data)) || done < total-200 {
			t.Errorf("%s: ended at %d of %d, archive has %d: %v", what, done, total, len(data), err)
		}
	}
}

func TestRefusalsNameArchiveEntryAndLimitInPrintableWords(t *testing.T) {
	inner := tarOf(t, item{name: "docs/\u202egnp.exe", body: "12345"})
	r := refused(t, zipOf(t, item{name: "artifact.tar", body: string(inner)}), archive.Limits{FileBytes: 4}, archive.RuleTooLarge)
	got := r.Error()[strings.LastIndex(r.Error(), "/a > "):]
	want := `/a > artifact.tar: docs/\u202egnp.exe: the file unpacks to more than 4 bytes, the limit for one file [archive-too-large]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLongNamesAreCutBetweenCharacters(t *testing.T) {
	name := "x" + strings.Repeat("é", 400) + "/../y"
	r := refused(t, rawZip(honest(name, "x")), archive.Limits{}, archive.RulePath)
	if want := ": x" + strings.Repeat("é", 99) + "…: the path has"; !strings.Contains(r.Error(), want) || r.Path != name {
		t.Error(r)
	}
}
