package usage

import (
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/jsonrecord"
)

type deadRecord struct {
	ID     jsonrecord.Raw `json:"id,omitempty"`
	Tokens jsonrecord.Raw `json:"tokens,omitempty"`
	Reason string         `json:"reason"`
}

func deadRecords(list []loadout.Dead) []deadRecord {
	out := []deadRecord{}
	for _, d := range list {
		entry := d.Entry.JSON()
		out = append(out, deadRecord{jsonrecord.Raw(entry.Get("id")), jsonrecord.Raw(entry.Get("tokens_est")), d.Reason})
	}
	return out
}

// DeadJSON returns dead entries in the original's shape (loadout section 17).
func DeadJSON(list []loadout.Dead) []byte { return jsonrecord.Marshal(deadRecords(list)) }

type scoreRecord struct {
	Label string `json:"label"`
	Count int    `json:"count"`
}

type missRecord struct {
	Word    jsonrecord.Raw `json:"word"`
	Prompts int            `json:"prompts"`
	Entry   jsonrecord.Raw `json:"entry"` // null without one
}

// reportRecord is the report in the original's shape, followed by what is new in it.
type reportRecord struct {
	Inputs struct {
		Index string `json:"index"`
		Usage string `json:"usage"`
	} `json:"inputs"`
	Events   int            `json:"events"`
	Skipped  int            `json:"skipped"`
	Usage    jsonrecord.Raw `json:"usage"`
	Dead     []deadRecord   `json:"dead"`
	Budget   jsonrecord.Raw `json:"budget"`
	Scores   []scoreRecord  `json:"scoreDistribution"` // null without a score
	OK       bool           `json:"ok"`
	Overlaps jsonrecord.Raw `json:"overlaps"`
	Misses   struct {
		Prompts int          `json:"prompts"`
		Words   []missRecord `json:"words"`
	} `json:"misses"`
}

// JSON returns the report.
func (r *Report) JSON() []byte {
	out := reportRecord{
		Events: len(r.Events), Skipped: r.Skipped, Usage: loadout.AppendSummaries(nil, r.Usage), Dead: deadRecords(r.Dead),
		Budget: loadout.AppendBreadth(nil, r.Breadth), OK: true, Overlaps: loadout.AppendOverlaps(nil, r.Overlaps),
	}
	out.Inputs.Index, out.Inputs.Usage = r.Index, r.Log
	for i, n := range r.Scores {
		out.Scores = append(out.Scores, scoreRecord{ScoreLabel(i), n})
	}
	out.Misses.Prompts, out.Misses.Words = r.Misses, []missRecord{}
	for _, w := range r.Words {
		miss := missRecord{loadout.AppendString(nil, w.Word), w.Prompts, jsonrecord.Raw("null")}
		if w.Near != "" {
			miss.Entry = loadout.AppendString(nil, w.Near)
		}
		out.Misses.Words = append(out.Misses.Words, miss)
	}
	return jsonrecord.Marshal(out)
}
