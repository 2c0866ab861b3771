package archive

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"
)

// gzipBlock is how much of the content is compressed on its own, in bytes. It is
// part of the format: the bytes of an archive depend on it.
const gzipBlock = 1 << 20

// gzipLevel is the fastest level. A pack is text, which it makes four to five
// times smaller; the best one needs four times as long for a third less, and
// packing would take far longer than reading the files. Text compresses further
// in transport where a server does so.
const gzipLevel = flate.BestSpeed

// gzipWriter writes one gzip member (RFC 1952) whose deflate stream is put
// together from blocks that know nothing of each other, so that they can be
// compressed side by side. The bytes do not depend on how many are at a time.
type gzipWriter struct {
	w       io.Writer
	block   *deflateBlock
	free    chan *deflateBlock // blocks that wait to be used again
	pending chan *deflateBlock // blocks in order, compressed or on their way
	written chan struct{}      // closed when all pending blocks are written
	failed  chan error         // the first error of w
	err     error
	made    int // blocks made so far
	limit   int // blocks at most
	crc     uint32
	size    uint32
	began   bool
}

// deflateBlock is a piece of content on its way.
type deflateBlock struct {
	content    []byte
	compressed bytes.Buffer
	deflate    *flate.Writer
	ready      chan struct{} // receives once the block is compressed
}

func newGzipWriter(w io.Writer) *gzipWriter {
	limit := runtime.GOMAXPROCS(0) + 1 // one is filled while the others are compressed
	z := &gzipWriter{
		w: w, limit: limit, free: make(chan *deflateBlock, limit), pending: make(chan *deflateBlock, limit),
		written: make(chan struct{}), failed: make(chan error, 1),
	}
	go z.collect()
	return z
}

// collect writes the blocks in order. After an error it only takes them back.
func (z *gzipWriter) collect() {
	defer close(z.written)
	failed := false
	for b := range z.pending {
		<-b.ready
		if !failed {
			if _, err := z.w.Write(b.compressed.Bytes()); err != nil {
				failed = true
				z.failed <- err
			}
		}
		z.free <- b
	}
}

// Write takes content.
func (z *gzipWriter) Write(data []byte) (int, error) {
	n := len(data)
	z.crc = crc32.Update(z.crc, crc32.IEEETable, data)
	z.size += uint32(n)
	for len(data) > 0 {
		if err := z.failure(); err != nil {
			return n - len(data), err
		}
		b := z.current()
		room := min(gzipBlock-len(b.content), len(data))
		b.content = append(b.content, data[:room]...)
		data = data[room:]
		if len(b.content) == gzipBlock {
			z.hand()
		}
	}
	return n, nil
}

// failure returns the error that writing came to.
func (z *gzipWriter) failure() error {
	select {
	case err := <-z.failed:
		z.err = err
	default:
	}
	return z.err
}

// current returns the block that is being filled.
func (z *gzipWriter) current() *deflateBlock {
	if z.block != nil {
		return z.block
	}
	if z.made < z.limit && len(z.free) == 0 {
		z.made++
		d, _ := flate.NewWriter(io.Discard, gzipLevel) // it fails for unknown levels only
		z.block = &deflateBlock{deflate: d, ready: make(chan struct{}, 1)}
		return z.block
	}
	z.block = <-z.free
	z.block.content = z.block.content[:0]
	return z.block
}

// hand gives the block away to be compressed.
func (z *gzipWriter) hand() {
	b := z.block
	z.block = nil
	b.compressed.Reset()
	if !z.began {
		z.began = true
		// No name, no time, no system; "fastest" as the extra flag.
		b.compressed.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff})
	}
	go func() {
		b.deflate.Reset(&b.compressed)
		// Flush ends the block on a byte and does not end the stream. Neither
		// fails on a buffer in memory.
		_, _ = b.deflate.Write(b.content)
		_ = b.deflate.Flush()
		b.ready <- struct{}{}
	}()
	z.pending <- b
}

// Close writes what is left and the end of the member.
func (z *gzipWriter) Close() error {
	if z.current(); !z.began || len(z.block.content) > 0 {
		z.hand()
	}
	z.stop()
	if err := z.failure(); err != nil {
		return err
	}
	end := []byte{1, 0, 0, 0xff, 0xff} // an empty stored block, the last one
	end = binary.LittleEndian.AppendUint32(end, z.crc)
	end = binary.LittleEndian.AppendUint32(end, z.size)
	_, err := z.w.Write(end)
	return err
}

// stop ends the goroutines; what is pending is written first.
func (z *gzipWriter) stop() {
	if z.pending != nil {
		close(z.pending)
		<-z.written
		z.pending = nil
	}
}
