package remote

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"oras.land/oras-go/v2/registry"

	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
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
// have one. Errors are a *refError.
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

// refError is a reference that cannot be meant.
type refError struct {
	Text    string // as written
	Problem string // one line
	Hint    string // what to write, one line
}

func (e *refError) Error() string {
	return fmt.Sprintf("reference %q: %s", shorten(withoutSecrets(e.Text)), e.Problem)
}

// Advice returns what to write.
func (e *refError) Advice() string { return e.Hint }

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
// slash. Nothing is looked up. Errors are a *refError.
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
		var refused *refError
		if errors.As(err, &refused) {
			refused.Text = text
		}
		return Ref{}, err
	}
	return r, nil
}

// refused is a refError whose text is filled in later.
func refused(hint, format string, args ...any) error {
	return &refError{Problem: fmt.Sprintf(format, args...), Hint: hint}
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

// Place is where a reference leads, in the form that the patterns of trust: in
// packgen.yaml are compared with: without tag, digest, parameters and the name of the pack.
func (r Ref) Place() string {
	return signature.Place(r.address())
}

// address is where a reference leads, as a pattern of trust: would write it.
func (r Ref) address() string {
	switch r.Kind {
	case OCI:
		return "oci://" + r.Registry.Host + "/" + r.Registry.Name
	case Site, ArchiveURL:
		address, _, _ := strings.Cut(r.URL, "?")
		return address
	case GitHub:
		return "gha://" + escaped(r.GitHub.Owner, r.GitHub.Repo, r.GitHub.Artifact)
	case GitLab:
		return "gitlab://" + escaped(append(strings.Split(r.GitLab.Project, "/"), r.GitLab.Job)...)
	case Directory:
		return "dir:" + r.Path
	}
	return r.Path
}

func escaped(names ...string) string {
	for i, n := range names {
		names[i] = url.PathEscape(n)
	}
	return strings.Join(names, "/")
}

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

func (r *Ref) parseGitHub(rest string) error {
	parts, query, err := splitCI(rest, githubForm, "branch", "workflow", "run")
	if err != nil {
		return err
	}
	if len(parts) != 3 {
		return refused("write "+githubForm, "it needs an owner, a repository and an artifact, no more and no less")
	}
	if err := checkSlugs(parts[:2], githubForm); err != nil {
		return err
	}
	if strings.Contains(parts[2], "/") {
		return refused("write "+githubForm, "%q is not an artifact name", shorten(parts[2]))
	}
	r.Kind = GitHub
	r.GitHub = fetch.GitHub{Owner: parts[0], Repo: parts[1], Artifact: parts[2], Branch: query["branch"], Workflow: query["workflow"]}
	if text := query["run"]; text != "" {
		run, err := strconv.ParseInt(text, 10, 64)
		if err != nil || run <= 0 || strconv.FormatInt(run, 10) != text {
			return refused("use the number in the address of the run's page", "run=%s is not a run number", shorten(text))
		}
		r.GitHub.Run = run
	}
	return nil
}

func (r *Ref) parseGitLab(rest string) error {
	parts, query, err := splitCI(rest, gitlabForm, "ref")
	if err != nil {
		return err
	}
	last := len(parts) - 1
	if last < 2 {
		return refused("write "+gitlabForm, "it needs a group, a project and a job")
	}
	if err := checkSlugs(parts[:last], gitlabForm); err != nil {
		return err
	}
	r.Kind = GitLab
	r.GitLab = fetch.GitLab{Project: strings.Join(parts[:last], "/"), Job: parts[last], Ref: query["ref"]}
	return nil
}

// splitCI cuts //a/b/c?x=y into its names and parameters, both decoded.
func splitCI(rest, form string, keys ...string) (parts []string, query map[string]string, err error) {
	rest, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return nil, nil, refused("write "+form, "// is missing after the scheme")
	}
	names, parameters, asked := strings.Cut(rest, "?")
	for part := range strings.SplitSeq(names, "/") {
		part, err := decodeName(part, form)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, part)
	}
	query = map[string]string{}
	if !asked {
		return parts, query, nil
	}
	for pair := range strings.SplitSeq(parameters, "&") {
		key, value, ok := strings.Cut(pair, "=")
		if !slices.Contains(keys, key) {
			hint := "write one of " + strings.Join(keys, ", ")
			if near := nearestOf(key, keys); near != "" {
				hint = fmt.Sprintf("did you mean %s=?", near)
			}
			return nil, nil, refused(hint, "unknown parameter %q", shorten(key))
		}
		if _, twice := query[key]; twice {
			return nil, nil, refused("write it once", "%s= is given twice", key)
		}
		if value, err = decodeName(value, form); err != nil || !ok {
			return nil, nil, refused("write "+key+"=VALUE, or leave it out", "%s= has no value that can be read", key)
		}
		query[key] = value
	}
	return parts, query, nil
}

// decodeName decodes a name that is written as in a URL.
func decodeName(text, form string) (string, error) {
	name, err := url.PathUnescape(text)
	switch {
	case err != nil:
		return "", refused("write a % as %25", "%q cannot be decoded", shorten(text))
	case name == "":
		return "", refused("write "+form, "a name in it is empty")
	case name == "." || name == ".." || strings.Contains("/"+name+"/", "/../") || !isPrintable(name) || len(name) > maxName:
		return "", refused("write "+form, "%q is not a name", shorten(text))
	}
	return name, nil
}

// checkSlugs checks names of owners, groups and repositories, which both systems
// make of few characters.
func checkSlugs(names []string, form string) error {
	for _, name := range names {
		for _, c := range name {
			if c|0x20 < 'a' || c|0x20 > 'z' {
				if !strings.ContainsRune("0123456789-_.", c) {
					return refused("write "+form, "%q is not the name of an owner, group or repository", shorten(name))
				}
			}
		}
	}
	return nil
}

// nearestOf returns the candidate that a wrong word is nearest to, "" when none
// is near.
func nearestOf(word string, candidates []string) string {
	if len(word) > maxName {
		return ""
	}
	return nearest.Within(word, candidates, max(2, len(word)/2))
}
