package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
)

const (
	hintAgain   = "fetch or make the archive again"
	hintFormats = "name a .tar, a .tar.gz or a .zip file"
)

// one unpacks one archive file into the sink and returns its format.
func (e *extraction) one(from source, s *sink) (string, error) {
	f, size, err := e.open(from.file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	e.total += size
	s.prefix = from.prefix
	in := &input{ctx: e.ctx, file: f, e: e}
	head := make([]byte, tarBlock)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return "zip", unpackZip(in, size, s)
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		if err := countGzip(in, size, s); err != nil {
			return "", err
		}
		return "tar.gz", unpackGzip(in, s)
	case isTar(head):
		if err := countTar(io.NewSectionReader(in, 0, size), s); err != nil {
			return "", err
		}
		plain := &capped{r: bufio.NewReaderSize(in, readAhead), left: streamLimit(s.limits), s: s}
		return "tar", unpackTar(plain, s)
	case n == 0:
		return "", refuse(RuleUnknown, "", hintAgain, "the file is empty")
	}
	return "", refuse(RuleUnknown, "", hintFormats, "this is not an archive that packgen can read")
}

// open opens an archive file that is not too large.
func (e *extraction) open(name string) (*os.File, int64, error) {
	f, info, err := regularfile.Open(name)
	if errors.Is(err, regularfile.ErrFile) {
		return nil, 0, refuse(RuleUnknown, "", hintFormats, "this is not a regular file")
	}
	if err != nil {
		return nil, 0, err
	}
	if info.Size() > e.limits.ArchiveBytes {
		return nil, 0, errors.Join(f.Close(), refuse(RuleTooLarge, "", hintLimit, "the archive has %s; the limit is %s", bytesize.Text(info.Size()), bytesize.Text(e.limits.ArchiveBytes)))
	}
	return f, info.Size(), nil
}

// input reads an archive file until the context ends, and says how far it is.
type input struct {
	ctx  context.Context
	file *os.File
	e    *extraction
}

func (in *input) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := in.file.Read(p)
	in.advance(n)
	return n, err
}

// ReadAt is Read at an offset. Only what is read of files counts as progress.
func (in *input) ReadAt(p []byte, at int64) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	return in.file.ReadAt(p, at)
}

// Write counts bytes that were read at an offset as progress.
func (in *input) Write(p []byte) (int, error) {
	in.advance(len(p))
	return len(p), nil
}

func (in *input) advance(n int) {
	e := in.e
	e.done = min(e.done+int64(n), e.total)
	if e.progress != nil {
		e.progress(e.done, e.total)
	}
}

// about turns the errors that a broken archive leads to into a *Refusal, and names
// the entry in it.
func about(err error, entry string) error {
	var refusal *Refusal
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &refusal):
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		refusal = refuse(RuleTruncated, "", hintAgain, "the archive ends in the middle: it was cut short")
	case errors.Is(err, gzip.ErrChecksum):
		refusal = refuse(RuleCorrupt, "", hintAgain, "the checksum of the compressed data is wrong")
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader):
		refusal = refuse(RuleCorrupt, "", hintAgain, "the compressed data is damaged")
	case errors.Is(err, tar.ErrHeader), errors.Is(err, tar.ErrFieldTooLong):
		refusal = refuse(RuleCorrupt, "", hintAgain, "a header of the tar archive is damaged or too long")
	default:
		return err
	}
	if refusal.Path == "" {
		refusal.Path = entry
	}
	return refusal
}

// inArchive names the archive in a *Refusal.
func inArchive(err error, label string) error {
	err = about(err, "")
	var refusal *Refusal
	if errors.As(err, &refusal) {
		refusal.Archive = label
		return refusal
	}
	return err
}
