package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/schema"
)

// published is a pack with its record.
type published struct {
	pack     *pack.Pack
	manifest *schema.PackManifest
	json     []byte
	files    []File
	open     func(string) (io.ReadCloser, error)
}

func (p published) archive(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	oktest.Check(t, WriteTarGz(&b, p.manifest.Name, p.json, p.files, p.open))
	return b.Bytes()
}

const entry = "---\nname: harbor\ndescription: Ships and tides. Use it for questions about the harbor.\ntype: research-wiki\nstatus: ready\nprofile: wiki-first\nversion: 1.2.0\ntrust: official\n---\n# Harbor\n"

// harbor is a pack with a file in every place.
func harbor() fstest.MapFS {
	m := fstest.MapFS{}
	for path, text := range map[string]string{
		"KNOWLEDGE.md": entry, "LICENSE": "MIT\n", "wiki/tides.md": "# Tides\n", "wiki/größe.md": "# Größe\n",
		"sources/log.md": "raw\n", "assets/map.svg": "<svg/>", "evals/discovery.train.json": "{}", "ontology/o.json": "{}",
		"compiled/index.json": "{}", "compiled/briefing.md": "b\n", "compiled/splits/wiki/tides.md": "t\n", "indexes/source-map.json": "{}",
		"compiled/left-over.txt":                 "old\n",
		"runs/compile-2026-05-01T10-00-00Z.json": "{}", "runs/compile-2026-05-01T10-00-00Z-2.json": "{}",
		"runs/context-2026-06-01T10-00-00Z.json": "{}", "wiki/" + strings.Repeat("long/", 50) + "name.md": "# Long\n",
		"pack.json": "not ours", "pack.tar.gz": "not ours", ".hidden": "x", "boot.yml": "a: b\n", "assets/empty": "",
	} {
		m[path] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
	}
	return m
}

func publish(t testing.TB, fsys fs.FS, o PublishOptions) published {
	t.Helper()
	p, _, err := pack.OpenFS(fsys, "harbor")
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	out := published{pack: p, open: func(path string) (io.ReadCloser, error) { return fsys.Open(path) }}
	paths, left := Published(p, o)
	if len(left) > 0 {
		t.Fatal(left)
	}
	for _, path := range paths {
		data := oktest.Value(fs.ReadFile(fsys, path))(t)
		out.files = append(out.files, File{path, int64(len(data)), SHA256(data)})
	}
	if out.manifest, err = NewManifest(p, []schema.PublishedView{}, out.files); err != nil {
		t.Fatal(err)
	}
	if out.json, err = schema.Encode(out.manifest); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPublishedLeavesOutSourcesOldRunsAndItself(t *testing.T) {
	index := &schema.Index{
		Views:  []schema.View{{Path: "compiled/briefing.md"}},
		Splits: []schema.Split{{Path: "compiled/splits/wiki/tides.md"}},
	}
	for _, tt := range []struct {
		name     string
		o        PublishOptions
		has, not string
	}{
		{"by itself", PublishOptions{}, "LICENSE boot.yml evals/discovery.train.json runs/compile-2026-05-01T10-00-00Z-2.json compiled/left-over.txt assets/empty",
			"sources/log.md runs/compile-2026-05-01T10-00-00Z.json runs/context-2026-06-01T10-00-00Z.json pack.json pack.tar.gz .hidden"},
		{"with sources", PublishOptions{Sources: true}, "sources/log.md", "pack.json"},
		{"with runs", PublishOptions{Runs: true}, "runs/context-2026-06-01T10-00-00Z.json runs/compile-2026-05-01T10-00-00Z.json", "sources/log.md"},
		{"with an index", PublishOptions{Index: index}, "compiled/briefing.md compiled/index.json compiled/splits/wiki/tides.md indexes/source-map.json", "compiled/left-over.txt"},
		{"with an index of its own", PublishOptions{}, "compiled/briefing.md compiled/index.json", "compiled/left-over.txt compiled/gone.md sources/log.md"},
		{"with a run not listed yet", PublishOptions{Run: "runs/compile-2026-07-01T10-00-00Z.json"}, "runs/compile-2026-07-01T10-00-00Z.json", "runs/compile-2026-05-01T10-00-00Z-2.json"},
		{"withheld", PublishOptions{Withheld: func(p string) bool { return p == "wiki/tides.md" }}, "LICENSE", "wiki/tides.md"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := harbor()
			if strings.HasSuffix(tt.name, "of its own") {
				own := &schema.Index{SchemaVersion: 1, Pack: "harbor", Profile: "wiki-first", RuntimeMode: "data", Views: []schema.View{
					{Path: "compiled/briefing.md", Kind: "briefing", SHA256: SHA256(nil)}, {Path: "compiled/gone.md", Kind: "gone", SHA256: SHA256(nil)},
					{Path: "sources/log.md", Kind: "log", SHA256: SHA256(nil)},
				}}
				data := oktest.Value(schema.Encode(own))(t)
				fsys["compiled/index.json"].Data = data
			}
			p, _, err := pack.OpenFS(fsys, "harbor")
			oktest.Check(t, err)
			paths, _ := Published(p, tt.o)
			list := " " + strings.Join(paths, " ") + " "
			for path := range strings.FieldsSeq(tt.has) {
				if !strings.Contains(list, " "+path+" ") {
					t.Errorf("%s is left out of%s", path, list)
				}
			}
			for path := range strings.FieldsSeq(tt.not) {
				if strings.Contains(list, " "+path+" ") {
					t.Errorf("%s is published", path)
				}
			}
		})
	}
}

