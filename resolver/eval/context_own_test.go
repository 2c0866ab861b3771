package eval

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
)

// The project's own packs as they are, and as they were when the figures of the
// scorer were taken: an edit of the manual must not look like a change of the
// scorer. To take them again, copy all but compiled/, indexes/ and runs/ over.
const (
	ownPacks    = "../../packs"
	frozenPacks = "testdata/packs"
)

func ownNames() []string {
	return []string{"knowledge-pack-field", "packgen-manual", "packgen-voice", "release-engineering"}
}

var (
	ownFiles    = sync.OnceValues(func() (map[string]fs.FS, error) { return compileAll(ownPacks) })
	frozenFiles = sync.OnceValues(func() (map[string]fs.FS, error) { return compileAll(frozenPacks) })
)

// compileAll compiles a copy of each of the packs below a directory.
func compileAll(from string) (map[string]fs.FS, error) {
	dir, err := os.MkdirTemp("", "packgen-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all := map[string]fs.FS{}
	for _, name := range ownNames() {
		if all[name], err = compileCopy(filepath.Join(from, name), filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// compileCopy compiles a copy of a pack and returns its files.
func compileCopy(from, to string) (fs.FS, error) {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return nil, err
	}
	p, _, err := pack.Open(to)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if _, err := compiler.Compile(context.Background(), p, compiler.Options{Now: time.Unix(1780300800, 0)}); err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	err = fs.WalkDir(os.DirFS(to), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(to, name))
		files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	return files, err
}

func ownPack(t testing.TB, name string) resolver.Pack {
	t.Helper()
	all := oktest.Value(ownFiles())(t)
	return resolver.Pack{FS: all[name], Dir: name}
}

func ownSuite(t testing.TB, name string) *ContextSuite {
	t.Helper()
	return suiteOf(t, filepath.Join(ownPacks, name, ContextPath))
}

func suiteOf(t testing.TB, file string) *ContextSuite {
	t.Helper()
	data := oktest.Value(os.ReadFile(file))(t)
	suite, faults := ReadContextSuite(file, data)
	for _, f := range faults {
		t.Errorf("%s: %s", f.Place(), f.Message)
	}
	if t.Failed() {
		t.FailNow()
	}
	return suite
}

// askFrozen runs the suites of the frozen packs as users ask, and packgen eval does: over all
// of the packs.
func askFrozen(t testing.TB, o contextOptions) (all, train, validation []ContextResult) {
	t.Helper()
	files := oktest.Value(frozenFiles())(t)
	for _, name := range ownNames() {
		o.Among = append(o.Among, resolver.Pack{FS: files[name], Dir: name, Own: true})
	}
	return runFrozen(t, o)
}

// runFrozen runs the suites of the frozen packs, each inside its pack where the options name
// no others.
func runFrozen(t testing.TB, o contextOptions) (all, train, validation []ContextResult) {
	t.Helper()
	files := oktest.Value(frozenFiles())(t)
	for _, name := range ownNames() {
		suite := suiteOf(t, filepath.Join(frozenPacks, name, ContextPath))
		r := oktest.Value(runContext(context.Background(), resolver.Pack{FS: files[name], Dir: name}, suite, o))(t)
		all = append(all, r.Results...)
	}
	return all, inHalf(all, Train), inHalf(all, Validation)
}

func TestOwnSuitesAreHonest(t *testing.T) {
	cases, paraphrases, unanswerable := 0, 0, 0
	for _, name := range ownNames() {
		suite := ownSuite(t, name)
		if suite.Pack != name {
			t.Errorf("%s: pack_name is %q", name, suite.Pack)
		}
		for _, c := range suite.Cases {
			cases++
			tally(&paraphrases, c.Paraphrase)
			tally(&unanswerable, !c.MayBeAnswered())
		}
	}
	if answerable := cases - unanswerable; answerable < 80 || 3*paraphrases < answerable || unanswerable < 60 {
		t.Errorf("%d cases, %d paraphrases, %d unanswerable; want at least 80 with an answer, a third of them paraphrases, and 60 without", cases, paraphrases, unanswerable)
	}
}

// Every section that a case names must exist, or recall measures nothing.
func TestOwnSuitesNameSectionsThatExist(t *testing.T) {
	for _, name := range ownNames() {
		p := ownPack(t, name)
		r, err := resolver.Resolve(context.Background(), []resolver.Pack{{FS: p.FS, Dir: p.Dir, Activation: resolver.Explicit}},
			resolver.Request{Query: name, Scorer: everything{}, Budget: 1 << 20})
		oktest.Check(t, err)
		for _, c := range ownSuite(t, name).Cases {
			for _, ref := range c.Required {
				found := false
				for _, f := range r.Activated[0].Files {
					found = found || covers(f, ref)
				}
				if !found {
					t.Errorf("%s: %q requires %s, which is not a section", name, c.Query, ref)
				}
			}
		}
	}
}

// A guard right below the figures of the scorer, which are logged; each case is
// one hundredth.
func TestDefaultScorerKeepsItsFigures(t *testing.T) {
	all, train, validation := runFrozen(t, contextOptions{})
	s := summaryOf(all)
	for name, part := range map[string]ContextSummary{"all": s, "train": summaryOf(train), "validation": summaryOf(validation)} {
		t.Logf("%s: %+v", name, part)
	}
	for _, r := range all {
		if !r.Passed {
			t.Logf("%q lost %v, false answer %v", r.Case.Query, r.Lost, r.False)
		}
	}
	overlap, _, _ := runFrozen(t, contextOptions{Scorer: rank.Overlap{}})
	o := summaryOf(overlap)
	t.Logf("overlap: %+v", o)
	switch {
	case s.Recall < 0.70 || s.Recall <= o.Recall:
		t.Errorf("recall %.3f, overlap %.3f; want more than 0.70", s.Recall, o.Recall)
	case s.Precision < 0.50 || s.Precision <= o.Precision:
		t.Errorf("precision %.3f, overlap %.3f; want more than 0.50", s.Precision, o.Precision)
	case s.Violations > 0:
		t.Errorf("%d selections exceed the budget", s.Violations)
	case 8*s.FalseAnswers > s.Unanswerable:
		t.Errorf("%d of %d unanswerable queries were answered", s.FalseAnswers, s.Unanswerable)
	}
}

// everything fits every section, so that a selection holds all of a pack.
type everything struct{ sections int }

func (everything) Name() string { return "everything" }

func (everything) Score(_ string, sections []rank.Section) rank.Ranking {
	return everything{len(sections)}
}

func (e everything) Ranked(keep func(int) bool) []rank.Hit {
	var hits []rank.Hit
	for i := range e.sections {
		if keep == nil || keep(i) {
			hits = append(hits, rank.Hit{Section: i, Score: 1, Title: true})
		}
	}
	return hits
}

func (everything) Elsewhere(rank.Range, func(int) bool) bool      { return true }
func (everything) Judge(_ []int, _ func(int) bool) rank.Judgement { return rank.Judgement{Score: 100} }
