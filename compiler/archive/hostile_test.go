package archive_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
)

func TestTarEntriesThatAreNoPlainFileAreRefused(t *testing.T) {
	file := item{name: "a", body: "x"}
	for what, c := range map[string]struct {
		rule  string
		items []item
	}{
		"symbolic link out":           {archive.RuleLink, []item{{name: "l", kind: tar.TypeSymlink, link: "/etc/passwd"}}},
		"symbolic link in":            {archive.RuleLink, []item{file, {name: "l", kind: tar.TypeSymlink, link: "a"}}},
		"symbolic link to a parent":   {archive.RuleLink, []item{{name: "l", kind: tar.TypeSymlink, link: ".."}, {name: "l/x", body: "x"}}},
		"hard link out":               {archive.RuleLink, []item{{name: "l", kind: tar.TypeLink, link: "../../etc/passwd"}}},
		"hard link in":                {archive.RuleLink, []item{file, {name: "l", kind: tar.TypeLink, link: "a"}}},
		"pipe":                        {archive.RuleSpecial, []item{{name: "p", kind: tar.TypeFifo}}},
		"character device":            {archive.RuleSpecial, []item{{name: "p", kind: tar.TypeChar}}},
		"block device":                {archive.RuleSpecial, []item{{name: "p", kind: tar.TypeBlock}}},
		"contiguous file":             {archive.RuleSpecial, []item{{name: "p", kind: tar.TypeCont, body: "x"}}},
		"sparse by key":               {archive.RuleSpecial, []item{{name: "p", body: "x", records: map[string]string{"SCHILY.realsize": "9"}}}},
		"global path":                 {archive.RuleCorrupt, []item{{kind: tar.TypeXGlobalHeader, records: map[string]string{"path": "p"}}, file}},
		"global size":                 {archive.RuleCorrupt, []item{{kind: tar.TypeXGlobalHeader, records: map[string]string{"size": "0"}}, file}},
		"global sparse":               {archive.RuleSpecial, []item{{kind: tar.TypeXGlobalHeader, records: map[string]string{"SCHILY.realsize": "9"}}, file}},
		"no entry":                    {archive.RuleUnknown, nil},
		"folders alone":               {archive.RuleEmpty, []item{{name: "a/"}, {name: "a/b/"}}},
		"a link after many good ones": {archive.RuleLink, []item{file, {name: "b", body: strings.Repeat("x", 1<<20)}, {name: "l", kind: tar.TypeSymlink, link: "a"}}},
	} {
		t.Run(what, func(t *testing.T) {
			data := tarOf(t, c.items...)
			refused(t, data, archive.Limits{}, c.rule)
			refused(t, gzipOf(t, data), archive.Limits{}, c.rule)
		})
	}
}

func TestTheCommentOfGitArchiveIsTaken(t *testing.T) {
	data := tarOf(t, item{kind: tar.TypeXGlobalHeader, name: "pax_global_header", records: map[string]string{"comment": "52 hex digits"}}, item{name: "a", body: "x"})
	taken(t, data, "tar", map[string]string{"a": "x"})
}

// What archive/tar would not write.
func TestTarHeadersThatLie(t *testing.T) {
	file := tarBlock("a", '0', 1, "x")
	// The forms of GNU tar: in the header, and as PAX records with the map before the data.
	old := tarBlock("s", 'S', 0, "")
	copy(old[257:], "ustar  \x00")
	copy(old[386:], "77777777777\x0000000000000\x00")
	copy(old[483:], "77777777777\x00")
	pax := records("GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=99999", "GNU.sparse.name=s")
	sparse := tarBlock("s", '0', 512, "1\n99999\n0\n"+strings.Repeat("\x00", 502))
	for what, c := range map[string]struct {
		rule string
		data []byte
	}{
		"old sparse file of 8 GiB":     {archive.RuleSpecial, sum(old)},
		"PAX sparse file":              {archive.RuleSpecial, join(tarBlock("p", 'x', int64(len(pax)), pax), sparse)},
		"folder with a size":           {archive.RuleCorrupt, tarBlock("d", '5', 512, "")},
		"size larger than the archive": {archive.RuleTruncated, tarBlock("a", '0', 1<<20, "x")},
		"size of 8 GiB":                {archive.RuleTooLarge, tarBlock("a", '0', 1<<33-1, "x")},
		"broken checksum":              {archive.RuleCorrupt, join(file, []byte("b"), file[1:])},
		"unknown kind":                 {archive.RuleSpecial, tarBlock("a", 'Z', 1, "x")},
		"name of 2 MiB":                {archive.RuleCorrupt, join(file, tarBlock("l", 'L', 2<<20, strings.Repeat("n", 2<<20)), file)},
		"long name that escapes":       {archive.RulePath, join(tarBlock("l", 'L', 5, "../x\x00"), file)},
		"long name over a good one":    {archive.RulePath, join(file, tarBlock("x", 'x', 13, "13 path=/etc\n"), tarBlock("b", '0', 1, "x"))},
		"size hidden in a PAX record":  {archive.RuleTruncated, join(tarBlock("x", 'x', 13, "13 size=9999\n"), file)},
		"negative size":                {archive.RuleCorrupt, join(tarBlock("x", 'x', 11, "11 size=-1\n"), file)},
	} {
		t.Run(what, func(t *testing.T) {
			refused(t, join(c.data, tarEnd), archive.Limits{}, c.rule)
			refused(t, gzipOf(t, c.data, tarEnd), archive.Limits{}, c.rule)
		})
	}
}

