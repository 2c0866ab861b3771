package check

import (
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// treeName is the file of the state directory of a pack that holds the digests of its
// files as a check read them.
const treeName = "checked"

// cache is what is known of the check of a pack. The result of a check depends on the
// files of the pack, on what opening it found and on the policy; with all of that as it
// was, nothing is read.
type cache struct {
	store store.Store
	state string // the directory for the digests of the files
	pack  *pack.Pack
	files []store.File
	key   store.Digest
}

// openCache looks at every file of a pack, and reads those that are not known; nil when
// one cannot be read: the check reports that.
func openCache(s store.Store, state string, p *pack.Pack, o options) *cache {
	n := &cache{store: s, state: state, pack: p, files: make([]store.File, len(p.Files))}
	tree, fine := store.ReadTree(n.name()), store.FineTimes(p.Dir)
	w := store.NewWriter(96 * len(p.Files))
	for i, f := range p.Files {
		at := f.Stat
		known := tree.Find(f.Path)
		if !known.AtRest(at) {
			sum, ok := sumOf(p, f.Path)
			if !ok {
				return nil
			}
			known = &store.File{Path: f.Path, Stat: at, Sum: sum, Quiet: store.Quiet(at, p.Listed.UnixNano(), fine)}
		}
		n.files[i] = *known
		w.Str(f.Path)
		w.Digest(known.Sum)
	}
	w.Findings(o.Opened)
	published, _ := p.ReadFile(schema.PackManifestName) // what an archive has left out; mostly absent
	n.key = store.Key("check", compiler.Version, compiler.Program(), o.Policy.Key(), o.Site, w.Text(), string(published))
	return n
}

func (n *cache) name() string { return filepath.Join(n.state, treeName) }

func sumOf(p *pack.Pack, path string) (store.Digest, bool) {
	digits, err := p.Digest(path)
	return store.ParseDigest(digits), err == nil
}

// recall returns the result of an earlier check of the pack as it is; nil when there is
// none. Of the compile it has what [compiler.Result.Again] has.
func (n *cache) recall(knows func(p *pack.Pack, state store.Digest) bool) *Result {
	var k keptResult
	if !store.Recall(n.store, n.key, &k) || !knows(n.pack, k.state) {
		return nil
	}
	r := &Result{
		Compiled:        &compiler.Result{Pack: n.pack, Reused: true, State: k.state, Views: map[string]string{}},
		SuggestedStatus: k.suggested, Diagnostics: k.found, untidy: k.untidy, Health: k.health, Suppressed: k.suppressed, Changed: k.changed, Pages: k.pages,
	}
	r.Compiled.Run.Status = k.status
	return r
}

// keptResult is what is kept of a result.
type keptResult struct {
	state             store.Digest // of the pack
	status, suggested schema.Status
	found             []diag.Diagnostic
	untidy            []string
	health            []lint.Dimension
	suppressed        []lint.Suppressed
	changed           []policy.Change
	pages             Pages
}

// keep remembers a result, unless a file has changed since the pack was listed: the check
// may have read one or the other.
func (n *cache) keep(r *Result, again *pack.Pack) {
	same := slices.EqualFunc(n.files, again.Files, func(f store.File, now pack.File) bool {
		if f.Path != now.Path || f.Stat != now.Stat {
			return false
		}
		if f.Quiet {
			return true
		}
		sum, ok := sumOf(n.pack, f.Path)
		return ok && sum == f.Sum
	})
	if !same || !r.Compiled.State.Known() {
		return
	}
	store.Keep(n.store, n.key, keptResult{
		r.Compiled.State, r.Compiled.Run.Status, r.SuggestedStatus, r.Diagnostics, r.untidy, r.Health, r.Suppressed, r.Changed, r.Pages,
	})
	_ = store.WriteTree(n.name(), store.NewTree(n.files)) // without it the next check reads the files
}
