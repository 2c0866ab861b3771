package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
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
