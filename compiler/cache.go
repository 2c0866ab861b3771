package compiler

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lastrun"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// cache is what a compile knows of earlier ones (agent-knowledge section 6.9): the
// store of the results of units and packs, by key, and the digests of files that
// nobody has touched.
type cache struct {
	store store.Store
	temp  *store.Disk  // closed with the compile; nil when the store is the caller's
	unit  store.Digest // what the analysis of every unit depends on besides its text
	pack  *pack.Pack

	name string      // of the file that tree is kept in; "" keeps none
	tree *store.Tree // files of the pack as the last compile left them
	fine bool        // times of files show changes of the same second

	mu   sync.Mutex
	sums map[string]store.Digest // of files that had to be read for it
}

// treeName is the file of the state directory that holds the digests of a pack.
const treeName = "files"

// openCache opens what is known of a pack. Without a store from the caller that is
// nothing, and the compile does everything.
func openCache(c *opened) *cache {
	n := &cache{
		store: c.opt.Store, pack: c.pack, sums: map[string]store.Digest{},
		unit: store.Key("unit", Version, Program(), c.grounding, fmt.Sprint(c.documents, c.wiki, c.apart.key())),
	}
	if n.store == nil {
		n.temp = store.ReadOnly("")
		n.store = n.temp.Group("")
		return n
	}
	if c.pack.Dir != "" && !c.pack.Listed.IsZero() && c.opt.StateDir != "" {
		n.fine = store.FineTimes(c.pack.Dir)
		n.name = filepath.Join(c.opt.StateDir, treeName)
		n.tree = store.ReadTree(n.name)
	}
	return n
}

func (n *cache) close() {
	if n.temp != nil {
		n.temp.Close()
	}
}

// Remembered returns what the last compile that kept its state in a directory knows of
// the files of its pack: the SHA-256, as hex digits, of one whose size and times say that
// nobody has touched it since, "" for any other. The state is read with the first question.
func Remembered(stateDir string) func(f pack.File) string {
	tree := sync.OnceValue(func() *store.Tree { return store.ReadTree(filepath.Join(stateDir, treeName)) })
	return func(f pack.File) string {
		if e := tree().Find(f.Path); e.AtRest(f.Stat) {
			return e.Sum.String()
		}
		return ""
	}
}

// known returns the digest of a file that nobody has touched since it was last
// read; the unknown one for any other.
func (n *cache) known(f pack.File) store.Digest {
	if e := n.tree.Find(f.Path); e.AtRest(f.Stat) {
		return e.Sum
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sums[f.Path]
}

// sum returns the digest of a file as it is now, reading it when it must; the
// unknown one when it cannot be read.
func (n *cache) sum(f pack.File) store.Digest {
	if sum := n.known(f); sum.Known() {
		return sum
	}
	digits, err := n.pack.Digest(f.Path)
	if err != nil {
		return store.Digest{}
	}
	sum := store.ParseDigest(digits)
	n.learn(f.Path, sum)
	return sum
}

// sumsOf returns the digests of unchanged files.
func (n *cache) sumsOf(files []pack.File) map[string]store.Digest {
	sums := make(map[string]store.Digest, len(files))
	for _, f := range files {
		sums[f.Path] = n.known(f)
	}
	return sums
}

// learn notes the digest of a file that was read.
func (n *cache) learn(path string, sum store.Digest) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sums[path] = sum
}

// sameSum reports whether a file has a digest. One of another size than it had is
// not read for it.
func (n *cache) sameSum(f pack.File, want store.Digest) bool {
	if e := n.tree.Find(f.Path); e == nil || e.Stat.Size != f.Size || !want.Known() {
		return false
	}
	return n.sum(f) == want
}

// packKey is the key of the compile of a pack: all its files, inputs and outputs,
// and all options that its result depends on.
func (c *opened) packKey(files []store.File) store.Digest {
	w := store.NewWriter(96 * len(files))
	for i := range files {
		w.Str(files[i].Path)
		w.Digest(files[i].Sum)
	}
	published, _ := c.pack.ReadFile(schema.PackManifestName) // what an archive has left out; mostly absent
	options := store.NewWriter(64)
	options.Bool(c.opt.Force)
	options.Bool(c.opt.Lint)
	options.Findings(c.opt.Opened)
	options.Str(c.opt.Policy.Key())
	options.Str(c.pack.LeftOutKey())
	return store.Key("pack", Version, Program(), w.Text(), options.Text(), string(published))
}

// unchanged returns the result of the compile that left the pack as it is. The key
// of that is only asked for when the listing looks as that compile left it.
func (c *opened) unchanged() *Result {
	n, known := c.cache, c.cache.tree.Files()
	if c.opt.RecordUnchanged || c.opt.OutDir != "" || n.name == "" || len(known) != len(c.pack.Files) {
		return nil
	}
	for i, f := range c.pack.Files {
		if known[i].Path != f.Path || known[i].Stat.Size != f.Size {
			return nil
		}
	}
	files, young := make([]store.File, len(known)), false
	for i, f := range c.pack.Files {
		files[i] = known[i]
		if known[i].AtRest(f.Stat) {
			continue
		}
		sum := n.sum(f)
		if !sum.Known() {
			return nil
		}
		files[i] = store.File{Path: f.Path, Stat: f.Stat, Sum: sum, Quiet: n.quiet(f)}
		young = true
	}
	key := c.packKey(files)
	if r := c.last(key); r != nil && (c.opt.Enough == nil || c.opt.Enough(key)) {
		if young && !c.opt.DryRun {
			_ = store.WriteTree(n.name, store.NewTree(files))
		}
		return r
	}
	return nil
}

