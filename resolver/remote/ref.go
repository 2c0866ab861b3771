package remote

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// Limits on a reference, in bytes.
const (
	maxRef  = 2048 // the whole
	maxName = 255  // one name in it: of a pack, an artifact, a branch
)

// Kind says where a reference leads.
type Kind uint8

// The kinds of references.
const (
	Directory   Kind = iota + 1 // a pack, a published site or an unpacked archive on disk
	ArchiveFile                 // an archive on disk
	Site                        // a published site
	ArchiveURL                  // an archive at an address
	GitHub                      // an artifact of a GitHub Actions run
	GitLab                      // the artifacts of a GitLab job
	OCI                         // a pack, or an index of packs, in a registry
)

// Ref is a reference to a pack from elsewhere.
type Ref struct {
	Kind Kind
	Text string // as written
	Pack string // what follows "#": the pack meant, of several; "" leaves it open

	Path   string       // Directory, ArchiveFile: as written, perhaps relative
	URL    string       // Site: its address with a final slash. ArchiveURL: that of the archive
	GitHub fetch.GitHub // GitHub
	GitLab fetch.GitLab // GitLab

	Registry fetch.Registry // OCI
}

// String returns the reference as written.
func (r Ref) String() string { return r.Text }

// IsLocal reports a reference to something on this machine.
func (r Ref) IsLocal() bool { return r.Kind == Directory || r.Kind == ArchiveFile }

// At returns the reference to the same pack at another path. Only local references
// have one. Errors are a *RefError.
func (r Ref) At(path string) (Ref, error) {
	if path == r.Path {
		return r, nil
	}
	text := path
	if name, _, ok := strings.Cut(path, ":"); r.Kind == Directory && (strings.HasPrefix(r.Text, "dir:") || ok && isScheme(name)) {
		text = "dir:" + path
	}
	if r.Pack != "" {
		text += "#" + r.Pack
	}
	return ParseRef(text)
}

// source is what a lock file calls the place.
func (r Ref) source() string {
	switch r.Kind {
	case Directory:
		return "dir"
	case ArchiveFile:
		return "file"
	case Site:
		return fetch.SourceSite
	case GitHub:
		return fetch.SourceGitHub
	case GitLab:
		return fetch.SourceGitLab
	case OCI:
		return fetch.SourceOCI
	}
	return fetch.SourceURL
}

// RefError is a reference that cannot be meant.
type RefError struct {
	Text    string // as written
	Problem string // one line
	Hint    string // what to write, one line
}

func (e *RefError) Error() string {
	return fmt.Sprintf("reference %q: %s", shorten(withoutSecrets(e.Text)), e.Problem)
}

// shorten keeps a wrong reference from filling the screen.
func shorten(text string) string {
	const longest = 120
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// scheme is one way to write a reference.
type scheme struct {
	name  string // what is before the colon; "" for a bare path
	form  string // for hints
	parse func(r *Ref, rest string) error
}

// schemes lists every way to write a reference.
func schemes() []scheme {
	return []scheme{
		{"dir", "dir:PATH", (*Ref).parseDirectory},
		{"", "file.tar.gz, file.tar or file.zip", nil},
		{"https", "https://HOST/PATH", (*Ref).parseURL},
		{"http", "", (*Ref).parseURL},
		{"gha", githubForm, (*Ref).parseGitHub},
		{"gitlab", gitlabForm, (*Ref).parseGitLab},
		{"oci", registryForm, (*Ref).parseRegistry},
	}
}

// The forms of the references to CI systems and registries.
const (
	registryForm = "oci://HOST/NAME[:TAG][@DIGEST]"
	githubForm   = "gha://OWNER/REPO/ARTIFACT[?branch=&workflow=&run=]"
	gitlabForm   = "gitlab://GROUP/PROJECT/JOB[?ref=]"
)

// ParseRef reads a reference: dir:PATH or a bare path to a directory;
// file.tar.gz, file.tgz, file.tar, file.zip; the address of a site or of such a
// file; gha://owner/repo/ARTIFACT[?branch=&workflow=&run=];
// gitlab://group/project/JOB[?ref=]; oci://HOST/NAME[:TAG][@DIGEST]. After the last "#" comes the name of the
// pack that is meant; a path that itself holds "#" needs one. In names of CI
// systems other characters are written as in URLs: %20 for a blank, %2F for a
// slash. Nothing is looked up. Errors are a *RefError.
func ParseRef(text string) (Ref, error) {
	r := Ref{Text: text}
	rest, err := r.cutPack(text)
	if err == nil {
		err = r.parse(rest)
	}
	if err == nil && !r.IsLocal() {
		err = r.checkSecrets()
	}
	if err != nil {
		var refused *RefError
		if errors.As(err, &refused) {
			refused.Text = text
		}
		return Ref{}, err
	}
	return r, nil
}

// refused is a RefError whose text is filled in later.
func refused(hint, format string, args ...any) error {
	return &RefError{Problem: fmt.Sprintf(format, args...), Hint: hint}
}

// cutPack checks the characters and takes "#NAME" off.
func (r *Ref) cutPack(text string) (rest string, err error) {
	switch {
	case text == "":
		return "", refused("write "+knownForms(), "it is empty")
	case len(text) > maxRef:
		return "", refused("", "it is longer than %d bytes", maxRef)
	case !isPrintable(text):
		return "", refused("", "it holds control or invisible characters")
	}
	at := strings.LastIndexByte(text, '#')
	if at < 0 {
		return text, nil
	}
	r.Pack = text[at+1:]
	switch {
	case r.Pack == "":
		return "", refused("name a pack after it, or leave it out", "nothing follows #")
	case packpath.Check(r.Pack) != nil || strings.Contains(r.Pack, "/") || r.Pack == "." || len(r.Pack) > maxName:
		return "", refused("write the name of a pack after #", "%q is not a pack name", shorten(r.Pack))
	case at == 0:
		return "", refused("write the location of the pack before #", "nothing precedes #")
	}
	return text[:at], nil
}

// isPrintable refuses what a terminal or a reader could be fooled with.
func isPrintable(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) < 0
}

