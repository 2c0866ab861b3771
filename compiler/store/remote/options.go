package remote

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/packgen/packgen/compiler/atomicfile"
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

// withDefaults is the options with the limits that they do not name.
func (o Options) withDefaults() Options {
	o.Quiet, o.Longest = cmp.Or(o.Quiet, DefaultQuiet), cmp.Or(o.Longest, defaultLongest)
	o.Least = cmp.Or(o.Least, int64(leastRate*o.Quiet.Seconds()))
	o.Most, o.Cache = cmp.Or(o.Most, defaultMost), cmp.Or(o.Cache, o.Executor)
	return o
}

// address is where a service is.
type address struct {
	host   string // with port
	secret bool   // the connection is encrypted
}

// CheckAddress reports what is wrong with the address of a service.
func CheckAddress(text string) error {
	_, err := parseAddress(text)
	return err
}

func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "grpc" && u.Scheme != "grpcs" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return address{}, diag.WithHint(fmt.Errorf("%q is not the address of a remote cache or executor", text), "write it as grpcs://cache.example:443, or grpc:// without encryption")
	}
	a := address{host: u.Host, secret: u.Scheme == "grpcs"}
	if u.Port() == "" {
		port := "80"
		if a.secret {
			port = "443"
		}
		a.host = net.JoinHostPort(u.Hostname(), port)
	}
	return a, nil
}

// local reports whether the address is of this machine.
func (a address) local() bool {
	host, _, _ := net.SplitHostPort(a.host)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// maxPEM is the largest file of certificates in bytes that is read.
const maxPEM = 4 << 20

// credentials are what a connection is made with.
func (o *Options) credentials(a address) (credentials.TransportCredentials, error) {
	if !a.secret {
		if o.CA+o.Cert+o.Key != "" {
			return nil, diag.WithHint(fmt.Errorf("certificates are given for %s, which is not encrypted", a.host), "write its address with grpcs://")
		}
		return insecure.NewCredentials(), nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		data, err := atomicfile.Read(o.CA, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("read the certificates of authorities: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s holds no certificate in PEM", o.CA)
		}
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, errors.New("a client certificate and its key are given together")
	}
	if o.Cert != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}