// entries reads an archive with nothing but the standard library.
func entries(t testing.TB, data []byte) (names []string, content map[string][]byte) {
	t.Helper()
	z := oktest.Value(gzip.NewReader(bytes.NewReader(data)))(t)
	z.Multistream(false) // one member holds it all
	r, content := tar.NewReader(z), map[string][]byte{}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		oktest.Check(t, err)
		if h.Typeflag != tar.TypeReg || h.Mode != 0o644 || h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || h.ModTime.Unix() != 0 {
			t.Errorf("%s: header %+v", h.Name, h)
		}
		names = append(names, h.Name)
		if content[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.Copy(io.Discard, z); err != nil {
		t.Fatal(err)
	}
	return names, content
}

func TestArchiveHoldsTheRecordThenTheFilesInOrder(t *testing.T) {
	p := publish(t, harbor(), PublishOptions{})
	names, content := entries(t, p.archive(t))
	if len(names) != len(p.files)+1 || names[0] != "harbor/pack.json" || !bytes.Equal(content[names[0]], p.json) {
		t.Fatalf("%d entries, the first %s", len(names), names[0])
	}
	for i, f := range p.files {
		if names[i+1] != "harbor/"+f.Path || SHA256(content[names[i+1]]) != f.SHA256 {
			t.Errorf("entry %d is %s, want %s", i+1, names[i+1], f.Path)
		}
	}
	if p.files[0].Path != "KNOWLEDGE.md" {
		t.Error("files are not in path order")
	}
}

// The tree hash is that of golang.org/x/mod/sumdb/dirhash over the files on disk.
func TestTreeHashIsThatOfDirhash(t *testing.T) {
	p := publish(t, harbor(), PublishOptions{})
	names := []string{}
	for _, f := range p.files {
		names = append(names, f.Path)
	}
	want := oktest.Value(dirhash.Hash1(names, func(name string) (io.ReadCloser, error) { return p.open(name) }))(t)
	if p.manifest.Tree != want {
		t.Errorf("got %s, want %s", p.manifest.Tree, want)
	}
}

func TestArchiveIsTheSameWithAnyNumberOfCores(t *testing.T) {
	fsys := harbor()
	random, text := rand.New(rand.NewPCG(1, 2)), make([]byte, 3<<20+17)
	for i := range text {
		text[i] = "abcdefgh \n"[random.IntN(10)]
	}
	fsys["assets/large.txt"] = &fstest.MapFile{Data: text}
	p := publish(t, fsys, PublishOptions{})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := p.archive(t)
	for _, cores := range []int{2, 5} {
		runtime.GOMAXPROCS(cores)
		if !bytes.Equal(want, p.archive(t)) {
			t.Errorf("other bytes with %d cores", cores)
		}
	}
	if _, content := entries(t, want); !bytes.Equal(content["harbor/assets/large.txt"], text) {
		t.Error("the large file came out differently")
	}
}

// failing takes some bytes and then none.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(data []byte) (int, error) {
	if f.left -= len(data); f.left < 0 {
		return 0, errFull
	}
	return len(data), nil
}

