package site

import (
	"fmt"
	"io"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Index is what pages say about the loadout index of the site.
type Index struct {
	Entries int
	Tokens  int    // of all entries
	Average int    // of an entry that a task loads
	Sum     string // SHA-256 of index.bin

	Text, Binary int64 // sizes of index.json and index.bin, in bytes
}

// lastStreamSink is a sink that takes in pieces a file that refers to others;
// [publish.Tx] is one.
type lastStreamSink interface {
	PutLastFrom(path string, content publish.Content) (publish.Change, error)
}

// PutIndex publishes the index as index.json and, for the matcher, index.bin,
// and returns what [Input] asks for. It comes before Generate, so that a large
// index need not stay in memory while the pages are made.
func PutIndex(sink Sink, ix *loadout.Index) (Index, error) {
	facts := Index{
		Entries: len(ix.Entries), Tokens: int(ix.Budget.AlwaysLoaded + ix.Budget.OnDemandTotal), Average: int(ix.Budget.AvgTaskLoad),
	}
	if !wantsIndex(sink) {
		return facts, nil
	}
	binary, err := loadout.NewMatcher(ix).Marshal()
	if err != nil {
		return Index{}, fmt.Errorf("make index.bin: %w", err)
	}
	facts.Sum, facts.Binary = digest(binary), int64(len(binary))
	if err := putLast(sink, "index.bin", binary); err != nil {
		return Index{}, err
	}
	facts.Text, err = putIndexText(sink, ix)
	return facts, err
}

// matchName is the page that loads the index.
const matchName = "match.html"

// wantsIndex reports whether the index is made, for its own sake or for the page that
// loads it.
func wantsIndex(sink any) bool {
	text, binary, page := wants(sink, "index.json"), wants(sink, "index.bin"), wants(sink, matchName)
	return text || binary || page
}

// putIndexText publishes index.json, in pieces where the sink takes them, and
// returns its size in bytes.
func putIndexText(sink Sink, ix *loadout.Index) (int64, error) {
	const name = "index.json"
	stream, ok := sink.(lastStreamSink)
	if !ok {
		text := indexjson.Write(ix)
		return int64(len(text)), putLast(sink, name, text)
	}
	var size int64
	_, err := stream.PutLastFrom(name, func(w io.Writer) error {
		counted := &counter{w: w}
		err := indexjson.WriteTo(counted, ix)
		size = counted.n
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", name, err)
	}
	return size, nil
}

// lastSink is a sink that knows files that refer to others; [publish.Tx] does.
type lastSink interface {
	PutLast(path string, data []byte) (publish.Change, error)
}

// putLast passes on a file that should appear after all others.
func putLast(sink Sink, path string, data []byte) error {
	put := sink.Put
	if last, ok := sink.(lastSink); ok {
		put = last.PutLast
	}
	if _, err := put(path, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
