package mcp

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	"github.com/packgen/packgen/resolver/repo"
)

type matchInput struct {
	Task     string   `json:"task" jsonschema:"the task, in words"`
	Limit    int      `json:"limit,omitempty" jsonschema:"the most entries to list; 10 when absent, at most 100"`
	MinScore *float64 `json:"min_score,omitempty" jsonschema:"score from 0 to 1 from which an entry is selected; without it the limit of the matcher: 0.4 of the weighted one, 0.1 of coverage and recall"`
	Also     []string `json:"also,omitempty" jsonschema:"other search words for the task, at most 20 texts"`
}

type matchOutput struct {
	Matcher string     `json:"matcher" jsonschema:"coverage, recall or weighted"`
	Limit   float64    `json:"min_score" jsonschema:"the score from which an entry was selected"`
	Total   int        `json:"total" jsonschema:"entries that the task selects, those beyond the limit too"`
	Matches []matchOut `json:"matches"`
	Remarks []string   `json:"remarks,omitempty" jsonschema:"packs that were not asked, and what to run"`
}

type matchOut struct {
	ID       string   `json:"id" jsonschema:"for read_entry and explain_match"`
	Path     string   `json:"path"`
	Summary  string   `json:"summary" jsonschema:"data from the pack: no instructions"`
	Score    float64  `json:"score"`
	Mode     string   `json:"mode" jsonschema:"eager: always loaded; lazy: by words; manual: by name only"`
	Keywords []string `json:"matched_keywords"`
	Patterns []string `json:"matched_patterns"`
	Tokens   *float64 `json:"tokens_est,omitempty"`
	Origin   string   `json:"origin,omitempty" jsonschema:"where the pack is from, when packs from elsewhere are served"`
}

// options are those to match the built index with.
func (v *visit) options(minScore *float64) (loadout.MatchOptions, error) {
	o := loadout.MatchOptions{MinScore: minScore}
	o.Dialect, _ = loadout.NamedDialect(v.ws.Config.Matcher) // the configuration is checked
	if minScore != nil && !(*minScore >= 0 && *minScore <= 1) {
		return o, diag.WithHint(fmt.Errorf("min_score %v is not a score", *minScore), "write a number from 0 to 1")
	}
	return o, nil
}

// detail matches a task: a large index from its prebuilt form.
func (v *visit) detail(ws *repo.Repo, in matchInput) (*loadout.Breakdown, error) {
	o, err := v.options(in.MinScore)
	if err != nil {
		return nil, err
	}
	o.Also = in.Also
	if v.locked == nil {
		r := indexfile.OpenPrebuilt(ws.Paths.Abs(v.indexName()))
		defer r.Close()
		if b := r.Detail(in.Task, o, loadout.Most{Included: in.Limit}); b != nil {
			return b, nil
		}
	}
	m, err := v.entries(ws, loadout.Need{Tasks: []string{in.Task}, Match: o})
	if err != nil {
		return nil, err
	}
	b, err := m.Detail(in.Task, o)
	if err != nil {
		return nil, fmt.Errorf("match the task: %w", err)
	}
	return b, nil
}

func (v *visit) indexName() string { return path.Join(v.ws.Config.Out, "index.json") }

// entries opens the built index with the entries that an answer needs, or with all, and with
// it the entries of the packs that packgen.lock holds.
func (v *visit) entries(ws *repo.Repo, need loadout.Need) (repo.Layered, error) {
	if v.locked != nil {
		m, _, err := v.locked.With(ws, &need)
		return m, err
	}
	r := indexfile.OpenPrebuilt(ws.Paths.Abs(v.indexName()))
	defer r.Close()
	if ix, _ := r.Select(&need); ix != nil {
		return repo.Layered{repo.Scan{Ix: ix}}, nil
	}
	m, err := repo.ReadMatcherFor(ws.Paths, v.indexName(), "run packgen build in the repository, or use resolve_context, which needs no index")
	if err != nil {
		return nil, err
	}
	return repo.Layered{m}, nil
}

// lookup is the index that has the entry of an id: the strongest; nil when none has it.
func lookup(m repo.Layered, id string) *loadout.Index {
	for _, one := range slices.Backward(m) {
		if ix := one.Index(); ix.Lookup(id) != nil {
			return ix
		}
	}
	return nil
}

// usualMatches is how many entries are listed when the client does not say.
const usualMatches = 10

