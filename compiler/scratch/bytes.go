package scratch

import (
	"fmt"
	"io"
)

// Bytes are bytes that grow at their end without being held: what was added last is in
// memory, what came before it in a temporary file. Where none can be written they stay in
// memory. The zero value is empty. Its methods must not be called at the same time.
type Bytes struct {
	chunks [][]byte // each of chunkSize bytes but the last; nil when it is in the file
	first  int      // the first that is in memory
	size   int64
	file   *File
	failed bool // nothing can be written
	pages  []page
	most   int // chunks that are in memory; 0 is mostChunks
}

// page is a part of the file that was read.
type page struct {
	number int64 // 1 is the first; 0: none
	data   []byte
}

const (
	chunkSize  = 256 << 10 // bytes
	mostChunks = 8         // in memory
	pageSize   = 4 << 10   // bytes that are read at once
	mostPages  = 256       // in memory
)

// Size is how many bytes there are.
func (b *Bytes) Size() int64 { return b.size }

// Append adds bytes and returns their offset.
func (b *Bytes) Append(data []byte) int64 {
	at := b.size
	for len(data) > 0 {
		n := len(b.chunks)
		if n == 0 || len(b.chunks[n-1]) == chunkSize {
			b.chunks = append(b.chunks, b.room())
			n++
		}
		last := &b.chunks[n-1]
		fits := min(len(data), chunkSize-len(*last))
		*last = append(*last, data[:fits]...)
		b.size += int64(fits)
		data = data[fits:]
	}
	return at
}

// room is the memory of the next chunk: that of the oldest one, when enough are held.
func (b *Bytes) room() []byte {
	most := b.most
	if most == 0 {
		most = mostChunks
	}
	if b.failed || len(b.chunks)-b.first < most {
		return nil
	}
	if b.file == nil {
		f, err := NewFile("", "bytes")
		if err != nil {
			b.failed = true
			return nil
		}
		b.file = &f
	}
	oldest := b.chunks[b.first]
	if _, err := b.file.WriteAt(oldest, int64(b.first)*chunkSize); err != nil {
		b.failed = true
		return nil
	}
	b.chunks[b.first] = nil
	b.first++
	return oldest[:0]
}

// ReadAt fills p with the bytes at an offset. It implements [io.ReaderAt].
func (b *Bytes) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		if at >= b.size {
			return n, io.EOF
		}
		part := []byte(nil)
		if chunk := int(at / chunkSize); chunk >= b.first {
			part = b.chunks[chunk][at%chunkSize:]
		} else if part, err = b.page(at); err != nil {
			return n, err
		}
		k := copy(p[n:], part)
		n += k
		at += int64(k)
	}
	return n, nil
}

// page returns the bytes of the file from an offset to the end of its page.
func (b *Bytes) page(at int64) ([]byte, error) {
	if b.pages == nil {
		b.pages = make([]page, mostPages)
	}
	number := at/pageSize + 1
	p := &b.pages[number%mostPages]
	if p.number != number {
		if p.data == nil {
			p.data = make([]byte, pageSize)
		}
		p.number = 0
		if _, err := b.file.ReadAt(p.data, (number-1)*pageSize); err != nil {
			return nil, fmt.Errorf("read a temporary file: %w", err)
		}
		p.number = number
	}
	return p.data[at%pageSize:], nil
}

// WriteAt puts bytes in the place of others. It implements [io.WriterAt].
func (b *Bytes) WriteAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		if at >= b.size {
			return n, io.ErrShortWrite
		}
		chunk := int(at / chunkSize)
		k := min(len(p)-n, int(chunkSize-at%chunkSize))
		if chunk >= b.first {
			k = copy(b.chunks[chunk][at%chunkSize:], p[n:n+k])
		} else if k, err = b.overwrite(p[n:n+k], at); err != nil {
			return n, err
		}
		n += k
		at += int64(k)
	}
	return n, nil
}

// overwrite is WriteAt for bytes of a page that are in the file.
func (b *Bytes) overwrite(p []byte, at int64) (int, error) {
	p = p[:min(len(p), int(pageSize-at%pageSize))]
	if _, err := b.file.WriteAt(p, at); err != nil {
		return 0, fmt.Errorf("write a temporary file: %w", err)
	}
	if number := at/pageSize + 1; len(b.pages) > 0 && b.pages[number%mostPages].number == number {
		copy(b.pages[number%mostPages].data[at%pageSize:], p)
	}
	return len(p), nil
}

// Close drops the bytes.
func (b *Bytes) Close() error {
	file := b.file
	*b = Bytes{}
	if file != nil {
		return file.Close()
	}
	return nil
}
