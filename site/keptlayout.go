package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/site/search"
)

// mostLayout is the most bytes of a layout that is read again.
const mostLayout = 64 << 20

// keepLayout takes over the layout of a kept pack, and the texts that it names, from the
// previous site. It returns the name of the layout and the files: none where they are not
// as that site had them.
func (b *build) keepLayout(f *packFacts) (name string, files []string) {
	dir := f.dir + search.Dir
	for _, path := range b.sink.Last(dir) {
		stem, packed := strings.CutSuffix(strings.TrimPrefix(path, dir), ".bin")
		if !packed || strings.Contains(stem, "-") {
			continue // a file of titles has a number
		}
		l := readLayout(b.sink, path)
		if l == nil || l.Splits != f.said.Card.Splits {
			continue
		}
		files = []string{path}
		for _, text := range slices.Sorted(maps.Values(l.Marked)) {
			files = append(files, dir+text+".bin")
		}
		files = slices.Compact(files)
		for _, file := range files {
			if _, ok := b.sink.LastSum(file); !ok {
				return "", nil
			}
		}
		for _, file := range files {
			keepLast(b, file)
		}
		return stem, files
	}
	return "", nil
}

// readLayout reads a layout; nil for any other file.
func readLayout(last publish.Target, path string) *packLayout {
	data, err := last.ReadLast(path)
	if err != nil {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(z, mostLayout))
	var l packLayout
	if err != nil || json.Unmarshal(text, &l) != nil || l.Layout == nil {
		return nil
	}
	return &l
}
