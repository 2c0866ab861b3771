package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
)

const (
	tarBlock  = 512       // bytes of a header, and what every file is padded to
	tarEnd    = 2         // blocks of zeros that end an archive
	tarHeader = 4 << 10   // bytes of headers allowed for each entry
	readAhead = 128 << 10 // bytes
)

// unpackGzip unpacks a gzip stream that holds a tar archive. It takes one gzip
// member with nothing after it: what comes after, some programs read and others
// do not.
func unpackGzip(r io.Reader, s *sink) error {
	packed := bufio.NewReaderSize(r, readAhead)
	unzip, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	unzip.Multistream(false)
	plain := bufio.NewReaderSize(&capped{r: unzip, left: streamLimit(s.limits), s: s}, readAhead)
	block, err := plain.Peek(tarBlock)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !isTar(block) {
		return refuse(RuleUnknown, "", hintFormats, "this is a gzip file that holds no tar archive")
	}
	if err := unpackTar(plain, s); err != nil {
		return err
	}
	if _, err := packed.Peek(1); err == nil {
		return refuse(RuleTrailing, "", hintAgain, "there are bytes after the end of the gzip stream")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// streamLimit is how many bytes a tar archive with those limits may have.
func streamLimit(l Limits) int64 {
	headers := int64(l.Files+1) * tarHeader
	if l.Bytes > math.MaxInt64-headers {
		return math.MaxInt64
	}
	return l.Bytes + headers
}

// capped ends in a refusal when more comes than the limits allow, headers and
// padding included.
type capped struct {
	r    io.Reader
	left int64 // bytes
	s    *sink
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, refuse(RuleTooLarge, "", hintLimit, "the archive unpacks to more than %s and the headers of %d entries",
			bytesize.Text(c.s.limits.Bytes), c.s.limits.Files)
	}
	return n, err
}

// unpackTar unpacks a tar archive and reads r to its end.
func unpackTar(r io.Reader, s *sink) error {
	in := &counted{r: r}
	archive := tar.NewReader(in)
	for {
		start := (in.n + tarBlock - 1) / tarBlock * tarBlock // of the next header
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return in.end(start)
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) { // our own check says more
			return err
		}
		if err := unpackTarEntry(head, archive, s); err != nil {
			return err
		}
	}
}

func unpackTarEntry(head *tar.Header, content io.Reader, s *sink) error {
	if head.Typeflag == tar.TypeXGlobalHeader {
		if r := s.names.count(""); r != nil {
			return r
		}
		return checkGlobal(head)
	}
	if r := checkKind(head); r != nil {
		return r
	}
	isFolder := head.Typeflag == tar.TypeDir
	if isFolder && head.Size != 0 {
		return refuse(RuleCorrupt, head.Name, hintAttack, "the folder has a size")
	}
	name, isRoot := entryPath(head.Name, isFolder)
	if isRoot {
		return nil
	}
	if err := s.take(name, isFolder); err != nil || isFolder {
		return err
	}
	if err := s.allow(name, head.Size); err != nil {
		return err
	}
	if err := s.write(name, content); err != nil {
		return about(err, name)
	}
	return nil
}

// checkGlobal refuses a header for all entries to come that says more than a
// comment would: some programs follow it and others do not.
func checkGlobal(head *tar.Header) error {
	for key := range head.PAXRecords {
		switch key {
		case "path", "linkpath", "size":
			return refuse(RuleCorrupt, "", hintAttack, "a global header gives all entries the same %s", key)
		}
		if isSparseKey(key) {
			return refuse(RuleSpecial, "", hintSparse, "a global header makes files sparse")
		}
	}
	return nil
}

// hintSparse says how to make an archive without sparse files.
const hintSparse = "make the archive again without sparse files (tar without --sparse)"

func isSparseKey(key string) bool {
	return strings.HasPrefix(key, "GNU.sparse.") || key == "SCHILY.realsize"
}

// checkKind refuses everything but plain files and folders.
func checkKind(head *tar.Header) *Refusal {
	const hintLink = "put the file itself in its place (tar --dereference --hard-dereference)"
	const hintPlain = "leave it out: an archive may hold files and folders alone"
	switch head.Typeflag {
	case tar.TypeSymlink:
		return refuse(RuleLink, head.Name, hintLink, "the entry is a symbolic link to \"%s\"", shown(head.Linkname))
	case tar.TypeLink:
		return refuse(RuleLink, head.Name, hintLink, "the entry is a hard link to \"%s\"", shown(head.Linkname))
	case tar.TypeFifo:
		return refuse(RuleSpecial, head.Name, hintPlain, "the entry is a pipe")
	case tar.TypeChar, tar.TypeBlock:
		return refuse(RuleSpecial, head.Name, hintPlain, "the entry is a device")
	case tar.TypeGNUSparse:
		return refuse(RuleSpecial, head.Name, hintSparse, "the entry is a sparse file")
	case tar.TypeReg, tar.TypeDir:
	default:
		return refuse(RuleSpecial, head.Name, hintPlain, "the entry is of the kind %q, neither a file nor a folder", head.Typeflag)
	}
	for key := range head.PAXRecords {
		if isSparseKey(key) {
			return refuse(RuleSpecial, head.Name, hintSparse, "the entry is a sparse file")
		}
	}
	return nil
}

// isTar reports whether a block starts a tar archive.
func isTar(block []byte) bool {
	if len(block) < tarBlock {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(block)).Next()
	return err == nil || errors.Is(err, tar.ErrInsecurePath) || errors.Is(err, io.ErrUnexpectedEOF) // it needs more blocks
}

// counted counts the bytes that a tar archive has had, and the zeros at its end.
type counted struct {
	r     io.Reader
	n     int64
	zeros int64 // bytes of zero right before n
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	run := 0
	for run < n && p[n-1-run] == 0 {
		run++
	}
	if run == n {
		c.zeros += int64(n)
	} else {
		c.zeros = int64(run)
	}
	return n, err
}

// end reads what follows the last entry, which ended before the header at start:
// the blocks of zeros that end an archive, and zeros up to the size of a tape
// record. Without those blocks the archive was cut short between two entries.
func (c *counted) end(start int64) error {
	whole := c.zeros >= c.n-start
	if _, err := io.Copy(io.Discard, struct{ io.Reader }{c}); err != nil {
		return err
	}
	padding := c.n - start
	switch {
	case !whole || padding < tarEnd*tarBlock:
		return refuse(RuleTruncated, "", hintAgain, "the archive has no end: it was cut short")
	case c.zeros < padding:
		return refuse(RuleTrailing, "", hintAgain, "there are bytes after the end of the archive")
	}
	return nil
}
