package elsewhere

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// Places opens packs by reference, as the lock of the repository says.
type Places struct {
	ws      *repo.Repo
	Lock    *schema.Lock
	Cache   *remote.Cache
	offline bool
	stages  *repo.Stages

	policy    *signature.Policy // what trust: in packgen.yaml asks
	asker     signature.Asker
	downgrade bool // packs may be older than those that are locked

	mu     sync.Mutex
	opened []*remote.Artifact
}

var _ repo.Elsewhere = (*Places)(nil)

// Opened is [New] for [repo.Repo.Elsewhere].
func Opened(w *repo.Repo) (repo.Elsewhere, error) {
	p, err := New(w, true)
	if err != nil {
		return nil, err // without a Places that is nil
	}
	return p, nil
}

// New reads the lock. It opens nothing yet; offline asks no server.
func New(w *repo.Repo, offline bool) (*Places, error) {
	lock, err := readLock(w.Paths)
	if err != nil {
		return nil, err
	}
	dir, err := repo.CacheDir(w.Getenv)
	if err != nil {
		return nil, diag.WithHint(err, "set %s to a directory for packs from elsewhere", repo.CacheVariable)
	}
	policy, err := policyOf(w)
	if err != nil {
		return nil, err
	}
	return &Places{
		ws: w, Lock: lock, Cache: remote.NewCache(dir), offline: offline, stages: w.Follow(),
		policy: policy, asker: signature.Program{Version: compiler.Version},
	}, nil
}

// readLock reads packgen.lock, and says what to do about one that cannot be used.
func readLock(paths repo.Paths) (*schema.Lock, error) {
	lock, _, err := remote.ReadLock(paths.Dir)
	var fault *schema.DecodeError
	switch {
	case !errors.As(err, &fault):
		return lock, err
	case isConflicted(paths.Abs(schema.LockName)):
		return nil, diag.WithHint(err, "resolve the merge conflict in it: keep one object per reference; or run git checkout --ours %s and packgen pull REF for those of the other side; nothing is lost", schema.LockName)
	case fault.Pointer == "/schema_version":
		return nil, diag.WithHint(err, "install the packgen that wrote it, or remove the lock and pull its references again")
	}
	return nil, diag.WithHint(err, "correct the file, or restore it from version control; packgen check --record %s shows what is wrong", schema.LockName)
}

// isConflicted reports whether a merge left its marks in a file.
func isConflicted(name string) bool {
	data, err := atomicfile.Read(name, schema.MaxLock)
	return err == nil && bytes.Contains(append([]byte("\n"), data...), []byte("\n<<<<<<< "))
}

// Close releases what was opened.
func (e *Places) Close() {
	for _, a := range e.opened {
		a.Close()
	}
	e.opened = nil
}

// target is a reference with what the lock holds of it.
type target struct {
	Ref    remote.Ref
	locked *schema.LockedRef // nil when the lock does not hold it
}

// target reads a reference: one of the lock, by itself or by the name of its
// pack, or another.
func (e *Places) target(text string) (target, error) {
	if remote.Locked(e.Lock, text) == nil {
		switch refs := remote.LockedNames(e.Lock, text); len(refs) {
		case 0:
		case 1:
			text = refs[0]
		default:
			return target{}, diag.WithHint(fmt.Errorf("%s names %d references of %s", text, len(refs), schema.LockName), "write one of them: %s", strings.Join(refs, ", "))
		}
	}
	ref, err := remote.ParseRef(text)
	if err != nil {
		return target{}, explainElsewhere(err)
	}
	if ref.IsLocal() && remote.Locked(e.Lock, text) == nil {
		if ref, err = ref.At(e.ws.Paths.Given(ref.Path)); err != nil {
			return target{}, explainElsewhere(err)
		}
		text = ref.String()
	}
	return target{ref, remote.Locked(e.Lock, text)}, nil
}

// targets reads references, each once.
func (e *Places) targets(texts []string) ([]target, error) {
	var list []target
	for _, text := range texts {
		t, err := e.target(text)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(have target) bool { return have.Ref == t.Ref }) {
			list = append(list, t)
		}
	}
	return list, nil
}

