package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/store/remote"
)

// maxPEM is the largest file of certificates in bytes that is read.
const maxPEM = 4 << 20

// credentialsOf are what a connection is made with.
func credentialsOf(o remote.Options, a remote.Address) (credentials.TransportCredentials, error) {
	if !a.Secret {
		if o.CA+o.Cert+o.Key != "" {
			return nil, diag.WithHint(fmt.Errorf("certificates are given for %s, which is not encrypted", a.Host), "write its address with grpcs://")
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
