package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"io"
)

// maxDeflate is how many bytes one byte of a deflate stream can become.
const maxDeflate = 1032

// countGzip is countTar for a gzip stream of that many bytes. One that cannot hold
// more entries than the limit is not looked at.
func countGzip(r io.ReaderAt, size int64, s *sink) error {
	if size*maxDeflate/tarBlock <= int64(s.limits.Files) {
		return nil
	}
	unzip, err := gzip.NewReader(bufio.NewReaderSize(io.NewSectionReader(r, 0, size), readAhead))
	if err != nil {
		return nil // unpacking it says what is wrong
	}
	unzip.Multistream(false)
	return countTar(unzip, s)
}

// countTar refuses a tar archive with more entries than the limit before the first
// of them is written: to write and remove them again takes longer than to read all
// headers. Anything else that is wrong is left to unpacking.
func countTar(r io.Reader, s *sink) error {
	entries := tar.NewReader(bufio.NewReaderSize(&capped{r: r, left: streamLimit(s.limits), s: s}, readAhead))
	for n := 0; ; n++ {
		head, _ := entries.Next() // an insecure path comes with its header
		if head == nil {
			return nil
		}
		if n >= s.limits.Files {
			return refuse(RuleTooMany, head.Name, hintLimit, "there are more than %d files and folders", s.limits.Files)
		}
	}
}
