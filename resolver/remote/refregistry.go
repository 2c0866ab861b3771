package remote

import (
	"net/url"
	"slices"
	"strings"

	"oras.land/oras-go/v2/registry"

	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// defaultTag is the tag of a reference to a registry that names none.
const defaultTag = "latest"

// parseRegistry reads oci://HOST/NAME[:TAG][@DIGEST].
func (r *Ref) parseRegistry(rest string) error {
	place, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return refused("write "+registryForm, "// is missing after the scheme")
	}
	host, path, named := strings.Cut(place, "/")
	switch {
	case strings.Contains(host, "@"):
		return refused("leave the name and password out: docker login HOST keeps them, or a variable of the environment", "the reference holds a name or password")
	case strings.ContainsAny(place, "?#"):
		return refused("write "+registryForm, "a reference to a registry has no parameters")
	case !named || host == "" || path == "":
		return refused("write "+registryForm, "it needs a host and the name of a repository")
	}
	name, digest, hasDigest := strings.Cut(path, "@")
	name, tag, hasTag := strings.Cut(name, ":")
	ref := registry.Reference{Registry: host, Repository: name}
	switch {
	case ref.ValidateRegistry() != nil:
		return refused("write "+registryForm, "%q is not the host of a registry", shorten(host))
	case ref.ValidateRepository() != nil:
		return refused("write lower-case words and numbers with . _ - between them, and / between names", "%q is not the name of a repository", shorten(name))
	}
	if ref.Reference = tag; hasTag && ref.ValidateReferenceAsTag() != nil {
		return refused("write at most 128 letters, digits, dots, hyphens and underscores", "%q is not a tag", shorten(tag))
	}
	ref.Reference = digest
	if hex, sha := strings.CutPrefix(digest, "sha256:"); hasDigest && (!sha || len(hex) != 64 || ref.ValidateReferenceAsDigest() != nil) {
		return refused("write sha256: and 64 hex digits after @", "%q is not a digest", shorten(digest))
	}
	if !hasTag && !hasDigest {
		tag = defaultTag
	}
	r.Kind, r.Registry = OCI, fetch.Registry{Host: host, Name: name, Tag: tag, Digest: digest}
	return nil
}

// checkSecrets refuses a reference that holds what looks like a token: references are
// written to packgen.lock and into logs.
func (r *Ref) checkSecrets() error {
	text := r.Text
	if plain, err := url.PathUnescape(text); err == nil && plain != text {
		text += " " + plain
	}
	if len(secret.Find([]byte(text))) == 0 && !slices.ContainsFunc(strings.FieldsFunc(text, betweenNames), isSecret) {
		return nil
	}
	return refused("leave it out, and make it invalid where it was issued; logins come from the environment, .netrc or Docker's configuration", "it holds what looks like a token")
}

func betweenNames(c rune) bool { return strings.ContainsRune("/?&=#:@ ", c) }

func isSecret(word string) bool { return len(secret.Find([]byte(word))) > 0 }

// withoutSecrets is a refused reference as it may be printed: without what may be a
// name and password, a token, or parameters.
func withoutSecrets(text string) string {
	scheme, rest, ok := strings.Cut(text, "//")
	if !ok {
		return secret.Redact(text)
	}
	authority, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		rest = "***@" + authority[at+1:] + strings.TrimPrefix(rest, authority)
	} else if at := strings.LastIndexByte(rest, '@'); at >= 0 && !strings.HasPrefix(rest[at:], "@sha256:") {
		rest = "***" + rest[at:] // a password with a slash
	}
	if before, _, asked := strings.Cut(rest, "?"); asked && (scheme == "https:" || scheme == "http:" || scheme == "oci:") {
		rest = before + "?***"
	}
	for _, w := range strings.FieldsFunc(rest, betweenNames) {
		if isSecret(w) {
			rest = strings.ReplaceAll(rest, w, "***")
		}
	}
	return scheme + "//" + secret.Redact(rest)
}