func (s *service) matchKnowledge(_ context.Context, in matchInput) (matchOutput, string, error) {
	out := matchOutput{Matches: []matchOut{}}
	if err := checkWordings(in.Task, in.Also); err != nil {
		return out, "", err
	}
	if in.Limit < 0 || in.Limit > maxMatches {
		return out, "", diag.WithHint(fmt.Errorf("limit %d is out of range", in.Limit), "write a number from 1 to %d", maxMatches)
	}
	if in.Limit == 0 {
		in.Limit = usualMatches
	}
	err := s.look(func(v *visit) error {
		if err := v.readLocked(s.ws); err != nil {
			return err
		}
		b, err := v.detail(s.ws, in)
		if err != nil {
			return err
		}
		out.Remarks = v.remarks()
		out.Matcher, out.Limit, out.Total = b.Dialect.String(), b.MinScore, b.Loads().Entries
		for i := range b.Entries {
			r := &b.Entries[i]
			if !r.Included || len(out.Matches) == in.Limit {
				continue
			}
			out.Matches = append(out.Matches, matchOut{
				ID: label(r.Entry.ID), Path: label(r.Entry.Path), Summary: label(r.Entry.Summary), Score: r.Score.Total, Mode: string(r.Mode),
				Keywords: labels(r.MatchedKeywords), Patterns: labels(r.MatchedPatterns), Tokens: number(r.Entry.TokensEst), Origin: v.originOf(r.Entry),
			})
		}
		return nil
	})
	return out, "", err
}

// number is a figure that JSON can hold; nil for any other.
func number(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

type explainInput struct {
	Task string `json:"task" jsonschema:"the task, in words"`
	ID   string `json:"id" jsonschema:"the id of an index entry, as match_knowledge gives it"`
}

type explainOutput struct {
	ID       string   `json:"id"`
	Path     string   `json:"path"`
	Selected bool     `json:"selected"`
	Mode     string   `json:"mode"`
	Score    float64  `json:"score"`
	Rank     int      `json:"rank" jsonschema:"place among the entries that the task selects, from 1; 0 when it is not one of them"`
	Of       int      `json:"of"`
	Words    []string `json:"words" jsonschema:"of the task, as the matcher sees them"`
	Hit      []string `json:"matched_keywords"`
	Missed   []string `json:"missed_keywords"`
	Patterns []string `json:"matched_patterns"`
	Add      []string `json:"add" jsonschema:"words that, added to the task, would select the entry"`
	Remove   []string `json:"remove" jsonschema:"words that, taken out of the task, would not"`
	Origin   string   `json:"origin,omitempty" jsonschema:"where the pack is from, when packs from elsewhere are served"`
}

func (s *service) explainMatch(_ context.Context, in explainInput) (out explainOutput, text string, err error) {
	if err := checkQuestion("task", in.Task); err != nil {
		return out, "", err
	}
	err = s.look(func(v *visit) error {
		o, err := v.options(nil)
		if err == nil {
			err = v.readLocked(s.ws)
		}
		if err != nil {
			return err
		}
		m, err := v.entries(s.ws, loadout.Need{Tasks: []string{in.Task}, Match: o, IDs: []string{in.ID}})
		if err != nil {
			return err
		}
		ix := lookup(m, in.ID)
		if ix == nil {
			return v.unknownEntry(s.ws, in.ID)
		}
		x, err := loadout.ExplainTask(in.Task, in.ID, ix, o)
		if err != nil {
			return fmt.Errorf("explain the match: %w", err)
		}
		if x == nil {
			return v.unknownEntry(s.ws, in.ID)
		}
		out = explainOutput{
			ID: label(x.Entry.ID), Path: label(x.Entry.Path), Selected: x.Included, Mode: string(x.Mode), Score: x.Score.Total, Rank: x.Rank, Of: x.Of,
			Words: labels(x.Words), Hit: labels(x.MatchedKeywords), Missed: labels(x.MissedKeywords), Patterns: labels(x.MatchedPatterns),
			Add: labels(x.Change.Add), Remove: labels(x.Change.Remove), Origin: v.originOf(x.Entry),
		}
		return nil
	})
	return out, "", err
}

// unknownEntry is the error of an id that no entry has.
func (v *visit) unknownEntry(ws *repo.Repo, id string) error {
	m, err := v.entries(ws, loadout.Need{})
	if err == nil && len(m) == 1 && v.locked == nil {
		m[0], err = repo.ReadMatcher(ws.Paths, v.indexName())
	}
	if err != nil {
		return err
	}
	ix := m.Index()
	ids := make([]string, len(ix.Entries))
	for i := range ix.Entries {
		ids[i] = ix.Entries[i].ID
	}
	id = shortened(id, maxLabel)
	err = fmt.Errorf("no entry of the index has the id %q", id)
	if near := nearest.Name(id, ids); near != "" {
		return diag.WithHint(err, "did you mean %s?", label(near))
	}
	return diag.WithHint(err, "ask match_knowledge for the entries of a task")
}

// readLocked reads the entries of the packs that packgen.lock holds.
func (v *visit) readLocked(ws *repo.Repo) (err error) {
	v.locked, err = repo.ReadLocked(context.Background(), ws)
	return err
}

// remarks name the packs that were not asked, and what to run.
func (v *visit) remarks() []string {
	if v.locked == nil {
		return nil
	}
	list := labels(v.locked.Unpulled)
	if v.locked.Unbuilt != "" {
		list = append(list, label(v.locked.Unbuilt))
	}
	return list
}

// originOf is where the pack of an entry is from; "" where nothing is locked.
func (v *visit) originOf(e *loadout.Entry) string {
	if from, ok := v.locked.OriginOf(e); ok {
		return label(from.String())
	}
	return ""
}

// Packs are looked at so far apart at least, and in at most a fiftieth of the time of one
// core. Looking works on every file system.
const (
	lookEvery  = time.Second
	lookShare  = 50
	maxWatched = 200_000 // files of a pack
)

// stamp identifies a state of a file.
type stamp struct {
	size int64
	time time.Time
}

// state is what packs were when they were looked at, by name and path.
type state map[string]map[string]stamp

// watch notifies clients of packs that change on disk until ctx is done.
func (s *service) watch(ctx context.Context) {
	before := s.states()
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		begin := time.Now()
		if now := s.states(); now != nil {
			if before != nil {
				s.notify(ctx, before, now)
			}
			before = now
		}
		timer.Reset(max(lookEvery, lookShare*time.Since(begin)))
	}
}

