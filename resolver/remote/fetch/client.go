package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/remote/login"
)

// Client asks servers. It may be used by several goroutines; downloads beyond
// Options.Jobs wait for a place.
type Client struct {
	options   Options
	transport http.RoundTripper
	places    chan struct{} // one for each download that may run
	unusable  error         // why nothing can be asked: the options are wrong

	mu         sync.Mutex
	sites      map[string]*service // by origin; nil for a site without a login
	registries map[string]*service // by origin
	secrets    []string            // what must not be printed
}

// New returns a client. It opens no connection.
func New(o Options) *Client {
	o = o.withDefaults()
	c := &Client{options: o, places: make(chan struct{}, o.Jobs), sites: map[string]*service{}, registries: map[string]*service{}}
	if o.HTTP != nil {
		c.transport = o.HTTP.Transport
	}
	if c.transport == nil {
		t, err := newTransport(o)
		c.transport, c.unusable = t, err
	}
	if c.unusable == nil {
		c.unusable = checkMirrors(o.Mirrors)
	}
	return c
}

// finder looks for logins in the environment of the client.
func (c *Client) finder() login.Finder { return login.Finder{Getenv: c.options.Getenv} }

// keep makes sure that what a login holds is in no message.
func (c *Client) keep(l *login.Login) {
	if l == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secrets = append(c.secrets, l.Secrets()...)
}

// newTransport is a transport with our time bounds. Proxies come from
// HTTPS_PROXY, HTTP_PROXY and NO_PROXY as in net/http.
func newTransport(o Options) (*http.Transport, error) {
	t := o.Timeouts
	trusted, err := o.Trust.config(o.Getenv)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer(t),
		TLSClientConfig:        trusted,
		TLSHandshakeTimeout:    t.TLS,
		ResponseHeaderTimeout:  t.Header,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        t.Idle,
	}, nil
}

// strangerKey marks the context of a request to an address that a server elsewhere
// named: its value is the host.
type strangerKey struct{}

// fromStranger marks a request to an address that a server elsewhere named.
func fromStranger(ctx context.Context, to *url.URL) context.Context {
	return context.WithValue(ctx, strangerKey{}, to.Hostname())
}

// dialer connects. A name that a server elsewhere gave us must not lead to this
// machine or to what only this machine can reach.
func dialer(t Timeouts) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{Timeout: t.Connect}
		host, _, _ := net.SplitHostPort(address)
		if named, _ := ctx.Value(strangerKey{}).(string); named != "" && named == host { // a proxy has another name
			d.Control = refuseOwn
		}
		return d.DialContext(ctx, network, address)
	}
}

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

// Trust says which servers are believed to be who they say, and who we are to them.
// Each file is PEM.
type Trust struct {
	CA   string // certificate authorities beside those of the system; "" means PACKGEN_CACERT
	Cert string // our certificate; "" means PACKGEN_CERT
	Key  string // its key; "" means PACKGEN_KEY, otherwise it is in the file of the certificate
}

// maxPEM is the largest file of certificates that is read, in bytes.
const maxPEM = 8 << 20

