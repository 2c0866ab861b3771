package schema

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// listedRunVersion is the version of run records that hold only what differs from
// a list, which is kept once beside them. Records below it hold everything.
const listedRunVersion = 3

// RunList is runs/list-<sha256>.json: what many run records say alike. Its name
// holds the SHA-256 of its bytes, so it never changes.
type RunList struct {
	SchemaVersion int             `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	Inputs        []RunInput      `json:"inputs" check:"required"`
	Outputs       []RunOutput     `json:"outputs" check:"required"` // each as unchanged
	Diagnostics   []RunDiagnostic `json:"diagnostics" check:"required"`
	Documents     []RunDocument   `json:"documents" check:"required"`
	Claims        []RunClaim      `json:"claims" check:"required"`
	RemovedClaims []RunClaim      `json:"removed_claims" check:"required"`
	Chapters      []RunChapter    `json:"chapters" check:"required"`
}

// RunBase says where the entries of a record of version 3 go in the list that it
// refers to.
type RunBase struct {
	List          string      `json:"list" check:"required" form:"sha256"` // of runs/list-<sha256>.json
	Inputs        []RunSplice `json:"inputs"`
	Outputs       []RunSplice `json:"outputs"`
	Diagnostics   []RunSplice `json:"diagnostics"`
	Documents     []RunSplice `json:"documents"`
	Claims        []RunSplice `json:"claims"`
	RemovedClaims []RunSplice `json:"removed_claims"`
	Chapters      []RunSplice `json:"chapters"`
}

// RunSplice puts the next entries of a record in place of some of the list.
type RunSplice struct {
	At   int `json:"at" check:"required" min:"0"`   // the first of the list's, from 0
	Drop int `json:"drop" check:"required" min:"0"` // how many of the list's go
	Add  int `json:"add" check:"required" min:"0"`  // how many of the record's come
}

// RunListPath returns the path of the list with a SHA-256, in the pack.
func RunListPath(sum string) string { return "runs/list-" + sum + ".json" }

// IsRunListPath reports the path of a list.
func IsRunListPath(path string) bool {
	sum, ok := strings.CutPrefix(path, "runs/list-")
	sum, json := strings.CutSuffix(sum, ".json")
	return ok && json && isSHA256(sum)
}

// DecodeRunList reads a list, a closed object. Faults are a *DecodeError.
func DecodeRunList(data []byte) (*RunList, error) { return decode[RunList](data) }

// ListOf returns what a whole record holds as a list: all of it that a run which
// changes nothing would say again.
func ListOf(run *Run) *RunList {
	l := &RunList{
		SchemaVersion: 1, Inputs: run.Inputs, Diagnostics: run.Diagnostics, Documents: run.Documents,
		Claims: run.Claims, RemovedClaims: run.RemovedClaims, Chapters: run.Chapters,
		Outputs: make([]RunOutput, 0, len(run.Outputs)),
	}
	for _, o := range run.Outputs {
		if o.Operation != "deleted" {
			l.Outputs = append(l.Outputs, RunOutput{Path: o.Path, Operation: "unchanged"})
		}
	}
	return l
}

// EntrySum tells entries of a list apart: the first half of a SHA-256.
type EntrySum [16]byte

// RunSums are the sums of the entries of a list or a whole record, enough to compare
// the two without the texts.
type RunSums struct {
	Inputs, Outputs, Diagnostics, Documents, Claims, RemovedClaims, Chapters []EntrySum
}

// Lists returns the sums by list, in the order of the fields.
func (s *RunSums) Lists() []*[]EntrySum {
	return []*[]EntrySum{&s.Inputs, &s.Outputs, &s.Diagnostics, &s.Documents, &s.Claims, &s.RemovedClaims, &s.Chapters}
}

// Sums returns the sums of the entries of a list, and about how many bytes they
// take as JSON.
func (l *RunList) Sums() (s RunSums, size int) {
	sum := &entrySum{}
	s.Inputs = sumAll(sum, l.Inputs, 60, func(e *RunInput) { sum.texts(e.Path, e.SHA256) })
	s.Outputs = sumAll(sum, l.Outputs, 70, func(e *RunOutput) { sum.texts(e.Path, e.Operation) })
	s.Diagnostics = sumAll(sum, l.Diagnostics, 90, func(e *RunDiagnostic) { sum.texts(e.Severity, e.Path, e.Message) })
	s.Documents = sumAll(sum, l.Documents, 100, func(e *RunDocument) { sum.texts(e.Path, e.Role, e.Status, e.SHA256) })
	claim := func(e *RunClaim) {
		sum.texts(e.Claim, e.Words, e.Source, e.Span, e.File)
		sum.flags(e.Confirmed, e.Stale)
	}
	s.Claims = sumAll(sum, l.Claims, 110, claim)
	s.RemovedClaims = sumAll(sum, l.RemovedClaims, 110, claim)
	s.Chapters = sumAll(sum, l.Chapters, 200, func(e *RunChapter) {
		sum.texts(e.ID, e.Title, e.Document, e.Path, e.Coverage, e.Routing)
		sum.number(e.Tokens)
		sum.number(len(e.SourceAnchors))
		sum.texts(e.SourceAnchors...)
		sum.number(len(e.Warnings))
		for _, w := range e.Warnings {
			sum.texts(w.Severity, w.Message, w.Path)
		}
	})
	return s, sum.size
}

// entrySum sums one entry at a time.
type entrySum struct {
	text []byte // of the entry
	size int    // of all entries as JSON, about
}

func (s *entrySum) texts(list ...string) {
	for _, text := range list {
		s.number(len(text))
		s.text = append(s.text, text...)
	}
}

func (s *entrySum) number(n int) { s.text = binary.AppendUvarint(s.text, uint64(n)) }

func (s *entrySum) flags(list ...bool) {
	for _, flag := range list {
		if flag {
			s.text = append(s.text, 1)
		} else {
			s.text = append(s.text, 0)
		}
	}
}

// sumAll sums the entries of one list. Around is what the form of JSON adds to one.
func sumAll[T any](s *entrySum, list []T, around int, add func(*T)) []EntrySum {
	sums := make([]EntrySum, len(list))
	for i := range list {
		s.text = s.text[:0]
		add(&list[i])
		sum := sha256.Sum256(s.text)
		copy(sums[i][:], sum[:])
		s.size += len(s.text) + around
	}
	return sums
}

// Against returns a whole record as one of version 3 that refers to a list, of which
// it has the SHA-256 and the sums of the entries. Now holds the sums of ListOf the
// record.
func (run *Run) Against(list string, base, now *RunSums) *Run {
	own := *now
	outputs, _ := (&RunList{Outputs: run.Outputs}).Sums()
	own.Outputs = outputs.Outputs
	short := *run
	short.SchemaVersion = listedRunVersion
	b := &RunBase{List: list}
	short.Base = b
	b.Inputs, short.Inputs = differ(base.Inputs, own.Inputs, run.Inputs)
	b.Outputs, short.Outputs = differ(base.Outputs, own.Outputs, run.Outputs)
	b.Diagnostics, short.Diagnostics = differ(base.Diagnostics, own.Diagnostics, run.Diagnostics)
	b.Documents, short.Documents = differ(base.Documents, own.Documents, run.Documents)
	b.Claims, short.Claims = differ(base.Claims, own.Claims, run.Claims)
	b.RemovedClaims, short.RemovedClaims = differ(base.RemovedClaims, own.RemovedClaims, run.RemovedClaims)
	b.Chapters, short.Chapters = differ(base.Chapters, own.Chapters, run.Chapters)
	return &short
}

// Apart counts the entries of two lists that only one of them has, and those of the
// first.
func (s *RunSums) Apart(other *RunSums) (differ, all int) {
	mine, others := s.Lists(), other.Lists()
	for i := range mine {
		all += len(*mine[i])
		shared := len(common(*mine[i], *others[i]))
		differ += len(*mine[i]) + len(*others[i]) - 2*shared
	}
	return differ, all
}

// differ says how a list becomes another one, with the fewest entries, and returns
// those that the first does not have.
func differ[T any](base, now []EntrySum, entries []T) (splices []RunSplice, add []T) {
	add = []T{}
	at, from := 0, 0
	upTo := func(i, j int) {
		if i > at || j > from {
			splices = append(splices, RunSplice{At: at, Drop: i - at, Add: j - from})
			add = append(add, entries[from:j]...)
		}
		at, from = i+1, j+1
	}
	for _, p := range common(base, now) {
		upTo(p.base, p.now)
	}
	upTo(len(base), len(now))
	return splices, add
}

// pairing is an entry that two lists have in common.
type pairing struct{ base, now int }

// common returns entries that two lists share, in the order of both: the most there
// are when no entry occurs twice. Of an entry that does, the first goes with the
// first, the second with the second.
func common(base, now []EntrySum) []pairing {
	var pairs []pairing
	start := 0
	for start < min(len(base), len(now)) && base[start] == now[start] {
		pairs = append(pairs, pairing{start, start})
		start++
	}
	end := 0
	for end < min(len(base), len(now))-start && base[len(base)-1-end] == now[len(now)-1-end] {
		end++
	}
	pairs = append(pairs, rising(base[start:len(base)-end], now[start:len(now)-end], start)...)
	for ; end > 0; end-- {
		pairs = append(pairs, pairing{len(base) - end, len(now) - end})
	}
	return pairs
}

// rising finds the longest row of shared entries that rises in both lists, by the
// piles of patience sorting. Offset is added to all places.
func rising(base, now []EntrySum, offset int) []pairing {
	if len(base) == 0 || len(now) == 0 {
		return nil
	}
	places := make(map[EntrySum][]int, len(base))
	for i, sum := range base {
		places[sum] = append(places[sum], i)
	}
	type card struct {
		pairing
		before int // the card below, in another pile; -1 when there is none
	}
	var cards []card
	var tops []int // the top card of each pile
	for j, sum := range now {
		list := places[sum]
		if len(list) == 0 {
			continue
		}
		places[sum] = list[1:]
		pile, _ := slices.BinarySearchFunc(tops, list[0], func(top, at int) int { return cmp.Compare(cards[top].base, at) })
		c := card{pairing{list[0], j}, -1}
		if pile > 0 {
			c.before = tops[pile-1]
		}
		if pile == len(tops) {
			tops = append(tops, 0)
		}
		tops[pile] = len(cards)
		cards = append(cards, c)
	}
	if len(tops) == 0 {
		return nil
	}
	pairs := make([]pairing, len(tops))
	at := tops[len(tops)-1]
	for n := len(tops) - 1; n >= 0; n-- {
		pairs[n] = cards[at].pairing
		at = cards[at].before
	}
	for i := range pairs {
		pairs[i].base += offset
		pairs[i].now += offset
	}
	return pairs
}

// ListFault says that the ledger of a record, or the list which it refers to, cannot be
// used.
type ListFault struct {
	What string // "ledger", "list"
	Path string
	Err  error
}

func (f *ListFault) Error() string { return fmt.Sprintf("its %s %s %s", f.What, f.Path, f.Err) }

// Unwrap returns the reason.
func (f *ListFault) Unwrap() error { return f.Err }

// errListDamaged is what is wrong with a list whose bytes are not those of its name.
var errListDamaged = errors.New("is damaged")

// ReadRun reads a record of any version as a whole one: it looks up its ledger, and the
// list that it may refer to, by their paths in the pack. What one of these lacks is a
// *ListFault, which wraps no fs.ErrNotExist: the record itself exists.
func ReadRun(data []byte, read func(path string) ([]byte, error)) (*Run, error) {
	return readRun(data, read, nil)
}

// ReadRunSummary is ReadRun without what decodeRunSummary leaves out.
func ReadRunSummary(data []byte, read func(path string) ([]byte, error)) (*Run, error) {
	return readRun(data, read, longLists())
}

func readRun(data []byte, read func(path string) ([]byte, error), pass []string) (*Run, error) {
	run, err := readAlone(data, read, pass)
	if err != nil {
		return nil, err
	}
	if run.Base == nil && run.SchemaVersion < listedRunVersion {
		return run, nil
	}
	if run.Base == nil {
		return nil, errors.New(`a record of version 3 has no "base"`)
	}
	text, err := readList(run, read)
	if err != nil {
		return nil, err
	}
	s := newScanner(text)
	s.pass = pass
	list, err := decodeWith[RunList](s)
	if err != nil {
		return nil, &ListFault{"list", RunListPath(run.Base.List), errListDamaged}
	}
	return run, run.expand(list, pass != nil)
}

// readList returns the text of the list that a record refers to.
func readList(run *Run, read func(path string) ([]byte, error)) ([]byte, error) {
	name := RunListPath(run.Base.List)
	text, err := read(name)
	if err != nil {
		return nil, &ListFault{"list", name, errors.New("cannot be read")}
	}
	if !HasSum(text, run.Base.List) {
		return nil, &ListFault{"list", name, errListDamaged}
	}
	return text, nil
}

// expand makes a record of version 3 a whole one of version 2.
func (run *Run) expand(l *RunList, summary bool) error {
	b := run.Base
	err := errors.Join(
		splice(&run.Inputs, l.Inputs, b.Inputs, "inputs"),
		splice(&run.Outputs, l.Outputs, b.Outputs, "outputs"),
		splice(&run.Diagnostics, l.Diagnostics, b.Diagnostics, "diagnostics"),
	)
	if !summary {
		err = errors.Join(err,
			splice(&run.Documents, l.Documents, b.Documents, "documents"),
			splice(&run.Claims, l.Claims, b.Claims, "claims"),
			splice(&run.RemovedClaims, l.RemovedClaims, b.RemovedClaims, "removed_claims"),
			splice(&run.Chapters, l.Chapters, b.Chapters, "chapters"),
		)
	}
	run.SchemaVersion, run.List, run.Base = RunVersion, b.List, nil
	return err
}

// fits reports whether a splice is about entries that there are: those of a list from at
// on, and the next ones of a record.
func (s RunSplice) fits(at, list, add int) bool {
	return s.At >= at && s.Drop <= list && s.At <= list-s.Drop && s.Add <= add
}

// splice puts the entries of a record into a copy of the list.
func splice[T any](own *[]T, list []T, splices []RunSplice, name string) error {
	add := *own
	whole := make([]T, 0, len(list)+len(add))
	at := 0
	for _, s := range splices {
		if !s.fits(at, len(list), len(add)) {
			return fmt.Errorf("base.%s does not fit its list", name)
		}
		whole = append(append(whole, list[at:s.At]...), add[:s.Add]...)
		at, add = s.At+s.Drop, add[s.Add:]
	}
	if len(add) > 0 {
		return fmt.Errorf("base.%s has no place for %d entries", name, len(add))
	}
	*own = append(whole, list[at:]...)
	return nil
}
