package compiler

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/lastrun"
	"github.com/packgen/packgen/compiler/schema"
)

// maxRestored is how many run records are read for claims that the newest one does not know.
const maxRestored = 64

// findLost looks for claims that an earlier compile knew and the newest run record does
// not, as after run records were deleted, damaged, or merged with those of another branch.
// They are taken over from older records; where none has them, what they rested on is lost.
// Without that, whoever deletes a record would make claims on changed sources good.
func (m *material) findLost(now map[baseline.Key]baseline.Found) error {
	h := m.history
	lost := h.ledger.TakeLost(now)
	unknown := h.ledger.Unknown(now)
	if len(unknown) == 0 || h.foreign {
		return nil
	}
	earlier, err := m.claimsMapped()
	if err != nil {
		return err
	}
	words, wanted := map[string]bool{}, unknown[:0]
	for _, k := range unknown {
		status, known := earlier.status(now[k].Words)
		if _, ok := lost[k]; ok || known {
			lost[k] = lost[k] || status == schema.Stale
			wanted = append(wanted, k)
			words[now[k].Words] = true
		} else if earlier.older {
			words[now[k].Words] = true
		}
	}
	h.restore(words)
	for _, k := range wanted {
		if words[now[k].Words] {
			h.ledger.Add([]schema.RunClaim{{Claim: k.Claim, Words: now[k].Words, Source: k.Source, Stale: lost[k]}})
		}
	}
	return nil
}

// mapped are the claims with a source that an earlier compile knew.
type mapped struct {
	any     bool                     // any may be one
	older   bool                     // an older record may know one
	byWords map[string]schema.Status // status of each, the worst
}

// status returns the status of a claim with some words; false when it was not known.
func (c *mapped) status(words string) (schema.Status, bool) {
	status, known := c.byWords[words]
	return status, known || c.any
}

// largeSourceMap is the size in bytes from which a source map that the newest run has written
// is not decoded to see whether its record still knows all claims.
const largeSourceMap = 8 << 20

func (m *material) sizeOf(name string) int64 {
	at, _ := m.pack.Stat(name)
	return at.Size
}

// claimsMapped reads the claims of the earlier source map, unless that is large and the one
// of the newest run, which then knows all of them. A pack without outputs is compiled for the first time.
// Where no record says what there was, or index and source map are not as a run left
// them, any claim may be an earlier one. After a merge they may be as an older run left them.
func (m *material) claimsMapped() (*mapped, error) {
	h := m.history
	mapAsLeft, hasMap, err := m.isAsLeft(sourceMapPath, h.mapped)
	if err != nil {
		return nil, err
	}
	indexAsLeft, hasIndex, err := m.isAsLeft(indexPath, h.index)
	if err != nil {
		return nil, err
	}
	asLeft := mapAsLeft && indexAsLeft && h.newest != ""
	switch {
	case !hasMap && !hasIndex && !m.hasSplits():
		return &mapped{}, nil
	case asLeft && m.sizeOf(sourceMapPath) > largeSourceMap:
		return &mapped{}, nil
	case asLeft:
		return &mapped{byWords: h.mappedStatuses()}, nil
	}
	byOlder, err := h.leftByOlder()
	return &mapped{any: !byOlder, older: true, byWords: h.mappedStatuses()}, err
}

// leftByOlder reports whether index and source map are as some run left them.
func (h *history) leftByOlder() (bool, error) {
	index, err := h.sumOf(indexPath)
	if err != nil {
		return false, err
	}
	sourceMap, err := h.sumOf(sourceMapPath)
	if err != nil || index == "" || sourceMap == "" {
		return false, err
	}
	for _, r := range h.names[:min(len(h.names), maxRestored)] {
		run, err := h.old.Run(r.Path)
		if err == nil && run.IndexSHA256 == index && run.SourceMapSHA256 == sourceMap {
			return true, nil
		}
	}
	return false, nil
}

// hasSplits reports whether an earlier compile left splits or a generated view.
func (m *material) hasSplits() bool {
	if len(m.pack.List(strings.TrimSuffix(splitsDir, "/"))) > 0 {
		return true
	}
	return slices.ContainsFunc([]string{briefingPath, factsPath, boundariesPath}, m.pack.Has)
}

// isAsLeft reports whether an earlier output exists, and has the SHA-256 that the newest run
// recorded, whatever ends its lines.
func (m *material) isAsLeft(name, sum string) (asLeft, exists bool, err error) {
	old := m.history.old
	if at, ok := m.pack.Stat(name); ok && !old.Layered && sum != "" && m.cache.known(at).String() == sum {
		return true, true, nil
	}
	data, err := old.Read(name)
	switch {
	case lastrun.Failed(err):
		return false, true, fmt.Errorf("read %s: %w", name, err)
	case errors.Is(err, fs.ErrNotExist):
		return false, false, nil
	}
	return schema.HasSum(data, sum), true, nil
}

// mappedStatuses returns the statuses of the claims of the earlier source map that cited
// something that existed, by words; nil when it cannot be used. No record has the others.
func (h *history) mappedStatuses() map[string]schema.Status {
	data, err := h.old.Read(sourceMapPath)
	if err != nil {
		return nil
	}
	sourceMap, err := schema.DecodeSourceMap(data)
	if err != nil {
		return nil
	}
	statuses := map[string]schema.Status{}
	for i := range sourceMap.Claims {
		if c := &sourceMap.Claims[i]; c.Source.Path != "" && !citesNothing(c.Status) {
			words := wordsHash(c.Text)
			statuses[words] = cmp.Or(schema.Worse(statuses[words].Doubt(), c.Status.Doubt()), c.Status)
		}
	}
	return statuses
}

// sumOf returns the SHA-256 of an earlier output, whatever ends its lines; "" when there is
// none.
func (h *history) sumOf(name string) (string, error) {
	data, err := h.old.Read(name)
	switch {
	case lastrun.Failed(err):
		return "", fmt.Errorf("read %s: %w", name, err)
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	}
	return schema.SHA256(schema.WithLF(data)), nil
}

// restore takes claims with some words over from older records, the newest that has one
// first. One record is in memory at a time.
func (h *history) restore(words map[string]bool) {
	for i, r := range h.names {
		if len(words) == 0 || i == maxRestored {
			return
		}
		run, err := h.old.Run(r.Path)
		if err != nil {
			continue // read has reported it, where it counts
		}
		ledger := baseline.Read(run)
		if ledger == nil {
			continue
		}
		for _, c := range ledger.With(words) {
			h.ledger.Add([]schema.RunClaim{c})
		}
		for _, c := range ledger.With(words) {
			delete(words, c.Words)
		}
	}
}