// options say how a target is opened.
func (e *Places) options(t target) remote.Options {
	o := remote.Options{Dir: e.ws.Paths.Dir, Cache: e.Cache, Locked: t.locked, Offline: e.offline, Limits: e.ws.Config.Pull.Archive()}
	if e.stages.Live {
		o.Progress = func(p remote.Progress) {
			if p.Total > 0 {
				e.stages.Progress("%s %s of %s", p.Doing, amount.Size(p.Done), amount.Size(p.Total))
			} else {
				e.stages.Progress("%s %s", p.Doing, amount.Size(p.Done))
			}
		}
	}
	o.Fetch = fetchOptions(e.ws)
	o.Fetch.Offline = e.offline
	o.Signatures = signaturesOf(e, t)
	o.Mappings = func(dir string) ([]pack.Mapping, error) { return mappingsAt(e.ws, dir) }
	return o
}

// mappingsAt returns the folders that the configuration of another repository maps into the
// pack in a directory of it.
func mappingsAt(w *repo.Repo, dir string) ([]pack.Mapping, error) {
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if !repo.Holds(root, repo.ConfigName) {
			continue
		}
		there := w.At(root)
		there.Environment = func(string) string { return "" }
		if err := there.Load(); err != nil {
			return nil, err
		}
		list := there.Mappings(there.Paths.Rel(dir))
		for i := range list {
			list[i].Pack = dir
		}
		return list, nil
	}
	return nil, nil
}

// fetchOptions says how things are fetched for a repository.
func fetchOptions(w *repo.Repo) fetch.Options {
	n := w.Network
	o := fetch.Options{
		UserAgent: "packgen", Getenv: w.Getenv, Retries: n.Retries, Mirrors: n.Mirrors, Sleep: n.Sleep,
		Trust:    fetch.Trust{CA: n.CA, Cert: n.Cert, Key: n.Key},
		Timeouts: fetch.Timeouts{Header: n.Header, Idle: n.Idle},
		Limits:   fetch.Limits{ArchiveBytes: w.Config.Pull.ArchiveBytes},
	}
	if t := w.Timeout; t > 0 {
		wait := &o.Timeouts
		wait.Connect, wait.TLS = min(t, fetch.DefaultConnect), min(t, fetch.DefaultTLS)
		wait.Header, wait.Idle = cmp.Or(wait.Header, t), cmp.Or(wait.Idle, t)
	}
	return o
}

// get opens a target until close.
func (e *Places) get(ctx context.Context, t target, identify bool) (*remote.Artifact, error) {
	o := e.options(t)
	o.Identify = identify
	a, err := remote.Open(ctx, t.Ref, o)
	if err != nil {
		return nil, explainTarget(e, t, err)
	}
	e.mu.Lock()
	e.opened = append(e.opened, a)
	e.mu.Unlock()
	return a, nil
}

// Open implements [repo.Elsewhere].
func (e *Places) Open(ctx context.Context, texts []string, offline bool) ([]repo.Foreign, error) {
	targets, err := e.targets(texts)
	if err != nil {
		return nil, err
	}
	e.offline = offline
	e.stages.Begin("open")
	defer e.stages.End()
	var list []repo.Foreign
	for _, t := range targets {
		a, err := e.get(ctx, t, false)
		if err != nil {
			return nil, err
		}
		list = append(list, e.foreign(a))
	}
	return list, nil
}

// Kept implements [repo.Elsewhere]. Of several references to one name the first counts.
func (e *Places) Kept(ctx context.Context, wanted func(name string) bool) (list []repo.Foreign, missing []string) {
	for _, ref := range firstOfEach(e.Lock) {
		if !wanted(ref.Pack) {
			continue
		}
		a, err := e.kept(ctx, ref)
		if err == nil {
			e.opened = append(e.opened, a)
			list = append(list, e.foreign(a))
			continue
		}
		why := fmt.Sprintf("%s: %v", diag.Printable(ref.Pack), err)
		if errors.Is(err, fs.ErrNotExist) {
			why = unpulled(ref)
		} else if hint := diag.HintOf(err); hint != "" {
			why += ": " + hint
		}
		missing = append(missing, why)
	}
	return list, missing
}

