package build

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// Service is a client of a remote cache or executor, as builds need it.
type Service interface {
	// Result returns what the service knows of an action.
	Result(ctx context.Context, key remote.Digest) (*remote.Result, error)
	// SetResult gives the service the result of an action, whose files it must have.
	SetResult(ctx context.Context, a *remote.Action, r *remote.Result) error
	// Execute has the service carry out an action.
	Execute(ctx context.Context, a *remote.Action) (*remote.Result, error)
	// Fetch writes the bytes of a digest; packed ones are compressed already.
	Fetch(ctx context.Context, d remote.Digest, to io.Writer, packed bool) error
	// Upload gives the service those of some blobs that it does not have.
	Upload(ctx context.Context, blobs []remote.Blob) error
	// MayUpdate reports whether the service takes results of ours.
	MayUpdate() bool
	// Executes reports whether the service carries out actions.
	Executes() bool
	// Close ends the connections.
	Close()
}

// Protocol is how a program speaks to remote caches and executors. The zero value is for
// programs that ask none.
type Protocol struct {
	Dial      func(ctx context.Context, o remote.Options) (Service, error)
	NewAction func(c remote.Command, inputs []remote.Input) (*remote.Action, error)
	Reason    func(err error) string // says an error of a service in a few words
}

// service is the remote cache or executor of a run. Whatever goes wrong with it costs time
// and one note: the build makes by itself what it does not get.
type service struct {
	client  Service
	speaks  Protocol
	name    string // its address, for messages
	upload  bool
	program program

	mu     sync.Mutex
	spoilt bool   // the site has some of what cannot be used
	gone   string // why nothing more is asked of it; "" while it is well
	note   string // what else the user should know
	unfit  int    // outputs that could not be used
	stats  RemoteReport
	jobs   map[string]*job // by the name of the pack
}

// RemoteReport says what a remote cache or executor was good for.
type RemoteReport struct {
	Fetched  int   `json:"fetched"`  // actions whose outputs were there
	Executed int   `json:"executed"` // packs that it compiled
	Made     int   `json:"made"`     // packs that were compiled here
	Sent     int   `json:"sent"`     // actions whose outputs were given to it
	Kept     int   `json:"kept"`     // packs of which nothing was sent: private, or with files that are withheld
	Received int64 `json:"bytes_received"`
	Given    int64 `json:"bytes_sent"`
}

// openService connects to the service that the configuration names; nil when there is none,
// or it cannot be used in this run.
func (b *Run) openService(ctx context.Context) error {
	o, ok, err := repo.RemoteOptions(b.ws)
	if err != nil || !ok {
		return err
	}
	if b.Flags.Remote.Dial == nil || b.into != nil || b.Flags.DryRun || b.Flags.NoCache || b.overlay != "" {
		return nil // what is written elsewhere or not at all is not asked for
	}
	o.Tool, o.Quiet = compiler.Version, min(b.ws.Timeout, remote.DefaultQuiet)
	s := &service{speaks: b.Flags.Remote, name: o.Executor, upload: b.ws.Config.Remote.Upload, jobs: map[string]*job{}}
	if o.Cache != "" {
		s.name = o.Cache
	}
	b.remote = s
	if s.program, err = runningProgram(); err != nil {
		s.leave(err)
		return nil
	}
	client, err := s.speaks.Dial(ctx, o)
	if err != nil {
		s.leave(err)
		return nil
	}
	s.client = client
	if s.upload && !s.client.MayUpdate() {
		s.upload = false
	}
	return nil
}

// leave gives the service up.
func (s *service) leave(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone == "" && !errors.Is(err, context.Canceled) {
		s.gone = s.speaks.Reason(err)
	}
}

// mostUnfit is how many outputs that cannot be used a service may send.
const mostUnfit = 3

// misfit notes outputs that cannot be used, and gives a service up that sends more of them.
func (s *service) misfit() {
	s.mu.Lock()
	s.unfit++
	s.note = "outputs that it sent cannot be used, and are made here"
	many := s.unfit >= mostUnfit
	s.mu.Unlock()
	if many {
		s.leave(errOutputs)
	}
}

// well reports whether the service is still asked.
func (s *service) well() bool {
	if s == nil || s.client == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone == ""
}

// count changes the report.
func (s *service) count(change func(r *RemoteReport)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.stats)
}

// forget drops what was fetched and is not used yet.
func (s *service) forget() {
	for _, j := range s.jobs {
		<-j.done
		j.drop()
	}
	s.jobs = map[string]*job{}
}

func (s *service) close() {
	if s == nil {
		return
	}
	s.forget()
	if s.client != nil {
		s.client.Close()
	}
}