// records writes PAX records, each with its own length in front.
func records(list ...string) string {
	var b strings.Builder
	for _, r := range list {
		n := len(r) + len("10 \n")
		fmt.Fprintf(&b, "%d %s\n", n, r)
	}
	return b.String()
}

func join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// sum puts the right checksum into a header.
func sum(block []byte) []byte {
	copy(block[148:156], "        ")
	n := 0
	for _, c := range block[:512] {
		n += int(c)
	}
	for i := range 6 {
		block[153-i] = byte('0' + n>>(3*i)&7)
	}
	block[154] = 0
	return block
}

func TestWhatIsAfterTheEndIsRefused(t *testing.T) {
	items := []item{{name: "a", body: "x"}, {name: "b", body: "y"}}
	plain, zipped := tarOf(t, items...), zipOf(t, items...)
	packed := gzipOf(t, plain)
	pad := make([]byte, 10240)
	taken(t, join(plain, pad), "tar", map[string]string{"a": "x", "b": "y"})
	taken(t, gzipOf(t, plain, pad), "tar.gz", map[string]string{"a": "x", "b": "y"})
	for what, data := range map[string][]byte{
		"tar and a byte":           join(plain, []byte("x")),
		"tar and a tar":            join(plain, plain),
		"tar and a zip":            join(plain, zipped),
		"gzip and a byte":          join(packed, []byte("x")),
		"gzip and a zero":          join(packed, []byte{0}),
		"gzip and an empty member": join(packed, gzipOf(t)),
		"gzip in two members":      join(gzipOf(t, plain[:1024]), gzipOf(t, plain[1024:])),
		"gzip of two tars":         gzipOf(t, plain, plain),
		"gzip of a tar and a byte": gzipOf(t, plain, []byte("x")),
		"zip and a byte":           join(zipped, []byte("x")),
		"zip and zeros":            join(zipped, make([]byte, 100)),
	} {
		t.Run(what, func(t *testing.T) {
			x, _, err := extract(t, data, archive.Limits{})
			var r *archive.Refusal
			// The end of a tar that gzip cuts at a member is missing to the tar first.
			if !errors.As(err, &r) || r.Rule != archive.RuleTrailing && (what != "gzip in two members" || r.Rule != archive.RuleTruncated) {
				t.Errorf("%v %v", x, err)
			}
		})
	}
	// Far after the data, the end record is not found at all.
	refused(t, join(zipped, make([]byte, 1<<17)), archive.Limits{}, archive.RuleTruncated)
}

func TestWhatIsNoArchiveIsRefused(t *testing.T) {
	for what, data := range map[string]string{
		"nothing": "", "text": "hello", "zeros": strings.Repeat("\x00", 10240), "long text": strings.Repeat("hello\n", 1000),
		"gzip of text": string(gzipOf(t, []byte("hello"))), "gzip of nothing": string(gzipOf(t)), "gzip of zeros": string(gzipOf(t, make([]byte, 10240))),
		"bzip2": "BZh91AY&SY", "7z": "7z\xbc\xaf\x27\x1c", "HTML": "<!doctype html><title>Not Found</title>",
		"gzip of gzip": string(gzipOf(t, gzipOf(t, tarOf(t, item{name: "a", body: "x"})))),
	} {
		t.Run(what, func(t *testing.T) { refused(t, []byte(data), archive.Limits{}, archive.RuleUnknown) })
	}
	_, err := archive.Extract(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "x"), archive.Options{})
	var r *archive.Refusal
	if !errors.As(err, &r) || r.Rule != archive.RuleUnknown {
		t.Errorf("a folder: %v", err)
	}
}

