package lastrun

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// State says how an existing file compares with what a run wants there.
type State uint8

// The states of a file.
const (
	Absent   State = iota
	Same           // the wanted bytes
	SameText       // the wanted text with other line ends
	Ours           // another text, that which the earlier index records
	Foreign        // anything else
)

// Change says what writing a record would do. A record with the wanted text and other line
// ends is unchanged; exact is false then.
func (e *Outputs) Change(name string, content publish.Content) (op publish.Change, exact bool, err error) {
	f, err := e.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return publish.Created, true, nil
	case errors.Is(err, errLinked):
		return publish.Updated, true, nil
	case err != nil:
		return "", true, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	text := &lfReader{from: bufio.NewReader(f)}
	same, err := publish.Equal(text, content)
	switch {
	case err != nil:
		return "", true, err
	case same:
		return publish.Unchanged, !text.dropped, nil
	}
	return publish.Updated, true, nil
}

// lfReader reads a text with LF where it has CRLF.
type lfReader struct {
	from    *bufio.Reader
	dropped bool // some CR
}

// Read reads the next part of the text.
func (r *lfReader) Read(to []byte) (n int, err error) {
	for n < len(to) {
		b, err := r.from.ReadByte()
		if err != nil {
			return n, err
		}
		if b == '\r' {
			if next, err := r.from.Peek(1); err == nil && next[0] == '\n' {
				r.dropped = true
				continue
			}
		}
		to[n] = b
		n++
	}
	return n, nil
}

// Linked reports that a symbolic link is at a path: somebody put it there, and
// it is never written through.
func (e *Outputs) Linked(name string) bool {
	return len(e.roots) > 0 && isLink(e.roots[0], name)
}

// sizeOf is the size of an open file in bytes, where it is known.
func sizeOf(f io.Reader) (int64, bool) {
	if file, ok := f.(*os.File); ok {
		if info, err := file.Stat(); err == nil {
			return info.Size(), true
		}
	}
	return 0, false
}

// Compare looks at the file that is at a path, without holding it. Recorded is the
// hash of what an earlier run wrote there; "" when none did.
func (e *Outputs) Compare(name string, want []byte, recorded string) (State, error) {
	f, err := e.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case errors.Is(err, errLinked):
		return Foreign, nil
	case err != nil:
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	if size, ok := sizeOf(f); ok && size > pack.MaxFileSize {
		return Foreign, nil // what a run wrote is never that large
	}
	sum, equal, at := sha256.New(), true, 0
	buf := make([]byte, min(len(want)+1, 64<<10))
	for {
		n, err := f.Read(buf)
		equal = equal && at+n <= len(want) && bytes.Equal(buf[:n], want[at:at+n])
		at += n
		if recorded != "" {
			sum.Write(buf[:n])
		}
		if !equal && recorded == "" || err == io.EOF {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", name, err)
		}
	}
	switch {
	case equal && at == len(want):
		return Same, nil
	case recorded != "" && hex.EncodeToString(sum.Sum(nil)) == recorded && !e.Linked(name):
		return Ours, nil
	}
	return e.compareText(name, want, recorded)
}

// compareText compares a file that has other bytes than wanted and recorded, whatever ends
// its lines.
func (e *Outputs) compareText(name string, want []byte, recorded string) (State, error) {
	data, err := e.Read(name)
	switch {
	case Failed(err):
		return 0, fmt.Errorf("read %s: %w", name, err)
	case err != nil:
		return Foreign, nil
	case want != nil && bytes.Equal(schema.WithLF(data), want):
		return SameText, nil
	case schema.HasSum(data, recorded) && !e.Linked(name):
		return Ours, nil
	}
	return Foreign, nil
}