// Remote reports on the remote cache or executor of the run; ok is false when it has none.
func (b *Run) Remote() (r RemoteReport, ok bool) {
	if b.remote == nil {
		return r, false
	}
	b.remote.mu.Lock()
	defer b.remote.mu.Unlock()
	return b.remote.stats, true
}

// RemoteNote is the one line about a service that failed; "" for one that did not.
func (b *Run) RemoteNote() string {
	s := b.remote
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone != "":
		return fmt.Sprintf("the remote cache %s was given up, %s: the rest is made here", s.name, s.gone)
	case s.note != "":
		return fmt.Sprintf("the remote cache %s: %s", s.name, s.note)
	}
	return ""
}

// Text is the report as a line.
func (r RemoteReport) Text() string {
	text := fmt.Sprintf("%s fetched, %s made here, %s sent", amount.Grouped(r.Fetched), amount.Grouped(r.Made), amount.Grouped(r.Sent))
	if r.Executed > 0 {
		text = fmt.Sprintf("%s compiled there, ", amount.Grouped(r.Executed)) + text
	}
	if r.Kept > 0 {
		text += fmt.Sprintf(", %s private or with withheld files", amount.Grouped(r.Kept))
	}
	return text
}

// withheld reports whether something found in a pack keeps files of it from being shown.
func withheld(found []diag.Diagnostic) bool { return slices.ContainsFunc(found, compiler.Withheld) }

// remote lets the flags override the configuration.
func (f *Options) remote(c *repo.RemoteConfig) error {
	for _, o := range []struct {
		flag, given string
		field       *string
	}{{"remote-cache", f.RemoteCache, &c.Cache}, {"remote-executor", f.RemoteExecutor, &c.Executor}} {
		if o.given == "" {
			continue
		}
		if err := remote.CheckAddress(o.given); err != nil {
			return fmt.Errorf("--%s: %w", o.flag, err)
		}
		*o.field = o.given
	}
	c.Upload = c.Upload && !f.NoUpload
	if f.Action != "" {
		*c = repo.RemoteConfig{} // a machine that carries out an action asks no other
	}
	return nil
}

// Where the inputs of an action are below its root, and its output.
const (
	programInput    = "packgen"
	repositoryInput = "repository"
	outputsFile     = "outputs.zst"
)

// program is the running program, an input of every action.
type program struct {
	remote.Digest
	path string
}

// hashed is the program that was hashed last: a process that builds again and again has the
// same one all the time, unless its file is replaced.
var hashed struct {
	sync.Mutex
	program
	info fs.FileInfo
}

func runningProgram() (p program, err error) {
	if p.path, err = os.Executable(); err != nil {
		return p, err
	}
	f, info, err := regularfile.Open(p.path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	hashed.Lock()
	defer hashed.Unlock()
	if h := hashed.info; h != nil && os.SameFile(h, info) && h.Size() == info.Size() && h.ModTime().Equal(info.ModTime()) {
		return hashed.program, nil
	}
	sum := sha256.New()
	if p.Size, err = io.Copy(sum, f); err != nil {
		return p, err
	}
	p.Sum = store.Digest(sum.Sum(nil))
	hashed.program, hashed.info = p, info
	return p, nil
}

func (p program) input() remote.Input {
	return remote.Input{Path: programInput, Program: true, Blob: remote.Blob{Digest: p.Digest, Open: func() (io.ReadCloser, error) {
		f, _, err := regularfile.Open(p.path)
		return f, err
	}}}
}

// passedOn are the variables that outputs depend on.
var passedOn = [...]string{"SOURCE_DATE_EPOCH", "PACKGEN_TITLE", "PACKGEN_BASE_URL", "PACKGEN_MATCHER"}

// command is what an action does: packgen itself, for one pack.
func (b *Run) command(dir, apart string) remote.Command {
	c := remote.Command{
		Arguments:   []string{"./" + programInput, "-C", repositoryInput, "build", "--action", dir, "--out", "../" + outputsFile},
		Environment: map[string]string{}, Platform: repo.Properties(b.ws.Config.Remote.Platform), Outputs: []string{outputsFile},
		Timeout: mostOfAction,
	}
	if b.Flags.Force {
		c.Arguments = append(c.Arguments, "--force")
	}
	for _, name := range passedOn {
		if value := b.ws.Getenv(name); value != "" {
			c.Environment[name] = value
		}
	}
	if apart != "" {
		c.Environment["PACKGEN_APART"] = apart
	}
	return c
}

// mostOfAction is how long an action may take.
const mostOfAction = 15 * time.Minute

// describe makes the action that compiles a pack, with the digests of its files. Where
// there is anything apart, a service can keep its result, and cannot carry it out.
func (b *Run) describe(m *repo.Member, apart string) (*remote.Action, map[string]store.Digest, error) {
	inputs, err := b.sharedInputs()
	if err != nil {
		return nil, nil, err
	}
	sums, err := b.sumsOf(m)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range m.Pack.Files {
		inputs = append(inputs, remote.Input{
			Path: path.Join(repositoryInput, m.Dir, f.Path),
			Blob: remote.Blob{Digest: remote.Digest{Sum: sums[f.Path], Size: f.Size}, Open: opener(m.Pack, f.Path)},
		})
	}
	a, err := b.remote.speaks.NewAction(b.command(m.Dir, apart), inputs)
	return a, sums, err
}

// sumsOf returns the digests of all files of a pack.
func (b *Run) sumsOf(m *repo.Member) (map[string]store.Digest, error) {
	known := compiler.Remembered(m.State())
	sums := make(map[string]store.Digest, len(m.Pack.Files))
	for _, f := range m.Pack.Files {
		digits := known(f)
		if digits == "" {
			var err error
			if digits, err = m.Pack.SHA256(f.Path); err != nil {
				return nil, fmt.Errorf("read %s of %s: %w", f.Path, m.Dir, err)
			}
		}
		sums[f.Path] = store.ParseDigest(digits)
	}
	return sums, nil
}

func opener(p *pack.Pack, name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, _, err := p.OpenFile(name)
		return f, err
	}
}