// Cut anywhere, an archive is refused, or nothing but padding was cut off.
func TestArchivesCutShort(t *testing.T) {
	items := []item{{name: "a.md", body: "hello, hello, hello"}, {name: "d/" + strings.Repeat("long-", 30) + "b.md", body: "x"}}
	plain := tarOf(t, items...)
	whole := taken(t, plain, "tar", map[string]string{items[0].name: items[0].body, items[1].name: items[1].body})
	for what, data := range map[string][]byte{
		"tar":     plain,
		"tar.gz":  gzipOf(t, plain),
		"zip":     zipOf(t, items...),
		"zip+tar": zipOf(t, item{name: "a.tar", body: string(plain)}),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			for n := range data {
				if r := n % 512; what == "tar" && 1 < r && r < 511 && r%50 != 0 {
					continue // inside a block, all is alike
				}
				write(t, filepath.Join(top, "a"), string(data[:n]))
				x, err := archive.Extract(t.Context(), filepath.Join(top, "a"), filepath.Join(top, "tree"), archive.Options{})
				var r *archive.Refusal
				switch {
				case err == nil && (what != "tar" || archive.TreeHash(x.Files) != archive.TreeHash(whole.Files)):
					t.Fatalf("cut at %d of %d: taken as %v", n, len(data), x.Files)
				case err == nil:
					oktest.Check(t, os.RemoveAll(filepath.Join(top, "tree")))
				case !errors.As(err, &r):
					t.Fatalf("cut at %d of %d: %v", n, len(data), err)
				case r.Rule != archive.RuleTruncated && n > 512 && what != "zip+tar":
					t.Fatalf("cut at %d of %d: %v", n, len(data), err)
				}
				if got := listed(t, top); err != nil && len(got) != 1 {
					t.Fatalf("cut at %d: left over %v", n, got)
				}
			}
		})
	}
}

func TestNestedTooDeep(t *testing.T) {
	data := zipOf(t, item{name: "a", body: "x"})
	for range 2 {
		data = zipOf(t, item{name: "a.zip", body: string(data)})
	}
	taken(t, data, "zip+zip+zip", map[string]string{"a": "x"})
	refused(t, zipOf(t, item{name: "a.zip", body: string(data)}), archive.Limits{}, archive.RuleNested)
	refused(t, data, archive.Limits{Nested: 2}, archive.RuleNested)
	// An inner archive must be one, and is held to the same rules.
	refused(t, zipOf(t, item{name: "a.zip", body: "no zip"}), archive.Limits{}, archive.RuleUnknown)
	refused(t, zipOf(t, item{name: "a.tar", body: string(tarOf(t, item{name: "../x", body: "x"}))}), archive.Limits{}, archive.RulePath)
	refused(t, zipOf(t, item{name: "a.tar", body: string(tarOf(t, item{name: "l", kind: tar.TypeSymlink, link: "x"}))}), archive.Limits{}, archive.RuleLink)
}

func TestBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", 4<<20)
	small := archive.Limits{FileBytes: 1 << 20, Bytes: 2 << 20, ArchiveBytes: 1 << 20, Files: 100}
	var many, empty, folders []item
	for _, c := range "abcdefgh" {
		many = append(many, item{name: string(c), body: zeros[:1<<19]})
	}
	for i := range 2000 {
		name := strings.Repeat("x/", 1+i%50) + string(rune('一'+i))
		empty = append(empty, item{name: "e" + string(rune('一'+i))})
		folders = append(folders, item{name: name + "/"})
	}
	var globals []item
	for range 10 {
		globals = append(globals, item{kind: tar.TypeXGlobalHeader, name: "g", records: map[string]string{"comment": strings.Repeat("x", 1<<19)}})
	}
	for what, c := range map[string]struct {
		rule  string
		items []item
	}{
		"one file of zeros":        {archive.RuleTooLarge, []item{{name: "a", body: zeros}}},
		"many files of zeros":      {archive.RuleTooLarge, many},
		"empty files":              {archive.RuleTooMany, empty},
		"folders":                  {archive.RuleTooMany, folders},
		"deep folders":             {archive.RuleTooMany, []item{{name: strings.Repeat("a/", 60) + "x"}, {name: strings.Repeat("b/", 60) + "x"}}},
		"archive inside, unpacked": {archive.RuleTooLarge, []item{{name: "a.tar", body: string(tarOf(t, item{name: "a", body: zeros[:1<<19]}))}, {name: "b.tar", body: string(tarOf(t, item{name: "b", body: zeros[:1<<19]}, item{name: "c", body: zeros[:1<<19]}, item{name: "d", body: zeros[:1<<19]}, item{name: "e", body: zeros[:1<<19]}))}}},
	} {
		t.Run(what, func(t *testing.T) {
			refused(t, gzipOf(t, tarOf(t, c.items...)), small, c.rule)
			refused(t, zipOf(t, c.items...), small, c.rule)
		})
	}
	refused(t, gzipOf(t, tarOf(t, append(globals, item{name: "a", body: "x"})...)), small, archive.RuleTooLarge)
	refused(t, gzipOf(t, tarOf(t, item{name: "a", body: "x"}), []byte(zeros)), small, archive.RuleTooLarge)
	refused(t, gzipOf(t, tarOf(t, item{name: "a", body: "x"}), []byte(zeros[:1<<20]), []byte("x")), small, archive.RuleTrailing)
	refused(t, tarOf(t, item{name: "a", body: zeros}), small, archive.RuleTooLarge)
}

// The headers say 10 GB and the data would be: not a byte of it is read.
func TestTenGigabytesThatAHeaderPromises(t *testing.T) {
	top := t.TempDir()
	name := filepath.Join(top, "a.tar.gz")
	f, err := os.Create(name)
	oktest.Check(t, err)
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	err = w.WriteHeader(&tar.Header{Name: "zeros", Size: 10 << 30, Mode: 0o644})
	_, more := io.CopyN(z, zero{}, 32<<20)
	oktest.Check(t, errors.Join(err, more, z.Close(), f.Close()))
	_, err = archive.Extract(t.Context(), name, filepath.Join(top, "tree"), archive.Options{})
	var r *archive.Refusal
	if !errors.As(err, &r) || r.Rule != archive.RuleTooLarge || !strings.Contains(r.Message, "64 MiB") {
		t.Errorf("error %v", err)
	}
}

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAnArchiveThatIsTooLargeIsNotRead(t *testing.T) {
	data := zipOf(t, item{name: "a", body: "x"})
	r := refused(t, data, archive.Limits{ArchiveBytes: int64(len(data)) - 1}, archive.RuleTooLarge)
	if !strings.Contains(r.Message, "the limit is") {
		t.Error(r)
	}
	if _, _, err := extract(t, data, archive.Limits{ArchiveBytes: int64(len(data))}); err != nil {
		t.Error(err)
	}
}

func TestLimitsAreWhatIsAllowed(t *testing.T) {
	data := tarOf(t, item{name: "d/a", body: "12345"}, item{name: "d/b", body: "1234567"})
	if _, _, err := extract(t, data, archive.Limits{Files: 3, Bytes: 12, FileBytes: 7, PathBytes: 3, Depth: 2, Nested: 1}); err != nil {
		t.Error(err)
	}
	refused(t, data, archive.Limits{Files: 2}, archive.RuleTooMany)
	refused(t, data, archive.Limits{Bytes: 11}, archive.RuleTooLarge)
	refused(t, data, archive.Limits{FileBytes: 6}, archive.RuleTooLarge)
	refused(t, data, archive.Limits{PathBytes: 2}, archive.RulePath)
	refused(t, data, archive.Limits{Depth: 1}, archive.RulePath)
	zipped := zipOf(t, item{name: "d/a", body: "12345"}, item{name: "d/b", body: "1234567"})
	if _, _, err := extract(t, zipped, archive.Limits{Files: 3, Bytes: 12, FileBytes: 7, PathBytes: 3, Depth: 2, Nested: 1}); err != nil {
		t.Error(err)
	}
	refused(t, zipped, archive.Limits{Bytes: 11}, archive.RuleTooLarge)
	refused(t, zipped, archive.Limits{FileBytes: 6}, archive.RuleTooLarge)
}

func TestAPassedDeadlineIsNoRefusal(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "a"), string(tarOf(t, item{name: "a", body: "x"})))
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	_, err := archive.Extract(ctx, filepath.Join(top, "a"), filepath.Join(top, "tree"), archive.Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
