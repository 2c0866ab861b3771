package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
)

// item is an entry of an archive to be built; a name with a slash at its end is a
// folder.
type item struct {
	name, body string
	kind       byte // a tar type flag; 0 is a file or a folder, by the name
	link       string
	mode       os.FileMode       // for zip: kinds of files
	records    map[string]string // PAX records
}

func tarOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, it := range items {
		addTar(t, w, it)
	}
	oktest.Check(t, w.Close())
	return b.Bytes()
}

func addTar(t testing.TB, w *tar.Writer, it item) {
	t.Helper()
	head := &tar.Header{Name: it.name, Typeflag: it.kind, Linkname: it.link, Size: int64(len(it.body)), Mode: 0o600, PAXRecords: it.records}
	if it.kind == 0 {
		head.Typeflag = tar.TypeReg
		if strings.HasSuffix(it.name, "/") {
			head.Typeflag = tar.TypeDir
		}
	}
	if it.kind == tar.TypeXGlobalHeader {
		head = &tar.Header{Typeflag: it.kind, Name: it.name, PAXRecords: it.records}
	}
	if err := w.WriteHeader(head); err != nil {
		t.Fatalf("%q: %v", it.name, err)
	}
	if _, err := io.WriteString(w, it.body); err != nil {
		t.Fatal(err)
	}
}

// tarBlock is a header that archive/tar would not write, with its data.
func tarBlock(name string, kind byte, size int64, data string) []byte {
	b := make([]byte, 512, 2048)
	copy(b[:100], name)
	copy(b[100:], "0000644\x000000000\x000000000\x00")
	copy(b[124:], fmt.Sprintf("%011o\x0000000000000\x00        ", size))
	b[156] = kind
	copy(b[257:], "ustar\x0000")
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	b = append(b, data...)
	return append(b, make([]byte, (512-len(data)%512)%512)...)
}

var tarEnd = make([]byte, 1024)

func gzipOf(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	oktest.Check(t, w.Close())
	return b.Bytes()
}

func zipOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, it := range items {
		head := &zip.FileHeader{Name: it.name, Method: zip.Deflate}
		if it.mode != 0 {
			head.SetMode(it.mode)
		}
		out := oktest.Value(w.CreateHeader(head))(t)
		if _, err := io.WriteString(out, it.body); err != nil {
			t.Fatal(err)
		}
	}
	oktest.Check(t, w.Close())
	return b.Bytes()
}

// zipHead is what a header of a zip archive says.
type zipHead struct {
	name          string
	flags, method uint16
	sum           uint32
	packed, size  uint32
	extra         []byte
}

// zipLie is an entry whose two headers, data and descriptor are whatever a test
// makes of them.
type zipLie struct {
	local, central zipHead
	at             uint32 // offset that the directory gives
	mode           uint32 // Unix mode
	data           []byte // compressed, and what follows it
}

// honest is an entry that is right, to be spoilt.
func honest(name, body string) *zipLie {
	data := deflated(body)
	head := zipHead{name: name, method: zip.Deflate, sum: crc32.ChecksumIEEE([]byte(body)), packed: uint32(len(data)), size: uint32(len(body))}
	return &zipLie{local: head, central: head, mode: 0o100644, data: data}
}

func deflated(body string) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		panic(err)
	}
	_, err = io.WriteString(w, body)
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// lay writes the local headers and data and notes where they are.
func lay(entries ...*zipLie) []byte {
	var b []byte
	u := binary.LittleEndian
	for _, e := range entries {
		h := e.local
		e.at = uint32(len(b))
		b = append(b, "PK\x03\x04\x14\x00"...)
		b = h.append(b, u.AppendUint16(nil, h.flags))
		b = append(append(append(b, h.name...), h.extra...), e.data...)
	}
	return b
}

func (h zipHead) append(b, flags []byte) []byte {
	u := binary.LittleEndian
	b = append(b, flags...)
	b = u.AppendUint16(b, h.method)
	b = u.AppendUint32(b, 0) // time and date
	b = u.AppendUint32(b, h.sum)
	b = u.AppendUint32(b, h.packed)
	b = u.AppendUint32(b, h.size)
	b = u.AppendUint16(b, uint16(len(h.name)))
	return u.AppendUint16(b, uint16(len(h.extra)))
}

