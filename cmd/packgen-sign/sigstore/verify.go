package sigstore

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/packgen/packgen/resolver/remote/signature"
)

// verifyAll verifies each bundle by itself. The error is that of a trusted root or a key
// that cannot be used.
func verifyAll(ctx context.Context, q *signature.VerifyRequest) ([]signature.Verified, error) {
	keys, err := publicKeys(q.Keys)
	if err != nil {
		return nil, err
	}
	v := &verifier{request: q, keys: keys}
	list := make([]signature.Verified, len(q.Bundles))
	for i, data := range q.Bundles {
		list[i] = signature.Verified{Signature: data}
		if err := v.verify(ctx, data, &list[i]); err != nil {
			if fatal := (*rootError)(nil); errors.As(err, &fatal) {
				return nil, err
			}
			list[i] = signature.Verified{Signature: data, Error: err.Error()}
		}
	}
	return list, nil
}

// verifier verifies bundles against one root, which is read when the first bundle needs
// it: those of keys need none.
type verifier struct {
	request *signature.VerifyRequest
	keys    []publicKey
	trusted *root.TrustedRoot
}

// verify fills in who signed a bundle, when, and about which of the digests.
func (v *verifier) verify(ctx context.Context, data []byte, to *signature.Verified) error {
	b := &bundle.Bundle{}
	if err := b.UnmarshalJSON(data); err != nil {
		return fmt.Errorf("it is not a Sigstore bundle: %w", err)
	}
	content, err := b.VerificationContent()
	if err != nil {
		return fmt.Errorf("the bundle does not say what verifies it: %w", err)
	}
	if content.Certificate() != nil {
		err = v.byIdentity(ctx, b, to)
	} else {
		err = v.byKey(b, to)
	}
	if err == nil {
		to.Pack = packOf(b)
	}
	return err
}

// byIdentity verifies a bundle with a certificate: it must lead to the root, hold when a
// log or a timestamp authority saw the signature, and be in the logs that the root has.
func (v *verifier) byIdentity(ctx context.Context, b *bundle.Bundle, to *signature.Verified) error {
	if !v.request.Identities {
		return errors.New("an identity signed it, and a key is asked for")
	}
	if v.trusted == nil {
		var err error
		if v.trusted, err = trustedRoot(ctx, v.request); err != nil {
			return err
		}
	}
	options := []verify.VerifierOption{verify.WithObserverTimestamps(1)}
	if len(v.trusted.RekorLogs()) > 0 {
		options = append(options, verify.WithTransparencyLog(1))
	}
	if len(v.trusted.CTLogs()) > 0 {
		options = append(options, verify.WithSignedCertificateTimestamps(1))
	}
	result, err := v.holds(b, v.trusted, to, verify.WithoutIdentitiesUnsafe(), options) // the rules are applied by who asks
	if err != nil {
		return err
	}
	who := result.Signature.Certificate
	to.Signer = signature.Signer{Issuer: cmp.Or(who.Issuer, who.CertificateIssuer), Subject: who.SubjectAlternativeName}
	if who.Issuer == "" || who.SubjectAlternativeName == "" {
		return errors.New("the certificate names no identity and who vouched for it")
	}
	to.Time = firstOf(result.VerifiedTimestamps)
	return nil
}

// byKey verifies a bundle with each of the keys.
func (v *verifier) byKey(b *bundle.Bundle, to *signature.Verified) error {
	if len(v.keys) == 0 {
		return errors.New("it is signed with a key, and an identity is asked for")
	}
	var last error
	for _, key := range v.keys {
		_, last = v.holds(b, key.material(), to, verify.WithKey(), []verify.VerifierOption{verify.WithNoObserverTimestamps()})
		if last == nil {
			to.Signer = signature.Signer{Key: key.digest}
			return nil
		}
	}
	return last
}

// holds verifies a bundle against each digest: it must be about one of them.
func (v *verifier) holds(b *bundle.Bundle, trusted root.TrustedMaterial, to *signature.Verified, who verify.PolicyOption, options []verify.VerifierOption) (*verify.VerificationResult, error) {
	checker, err := verify.NewVerifier(trusted, options...)
	if err != nil {
		return nil, err
	}
	last := errors.New("there is nothing that it could be about")
	for _, digest := range v.request.Digests {
		raw, err := hex.DecodeString(digest)
		if err != nil || len(raw) != 32 {
			return nil, fmt.Errorf("%q is not a SHA-256 digest", digest)
		}
		result, err := checker.Verify(b, verify.NewPolicy(verify.WithArtifactDigest("sha256", raw), who))
		if err == nil {
			to.Digest = digest
			return result, nil
		}
		last = err
	}
	return nil, last
}

// firstOf is the earliest of the times at which somebody saw the signature.
func firstOf(times []verify.TimestampVerificationResult) time.Time {
	if len(times) == 0 {
		return time.Time{}
	}
	first := slices.MinFunc(times, func(a, b verify.TimestampVerificationResult) int { return a.Timestamp.Compare(b.Timestamp) })
	return first.Timestamp.UTC().Truncate(time.Second)
}

// packOf is what a statement of packgen says of its pack; nil for another bundle.
func packOf(b *bundle.Bundle) *signature.Pack {
	envelope := b.GetDsseEnvelope()
	if envelope == nil {
		return nil
	}
	var statement struct {
		PredicateType string         `json:"predicateType"`
		Predicate     signature.Pack `json:"predicate"`
	}
	if json.Unmarshal(envelope.GetPayload(), &statement) != nil || statement.PredicateType != signature.PredicateType {
		return nil
	}
	return &statement.Predicate
}
