package memory

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/jsonrecord"
)

// Stats are the figures of a store in the original's shape (loadout section 19.8).
type Stats struct {
	Total    int             `json:"totalTokens"`
	Inline   int             `json:"inlineTokens"`
	Topics   int             `json:"topicTokens"`
	Count    int             `json:"entryCount"`
	Core     int             `json:"coreCount"`
	Domain   int             `json:"domainCount"`
	Manual   int             `json:"manualCount"`
	Always   float64         `json:"alwaysLoadedEst"`
	OnDemand float64         `json:"onDemandTotalEst"`
	Average  float64         `json:"avgTaskLoadEst"`
	Savings  float64         `json:"savingsPercent"` // share of the tokens that load on demand
	Sizes    []sizeRecord    `json:"topEntries"`     // of the largest
	Orphans  int             `json:"orphanCount"`
	Missing  int             `json:"missingCount"`
	Largest  []loadout.Entry `json:"-"`
}

type sizeRecord struct {
	ID       jsonrecord.Raw `json:"id"`
	Tokens   jsonrecord.Raw `json:"tokens"`
	Priority jsonrecord.Raw `json:"priority"`
}

// maxLargest is how many entries Stats lists.
const maxLargest = 10

// Stats counts a store that was read.
func (s *Store) Stats() *Stats {
	b := s.Index.Budget
	st := &Stats{
		Total: s.InlineTokens + s.TopicTokens, Inline: s.InlineTokens, Topics: s.TopicTokens, Count: len(s.Index.Entries),
		Always: b.AlwaysLoaded, OnDemand: b.OnDemandTotal, Average: b.AvgTaskLoad,
		Orphans: len(s.OrphanFiles), Missing: len(s.MissingFiles), Largest: slices.Clone(s.Index.Entries), Sizes: []sizeRecord{},
	}
	for _, e := range s.Index.Entries {
		switch e.Priority {
		case loadout.PriorityCore:
			st.Core++
		case loadout.PriorityManual:
			st.Manual++
		default:
			st.Domain++
		}
	}
	if st.Total > 0 {
		st.Savings = math.Floor(st.OnDemand/float64(st.Total)*100 + 0.5)
	}
	slices.SortStableFunc(st.Largest, func(a, b loadout.Entry) int { return int(b.TokensEst - a.TokensEst) })
	st.Largest = st.Largest[:min(len(st.Largest), maxLargest)]
	for _, e := range st.Largest {
		st.Sizes = append(st.Sizes, sizeRecord{loadout.AppendString(nil, e.ID), jsonrecord.Number(e.TokensEst), loadout.AppendString(nil, e.Priority)})
	}
	return st
}

// Tokens says what the store costs, on one line.
func (s *Stats) Tokens() string {
	return fmt.Sprintf("%s, %s tokens, %s of them on demand (%s%%)", amount.Entries(s.Count),
		indexjson.Rounded(float64(s.Total)), indexjson.Rounded(s.OnDemand), indexjson.Rounded(s.Savings))
}

// Entries says what the store has, on one line.
func (s *Stats) Entries() string {
	return fmt.Sprintf("%d core, %d domain, %d manual; %d missing, %s that nothing refers to", s.Core, s.Domain, s.Manual, s.Missing, amount.Counted(s.Orphans, "file"))
}

// JSON returns the figures in the original's shape.
func (s *Stats) JSON() []byte { return jsonrecord.Marshal(s) }

// Candidate is a place where a store may be.
type Candidate struct {
	Label string `json:"label"`
	Path  string `json:"path"` // absolute
	Found bool   `json:"found"`
}

// Health says where stores are (loadout section 19.8).
type Health struct {
	Runtime string      `json:"nodeVersion"` // of this program: the original's key
	OK      bool        `json:"nodeOk"`
	Checked []Candidate `json:"checked"`
	Found   bool        `json:"found"`
}

// FileOf is the MEMORY.md of a store that is named by it or by its directory.
func FileOf(store string) string {
	if info, err := os.Stat(store); err != nil || info.IsDir() || filepath.Base(store) != FileName {
		return filepath.Join(store, FileName)
	}
	return store
}

// Look looks for stores: the one named, otherwise those of a directory and those that
// Claude Code keeps in its own.
func Look(named, dir, claude string) *Health {
	h := &Health{Runtime: runtime.Version(), OK: true, Checked: []Candidate{}}
	add := func(label, name string) {
		info, err := os.Stat(name)
		found := err == nil && info.Mode().IsRegular()
		h.Found = h.Found || found
		h.Checked = append(h.Checked, Candidate{label, name, found})
	}
	if named != "" {
		add("argument", FileOf(named))
		return h
	}
	add("repository", filepath.Join(dir, FileName))
	add("repository, .claude", filepath.Join(dir, ".claude", FileName))
	for _, store := range agentStores(claude) {
		add("agent", filepath.Join(store, FileName))
	}
	return h
}

// Lines says where stores are, a line each; shown makes a path as it is shown.
func (h *Health) Lines(shown func(string) string) []string {
	var list []string
	for _, c := range h.Checked {
		state := "absent"
		if c.Found {
			state = "found"
		}
		list = append(list, fmt.Sprintf("%-6s  %s  %s", state, shown(c.Path), c.Label))
	}
	if !h.Found {
		return append(list, "no store was found")
	}
	return append(list, "packgen memory publish makes an index of them")
}

// maxStores is how many stores of agents are looked at.
const maxStores = 10_000

// agentStores lists the stores below the directory in which Claude Code keeps what is of a
// user, sorted.
func agentStores(claude string) []string {
	if claude == "" {
		return nil
	}
	own := strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(claude) // a pattern that matches it alone
	files, _ := filepath.Glob(filepath.Join(own, "projects", "*", "memory", FileName))
	var list []string
	for _, name := range files[:min(len(files), maxStores)] {
		list = append(list, filepath.Dir(name))
	}
	slices.Sort(list)
	return list
}
