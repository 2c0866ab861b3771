package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/packgen/packgen/compiler/schema"
)

// errChanged says that a file is not any more what was listed.
var errChanged = errors.New("it changed while the archive was being written")

// gzipLevel is the fastest level. A pack is text, which it makes four to five
// times smaller; the best one needs four times as long for a third less, and
// packing would take far longer than reading the files. It is part of the format:
// the bytes of an archive depend on it, and on the compressor.
const gzipLevel = gzip.BestSpeed

// WriteTarGz writes the archive of a pack: below the folder name first pack.json,
// whose bytes are given, then the files in path order. The bytes depend on the
// names and contents alone: owner, mode and time are fixed. Files are opened and
// closed one by one and never held whole; one whose bytes are not those listed is an
// error.
func WriteTarGz(w io.Writer, name string, manifest []byte, files []File, open func(path string) (io.ReadCloser, error)) error {
	z, err := gzip.NewWriterLevel(w, gzipLevel)
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}

	t := tarWriter{Writer: tar.NewWriter(z), top: name + "/", buf: make([]byte, 64<<10)}
	record := File{schema.PackManifestName, int64(len(manifest)), SHA256(manifest)}
	if err := t.file(record, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(manifest)), nil }); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range files {
		if err := t.file(f, open); err != nil {
			return fmt.Errorf("archive %s of %s: %w", f.Path, name, err)
		}
	}
	if err = t.Close(); err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

// tarWriter writes the entries of one pack.
type tarWriter struct {
	*tar.Writer
	top string // the folder everything is in, with a final slash
	buf []byte
}

// file writes one file and checks that it is the one listed.
func (t *tarWriter) file(f File, open func(path string) (io.ReadCloser, error)) error {
	r, err := open(f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	// USTAR is used where it can hold the name, otherwise PAX.
	head := &tar.Header{Typeflag: tar.TypeReg, Name: t.top + f.Path, Size: f.Size, Mode: 0o644, ModTime: time.Unix(0, 0)}
	if err := t.WriteHeader(head); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.CopyBuffer(onlyWriter{io.MultiWriter(t.Writer, sum)}, io.LimitReader(r, f.Size), t.buf)
	if err != nil {
		return err
	}
	more, err := r.Read(t.buf[:1])
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n != f.Size || more != 0 || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return errChanged
	}
	return nil
}

// onlyWriter hides what else a writer can do, so that the given buffer is used.
type onlyWriter struct{ io.Writer }
