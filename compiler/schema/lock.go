package schema

import (
	"fmt"
	"strconv"

	"github.com/packgen/packgen/compiler/diag"
)

// LockName is the name of the lock file at the root of a repository.
const LockName = "packgen.lock"

// Limits on a lock file.
const (
	MaxLock       = 8 << 20 // bytes
	MaxLockedRefs = 10_000  // references
)

// LockVersion is the schema_version of a lock.
const LockVersion = 3

// Lock is packgen.lock: what each reference to a pack from elsewhere stands for,
// so that everybody who reads the same references reads the same bytes.
type Lock struct {
	SchemaVersion int         `json:"schema_version" check:"required" min:"3" max:"3"` // LockVersion
	References    []LockedRef `json:"references" check:"required"`                     // sorted by ref
}

// LockedRef is one reference with the pack it stands for. The tree hash is what
// identifies the pack; digest and run say where its bytes came from, so that they
// can be found again.
type LockedRef struct {
	Ref      string     `json:"ref" check:"required,nonempty"` // as written
	Pack     string     `json:"pack" check:"required,nonempty"`
	Version  string     `json:"version,omitempty"` // as the pack declares it
	Source   string     `json:"source" check:"required" enum:"dir|file|site|url|github|gitlab|oci"`
	Run      *LockedRun `json:"run,omitempty"`                     // the CI run that made it
	Digest   string     `json:"digest,omitempty" form:"digest"`    // of the archive that was read: "sha256:" and 64 hex digits
	OCI      string     `json:"oci,omitempty" form:"digest"`       // of the manifest in a registry, in the same form; absent elsewhere
	Format   string     `json:"format,omitempty"`                  // of that archive, such as "tar.gz" or "zip+tar"; "dir" for a directory
	Tree     string     `json:"tree" check:"required" form:"tree"` // "h1:" and the hash of the files in base64
	Manifest string     `json:"manifest,omitempty" form:"sha256"`  // of pack.json, which is not part of the tree; absent without one
	// Inspection is what was found in the files when the reference was locked; nil where
	// nobody has looked, as in a record of the cache.
	Inspection *LockedInspection `json:"inspection,omitempty"`
	// Signature is who signed it, where trust: in packgen.yaml asks for that; absent elsewhere.
	Signature *LockedSignature `json:"signature,omitempty"`
}

// LockedSignature is who signed a pack: an identity with who vouched for it, or a key.
type LockedSignature struct {
	Issuer  string `json:"issuer,omitempty"`            // of the identity, such as https://token.actions.githubusercontent.com
	Subject string `json:"subject,omitempty"`           // the identity
	Key     string `json:"key,omitempty" form:"digest"` // "sha256:" and the digest of the public key in its PKIX form
	Signed  string `json:"signed,omitempty"`            // when, as a log or a timestamp authority says: RFC 3339, in UTC
}

// LockedInspection is what a look at the text of a pack from elsewhere found:
// instructions to a model, invisible characters, secrets.
type LockedInspection struct {
	Findings []LockedFinding `json:"findings" check:"required"` // in the order of rule and severity, errors first; remarks are not among them
}

// LockedFinding counts the findings of one rule and severity.
type LockedFinding struct {
	Rule     string        `json:"rule" check:"required,nonempty"`
	Severity diag.Severity `json:"severity" check:"required" enum:"error|warning"`
	Count    int           `json:"count" check:"required" min:"1"`
	First    string        `json:"first" check:"required,nonempty"` // place of the first one: a path in the pack, and the line after a colon
}

// LockedRun is the CI run that made an archive.
type LockedRun struct {
	ID       int64  `json:"id" check:"required" min:"1"` // of the workflow run (GitHub) or pipeline (GitLab)
	Job      int64  `json:"job,omitempty" min:"0"`       // GitLab: of the job
	Branch   string `json:"branch,omitempty"`
	Workflow string `json:"workflow,omitempty"`
	Commit   string `json:"commit,omitempty"`
}

// DecodeLock reads a packgen.lock of at most [MaxLock] bytes, a closed object, in
// which no reference is twice. The order of the references does not matter.
// Faults are a *DecodeError.
func DecodeLock(data []byte) (*Lock, error) {
	l, err := decodeUpTo[Lock](data, MaxLock)
	if err != nil {
		return nil, err
	}
	fault := func(i int, format string, args ...any) error {
		return &DecodeError{Pointer: "/references/" + strconv.Itoa(i), Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
	}
	if len(l.References) > MaxLockedRefs {
		return nil, fault(MaxLockedRefs, "more than %d references", MaxLockedRefs)
	}
	seen := make(map[string]bool, len(l.References))
	for i, r := range l.References {
		if seen[r.Ref] {
			return nil, fault(i, "the reference %q is listed twice", r.Ref)
		}
		seen[r.Ref] = true
	}
	return l, nil
}