// unpulled says that the cache lacks what is locked.
func unpulled(ref *schema.LockedRef) string {
	return fmt.Sprintf("%s is in %s and was not pulled here: run packgen pull", diag.Printable(ref.Pack), schema.LockName)
}

// foreign is a pack from elsewhere for the resolver.
func (e *Places) foreign(a *remote.Artifact) repo.Foreign {
	f := repo.Foreign{
		Pack:   resolver.Pack{FS: a.FS, Dir: a.Name, Views: a.Views(), Unapproved: !a.Approved(), MaxTrust: remote.MaxTrust},
		Origin: repo.Origin{Pack: a.Name, Version: a.Entry.Version, From: a.Ref.String(), Tree: a.Entry.Tree, Locked: a.Locked},
	}
	if below, err := e.Cache.Below(a.Entry.Tree); err == nil && a.Cached {
		f.Tree = filepath.Join(e.Cache.Dir(), below)
	}
	return f
}

// Locked implements [repo.Elsewhere].
func (e *Places) Locked() []string {
	names := make([]string, len(e.Lock.References))
	for i, r := range e.Lock.References {
		names[i] = r.Pack
	}
	return names
}

// DropDamaged implements [repo.Elsewhere].
func (e *Places) DropDamaged(ctx context.Context) (bool, error) {
	again := false
	for _, a := range e.opened {
		damage := a.Damage()
		if damage == nil {
			continue
		}
		if !a.Cached {
			return false, diag.Refuse(diag.WithHint(damage, "unpack the archive again: the directory differs from its pack.json"))
		}
		e.ws.Remark("warning: %s: the cached tree is damaged and is dropped", diag.Printable(a.Ref.String()))
		if err := a.Drop(ctx); err != nil {
			return false, err
		}
		again = true
	}
	if again {
		e.Close()
	}
	return again, nil
}

// remoteJobs is how many files of a published site are asked for at once.
const remoteJobs = 8

// maxRemoteMemory is the largest file of a site that is held in memory, in bytes;
// larger ones wait in a temporary file.
const maxRemoteMemory = 4 << 20

// remoteSite shows the files of a published site as a file system that cannot be
// listed. No file may be larger than the site's manifest says.
type remoteSite struct {
	ctx    context.Context // of the whole check
	client *fetch.Client
	base   string // with a final slash

	mu    sync.Mutex
	sizes map[string]int64  // bytes by path; nil before the manifest was read
	kept  map[string]string // temporary files by path
	temp  *scratch.Dir      // where they are; nil before the first
}

func newRemoteSite(ctx context.Context, client *fetch.Client, base string) *remoteSite {
	if !strings.HasSuffix(base, "/") {
		base += "/"
	}
	return &remoteSite{ctx: ctx, client: client, base: base, kept: map[string]string{}}
}

// close removes the temporary files.
func (s *remoteSite) close() {
	if s.temp != nil {
		_ = s.temp.Remove() // what is left the next run removes
	}
}

// Open implements fs.FS. A file that the server does not have is fs.ErrNotExist,
// one that is larger than recorded archive.ErrLonger.
func (s *remoteSite) Open(name string) (fs.File, error) {
	s.mu.Lock()
	size, known := s.sizes[name]
	keep := s.kept[name]
	listed := s.sizes != nil
	s.mu.Unlock()
	switch {
	case listed && !known:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case keep != "":
		return os.Open(keep)
	case known && size > maxRemoteMemory:
		return s.download(name, size)
	}
	limit := size
	if !known {
		limit = schema.MaxSiteManifest
	}
	data, err := s.client.File(s.ctx, s.base, name, limit)
	if err != nil {
		return nil, explainRemote(name, err)
	}
	if name == schema.SiteManifestName {
		s.learn(data)
	}
	return &memoryFile{Reader: bytes.NewReader(data), name: path.Base(name), size: int64(len(data))}, nil
}

