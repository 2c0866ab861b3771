package cache

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Joined tells where the part of each unit lies in the records and views of a
// pack. With it the part of a unit that has changed can be replaced without
// making the rest again.
type Joined struct {
	Run      string // path of the run record that the lengths of chapters are of
	Disputed bool   // claims are compared with each other
	Copied   bool   // views are compared with sources
	Parts    []Part // in compile order
	Claims   Claims
}

// Part is what one unit gave to the records, all lengths in bytes.
type Part struct {
	Path             string
	Status           string // as front matter says
	Walked           bool
	Target           bool // another file cites it, or links to one of its headings
	Claims, Sections int  // in indexes/source-map.json
	Splits           int  // in compiled/index.json
	Chapters         int  // in the run record
	Facts, Item      int  // in compiled/facts.md and compiled/briefing.md
}

const joinedName = "joined.cache"

// ReadJoined reads joined.cache; nil when it is not the one of that checksum.
func (d Dir) ReadJoined(key string, want uint32) *Joined {
	if want == 0 {
		return nil
	}
	r, sum, err := d.open(joinedName, format+key)
	if err != nil || sum != want {
		return nil
	}
	x := decodeJoined(r)
	if !r.Done() {
		return nil
	}
	return x
}

// WriteJoined puts joined.cache in place and returns its checksum.
func (d Dir) WriteJoined(key string, x *Joined) (uint32, error) {
	w := NewWriter(96*len(x.Parts) + len(x.Claims.b) + 1024)
	w.Str(format + key)
	x.encode(w)
	return d.write(joinedName, w)
}

func (x *Joined) encode(w *Writer) {
	w.Str(x.Run)
	w.Bool(x.Disputed)
	w.Bool(x.Copied)
	w.Uint(len(x.Parts))
	for i := range x.Parts {
		p := &x.Parts[i]
		w.Str(p.Path)
		w.Str(p.Status)
		w.Bool(p.Walked)
		w.Bool(p.Target)
		for _, n := range p.lengths() {
			w.Uint(*n)
		}
	}
	w.Str(x.Claims.b)
}

func decodeJoined(r *Reader) *Joined {
	x := &Joined{Run: r.Str(), Disputed: r.Bool(), Copied: r.Bool()}
	x.Parts = make([]Part, r.countOf(10))
	for i := range x.Parts {
		p := &x.Parts[i]
		p.Path, p.Status, p.Walked, p.Target = r.Str(), r.Str(), r.Bool(), r.Bool()
		for _, n := range p.lengths() {
			*n = r.Uint()
		}
	}
	x.Claims.b = r.Str()
	if len(x.Claims.b)%claimSize != 0 {
		r.Fail()
	}
	return x
}

func (p *Part) lengths() [6]*int {
	return [6]*int{&p.Claims, &p.Sections, &p.Splits, &p.Chapters, &p.Facts, &p.Item}
}

// Claims counts how often each claim id was given, numbers behind it left out. It
// is searched as it is written.
type Claims struct{ b string }

// claimSize is the size in bytes of an id with its count, idSize that of the id.
const (
	idSize    = 6
	claimSize = idSize + 4
)

// ClaimID is the hash in a claim id.
type ClaimID [idSize]byte

// NewClaims takes the ids that were given with their counts.
func NewClaims(given map[ClaimID]int) Claims {
	ids := make([]ClaimID, 0, len(given))
	for id := range given {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ClaimID) int { return strings.Compare(string(a[:]), string(b[:])) })
	b := make([]byte, 0, claimSize*len(ids))
	for _, id := range ids {
		b = binary.BigEndian.AppendUint32(append(b, id[:]...), uint32(given[id]))
	}
	return Claims{string(b)}
}

// Count returns how often an id was given.
func (c Claims) Count(id ClaimID) int {
	i, ok := c.find(id)
	if !ok {
		return 0
	}
	return int(binary.BigEndian.Uint32([]byte(c.b[i+idSize : i+claimSize])))
}

// find returns the offset of an id, or where it would stand.
func (c Claims) find(id ClaimID) (int, bool) {
	low, high := 0, len(c.b)/claimSize
	for low < high {
		mid := (low + high) / 2
		if c.b[mid*claimSize:mid*claimSize+idSize] < string(id[:]) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	at := low * claimSize
	return at, at < len(c.b) && c.b[at:at+idSize] == string(id[:])
}

// With returns the claims with other counts of some ids; 0 takes an id out.
func (c Claims) With(counts map[ClaimID]int) Claims {
	ids := make([]ClaimID, 0, len(counts))
	for id := range counts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ClaimID) int { return strings.Compare(string(a[:]), string(b[:])) })
	var out strings.Builder
	out.Grow(len(c.b) + claimSize*len(ids))
	from := 0
	for _, id := range ids {
		at, ok := c.find(id)
		out.WriteString(c.b[from:at])
		if from = at; ok {
			from += claimSize
		}
		if n := counts[id]; n > 0 {
			out.Write(binary.BigEndian.AppendUint32(append([]byte{}, id[:]...), uint32(n)))
		}
	}
	out.WriteString(c.b[from:])
	return Claims{out.String()}
}
