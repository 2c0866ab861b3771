package sigstore

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/sigstore/sigstore-go/pkg/fulcio/certificate"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// retries is how often a server of Sigstore is asked again.
const retries = 2

// makeBundle makes a bundle over a statement: with a key nothing is asked of any server, with
// an identity token a certificate, a time and an entry in a log.
func makeBundle(ctx context.Context, q *signature.SignRequest) ([]byte, signature.Signer, error) {
	var who signature.Signer
	var key sign.Keypair
	options := sign.BundleOptions{Context: ctx}
	if q.Key != nil {
		own, err := readKeypair(q.Key, q.Password)
		if err != nil {
			return nil, who, err
		}
		key, who.Key = own, own.digest
	} else {
		var err error
		if key, err = sign.NewEphemeralKeypair(nil); err == nil {
			err = byIdentity(ctx, q, &options)
		}
		if err != nil {
			return nil, who, err
		}
	}
	made, err := sign.Bundle(&sign.DSSEData{Data: q.Statement, PayloadType: signature.PayloadType}, key, options)
	if err != nil {
		return nil, who, diag.WithHint(fmt.Errorf("sign: %w", err), "check the network and the clock of this machine; an identity token is good for a few minutes, and for the audience sigstore alone")
	}
	if leaf := made.GetVerificationMaterial().GetCertificate(); leaf != nil {
		if who, err = signerOf(leaf.GetRawBytes()); err != nil {
			return nil, who, err
		}
	}
	data, err := protojson.Marshal(made)
	if err != nil {
		return nil, who, fmt.Errorf("write the bundle: %w", err)
	}
	return data, who, nil
}

// signerOf is the identity in a certificate.
func signerOf(der []byte) (signature.Signer, error) {
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return signature.Signer{}, fmt.Errorf("read the certificate that was issued: %w", err)
	}
	about, err := certificate.SummarizeCertificate(leaf)
	if err != nil {
		return signature.Signer{}, fmt.Errorf("read the certificate that was issued: %w", err)
	}
	return signature.Signer{Issuer: about.Issuer, Subject: about.SubjectAlternativeName}, nil
}

// byIdentity sets the servers that an identity token is good for.
func byIdentity(ctx context.Context, q *signature.SignRequest, to *sign.BundleOptions) error {
	token, err := identityToken(ctx, q)
	if err != nil {
		return err
	}
	servers, err := serversOf(ctx, q, to)
	if err != nil {
		return err
	}
	transport, err := transportOf(q.CA)
	if err != nil {
		return err
	}
	now := time.Now()
	authority, err := root.SelectService(servers.FulcioCertificateAuthorityURLs(), sign.FulcioAPIVersions, now)
	if err != nil {
		return noServer("a certificate authority", err)
	}
	to.CertificateProvider = sign.NewFulcio(&sign.FulcioOptions{BaseURL: authority.URL, Timeout: serverTime, Retries: retries, Transport: transport})
	to.CertificateProviderOptions = &sign.CertificateProviderOptions{IDToken: token}
	if len(servers.TimestampAuthorityURLs()) > 0 {
		list, err := root.SelectServices(servers.TimestampAuthorityURLs(), servers.TimestampAuthorityURLsConfig(), sign.TimestampAuthorityAPIVersions, now)
		if err != nil {
			return noServer("a timestamp authority", err)
		}
		for _, s := range list {
			to.TimestampAuthorities = append(to.TimestampAuthorities, sign.NewTimestampAuthority(&sign.TimestampAuthorityOptions{URL: s.URL, Timeout: serverTime, Retries: retries, Transport: transport}))
		}
	}
	if len(servers.RekorLogURLs()) > 0 {
		list, err := root.SelectServices(servers.RekorLogURLs(), servers.RekorLogURLsConfig(), sign.RekorAPIVersions, now)
		if err != nil {
			return noServer("a log", err)
		}
		for _, s := range list {
			to.TransparencyLogs = append(to.TransparencyLogs, sign.NewRekor(&sign.RekorOptions{BaseURL: s.URL, Timeout: serverTime, Retries: retries, Version: s.MajorAPIVersion}))
		}
	}
	if to.TimestampAuthorities == nil && to.TransparencyLogs == nil {
		return noServer("a log or a timestamp authority", errors.New("it names none"))
	}
	return nil
}

func noServer(what string, err error) error {
	return diag.WithHint(fmt.Errorf("choose %s: %w", what, err), "name another signing_config.json with --sign-config, or sign with --sign-key FILE")
}

// serversOf reads the servers of a private Sigstore, or fetches those of the public one.
// A bundle of the public one is verified before it leaves.
func serversOf(ctx context.Context, q *signature.SignRequest, to *sign.BundleOptions) (*root.SigningConfig, error) {
	if q.Config != nil {
		servers, err := root.NewSigningConfigFromJSON(q.Config)
		if err != nil {
			return nil, diag.WithHint(fmt.Errorf("read --sign-config: %w", err), "name a signing_config.json of Sigstore")
		}
		if q.Root != nil {
			trusted, err := givenRoot(q.Root)
			if err != nil {
				return nil, err
			}
			to.TrustedRoot = trusted
		}
		return servers, nil
	}
	options, err := publicSigstore(ctx, q.Cache, q.CA)
	if err != nil {
		return nil, err
	}
	servers, err := root.FetchSigningConfigWithOptions(options)
	if err == nil {
		to.TrustedRoot, err = root.FetchTrustedRootWithOptions(options)
	}
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("ask the public Sigstore: %w", err), "check the network and the clock of this machine, or sign with --sign-key FILE")
	}
	return servers, nil
}
