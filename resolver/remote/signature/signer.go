package signature

import (
	"strings"

	"github.com/packgen/packgen/compiler/schema"
)

// Signer is who signed: an identity that an issuer vouched for, or a key.
type Signer struct {
	Issuer  string `json:"issuer,omitempty"`  // the address of who vouched for the identity
	Subject string `json:"subject,omitempty"` // the identity: an address of a workflow, or of mail
	Key     string `json:"key,omitempty"`     // "sha256:" and the digest of a public key (PKIX, DER)
}

// String names the signer in messages.
func (s Signer) String() string {
	if s.Key != "" {
		return "the key " + s.Key
	}
	return s.Subject + " (" + s.Issuer + ")"
}

// Same reports the same signer. The branch or tag for which a workflow ran, which
// follows "@refs/" in its identity, is not part of who it is.
func (s Signer) Same(other Signer) bool {
	return s.Issuer == other.Issuer && s.Key == other.Key && withoutGitRef(s.Subject) == withoutGitRef(other.Subject)
}

func withoutGitRef(subject string) string {
	if at := strings.LastIndex(subject, "@refs/"); at >= 0 {
		return subject[:at]
	}
	return subject
}

// Of is the signer that a lock file holds.
func Of(l *schema.LockedSignature) Signer {
	return Signer{Issuer: l.Issuer, Subject: l.Subject, Key: l.Key}
}
