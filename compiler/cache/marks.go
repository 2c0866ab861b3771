package cache

// Mark is what the newest run record says of one claim: what it rested on when it was
// made.
type Mark struct {
	Claim, Source string
	Sum           Sum  // of the cited text
	File          bool // the sum is that of the whole source
	Confirmed     bool
	Stale         bool
	Removed       bool // no file states the claim any more
}

const marksName = "marks.cache"

// leastMark is how many bytes a mark takes at least as it is written.
const leastMark = 3 + len(Sum{})

// The flags of a mark as they are written.
const (
	flagFile = 1 << iota
	flagConfirmed
	flagStale
	flagRemoved
)

// ReadMarks reads marks.cache; false when it is not the one of that checksum.
func (d Dir) ReadMarks(key string, want uint32) ([]Mark, bool) {
	r, sum, err := d.open(marksName, format+key)
	if err != nil || sum != want {
		return nil, false
	}
	list := make([]Mark, r.countOf(leastMark))
	for i := range list {
		m := &list[i]
		m.Claim, m.Source, m.Sum = r.Str(), r.Str(), r.Sum()
		flags := r.Uint()
		m.File, m.Confirmed, m.Stale, m.Removed = flags&flagFile != 0, flags&flagConfirmed != 0, flags&flagStale != 0, flags&flagRemoved != 0
	}
	return list, r.Done()
}

// WriteMarks puts marks.cache in place and returns its checksum.
func (d Dir) WriteMarks(key string, list []Mark) (uint32, error) {
	w := NewWriter(96*len(list) + 1024)
	w.Str(format + key)
	w.Uint(len(list))
	for i := range list {
		m := &list[i]
		w.Str(m.Claim)
		w.Str(m.Source)
		w.Sum(m.Sum)
		w.Uint(m.flags())
	}
	return d.write(marksName, w)
}

func (m *Mark) flags() int {
	flags := 0
	for i, set := range [...]bool{m.File, m.Confirmed, m.Stale, m.Removed} {
		if set {
			flags |= 1 << i
		}
	}
	return flags
}