// parse reads what is before "#".
func (r *Ref) parse(text string) error {
	name, rest, ok := strings.Cut(text, ":")
	if !ok || !isScheme(name) {
		return r.parsePath(text)
	}
	for _, s := range schemes() {
		if s.name == name && s.parse != nil {
			return s.parse(r, rest)
		}
	}
	return unknownScheme(name, rest)
}

// isScheme reports what would be the scheme of a URL.
func isScheme(name string) bool {
	for i := range len(name) {
		c := name[i] | 0x20
		if letter := 'a' <= c && c <= 'z'; !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(name[i]))) {
			return false
		}
	}
	return name != ""
}

// unknownScheme says which schemes there are, the nearest one first.
func unknownScheme(name, rest string) error {
	var names []string
	for _, s := range schemes() {
		if s.form != "" && s.name != "" {
			names = append(names, s.name)
		}
	}
	hint := "write " + knownForms()
	if near := nearestOf(strings.ToLower(name), names); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near+":", hint)
	}
	if !strings.HasPrefix(rest, "//") {
		hint += fmt.Sprintf("; a directory of that name is dir:%s:%s", shorten(name), shorten(rest))
	}
	return refused(hint, "unknown scheme %q", shorten(name))
}

// knownForms lists the ways to write a reference.
func knownForms() string {
	var forms []string
	for _, s := range schemes() {
		if s.form != "" {
			forms = append(forms, s.form)
		}
	}
	last := len(forms) - 1
	return strings.Join(forms[:last], ", ") + " or " + forms[last]
}

func (r *Ref) parsePath(text string) error {
	if isArchiveName(text) {
		r.Kind, r.Path = ArchiveFile, text
		return nil
	}
	return r.parseDirectory(text)
}

func (r *Ref) parseDirectory(text string) error {
	if text == "" {
		return refused("write dir:PATH", "it names no directory")
	}
	r.Kind, r.Path = Directory, text
	return nil
}

// isArchiveName reports the name of a file that can hold packs.
func isArchiveName(name string) bool {
	name = strings.ToLower(name)
	for _, ending := range []string{".tar.gz", ".tgz", ".tar", ".zip"} {
		if strings.HasSuffix(name, ending) && filepath.Base(name) != ending {
			return true
		}
	}
	return false
}

// secretKeys are parameters of an address that let whoever knows them in. They
// would be kept in the lock file for all to read.
var secretKeys = []string{"access_token", "job_token", "private_token", "sig", "signature", "token", "x-amz-signature", "x-goog-signature"}

func (r *Ref) parseURL(rest string) error {
	if !strings.HasPrefix(rest, "//") {
		return refused("write https://HOST/PATH", "the address has no host")
	}
	address := r.Text
	if r.Pack != "" {
		address = strings.TrimSuffix(address, "#"+r.Pack)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Host == "", u.Hostname() == "":
		return refused("write https://HOST/PATH", "the address cannot be read")
	case u.User != nil:
		return refused("leave the name and password out; tokens come from the environment", "the address holds a name or password")
	case strings.Contains(address, "#"):
		return refused("write the name of a pack after #", "the address holds # twice")
	}
	for key := range u.Query() {
		for _, secret := range secretKeys {
			if strings.EqualFold(key, secret) {
				return refused("leave it out; tokens come from the environment, and a signed address does not last", "the address holds a secret in %q", key)
			}
		}
	}
	if isArchiveName(u.Path) {
		r.Kind, r.URL = ArchiveURL, u.String()
		return nil
	}
	if u.RawQuery != "" {
		return refused("write the address of the site alone, or that of a .tar.gz or .zip file", "the address of a site has no query")
	}
	for _, page := range []string{"/index.html", "/catalog.json"} {
		u.Path, u.RawPath = strings.TrimSuffix(u.Path, page), strings.TrimSuffix(u.RawPath, page)
	}
	r.Kind, r.URL = Site, strings.TrimRight(u.String(), "/")+"/"
	return nil
}
