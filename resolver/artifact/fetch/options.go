package fetch

import (
	"context"
	"net/http"
	"time"
)

// Options says how a Client behaves. The zero value is what packgen pull uses.
type Options struct {
	Getenv    func(string) string // environment for tokens and API addresses; nil means os.Getenv
	HTTP      *http.Client        // its Transport is used; nil means our own, with proxies from the environment
	Limits    Limits
	Timeouts  Timeouts
	Retries   int            // tries after the first; 0 means DefaultRetries, negative none
	Jobs      int            // downloads at a time in DownloadAll; 0 means DefaultJobs
	Progress  func(Progress) // called from the downloading goroutine, at most every ProgressStep bytes; may be nil
	Offline   bool           // every request fails with the rule "offline"
	UserAgent string         // "" means "packgen"

	Sleep func(ctx context.Context, d time.Duration) error // waits between tries; nil means a real timer
	Now   func() time.Time                                 // reads dates in headers against; nil means time.Now
}

// Limits bounds what one answer may weigh. A zero field means the default.
type Limits struct {
	ArchiveBytes  int64 // one download; DefaultArchiveBytes
	DocumentBytes int64 // one JSON document; DefaultDocumentBytes
	Pages         int   // pages of one listing; DefaultPages
}

// Timeouts bounds how long one answer may take. A zero field means the default.
type Timeouts struct {
	Connect time.Duration // until a connection stands; DefaultConnect
	TLS     time.Duration // the TLS handshake; DefaultTLS
	Header  time.Duration // from the request until its headers have come; DefaultHeader
	Idle    time.Duration // in which a body must bring MinimumBytes; DefaultIdle
}

// Defaults of Options, Limits and Timeouts.
const (
	DefaultRetries       = 4
	DefaultJobs          = 4
	DefaultArchiveBytes  = 512 << 20 // bytes
	DefaultDocumentBytes = 8 << 20   // bytes
	DefaultPages         = 50        // of 100 entries each
	DefaultConnect       = 15 * time.Second
	DefaultTLS           = 15 * time.Second
	DefaultHeader        = 60 * time.Second
	DefaultIdle          = 30 * time.Second
)

// ProgressStep is how many bytes may pass between two calls of
// Options.Progress for one download.
const ProgressStep = 256 << 10

// Progress is how far one download has come.
type Progress struct {
	Name  string // what is being downloaded: Resolved.Name
	URL   string // without user, query and fragment
	Done  int64  // bytes that are there
	Total int64  // bytes there will be, -1 when the server does not say
}
