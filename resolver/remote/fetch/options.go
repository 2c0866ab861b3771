package fetch

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"time"
)

// Options says how a Client behaves. The zero value is what packgen pull uses.
type Options struct {
	Getenv    func(string) string // environment for tokens and API addresses; nil means os.Getenv
	HTTP      *http.Client        // its Transport is used; nil means our own, with proxies from the environment
	Limits    Limits
	Timeouts  Timeouts
	Retries   int            // tries after the first; 0 means defaultRetries, negative none
	Jobs      int            // downloads at a time, whoever asks; 0 means defaultJobs
	Progress  func(Progress) // called from the downloading goroutine, at most every progressStep bytes; may be nil
	Offline   bool           // every request fails with the rule "offline"
	UserAgent string         // "" means "packgen"
	Trust     Trust
	Mirrors   []string // FROM=TO: places that begin with FROM are asked at TO
	Uploads   Uploads  // what is remembered of uploads

	Sleep func(ctx context.Context, d time.Duration) error // waits between tries; nil means a real timer
	Now   func() time.Time                                 // reads dates in headers against; nil means time.Now
}

// Limits bounds what one answer may weigh. A zero field means the default.
type Limits struct {
	ArchiveBytes  int64 // one download; defaultArchiveBytes
	DocumentBytes int64 // one JSON document of an API; defaultDocumentBytes
	ManifestBytes int64 // the manifest.json of a site; defaultManifestBytes
	Pages         int   // pages of one listing; defaultPages
	Candidates    int   // runs or pipelines looked at for one reference; defaultCandidates
}

// Timeouts bounds how long one answer may take. A zero field means the default.
type Timeouts struct {
	Connect time.Duration // until a connection is made; DefaultConnect
	TLS     time.Duration // the TLS handshake; DefaultTLS
	Header  time.Duration // from the request until its headers have come; DefaultHeader
	Idle    time.Duration // in which a body must bring minimumBytes; defaultIdle
	Total   time.Duration // one document or download with all its tries; DefaultTotal
}

// Defaults of Options, Limits and Timeouts.
const (
	defaultRetries       = 4
	defaultJobs          = 4
	defaultArchiveBytes  = 512 << 20 // bytes
	defaultDocumentBytes = 8 << 20   // bytes
	defaultManifestBytes = 64 << 20  // bytes
	defaultPages         = 50        // of 100 entries each
	defaultCandidates    = 100
	DefaultConnect       = 15 * time.Second
	DefaultTLS           = 15 * time.Second
	DefaultHeader        = 60 * time.Second
	defaultIdle          = 60 * time.Second
	DefaultTotal         = 10 * time.Minute
)

// Bounds that no option changes.
const (
	maxRedirects = 10
	minimumBytes = 1 << 10          // bytes a body must bring in each idle time
	maxWait      = 60 * time.Second // longest wait between tries that a server may ask for
	firstWait    = 500 * time.Millisecond
	pageSize     = 100
)

// progressStep is how many bytes may pass between two calls of
// Options.Progress for one download.
const progressStep = 256 << 10

// Progress is how far one download has come.
type Progress struct {
	Name  string // what is being downloaded: Resolved.Name
	URL   string // without user, query and fragment
	Done  int64  // bytes fetched so far
	Total int64  // bytes there will be, -1 when the server does not say
}

// withDefaults fills what is zero.
func (o Options) withDefaults() Options {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.UserAgent == "" {
		o.UserAgent = "packgen"
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Retries = max(0, cmp.Or(o.Retries, defaultRetries))
	o.Jobs = max(1, cmp.Or(o.Jobs, defaultJobs))
	o.Limits = Limits{
		ArchiveBytes:  cmp.Or(o.Limits.ArchiveBytes, defaultArchiveBytes),
		DocumentBytes: cmp.Or(o.Limits.DocumentBytes, defaultDocumentBytes),
		ManifestBytes: cmp.Or(o.Limits.ManifestBytes, defaultManifestBytes),
		Pages:         cmp.Or(o.Limits.Pages, defaultPages),
		Candidates:    cmp.Or(o.Limits.Candidates, defaultCandidates),
	}
	o.Timeouts = Timeouts{
		Connect: cmp.Or(o.Timeouts.Connect, DefaultConnect),
		TLS:     cmp.Or(o.Timeouts.TLS, DefaultTLS),
		Header:  cmp.Or(o.Timeouts.Header, DefaultHeader),
		Idle:    cmp.Or(o.Timeouts.Idle, defaultIdle),
		Total:   cmp.Or(o.Timeouts.Total, DefaultTotal),
	}
	return o
}

// sleep waits for d or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
