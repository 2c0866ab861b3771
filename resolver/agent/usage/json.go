package usage

import (
	"fmt"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// AppendDead prints dead entries in the original's shape (loadout section 17).
func AppendDead(list []loadout.Dead) []byte {
	out := []byte{'['}
	for i, d := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '{')
		entry := d.Entry.JSON()
		for _, field := range [...][2]string{{"id", `"id":`}, {"tokens_est", `"tokens":`}} {
			if v := entry.Get(field[0]); v != "" {
				out = append(append(append(out, field[1]...), v...), ',')
			}
		}
		out = append(loadout.AppendString(append(out, `"reason":`...), d.Reason), '}')
	}
	return append(out, ']')
}

// AppendReport appends the report in the original's shape, followed by what is new in it.
func AppendReport(dst []byte, r *Report) []byte {
	dst = indexjson.AppendField(append(dst, `{"inputs":{`...), "index", r.Index)
	dst = append(indexjson.AppendField(append(dst, ','), "usage", r.Log), '}')
	dst = fmt.Appendf(dst, `,"events":%d,"skipped":%d,"usage":`, len(r.Events), r.Skipped)
	dst = loadout.AppendSummaries(dst, r.Usage)
	dst = append(append(dst, `,"dead":`...), AppendDead(r.Dead)...)
	dst = loadout.AppendBreadth(append(dst, `,"budget":`...), r.Breadth)
	dst = append(dst, `,"scoreDistribution":`...)
	if r.Scores == nil {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, '[')
		for i, n := range r.Scores {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = fmt.Appendf(dst, `{"label":"%s","count":%d}`, ScoreLabel(i), n)
		}
		dst = append(dst, ']')
	}
	dst = loadout.AppendOverlaps(append(dst, `,"ok":true,"overlaps":`...), r.Overlaps)
	dst = fmt.Appendf(dst, `,"misses":{"prompts":%d,"words":[`, r.Misses)
	for i, w := range r.Words {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = indexjson.AppendField(append(dst, '{'), "word", w.Word)
		dst = fmt.Appendf(dst, `,"prompts":%d,"entry":`, w.Prompts)
		if w.Near == "" {
			dst = append(dst, "null}"...)
		} else {
			dst = append(loadout.AppendString(dst, w.Near), '}')
		}
	}
	return append(dst, "]}}"...)
}
