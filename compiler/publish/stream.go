package publish

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// Content writes the bytes of a file. It may be called more than once and must
// write the same bytes every time.
type Content func(w io.Writer) error

// File is a file that is written in pieces because it may be too large to hold in memory.
type File struct {
	Path    string
	Content Content
	Last    bool // it refers to others, such as an index or a run record: it takes its place after all of them, in the order of the calls
	Differs bool // its content is known to differ from that of the existing file: they are not compared
}

// PutFrom implements [Target].
func (t *Tx) PutFrom(f File) (Change, error) {
	return t.put(f.Path, f.Last, func(e *entry) error {
		if f.Differs {
			at, err := t.target.look(e.path)
			if err != nil {
				return err
			}
			return t.stageFrom(e, at, f.Content)
		}
		return t.fillFrom(e, f.Content)
	})
}

// Bytes is the content of a file whose bytes are in memory.
func Bytes(data []byte) Content {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// fillFrom compares the file with the target and stages it when it differs. A
// file that exists is compared first, so that an equal one is not written.
func (t *Tx) fillFrom(e *entry, content Content) error {
	at, err := t.target.look(e.path)
	if err != nil {
		return err
	}
	m := newMeter()
	if at.exists {
		same, err := t.target.equal(e.path, func(w io.Writer) error { return content(io.MultiWriter(m, w)) })
		if err != nil {
			return err
		}
		if same {
			e.size, e.sum, e.change, e.stat = m.size, m.total(), Unchanged, &at.stat
			return nil
		}
	}
	return t.stageFrom(e, at, content)
}

// stageFrom stages a file that differs from what the target holds.
func (t *Tx) stageFrom(e *entry, at found, content Content) (err error) {
	m := newMeter()
	if t.state == nil {
		err = content(m)
	} else {
		err = t.state.stageFrom(e, func(w io.Writer) error { return content(io.MultiWriter(m, w)) })
	}
	e.size, e.sum = m.size, m.total()
	t.differs(e, at)
	return err
}

// equal reports whether the file holds exactly what content writes. A file that cannot be
// read is not equal; writing will say why.
func (t *diskTree) equal(path string, content Content) (bool, error) {
	f, _, err := regularfile.Open(t.abs(path))
	if err != nil {
		return false, nil
	}
	defer f.Close()
	return Equal(f, content)
}

// Equal reports whether r gives exactly the bytes that content writes. The error
// is that of content.
func Equal(r io.Reader, content Content) (bool, error) {
	c := comparer{r: r, buf: buffers.Get().(*[compareBuffer]byte)}
	defer buffers.Put(c.buf)
	err := content(&c)
	if errors.Is(err, errDiffers) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := io.ReadFull(r, c.buf[:1])
	return n == 0 && err == io.EOF, nil
}

var errDiffers = errors.New("the content differs")

// comparer is a sink that fails at the first byte that is not the one of r.
type comparer struct {
	r   io.Reader
	buf *[compareBuffer]byte
}

func (c *comparer) Write(data []byte) (int, error) {
	for done := 0; done < len(data); {
		piece := c.buf[:min(len(data)-done, compareBuffer)]
		if _, err := io.ReadFull(c.r, piece); err != nil || !bytes.Equal(piece, data[done:done+len(piece)]) {
			return done, errDiffers
		}
		done += len(piece)
	}
	return len(data), nil
}

// meter counts and hashes bytes.
type meter struct {
	size int64
	sum  hash.Hash
}

func newMeter() *meter { return &meter{sum: sha256.New()} }

func (m *meter) Write(data []byte) (int, error) {
	m.size += int64(len(data))
	return m.sum.Write(data)
}

func (m *meter) total() store.Digest { return store.Digest(m.sum.Sum(nil)) }
