package fetch

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"

	"github.com/packgen/packgen/compiler/atomicfile"
)

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
