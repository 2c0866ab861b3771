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
	"math"
	"os"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
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

// The limits on an archive that a caller does not set.
const (
	defaultFiles        = 2 * schema.MaxPackFiles // files and folders: a pack of the largest size and its folders
	defaultBytes        = 1 << 30                 // bytes of all files unpacked
	defaultFileBytes    = pack.MaxFileSize        // bytes of one file unpacked
	DefaultArchiveBytes = 512 << 20               // bytes of an archive
	defaultPathBytes    = packpath.MaxBytes + 256 // bytes of a path: a pack's own below a folder or two
	DefaultDepth        = 64                      // names in a path, the file's own among them
	defaultNested       = 3                       // archives one inside another, the outermost among them
)

// Limits bound what an archive may make of a disk and of memory. They hold for
// what is really read and written, whatever the archive says of itself. A value
// of zero or less is the default.
type Limits struct {
	Files        int   // files and folders, whether the archive names a folder or a path implies it
	Bytes        int64 // bytes of all files unpacked; archives inside archives have the same again, each layer for itself
	FileBytes    int64 // bytes of one file unpacked; for a file that is an archive by its name, ArchiveBytes
	ArchiveBytes int64 // bytes of an archive, also of one inside another
	PathBytes    int   // bytes of a path
	Depth        int   // names in a path, the file's own among them
	Nested       int   // archives one inside another, the outermost among them; tar.gz is one
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Files:        orDefault(l.Files, defaultFiles),
		Bytes:        orDefault(l.Bytes, defaultBytes),
		FileBytes:    orDefault(l.FileBytes, defaultFileBytes),
		ArchiveBytes: orDefault(l.ArchiveBytes, DefaultArchiveBytes),
		PathBytes:    orDefault(l.PathBytes, defaultPathBytes),
		Depth:        orDefault(l.Depth, DefaultDepth),
		Nested:       orDefault(l.Nested, defaultNested),
	}
}

func orDefault[T int | int64](value, standard T) T {
	if value <= 0 {
		return standard
	}
	return value
}

// Options say how an archive is read. The zero value is ready to use.
type Options struct {
	Limits Limits
	// Progress, when set, is called with how many bytes of the archive have been read,
	// and how many there are. The total grows when an archive turns out to hold
	// another one. It is called from one goroutine.
	Progress func(done, total int64)
}

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
