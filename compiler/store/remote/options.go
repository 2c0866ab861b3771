package remote

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"github.com/packgen/packgen/compiler/diag"
)

// Options name a service. Executor or Cache is required.
type Options struct {
	Cache    string            // address such as grpcs://cache.example:443; "" is that of the executor
	Executor string            // address of the service that carries out actions; "" for none
	Instance string            // name of the instance at both; mostly ""
	Headers  map[string]string // sent with every call
	CA       string            // file with the certificates of authorities in PEM; "" are those of the system
	Cert     string            // file with a client certificate in PEM; "" for none
	Key      string            // file with its private key
	Helper   string            // program that is asked for more headers; "" for none
	Tool     string            // version of the calling program, for the logs of the service
	Quiet    time.Duration     // how long a call may bring nothing; 0 is half a minute
	Longest  time.Duration     // how long one action may take, or the way of one blob; 0 is 15 minutes
	Least    int64             // bytes of a blob that come within Quiet; 0 is 16 KiB a second
	Most     int64             // bytes of a blob; 0 is 2 GiB
}

// DefaultQuiet is how long a call may bring nothing where the options do not say.
const DefaultQuiet = 30 * time.Second

// defaults for the other limits of [Options].
const (
	defaultLongest = 15 * time.Minute
	leastRate      = 16 << 10 // bytes a second
	defaultMost    = 2 << 30
)

// WithDefaults returns the options with the limits that they do not name.
func (o Options) WithDefaults() Options {
	o.Quiet, o.Longest = cmp.Or(o.Quiet, DefaultQuiet), cmp.Or(o.Longest, defaultLongest)
	o.Least = cmp.Or(o.Least, int64(leastRate*o.Quiet.Seconds()))
	o.Most, o.Cache = cmp.Or(o.Most, defaultMost), cmp.Or(o.Cache, o.Executor)
	return o
}

// Address is where a service is.
type Address struct {
	Host   string // with port
	Secret bool   // the connection is encrypted
}

// CheckAddress reports what is wrong with the address of a service.
func CheckAddress(text string) error {
	_, err := ParseAddress(text)
	return err
}

// ParseAddress reads the address of a service.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "grpc" && u.Scheme != "grpcs" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return Address{}, diag.WithHint(fmt.Errorf("%q is not the address of a remote cache or executor", text), "write it as grpcs://cache.example:443, or grpc:// without encryption")
	}
	a := Address{Host: u.Host, Secret: u.Scheme == "grpcs"}
	if u.Port() == "" {
		port := "80"
		if a.Secret {
			port = "443"
		}
		a.Host = net.JoinHostPort(u.Hostname(), port)
	}
	return a, nil
}

// IsLocal reports whether the address is of this machine.
func (a Address) IsLocal() bool {
	host, _, _ := net.SplitHostPort(a.Host)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
