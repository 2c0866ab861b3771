package shard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"sync"
)

// File is a file of an index.
type File struct {
	Path string // below the site root, or below a folder that the caller names
	Data []byte // before it is packed
	Text bool   // to be published as it is, without being packed
}

var alphabet = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// Name returns the name of a file with that content: 50 bits in ten characters that
// file systems without upper case tell apart.
func Name(parts ...[]byte) string {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write(p)
	}
	return alphabet.EncodeToString(h.Sum(nil))[:10]
}

var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.DefaultCompression) // the level is a known one
	return w
}}

// Pack returns what is published of a file.
func (f *File) Pack() []byte {
	if f.Text {
		return f.Data
	}
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(f.Data) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// Once hands on each file once: files are named by what they hold, and thousands of
// pages of one section each may make the same again and again.
func Once(put func(File) error) func(File) error {
	made := map[string]bool{}
	return func(f File) error {
		if made[f.Path] {
			return nil
		}
		made[f.Path] = true
		return put(f)
	}
}