// sharedInputs are those of all actions: the program and the configuration, without the
// part that is about the service.
func (b *Run) sharedInputs() ([]remote.Input, error) {
	list := []remote.Input{b.remote.program.input()}
	name, named := b.ws.ConfigFile()
	data, err := atomicfile.Read(b.ws.Paths.Abs(name), repo.ConfigLimit)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return append(list, remote.Input{Path: path.Join(repositoryInput, repo.ConfigName), Blob: remote.BlobOf(withoutRemote(data))}), nil
}

// withoutRemote cuts the section about the service out of a configuration: addresses and
// rights differ between machines that share results.
func withoutRemote(data []byte) []byte {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(data)) {
		if line[0] != ' ' && line[0] != '\t' && line[0] != '#' && line[0] != '\n' && line[0] != '\r' && line[0] != '-' {
			inside = strings.HasPrefix(line, "remote:")
		}
		if !inside {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

// private reports whether nothing of a pack may leave the machine: by the configuration, or
// since a source says so in its front matter.
func (b *Run) private(m *repo.Member) bool {
	patterns := b.ws.Config.Remote.Private
	for _, pattern := range patterns {
		if doublestar.MatchUnvalidated(pattern, m.Dir) {
			return true
		}
	}
	for _, f := range m.Pack.Files {
		for _, pattern := range patterns {
			if doublestar.MatchUnvalidated(pattern, path.Join(m.Dir, f.Path)) {
				return true
			}
		}
		if strings.HasPrefix(f.Path, "sources/") && strings.HasSuffix(f.Path, ".md") && markedPrivate(m.Pack, f.Path) {
			return true
		}
	}
	return false
}

// markedPrivate reports a source with "private: true" in its front matter. One that cannot
// be read is private.
func markedPrivate(p *pack.Pack, name string) bool {
	data, err := p.ReadFile(name)
	if err != nil {
		return true
	}
	block, _ := frontmatter.Read(data, frontmatter.Options{Path: name})
	private, _ := frontmatter.NewMap(name, block.Node, nil).Bool("private")
	return private
}

// holdsSecret reports whether a file of a pack holds a likely secret: an action would send
// all of them before any compile has looked.
func holdsSecret(p *pack.Pack) bool {
	for _, f := range p.Files {
		data, err := p.ReadFile(f.Path)
		if err != nil || len(secret.Find(data)) > 0 || len(secret.FindInName(f.Path)) > 0 {
			return true
		}
	}
	return false
}

// What the site has beside the packs is an action too, whose one input is the key of all
// that it depends on: a service keeps its outputs, and cannot carry it out.

// action describes it.
func (w *overall) action(s *service) (*remote.Action, error) {
	return s.speaks.NewAction(remote.Command{
		Arguments: []string{"packgen", "build"}, Environment: map[string]string{"PACKGEN_STATE": w.key.String()}, Outputs: []string{outputsFile},
	}, nil)
}

// fetch gives the build the result of the action from the service.
func (w *overall) fetch(ctx context.Context, b *Run, t *tools, tx publish.Target) bool {
	if !w.key.Known() || w.pages || !b.remote.well() {
		return false
	}
	a, err := w.action(b.remote)
	if err != nil {
		return false
	}
	o, err := b.remote.find(ctx, a, "", func() bool { return true })
	if err != nil {
		return false
	}
	defer o.close()
	for _, h := range o.held {
		if h.key != w.key {
			return false // it is the result of something else
		}
	}
	if o.keep(t.disk) != nil {
		return false
	}
	ok := w.take(b, func(files []publish.Kept) bool {
		if !slices.Equal(files, o.site) {
			return false
		}
		if err := o.putSite(tx); err != nil {
			b.remote.spoil(err)
			return false
		}
		return true
	})
	if ok {
		b.remote.count(func(r *RemoteReport) { r.Fetched++ })
	}
	return ok
}

// send gives the service the result of the action.
func (w *overall) send(ctx context.Context, b *Run, t *tools) {
	s := b.remote
	if !s.well() || !s.upload || !w.key.Known() || s.stats.Kept > 0 || !w.made {
		return
	}
	r, ok := w.store.Action(w.key)
	if !ok || len(r) != 1 {
		return
	}
	data, ok := w.store.Blob(r[0])
	if !ok {
		return
	}
	x := store.ReadBytes(data)
	_, _ = x.Str(), x.Findings()
	o := &outputs{site: publish.UnpackKept(x), held: []held{{group: repo.SiteGroup, key: w.key, result: r}}}
	a, err := w.action(s)
	if err != nil || !x.Done() {
		return
	}
	var clean leaving
	for _, m := range b.out.shown {
		if j := s.job(m); j == nil || !j.shown {
			clean = leaving{} // else it says nothing that the service has not
		}
	}
	if err := s.send(ctx, a, func(to io.Writer) error {
		archive, err := b.beginOutputs(to, t, o, clean)
		if err != nil {
			return err
		}
		return archive.end(o, b.readPage)
	}); err != nil {
		s.leave(err)
	}
}

// Perform carries out the action of one pack, for another machine: Options.Action is the
// directory of the pack, and its outputs go into the file Options.Out. The repository is
// not written: the service that runs this may have it read-only.
func Perform(ctx context.Context, w *repo.Repo, f Options) (err error) {
	out := w.Paths.Abs(f.Out)
	work, err := regularfile.MkdirTemp(filepath.Dir(out), ".packgen-work-*")
	if err != nil {
		return fmt.Errorf("make a place to work: %w", err)
	}
	defer func() { err = errors.Join(err, regularfile.RemoveAll(work)) }()
	if err := copyTree(work, w.Paths.Dir); err != nil {
		return fmt.Errorf("copy the inputs: %w", err)
	}
	there := w.At(work)
	if err := there.Load(); err != nil {
		return err
	}
	b, err := Prepare(ctx, there, Options{Action: f.Action, Force: f.Force})
	if err != nil {
		return err
	}
	defer b.Close()
	gctuning.LimitMemory(b.Repository.BuildFiles())
	b.Out = filepath.Join(work, ".packgen-site")
	m := b.Repository.Find("", f.Action)
	if m == nil || m.Unusable() {
		return fmt.Errorf("%s cannot be compiled", f.Action)
	}
	b.Repository.Members = []*repo.Member{m}
	return b.perform(ctx, m, out)
}

// perform compiles a pack, makes its pages, and writes the outputs of both.
func (b *Run) perform(ctx context.Context, m *repo.Member, out string) error {
	sums, err := b.sumsOf(m)
	if err != nil {
		return err
	}
	t, err := b.newTools(ctx, false)
	if err != nil {
		return err
	}
	defer t.close()
	tx, err := newSpooled(filepath.Dir(b.ws.Paths.Dir))
	if err != nil {
		return err
	}
	defer tx.close()
	if err := b.compile(ctx, t, tx); err != nil {
		return err
	}
	if m.Unsound() || m.Result == nil || withheld(m.Findings()) {
		return diag.WithHint(fmt.Errorf("%s has errors", m.Dir), "compile it where it is")
	}
	o, ok := b.collect(t, tx, m, sums)
	if !ok {
		return fmt.Errorf("the outputs of %s are not all known", m.Dir)
	}
	f, _, err := regularfile.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(b.writePack(f, t, m, o, sums, nil, tx.read), f.Close())
}

// copyTree copies the regular files of a directory.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(from, name)
		if err = errors.Join(err, relErr); err != nil {
			return err
		}
		place := filepath.Join(to, rel)
		switch {
		case d.IsDir() && rel != "." && slices.Contains([]string{repo.StateName, ".git"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return regularfile.MkdirAll(place, 0o777)
		case d.Type() == fs.ModeSymlink: // a service may have its inputs as links
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(place, name)
	})
}

func copyFile(to, from string) error {
	in, _, err := regularfile.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, _, err := regularfile.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
