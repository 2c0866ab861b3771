package repo

import (
	"bytes"
	"encoding/json"
)

// place is where something is in a text, both from 1, the column in bytes.
type place struct{ Line, Column int }

// EntryPlaces finds where each entry of the text of an index starts. It
// returns nothing when the text is not an index; of several lists of entries
// the last counts, as it does for the reader.
func EntryPlaces(text []byte) []place {
	offsets := entryOffsets(text)
	places := make([]place, len(offsets))
	line, start, at := 1, 0, 0
	for i, offset := range offsets {
		for ; at < offset; at++ {
			if text[at] == '\n' {
				line, start = line+1, at+1
			}
		}
		places[i] = place{line, offset - start + 1}
	}
	return places
}

// entryOffsets finds the offset of each entry.
func entryOffsets(text []byte) []int {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var offsets []int
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		if next := firstOf(text, int(dec.InputOffset())); key == "entries" && next < len(text) && text[next] == '[' {
			offsets = itemOffsets(dec, text)
			continue
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return nil
		}
	}
	return offsets
}

// itemOffsets reads an array and finds the offset of each item.
func itemOffsets(dec *json.Decoder, text []byte) []int {
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var offsets []int
	for dec.More() {
		offsets = append(offsets, firstOf(text, int(dec.InputOffset())))
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return nil
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil
	}
	return offsets
}

// firstOf returns the offset of the first value at or after an offset.
func firstOf(text []byte, offset int) int {
	for offset < len(text) && bytes.IndexByte([]byte(" \t\r\n,:"), text[offset]) >= 0 {
		offset++
	}
	return offset
}