func TestAWriterThatFailsEndsTheArchive(t *testing.T) {
	fsys := harbor()
	text := make([]byte, 40*1<<20/10)
	for i := range text {
		text[i] = byte(rand.IntN(256))
	}
	fsys["assets/noise"] = &fstest.MapFile{Data: text}
	p := publish(t, fsys, PublishOptions{})
	for _, room := range []int{0, 10, 1 << 20, 3 << 20} {
		if err := WriteTarGz(&failing{room}, "harbor", p.json, p.files, p.open); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

func TestAFileThatChangedIsNotArchived(t *testing.T) {
	for name, text := range map[string]string{"other bytes": "# tides\n", "shorter": "#\n", "longer": "# Tides\n\nMore\n"} {
		fsys := harbor()
		p := publish(t, fsys, PublishOptions{})
		fsys["wiki/tides.md"].Data = []byte(text)
		if err := WriteTarGz(io.Discard, "harbor", p.json, p.files, p.open); !errors.Is(err, errChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewManifestRefusesWhatCannotBeRead(t *testing.T) {
	p := publish(t, harbor(), PublishOptions{})
	if _, err := NewManifest(p.pack, nil, nil); err == nil {
		t.Error("no files were taken")
	}
	if _, err := NewManifest(p.pack, nil, append(p.files, p.files[0])); err == nil {
		t.Error("a file was taken twice")
	}
	if _, err := schema.DecodePackManifest(p.json); err != nil {
		t.Error(err)
	}
}

// many is a directory with files of the sizes that a pack has: n/5 pages, and four
// splits of each.
func many(tb testing.TB, n int) (dir string, paths []string) {
	tb.Helper()
	dir = tb.TempDir()
	write := func(path, text string) {
		full := filepath.Join(dir, path)
		oktest.Check(tb, os.MkdirAll(filepath.Dir(full), 0o777))
		oktest.Check(tb, os.WriteFile(full, []byte(text), 0o666))
		paths = append(paths, path)
	}
	for path, text := range packtest.Files(packtest.Options{Pages: n / 5}) {
		if !strings.HasPrefix(path, "wiki/") {
			continue
		}
		write(path, text)
		for i := range 4 {
			write(fmt.Sprintf("compiled/splits/%s-%d.md", path, i), text[i*len(text)/4:(i+1)*len(text)/4])
		}
	}
	return dir, paths
}

const benchFiles = 10_000

// BenchmarkReadFiles is what BenchmarkPack is measured by: it may take twice as
// long.
func BenchmarkReadFiles(b *testing.B) {
	dir, paths := many(b, benchFiles)
	for b.Loop() {
		for _, path := range paths {
			if _, err := os.ReadFile(filepath.Join(dir, path)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkPack reads, hashes, compares and packs the files that BenchmarkReadFiles
// reads. What they should be is known before, as a build knows it from compiling.
func BenchmarkPack(b *testing.B) {
	dir, paths := many(b, benchFiles)
	fsys := os.DirFS(dir) // opens a file as BenchmarkReadFiles does
	var files []File
	for _, path := range slices.Sorted(slices.Values(paths)) {
		data := oktest.Value(fs.ReadFile(fsys, path))(b)
		files = append(files, File{Path: path, Size: int64(len(data)), SHA256: SHA256(data)})
	}
	var sum [sha256.Size]byte
	for b.Loop() {
		h := sha256.New()
		err := WriteTarGz(h, "harbor", []byte(TreeHash(files)), files, func(path string) (io.ReadCloser, error) { return fsys.Open(path) })
		oktest.Check(b, err)
		h.Sum(sum[:0])
	}
}
