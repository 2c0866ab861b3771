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
}

// lastStreamSink is a sink that takes in pieces a file that speaks of others;
// [publish.Tx] is one.
type lastStreamSink interface {
	PutLastFrom(path string, content publish.Content) (publish.Change, error)
}

// PutIndex publishes the index as index.json and, for the matcher, index.bin,
// and returns what [Input] asks for. It comes before Generate, so that a large
// index need not stay in memory while the pages are made.
func PutIndex(sink Sink, ix *loadout.Index) (Index, error) {
	binary, err := loadout.NewMatcher(ix).Marshal()
	if err != nil {
		return Index{}, fmt.Errorf("make index.bin: %w", err)
	}
	facts := Index{
		Entries: len(ix.Entries), Tokens: int(ix.Budget.AlwaysLoaded + ix.Budget.OnDemandTotal),
		Average: int(ix.Budget.AvgTaskLoad), Sum: digest(binary),
	}
	if err := putLast(sink, "index.bin", binary); err != nil {
		return Index{}, err
	}
	return facts, putIndexText(sink, ix)
}

// putIndexText publishes index.json, in pieces where the sink takes them.
func putIndexText(sink Sink, ix *loadout.Index) error {
	const name = "index.json"
	stream, ok := sink.(lastStreamSink)
	if !ok {
		return putLast(sink, name, indexjson.Write(ix))
	}
	_, err := stream.PutLastFrom(name, func(w io.Writer) error { return indexjson.WriteTo(w, ix) })
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// lastSink is a sink that knows files that speak of others; [publish.Tx] does.
type lastSink interface {
	PutLast(path string, data []byte) (publish.Change, error)
}

// putLast hands over a file that should appear after all others.
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
