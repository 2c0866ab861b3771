package resolver

import "github.com/packgen/packgen/resolver/rank"

// The names that callers of this package know from before rank was a room.
type (
	Scorer  = rank.Scorer
	Section = rank.Section
	Ranking = rank.Ranking
	Hit     = rank.Hit
	Overlap = rank.Overlap
)

// NewScorer is rank.New.
func NewScorer(name string) (Scorer, error) { return rank.New(name) }

// ScorerNames is rank.Names.
func ScorerNames() []string { return rank.Names() }