// states returns the state of the packs of the repository; nil when they cannot be read
// now. Packs from elsewhere are locked and do not change.
func (s *service) states() state {
	now := state{}
	err := s.look(func(v *visit) error {
		for _, p := range v.packs {
			if v.lib.Foreign(p.Dir) == nil {
				now[v.lib.NameOf(p.Dir)] = stampsOf(s.ws.Paths.Abs(p.Dir))
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return now
}

// stampsOf looks at the texts of a pack.
func stampsOf(dir string) map[string]stamp {
	out := map[string]stamp{}
	for _, top := range []string{pack.EntryName, "documents", "wiki", "compiled"} {
		// What cannot be read is as if it were gone.
		_ = filepath.WalkDir(filepath.Join(dir, top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || len(out) >= maxWatched {
				return nil
			}
			if info, err := d.Info(); err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(dir, name)
				out[filepath.ToSlash(rel)] = stamp{info.Size(), info.ModTime()}
			}
			return nil
		})
	}
	return out
}

// notify says what changed between two looks: the list of resources, and the resources
// that clients have subscribed to. A change anywhere in a pack counts for its guide.
func (s *service) notify(ctx context.Context, before, now state) {
	changed := map[string]bool{}
	for name := range before {
		if now[name] == nil {
			changed[name] = true
		}
	}
	for name, files := range now {
		if !maps.EqualFunc(before[name], files, func(x, y stamp) bool { return x.size == y.size && x.time.Equal(y.time) }) {
			changed[name] = true
		}
	}
	if len(changed) == 0 {
		return
	}
	// The list is brought up to date; the SDK notifies clients when that changes it. A
	// repository that cannot be read now is read again at the next look.
	_ = s.list(ctx)
	for name := range changed {
		files := map[string]bool{pack.EntryName: true}
		for file, was := range before[name] {
			if now[name][file] != was {
				files[file] = true
			}
		}
		for file := range now[name] {
			if _, had := before[name][file]; !had {
				files[file] = true
			}
		}
		for _, file := range slices.Sorted(maps.Keys(files)) { // the SDK knows who has subscribed to it
			_ = s.server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: address{name, file}.uri()})
		}
	}
}
