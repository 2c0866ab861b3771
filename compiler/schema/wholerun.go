package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Whole is the text of a run record as it is published. It is joined of parts of the
// record and of its list, which may be large and is not held in memory.
type Whole struct {
	pieces []piece
	list   string // path of the list; "" when there is none
	open   func(path string) (io.ReadCloser, error)
}

// piece is a text, or a part of the list.
type piece struct {
	text     []byte
	from, to int64
}

// Open reads the text from its beginning.
func (w *Whole) Open() (io.ReadCloser, error) {
	var list io.ReaderAt
	var closer io.Closer = io.NopCloser(nil)
	if w.list != "" {
		r, err := w.open(w.list)
		if err != nil {
			return nil, err
		}
		closer = r
		if at, ok := r.(io.ReaderAt); ok {
			list = at
		} else {
			text, err := io.ReadAll(r)
			if err != nil {
				return nil, errors.Join(err, r.Close())
			}
			list = bytes.NewReader(text)
		}
	}
	readers := make([]io.Reader, len(w.pieces))
	for i, p := range w.pieces {
		if readers[i] = bytes.NewReader(p.text); p.to > p.from {
			readers[i] = io.NewSectionReader(list, p.from, p.to-p.from)
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(readers...), closer}, nil
}

// AsIs returns a text that is published as it is.
func AsIs(text []byte) *Whole { return &Whole{pieces: []piece{{text: text}}} }

// WholeRun returns the text of a record as it is published: that of a whole one,
// since a list may hold what was withdrawn since. Other text is returned as it is. The
// error of a list that cannot be used is a *ListFault.
//
// The entries of the list are taken over as they are written: a record that packgen
// wrote through a list is, byte for byte, the one it would have written whole.
func WholeRun(data []byte, open func(path string) (io.ReadCloser, error)) (*Whole, error) {
	if short, err := decodeRunSummary(data); err != nil || short.Base == nil {
		return AsIs(data), nil
	}
	run, err := DecodeRun(data)
	if err != nil {
		return nil, err
	}
	w := &Whole{list: RunListPath(run.Base.List), open: open}
	listed, err := readEntries(run.Base.List, open)
	if err != nil {
		return nil, &ListFault{w.list, err}
	}
	own, err := entriesOf(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	base := run.Base
	joined := map[string][]piece{}
	for name, splices := range map[string][]RunSplice{
		"inputs": base.Inputs, "outputs": base.Outputs, "diagnostics": base.Diagnostics, "documents": base.Documents,
		"claims": base.Claims, "removed_claims": base.RemovedClaims, "chapters": base.Chapters,
	} {
		if joined[name], err = splicePieces(listed[name], own[name], data, splices, name); err != nil {
			return nil, err
		}
	}
	w.pieces, err = run.around(joined)
	return w, err
}

// readEntries finds the entries of a list, and checks that it is the one with that
// SHA-256.
func readEntries(sum string, open func(path string) (io.ReadCloser, error)) (map[string][]span, error) {
	r, err := open(RunListPath(sum))
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	defer r.Close()
	hash := sha256.New()
	text := io.TeeReader(r, withoutCR{hash})
	entries, err := entriesOf(text)
	if _, failed := io.Copy(io.Discard, text); failed != nil {
		return nil, errors.New("cannot be read")
	}
	if err != nil || hex.EncodeToString(hash.Sum(nil)) != sum {
		return nil, errListDamaged
	}
	return entries, nil
}

// withoutCR writes a record on without CR, which is in it only where git has put it.
type withoutCR struct{ to io.Writer }

// Write writes a part of the record.
func (w withoutCR) Write(part []byte) (int, error) {
	_, err := w.to.Write(bytes.ReplaceAll(part, []byte("\r"), nil))
	return len(part), err
}

// around returns the text of a record with those lists.
func (run *Run) around(lists map[string][]piece) (whole []piece, err error) {
	frame := *run
	frame.SchemaVersion, frame.Base = RunVersion, nil
	frame.Inputs, frame.Outputs, frame.Diagnostics, frame.Documents = nil, nil, nil, nil
	frame.Claims, frame.RemovedClaims, frame.Chapters = nil, nil, nil
	text, err := Encode(&frame)
	if err != nil {
		return nil, err
	}
	if len(lists["removed_claims"]) > 0 { // without any, no record has the member
		at := bytes.Index(text, memberText("chapters"))
		text = bytes.Join([][]byte{text[:at], memberText("removed_claims"), []byte("[],"), text[at:]}, nil)
	}
	for _, name := range listNames() {
		entries := lists[name]
		if len(entries) == 0 {
			continue
		}
		// A line feed is in no string, so that this is the member of the record.
		at := bytes.Index(text, memberText(name)) + len(memberText(name))
		whole = append(whole, piece{text: text[:at]}, piece{text: []byte("[\n    ")})
		whole = append(append(whole, entries...), piece{text: []byte("\n  ]")})
		text = text[at+len("[]"):]
	}
	return append(whole, piece{text: text}), nil
}

// listNames are the lists of a record, in the order of its members.
func listNames() []string {
	return []string{"inputs", "outputs", "diagnostics", "documents", "claims", "removed_claims", "chapters"}
}

// memberText is how a member of a record begins.
func memberText(name string) []byte { return fmt.Appendf(nil, "\n  %q: ", name) }

// span is the place of an element of an array in a text.
type span struct{ from, to int64 }

// splicePieces returns the entries of a list with those of a record among them, with
// commas between.
func splicePieces(listed, own []span, record []byte, splices []RunSplice, name string) (joined []piece, err error) {
	add := func(p piece) {
		if len(joined) > 0 {
			joined = append(joined, piece{text: []byte(",\n    ")})
		}
		joined = append(joined, p)
	}
	fromList := func(from, to int) {
		if from < to {
			add(piece{from: listed[from].from, to: listed[to-1].to})
		}
	}
	at, used := 0, 0
	for _, s := range splices {
		if !s.fits(at, len(listed), len(own)-used) {
			return nil, fmt.Errorf("base.%s does not fit its list", name)
		}
		fromList(at, s.At)
		if s.Add > 0 {
			add(piece{text: record[own[used].from:own[used+s.Add-1].to]})
		}
		at, used = s.At+s.Drop, used+s.Add
	}
	if n := len(own) - used; n > 0 {
		return nil, fmt.Errorf("base.%s has no place for %d entries", name, n)
	}
	fromList(at, len(listed))
	return joined, nil
}

// entriesOf finds the elements of the lists of a record, or of a list, by name.
func entriesOf(text io.Reader) (map[string][]span, error) {
	d := jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(true))
	if err := enter(d, '{'); err != nil {
		return nil, err
	}
	entries := map[string][]span{}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := t.String()
		if !slices.Contains(listNames(), name) {
			if err := d.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if entries[name] != nil {
			return nil, errListDamaged
		}
		if entries[name], err = spansOf(d); err != nil {
			return nil, err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errListDamaged
	}
	return entries, nil
}

// spansOf finds the elements of an array.
func spansOf(d *jsontext.Decoder) (list []span, err error) {
	if err := enter(d, '['); err != nil {
		return nil, err
	}
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		end := d.InputOffset()
		list = append(list, span{end - int64(len(v)), end})
	}
	_, err = d.ReadToken()
	return list, err
}

// enter reads the beginning of an object or array.
func enter(d *jsontext.Decoder, kind jsontext.Kind) error {
	t, err := d.ReadToken()
	if err == nil && t.Kind() != kind {
		err = errListDamaged
	}
	return err
}
