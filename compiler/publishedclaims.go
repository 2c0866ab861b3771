package compiler

import (
	"sync"

	"github.com/packgen/packgen/compiler/schema"
)

// publishedClaims are the statuses that the claims of a pack from an archive had
// where it was published, its sources at hand.
type publishedClaims struct {
	once sync.Once
	list map[publishedClaim]schema.Status
}

// publishedClaim names a claim by what it says and what it rests on.
type publishedClaim struct {
	document, text string
	source         anchor
}

// publishedStatus is the status of a claim whose source an archive has left out:
// the one of the source map that came with it, so that what was stale there stays
// so. A text that was not known then is taken at its word.
func (m *material) publishedStatus(f *file, st *statement, a anchor) schema.Status {
	m.known.once.Do(func() {
		data, err := m.pack.ReadFile(sourceMapPath)
		if err != nil {
			return
		}
		published, err := schema.DecodeSourceMap(data)
		if err != nil {
			return // checks of the record report it
		}
		m.known.list = make(map[publishedClaim]schema.Status, len(published.Claims))
		for _, claim := range published.Claims {
			m.known.list[publishedClaim{claim.Document, claim.Text, anchor{claim.Source.Path, claim.Source.Anchor}}] = claim.Status
		}
	})
	if status, ok := m.known.list[publishedClaim{f.path, st.text, a}]; ok {
		return status
	}
	return schema.Confirmed
}