// config reads the files; nil is what the system has.
func (t Trust) config(getenv func(string) string) (*tls.Config, error) {
	ca, cert := cmp.Or(t.CA, getenv("PACKGEN_CACERT")), cmp.Or(t.Cert, getenv("PACKGEN_CERT"))
	key := cmp.Or(t.Key, getenv("PACKGEN_KEY"), cert)
	if ca == "" && cert == "" {
		if key != "" {
			return nil, badTrust("--key", key, "there is no certificate for it", "name its certificate with --cert FILE")
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		data, err := atomicfile.Read(ca, maxPEM)
		if err != nil {
			return nil, badTrust("--cacert", ca, unreadable(err), "name a file of certificates in PEM")
		}
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool()
		}
		if !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, badTrust("--cacert", ca, "it holds no certificate", "name a file of certificates in PEM")
		}
	}
	if cert != "" {
		pair, err := keyPair(cert, key)
		if err != nil {
			return nil, badTrust("--cert", cert, unreadable(err), "name a certificate with --cert and its key with --key, both in PEM and without a password")
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func keyPair(cert, key string) (tls.Certificate, error) {
	certificate, err := atomicfile.Read(cert, maxPEM)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := atomicfile.Read(key, maxPEM)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certificate, private)
}

func badTrust(flag, name, what, hint string) error {
	return &Error{Op: fmt.Sprintf("use %s %s", flag, plain(name, maxURL)), Rule: ruleTLS, What: plain(what, maxQuoted), Hint: hint}
}

// unreadable says why a file cannot be used, without its name.
func unreadable(err error) string {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// checkMirrors refuses mirrors that cannot be meant.
func checkMirrors(list []string) error {
	for _, text := range list {
		from, to, ok := strings.Cut(text, "=")
		kind, _, _ := strings.Cut(from, "://")
		other, _, _ := strings.Cut(to, "://")
		known := kind == "https" || kind == "http" || kind == "oci"
		if ok && known && (kind == other || kind == "http" && other == "https") && !strings.ContainsAny(text, "@?#") {
			continue
		}
		shown := Redact(from) // each by itself: what is before the last @ may be a password
		if ok {
			shown += "=" + Redact(to)
		}
		return &Error{Op: "use --mirror " + shown, Rule: ruleAddress, What: "this is not FROM=TO of two sites or two registries", Hint: "write --mirror https://packs.example.org=https://mirror.example.net/packs, or two oci:// places; logins come from elsewhere"}
	}
	return nil
}

// mirrored returns where a place is asked: the longest FROM counts that it begins
// with, up to the end of a name.
func (c *Client) mirrored(place string) string {
	best, target := "", ""
	for _, text := range c.options.Mirrors {
		from, to, _ := strings.Cut(text, "=")
		from = strings.TrimSuffix(from, "/")
		rest, ok := strings.CutPrefix(place, from)
		if ok && (rest == "" || strings.HasPrefix(rest, "/")) && len(from) > len(best) {
			best, target = from, strings.TrimSuffix(to, "/")+rest
		}
	}
	if best == "" {
		return place
	}
	return target
}

// Places a pack can come from: values of Resolved.Source.
const (
	SourceSite   = "site"
	SourceGitHub = "github"
	SourceGitLab = "gitlab"
	SourceURL    = "url"
	SourceOCI    = "oci"
)

// Resolved is what a reference means today: one archive, not yet downloaded.
type Resolved struct {
	Source   string // one of the Source constants
	URL      string // of the archive's bytes; never holds a token
	Name     string // of the archive: a pack's name, an artifact's, a job's or a file's
	Digest   string // "sha256:" and 64 hex digits of the archive's bytes, "" when nobody states it
	Size     int64  // bytes of the archive, 0 when nobody states it; binding for SourceSite and SourceOCI, otherwise a hint
	Run      *Run   // the CI run that made it, nil elsewhere
	PackJSON []byte // bytes of the pack.json of a site or registry; nil elsewhere
	OCI      string // digest of the manifest in a registry, "" elsewhere
	Expires  string // when the server will delete it, as it says so; "" when it does not
}

// Run is the CI run that made an archive.
type Run struct {
	ID         int64  // of the workflow run (GitHub) or pipeline (GitLab)
	URL        string // its page, for people
	Branch     string
	Workflow   string // GitHub: file of the workflow; GitLab: name of the job
	Commit     string
	Conclusion string // "success"
	Job        int64  // GitLab: id of the job; 0 on GitHub
	Artifact   int64  // GitHub: id of the artifact; 0 on GitLab
}

// GitHub names an artifact of a repository's workflow runs.
type GitHub struct {
	Owner, Repo, Artifact string
	Branch                string // "" means the default branch, or any where Run is set
	Workflow              string // file name, path or name of the workflow; "" means any
	Run                   int64  // take this run's artifact; 0 means the newest run that fits
}

// GitLab names the artifacts archive of a project's job.
type GitLab struct {
	Project string // group/sub/project
	Job     string // name of the job
	Ref     string // branch or tag; "" means the default branch
	JobID   int64  // take this job, which must be Job of the project; 0 means the newest that fits
}