// learn takes the sizes from the manifest; one that cannot be read is for the
// check to report.
func (s *remoteSite) learn(data []byte) {
	m, err := schema.DecodeSiteManifest(data)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = make(map[string]int64, len(m.Files))
	for _, f := range m.Files {
		s.sizes[f.Path] = f.Size
	}
	s.sizes[schema.SiteManifestName] = int64(len(data))
}

// download brings a large file into a temporary one, which is kept: archives are
// read twice.
func (s *remoteSite) download(name string, size int64) (fs.File, error) {
	f, err := s.keep(name)
	if err != nil {
		return nil, fmt.Errorf("make a place for %s: %w", name, err)
	}
	address := s.base + (&url.URL{Path: name}).EscapedPath()
	_, got, err := s.client.Download(s.ctx, fetch.Resolved{Source: fetch.SourceURL, URL: address, Name: path.Base(name), Size: size}, f)
	if err == nil && got > size {
		err = archive.ErrLonger
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, explainRemote(name, err)
	}
	return f, nil
}

// keep makes a temporary file for one of the site.
func (s *remoteSite) keep(name string) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temp == nil {
		temp, err := scratch.NewDir("verify")
		if err != nil {
			return nil, err
		}
		s.temp = temp
	}
	f, err := regularfile.CreateTemp(s.temp.Path, "*")
	if err == nil {
		s.kept[name] = f.Name()
	}
	return f, err
}

// memoryFile is a file whose bytes are in memory.
type memoryFile struct {
	*bytes.Reader
	name string
	size int64
}

func (f *memoryFile) Close() error { return nil }

func (f *memoryFile) Stat() (fs.FileInfo, error) { return memoryInfo{f.name, f.size}, nil }

type memoryInfo struct {
	name string
	size int64
}

func (i memoryInfo) Name() string { return i.name }

func (i memoryInfo) Size() int64 { return i.size }

func (memoryInfo) Mode() fs.FileMode { return 0o444 }

func (memoryInfo) ModTime() time.Time { return time.Time{} }

func (memoryInfo) IsDir() bool { return false }

func (memoryInfo) Sys() any { return nil }

// layerNames are the layers of a repository, whose names no reference takes.
var layerNames = []string{"global", "org", "project", "session"}

// indexesOf returns the loadout index of each reference: the one that a site
// publishes, for a site that is neither locked nor narrowed to a pack; otherwise the
// one that a build would make of the pack.
func indexesOf(ctx context.Context, e *Places, texts []string) ([]loadout.Layer, error) {
	targets, err := e.targets(texts)
	if err != nil {
		return nil, err
	}
	e.stages.Begin("open")
	defer e.stages.End()
	var list []loadout.Layer
	for _, t := range targets {
		layer := loadout.Layer{Name: t.Ref.String(), Path: t.Ref.String()}
		if slices.Contains(layerNames, layer.Name) {
			layer.Name = "dir:" + layer.Name
		}
		// The index of a whole site is not signed: where a signature is asked for, a pack is.
		rule, known := e.policy.For(t.Ref.Place())
		if t.locked == nil && rule == nil && known && remote.HasSiteIndex(t.Ref, e.options(t)) {
			layer.Index, err = siteIndex(ctx, e, t)
		} else {
			layer.Index, err = packIndex(ctx, e, t)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, layer)
	}
	return list, nil
}

