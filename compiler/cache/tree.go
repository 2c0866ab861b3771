package cache

import (
	"fmt"
	"os"
	"sync"
)

// Tree is a listing of files with a text about them.
type Tree struct {
	Text    string
	Entries []Entry
}

// ReadTree reads a listing that was kept under a name; nil when it is not there or
// of no use.
func (d Dir) ReadTree(name, key string) *Tree {
	r, _, err := d.open(name, format+key)
	if err != nil {
		return nil
	}
	t := decodeTree(r)
	if !r.Done() {
		return nil
	}
	return t
}

// WriteTree keeps a listing under a name.
func (d Dir) WriteTree(name, key string, t *Tree) error {
	w := NewWriter(128*len(t.Entries) + len(t.Text) + 1024)
	w.Str(format + key)
	t.encode(w)
	_, err := d.write(name, w)
	return err
}

func (t *Tree) encode(w *Writer) {
	w.Str(t.Text)
	w.Uint(len(t.Entries))
	for i := range t.Entries {
		t.Entries[i].encode(w)
	}
}

func decodeTree(r *Reader) *Tree {
	t := &Tree{Text: r.Str(), Entries: make([]Entry, r.countOf(leastEntry))}
	for i := range t.Entries {
		t.Entries[i].decode(r)
	}
	return t
}

// Program tells one build of the running program from another, by its file.
var Program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
})
