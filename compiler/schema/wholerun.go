package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Pieces is a text in parts of other texts, which it shares.
type Pieces [][]byte

// Size returns the length of the text in bytes.
func (p Pieces) Size() (n int64) {
	for _, piece := range p {
		n += int64(len(piece))
	}
	return n
}

// Reader reads the text.
func (p Pieces) Reader() io.Reader {
	list := make([]io.Reader, len(p))
	for i, piece := range p {
		list[i] = bytes.NewReader(piece)
	}
	return io.MultiReader(list...)
}

// WholeRun returns the text of a record as it is published: that of a whole one,
// since a list may hold what was withdrawn since. Other text is returned as it is. The
// error of a list that cannot be used is a *ListFault.
//
// The entries of the list are taken over as they are written: a record that packgen
// wrote through a list is, byte for byte, the one it would have written whole.
func WholeRun(data []byte, read func(path string) ([]byte, error)) (Pieces, error) {
	short, err := decodeRunSummary(data)
	if err != nil || short.Base == nil {
		return Pieces{data}, nil
	}
	run, err := DecodeRun(data)
	if err != nil {
		return nil, err
	}
	text, err := readList(run, read)
	if err != nil {
		return nil, err
	}
	own, err := entriesOf(data)
	if err != nil {
		return nil, err
	}
	listed, err := entriesOf(text)
	if err != nil {
		return nil, &ListFault{RunListPath(run.Base.List), errListDamaged}
	}
	base := run.Base
	joined := map[string]Pieces{}
	for name, splices := range map[string][]RunSplice{
		"inputs": base.Inputs, "outputs": base.Outputs, "diagnostics": base.Diagnostics, "documents": base.Documents,
		"claims": base.Claims, "removed_claims": base.RemovedClaims, "chapters": base.Chapters,
	} {
		if joined[name], err = listed[name].splice(own[name], splices, name); err != nil {
			return nil, err
		}
	}
	return run.around(joined)
}

// around returns the text of a record with those lists.
func (run *Run) around(lists map[string]Pieces) (whole Pieces, err error) {
	frame := *run
	frame.SchemaVersion, frame.Base = RunVersion, nil
	frame.Inputs, frame.Outputs, frame.Diagnostics, frame.Documents = nil, nil, nil, nil
	frame.Claims, frame.RemovedClaims, frame.Chapters = nil, nil, nil
	text, err := Encode(&frame)
	if err != nil {
		return nil, err
	}
	if n := len(lists["removed_claims"]); n > 0 { // without any there is no such member
		at := bytes.Index(text, memberText("chapters"))
		text = bytes.Join([][]byte{text[:at], memberText("removed_claims"), []byte("[],"), text[at:]}, nil)
	}
	for _, name := range []string{"inputs", "outputs", "diagnostics", "documents", "claims", "removed_claims", "chapters"} {
		entries := lists[name]
		if len(entries) == 0 {
			continue
		}
		// A line feed is in no string, so that this is the member of the record.
		at := bytes.Index(text, memberText(name)) + len(memberText(name))
		whole = append(whole, text[:at], []byte("[\n    "))
		whole = append(append(whole, entries...), []byte("\n  ]"))
		text = text[at+len("[]"):]
	}
	return append(whole, text), nil
}

// memberText is how a member of a record begins.
func memberText(name string) []byte { return fmt.Appendf(nil, "\n  %q: ", name) }

// entries are the places of the elements of an array in a text.
type entries struct {
	text   []byte
	places []span
}

type span struct{ from, to int }

// cut returns some elements, with what is between them.
func (e *entries) cut(from, to int) []byte { return e.text[e.places[from].from:e.places[to-1].to] }

// splice returns the elements with those of a record among them, with commas between.
func (e *entries) splice(own *entries, splices []RunSplice, name string) (joined Pieces, err error) {
	add := func(of *entries, from, to int) {
		if from == to {
			return
		}
		if len(joined) > 0 {
			joined = append(joined, []byte(",\n    "))
		}
		joined = append(joined, of.cut(from, to))
	}
	at, used := 0, 0
	for _, s := range splices {
		if !s.fits(at, len(e.places), len(own.places)-used) {
			return nil, fmt.Errorf("base.%s does not fit its list", name)
		}
		add(e, at, s.At)
		add(own, used, used+s.Add)
		at, used = s.At+s.Drop, used+s.Add
	}
	if n := len(own.places) - used; n > 0 {
		return nil, fmt.Errorf("base.%s has no place for %d entries", name, n)
	}
	add(e, at, len(e.places))
	return joined, nil
}

// entriesOf finds the elements of the arrays that a list or record holds, by name.
func entriesOf(text []byte) (map[string]*entries, error) {
	s := newScanner(text)
	arrays := map[string]*entries{}
	for _, name := range []string{"inputs", "outputs", "diagnostics", "documents", "claims", "removed_claims", "chapters"} {
		arrays[name] = &entries{text: text}
	}
	err := s.members(func(name string, _ int) error {
		list := arrays[name]
		if list == nil {
			return s.skip()
		}
		if list.places != nil {
			return errors.New("the array is given twice")
		}
		return s.elements(func(int) error {
			from := s.at()
			err := s.skip()
			list.places = append(list.places, span{from, int(s.dec.InputOffset())})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return arrays, s.end()
}
