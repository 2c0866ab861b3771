package highlight

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/site/spool"
)

// cache keeps highlighted blocks between builds in one file. It is a
// convenience: whatever is wrong with the file, the build goes on without it.
//
// The file is a header line, then records: key (16 bytes), size (4, little
// endian), CRC-32C of the text (4), text.
type cache struct {
	path  string
	file  *os.File
	index map[blockKey]cached
}

type cached struct {
	spool.Span
	sum uint32
}

const (
	cacheFile = "highlight.cache"
	// cacheHeader changes with the lexers and with the elements of tokens.
	cacheHeader = "packgen highlight 2 chroma 2.27.0\n"
	// maxCache is the largest cache file, in bytes, that is read.
	maxCache = 1 << 30
)

// checksum is the CRC-32C of text. The table is looked up here rather than kept
// in a variable, which would make it before main for every command.
func checksum(text []byte) uint32 {
	return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli))
}

// openCache reads the index of the cache in dir. A file that is missing,
// foreign or damaged gives an empty cache.
func openCache(dir string) *cache {
	c := &cache{path: filepath.Join(dir, cacheFile), index: map[blockKey]cached{}}
	f, err := os.Open(c.path)
	if err != nil {
		return c
	}
	if err := c.readIndex(f); err != nil {
		c.index = map[blockKey]cached{}
		f.Close()
		return c
	}
	c.file = f
	return c
}

func (c *cache) readIndex(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxCache || !info.Mode().IsRegular() {
		return errors.New("not a cache file")
	}
	r := bufio.NewReaderSize(f, 1<<20)
	header := make([]byte, len(cacheHeader))
	if _, err := io.ReadFull(r, header); err != nil || string(header) != cacheHeader {
		return errors.New("another version")
	}
	at := int64(len(cacheHeader))
	var head [24]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		size := int64(binary.LittleEndian.Uint32(head[16:]))
		at += int64(len(head))
		if at+size > info.Size() {
			return io.ErrUnexpectedEOF
		}
		c.index[blockKey(head[:16])] = cached{spool.Span{Start: at, Size: size}, binary.LittleEndian.Uint32(head[20:])}
		if _, err := r.Discard(int(size)); err != nil {
			return err
		}
		at += size
	}
}

// get returns the text of a block, if it is there and whole.
func (c *cache) get(key blockKey) ([]byte, bool) {
	if c == nil || c.file == nil {
		return nil, false
	}
	entry, ok := c.index[key]
	if !ok {
		return nil, false
	}
	text := make([]byte, entry.Size)
	if _, err := c.file.ReadAt(text, entry.Start); err != nil {
		return nil, false
	}
	return text, checksum(text) == entry.sum
}

// Save writes the blocks that this build used, and closes the cache. Nothing is
// written when the file holds just these.
func (h *Highlighter) Save() error {
	c := h.cache
	if c == nil {
		return nil
	}
	defer func() {
		if c.file != nil {
			c.file.Close()
		}
	}()
	type item struct {
		key blockKey
		at  spool.Span
	}
	var used []item
	h.done.Range(func(k, v any) bool {
		if p := v.(*painted); p.ok {
			used = append(used, item{k.(blockKey), p.at})
		}
		return true
	})
	if h.made.Load() == 0 && len(used) == len(c.index) {
		return nil
	}
	slices.SortFunc(used, func(a, b item) int { return bytes.Compare(a.key[:], b.key[:]) })
	if err := os.MkdirAll(filepath.Dir(c.path), 0o777); err != nil {
		return fmt.Errorf("make the cache directory: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(c.path), cacheFile+"-*")
	if err != nil {
		return fmt.Errorf("create the highlight cache: %w", err)
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = w.WriteString(cacheHeader)
	var text []byte
	for _, u := range used {
		if err != nil {
			break
		}
		if text, err = h.spool.Get(u.at, text); err == nil {
			err = writeRecord(w, u.key, text)
		}
	}
	if err := cmp.Or(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write the highlight cache: %w", err)
	}
	if err := os.Rename(f.Name(), c.path); err != nil {
		return fmt.Errorf("write the highlight cache: %w", err)
	}
	return nil
}

func writeRecord(w io.Writer, key blockKey, text []byte) error {
	var head [24]byte
	copy(head[:], key[:])
	binary.LittleEndian.PutUint32(head[16:], uint32(len(text)))
	binary.LittleEndian.PutUint32(head[20:], checksum(text))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(text)
	return err
}