// direct adds the central directory and the end record.
func direct(b []byte, entries ...*zipLie) []byte {
	start := len(b)
	u := binary.LittleEndian
	for _, e := range entries {
		h := e.central
		b = append(b, "PK\x01\x02\x14\x03\x14\x00"...)
		b = h.append(b, u.AppendUint16(nil, h.flags))
		b = append(b, make([]byte, 6)...) // comment, disk, internal
		b = u.AppendUint32(b, e.mode<<16)
		b = u.AppendUint32(b, e.at)
		b = append(append(b, h.name...), h.extra...)
	}
	return endZip(b, len(entries), len(b)-start, start)
}

func endZip(b []byte, n, size, at int) []byte {
	u := binary.LittleEndian
	b = append(b, "PK\x05\x06\x00\x00\x00\x00"...)
	b = u.AppendUint16(b, uint16(n))
	b = u.AppendUint16(b, uint16(n))
	b = u.AppendUint32(b, uint32(size))
	b = u.AppendUint32(b, uint32(at))
	return u.AppendUint16(b, 0)
}

func rawZip(entries ...*zipLie) []byte { return direct(lay(entries...), entries...) }

// extract unpacks data in a fresh folder. It fails the test when a failed Extract
// leaves anything, or a good one anything but the tree.
func extract(t testing.TB, data []byte, l archive.Limits) (x *archive.Extracted, dir string, err error) {
	t.Helper()
	top := t.TempDir()
	file := filepath.Join(top, "a")
	oktest.Check(t, os.WriteFile(file, data, 0o600))
	dir = filepath.Join(top, "tree")
	x, err = archive.Extract(t.Context(), file, dir, archive.Options{Limits: l})
	want := "a"
	if err == nil {
		want = "a tree"
	}
	if got := strings.Join(listed(t, top), " "); got != want {
		t.Fatalf("the folder of the target has %q, want %q (error %v)", got, want, err)
	}
	if (x == nil) == (err == nil) {
		t.Fatalf("Extract returned %v and %v", x, err)
	}
	return x, dir, err
}

func listed(t testing.TB, dir string) []string {
	t.Helper()
	entries := oktest.Value(os.ReadDir(dir))(t)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// refused fails the test unless data is refused by that rule, in words that are fit
// to print.
func refused(t testing.TB, data []byte, l archive.Limits, rule string) *archive.Refusal {
	t.Helper()
	x, _, err := extract(t, data, l)
	if err == nil {
		t.Fatalf("not refused: %v", x.Files)
	}
	var r *archive.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("no refusal: %v", err)
	}
	if r.Rule != rule {
		t.Fatalf("refused by %s, want %s: %v", r.Rule, rule, err)
	}
	for _, text := range []string{r.Error(), r.Hint} {
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f || c == 0x202e || c == 0xfffd }) || text == "" || len(text) > 2000 {
			t.Errorf("not fit to print: %q", text)
		}
	}
	return r
}

// taken fails the test unless data is unpacked into just those files.
func taken(t testing.TB, data []byte, format string, want map[string]string) *archive.Extracted {
	t.Helper()
	x, dir, err := extract(t, data, archive.Limits{})
	oktest.Check(t, err)
	if x.Format != format {
		t.Errorf("format %q, want %q", x.Format, format)
	}
	if len(x.Files) != len(want) {
		t.Errorf("%d files, want %d: %v", len(x.Files), len(want), x.Files)
	}
	for i, f := range x.Files {
		body, ok := want[f.Path]
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if !ok || err != nil || string(got) != body {
			t.Errorf("%s holds %.40q (%v), want %.40q", f.Path, got, err, body)
		}
		if f.SHA256 != archive.SHA256([]byte(body)) || f.Size != int64(len(body)) {
			t.Errorf("%s is listed as %v", f.Path, f)
		}
		if i > 0 && cmp.Compare(x.Files[i-1].Path, f.Path) >= 0 {
			t.Errorf("%s is out of order", f.Path)
		}
	}
	return x
}
