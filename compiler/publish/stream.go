package publish

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"github.com/packgen/packgen/compiler/regularfile"
)

// Content writes the bytes of a file. It may be called more than once and must
// write the same bytes every time.
type Content func(w io.Writer) error

// PutFrom is Put for a file too large to hold in memory.
func (t *Tx) PutFrom(path string, content Content) (Change, error) {
	return t.put(path, false, func(e *entry) error { return t.fillFrom(e, content) })
}

// PutLastFrom is PutLast for a file too large to hold in memory.
func (t *Tx) PutLastFrom(path string, content Content) (Change, error) {
	return t.put(path, true, func(e *entry) error { return t.fillFrom(e, content) })
}

// ReplaceLastFrom is PutLastFrom for a caller who knows that the content differs
// from the existing one: it is not compared.
func (t *Tx) ReplaceLastFrom(path string, content Content) (Change, error) {
	return t.put(path, true, func(e *entry) error {
		at, err := t.target.look(e.path)
		if err != nil {
			return err
		}
		return t.stageFrom(e, at, content)
	})
}

// fillFrom compares the file with the target and stages it when it differs. A
// file that exists is compared first, so that an equal one is not written.
func (t *Tx) fillFrom(e *entry, content Content) error {
	at, err := t.target.look(e.path)
	if err != nil {
		return err
	}
	m := newMeter(t.o.Manifest != "")
	if at.exists {
		same, err := t.target.equalFrom(e.path, content, m)
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
	m := newMeter(t.o.Manifest != "")
	if t.state == nil {
		err = content(m)
	} else {
		err = t.state.stageFrom(e, at, func(w io.Writer) error { return content(io.MultiWriter(m, w)) })
	}
	e.size, e.sum = m.size, m.total()
	t.differs(e, at)
	return err
}

// equalFrom reports whether the file holds exactly what content writes, which
// m measures on the way. A file that cannot be read is not equal; writing will
// say why.
func (t *target) equalFrom(path string, content Content, m io.Writer) (bool, error) {
	f, _, err := regularfile.Open(t.abs(path))
	if err != nil {
		return false, nil
	}
	defer f.Close()
	return Equal(f, func(w io.Writer) error { return content(io.MultiWriter(m, w)) })
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

// meter counts bytes, and hashes them when asked to.
type meter struct {
	size int64
	sum  hash.Hash // nil: no hash
}

func newMeter(hashed bool) *meter {
	m := &meter{}
	if hashed {
		m.sum = sha256.New()
	}
	return m
}

func (m *meter) Write(data []byte) (int, error) {
	m.size += int64(len(data))
	if m.sum != nil {
		m.sum.Write(data)
	}
	return len(data), nil
}

func (m *meter) total() (sum [sha256.Size]byte) {
	if m.sum != nil {
		m.sum.Sum(sum[:0])
	}
	return sum
}
