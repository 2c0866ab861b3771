package site

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// render puts a page into the sink.
func (b *build) render(page string, v templates.View) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	if err := templates.Render(buf, v); err != nil {
		return fmt.Errorf("make %s: %w", page, err)
	}
	return b.put(page, buf.Bytes())
}

// putRecord publishes a record in the bytes that compile writes.
func (b *build) putRecord(path string, record any) error {
	_, err := b.putFrom(path, func(w io.Writer) error { return schema.Write(w, record) })
	return err
}