// siteIndex reads the index that a site publishes.
func siteIndex(ctx context.Context, e *Places, t target) (*loadout.Index, error) {
	data, err := remote.SiteIndex(ctx, t.Ref, e.options(t), indexjson.MaxFetched)
	if err != nil {
		return nil, explainTarget(e, t, err)
	}
	room := int64(indexjson.MaxFetched)
	ix, err := indexjson.ReadWith(data, func(p *indexjson.Part) ([]byte, error) {
		if room -= p.Size; room < 0 {
			return nil, fmt.Errorf("the parts have more than %s", bytesize.Text(indexjson.MaxFetched))
		}
		text, err := remote.SiteIndexPart(ctx, t.Ref, e.options(t), p.Path, p.Size)
		return text, partFault(p, err)
	})
	if err == nil {
		err = ix.Check()
	}
	var answer *fetch.Error
	var offline *remote.OfflineError
	if errors.As(err, &answer) || errors.As(err, &offline) {
		return nil, explainTarget(e, t, err)
	}
	if err != nil {
		err = repo.ReadIndexError(t.Ref.String(), err)
		if !t.Ref.IsLocal() {
			err = diag.WithHint(err, "ask the owner of the site to build and publish it again")
		}
		return nil, diag.Refuse(err)
	}
	return ix, nil
}

// partFault is the error of a part as it is on disk, where a server says the same in its way.
func partFault(p *indexjson.Part, err error) error {
	var answer *fetch.Error
	switch {
	case !errors.As(err, &answer):
		return err
	case answer.Rule == fetch.RuleNotFound:
		return fs.ErrNotExist
	case answer.Rule == fetch.RuleTooLarge:
		return p.Differs(p.Size+1, nil)
	}
	return err
}

// packIndex makes an index of a pack. A cached pack that turns out to be damaged
// is fetched again, once.
func packIndex(ctx context.Context, e *Places, t target) (*loadout.Index, error) {
	for again := false; ; again = true {
		a, err := e.get(ctx, t, false)
		if err != nil {
			return nil, err
		}
		ix, err := buildIndex(ctx, a, &e.ws.Config.Loadout)
		if a.Damage() != nil && !again {
			if _, err := e.DropDamaged(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", t.Ref, explainElsewhere(err))
		}
		return ix, nil
	}
}

// buildIndex compiles a pack in memory and makes the index of it. What is wrong
// with the pack is its maker's affair, and its sources may be left out.
func buildIndex(ctx context.Context, a *remote.Artifact, c *repo.LoadoutConfig) (*loadout.Index, error) {
	p, found, err := pack.OpenFS(a.FS, "") // without a name: there is no directory to look for earlier outputs in
	if err != nil {
		return nil, err
	}
	if p == nil {
		for _, d := range found {
			if d.Severity == diag.Error {
				return nil, fmt.Errorf("the pack cannot be read: %s", d.Message)
			}
		}
		return nil, fmt.Errorf("the pack cannot be read")
	}
	b := c.NewBuilder(nil)
	// The time is that of no run: nothing is written, and no entry holds it.
	now := time.Unix(0, 0)
	result, err := compiler.Compile(ctx, p, compiler.Options{
		DryRun: true, Now: now, Contribute: []compiler.Contributor{b.Contributor(p)}, Store: &store.Memory{},
	})
	if err != nil {
		return nil, err
	}
	ix, _, err := b.Finish(ctx, []*compiler.Result{result}, index.Options{Generated: now})
	return ix, err
}

// FromLayers returns a layer for each reference, in their order.
func FromLayers(ctx context.Context, w *repo.Repo, from []string, offline bool) ([]loadout.Layer, error) {
	if len(from) == 0 {
		return nil, nil
	}
	e, err := New(w, offline)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return indexesOf(ctx, e, from)
}

// FromMatcher merges the indexes of references into one to match against; of two
// entries of one id the later reference wins.
func FromMatcher(ctx context.Context, w *repo.Repo, from []string, offline bool) (string, repo.Matcher, error) {
	layers, err := FromLayers(ctx, w, from, offline)
	if err != nil {
		return "", nil, err
	}
	if len(layers) == 1 {
		return layers[0].Path, repo.Scan{Ix: layers[0].Index}, nil
	}
	merged, err := loadout.Merge(layers, loadout.MergeOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("merge the indexes: %w", err)
	}
	ix := merged.Index
	return fmt.Sprintf("%d references", len(layers)), repo.Scan{Ix: &ix}, nil
}