// quiet reports whether a file was at rest when the pack was listed.
func (n *cache) quiet(f pack.File) bool {
	return store.Quiet(f.Stat, n.pack.Listed.UnixNano(), n.fine)
}

// last reads the result of a key.
func (c *opened) last(key store.Digest) *Result {
	r := &Result{Pack: c.pack, Reused: true, State: key, Views: map[string]string{}, Run: schema.Run{Trigger: c.opt.Trigger}}
	var known keptResult
	if !store.Recall(c.cache.store, key, &known) {
		return nil
	}
	r.SuggestedStatus, r.Run.Status, r.Counts = known.suggested, known.status, known.counts
	r.Diagnostics, r.Comments, r.Recorded, r.outputs = known.found, known.comments, known.runs, strings.Clone(known.outputs)
	return r.decide(c.opt.Policy)
}

// keptResult is what a result says of a pack that needs no more compiling.
type keptResult struct {
	suggested, status schema.Status
	counts            Counts
	found             []diag.Diagnostic
	comments          map[string][]lint.Suppression
	runs              []string
	outputs           string // see packOutputs
}

// changes reports whether a compile writes or would write anything.
func (r *Result) changes() bool {
	return r.RunPath != "" || slices.ContainsFunc(r.Run.Outputs, isChange)
}

// Runs lists the records of compile runs that exist after the compile, newest first.
func (r *Result) Runs() []string {
	if r.RunPath == "" {
		return r.Recorded
	}
	older := slices.DeleteFunc(slices.Clone(r.Recorded), func(p string) bool { return p == r.RunPath })
	return slices.Insert(older, 0, r.RunPath)
}

// lookAgain returns the moment from which outputs are looked at again. When
// many were written they are given the few milliseconds after which their times can
// be believed: the next compile would take longer to hash them.
func (n *cache) lookAgain(written map[string]bool) int64 {
	const many = 50
	if n.fine && len(written) >= many {
		time.Sleep(store.FineWindow + time.Millisecond)
	}
	return time.Now().UnixNano()
}

// generatedKey is the key of what an index with a digest records as generated.
func generatedKey(index store.Digest) store.Digest {
	return store.Key("generated", Version, Program(), string(index[:]))
}

// keepGenerated remembers what the index records as generated, so that the next
// compile need not decode it.
func (n *cache) keepGenerated(sum store.Digest, index *schema.Index) {
	store.Keep(n.store, generatedKey(sum), generatedOf(index))
}

// recallGenerated returns what the index that is in the pack records as generated; nil
// when it must be read. The pack was listed before this run had the lock, so the index
// is looked at again.
func (n *cache) recallGenerated() (list ownHashes) {
	if n.tree == nil {
		return nil
	}
	at, err := n.pack.Look(indexPath)
	e := n.tree.Find(indexPath)
	if err != nil || !e.AtRest(at.Stat) {
		return nil
	}
	store.Recall(n.store, generatedKey(e.Sum), &list)
	return list
}

// keptHistory is what the newest run record says of claims.
type keptHistory struct {
	newest, index, mapped string
	claims, removed       []keptClaim
}

// keptClaim is a claim of a run record: of a large pack there are hundreds of thousands, and
// digests fill half as much as their digits.
type keptClaim struct {
	claim, words, source string
	span, file           store.Digest
	confirmed, stale     bool
}

// historyKey is the key of what all run records hold.
func historyKey(files []store.File) store.Digest {
	w := store.NewWriter(1 << 10)
	for i := range files {
		if f := &files[i]; strings.HasPrefix(f.Path, runsDir+"/") {
			w.Str(f.Path)
			w.Digest(f.Sum)
		}
	}
	return store.Key("history", Version, Program(), w.Text())
}

// recallHistory takes what the newest run record holds from the store; false when it
// must be read.
func (m *material) recallHistory() bool {
	n := m.cache
	if n.tree == nil || m.opt.OutDir != "" {
		return false
	}
	var files []store.File
	listed := map[string]bool{}
	for _, f := range m.pack.List(runsDir) {
		files = append(files, store.File{Path: f.Path, Sum: n.sum(f)})
		listed[f.Path] = true
	}
	// The pack was listed before this run had the lock: another run may have
	// recorded itself meanwhile.
	if slices.ContainsFunc(m.history.names, func(r lastrun.RunFile) bool { return !listed[r.Path] }) {
		return false
	}
	var known keptHistory
	if !store.Recall(n.store, historyKey(files), &known) {
		return false
	}
	lists := [2][]schema.RunClaim{}
	for i, those := range [2][]keptClaim{known.claims, known.removed} {
		for _, c := range those {
			lists[i] = append(lists[i], schema.RunClaim{
				Claim: c.claim, Words: c.words, Source: c.source, Span: c.span.String(), File: c.file.String(), Confirmed: c.confirmed, Stale: c.stale,
			})
		}
	}
	m.history.newest, m.history.index, m.history.mapped = known.newest, known.index, known.mapped
	m.history.ledger = baseline.From(lists[0], lists[1])
	return true
}
