package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/packpath"
)

// File is a file of a published tree.
type File struct {
	Path   string `json:"path"`   // relative, with slashes
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // 64 lower-case hex digits
}

// TreeHash returns the identity of a tree: the hash "h1:" that
// golang.org/x/mod/sumdb/dirhash gives the same files under the same paths. The
// order of the list does not matter. A pack's pack.json and pack.tar.gz are not
// part of its tree; callers leave them out.
func TreeHash(files []File) string {
	list := slices.Clone(files)
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, f := range list {
		fmt.Fprintf(h, "%s  %s\n", f.SHA256, f.Path) // a hash never fails
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// SHA256 returns the digest of a file's bytes as [File] writes it.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// CheckTree returns nil when Extract, held to the same limits, takes an archive of
// those files, so that a publisher learns at once that it
// cannot be pulled. The error is a *Refusal about the first file, in the order given, that it
// would refuse. The folder that an archive puts around its files counts too: callers
// who know it put its name before the paths.
func CheckTree(files []File, l Limits) error {
	l = l.withDefaults()
	s := &sink{limits: l, names: newNames(l), left: l.Bytes}
	for _, f := range files {
		if err := s.take(f.Path, false); err != nil {
			return err
		}
		if err := s.allow(f.Path, f.Size); err != nil {
			return err
		}
		s.left -= f.Size
	}
	return nil
}

// maxDeflate is how many bytes one byte of a deflate stream can become.
const maxDeflate = 1032

// countGzip is countTar for a gzip stream of that many bytes. One that cannot hold
// more entries than the limit is not looked at.
func countGzip(r io.ReaderAt, size int64, s *sink) error {
	if size*maxDeflate/tarBlock <= int64(s.limits.Files) {
		return nil
	}
	unzip, err := gzip.NewReader(bufio.NewReaderSize(io.NewSectionReader(r, 0, size), readAhead))
	if err != nil {
		return nil // unpacking it says what is wrong
	}
	unzip.Multistream(false)
	return countTar(unzip, s)
}

// countTar refuses a tar archive with more entries than the limit before the first
// of them is written: to write and remove them again takes longer than to read all
// headers. Anything else that is wrong is left to unpacking.
func countTar(r io.Reader, s *sink) error {
	entries := tar.NewReader(bufio.NewReaderSize(&capped{r: r, left: streamLimit(s.limits), s: s}, readAhead))
	for n := 0; ; n++ {
		head, _ := entries.Next() // an insecure path comes with its header
		if head == nil {
			return nil
		}
		if n >= s.limits.Files {
			return refuse(RuleTooMany, head.Name, hintLimit, "there are more than %d files and folders", s.limits.Files)
		}
	}
}

const (
	hintAttack = "do not use this archive: a program that packs files does not write such paths"
	hintRename = "rename the file where the archive is made"
)

func checkPath(name string, l Limits) *Refusal {
	switch {
	case name == "":
		return refuse(RulePath, name, hintAttack, "the entry has no name")
	case len(name) > l.PathBytes:
		return refuse(RulePath, name, hintRename, "the path is longer than %d bytes", l.PathBytes)
	case strings.IndexByte(name, 0) >= 0:
		return refuse(RulePath, name, hintAttack, "the path holds a NUL byte")
	case name[0] == '/':
		return refuse(RulePath, name, hintAttack, "the path is absolute")
	case strings.IndexByte(name, '\\') >= 0:
		return refuse(RulePath, name, hintRename, "the path holds a backslash, which some systems read as a slash")
	case len(name) >= 2 && name[1] == ':' && isLetter(name[0]):
		return refuse(RulePath, name, hintAttack, "the path starts with a drive letter")
	case !utf8.ValidString(name):
		return refuse(RulePath, name, "make the archive with file names in UTF-8", "the path is not UTF-8")
	case strings.IndexFunc(name, unicode.IsControl) >= 0:
		return refuse(RulePath, name, hintRename, "the path holds a control character")
	}
	depth := 0
	for part := range strings.SplitSeq(name, "/") {
		depth++
		if r := checkPart(name, part); r != nil {
			return r
		}
	}
	if depth > l.Depth {
		return refuse(RulePath, name, hintRename, "the path is %d names deep; the limit is %d", depth, l.Depth)
	}
	return nil
}

// checkPart checks one name of a path.
func checkPart(name, part string) *Refusal {
	switch {
	case part == "..":
		return refuse(RulePath, name, hintAttack, "the path has a \"..\" in it, which leads out of the folder")
	case part == "." || part == "":
		return refuse(RulePath, name, hintRename, "the path is not clean: it has an empty name or a \".\" in it")
	}
	if err := packpath.CheckName(part); err != nil {
		hint := hintRename
		if errors.Is(err, packpath.ErrGit) {
			hint = hintAttack
		}
		return refuse(RulePath, name, hint, "%s", shown(err.Error()))
	}
	return nil
}

// entryPath makes a path of the name of an entry: without the "./" that tar puts
// before it and the slash after a folder. The root of the archive has none.
func entryPath(name string, folder bool) (path string, isRoot bool) {
	if folder && (name == "." || name == "./") {
		return "", true
	}
	name = strings.TrimPrefix(name, "./")
	if folder {
		name = strings.TrimSuffix(name, "/")
	}
	return name, false
}

func isLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}

// names knows the paths of a tree and refuses those that some system would treat as one
// another.
type names struct {
	limits  Limits
	entries int              // entries taken, and folders that paths imply
	known   map[string]named // by folded path
}

type named struct {
	path   string // as written
	folder bool
}

func newNames(l Limits) *names { return &names{limits: l, known: map[string]named{}} }

// add takes the path of an entry. A folder may come twice, everything else once.
func (n *names) add(name string, folder bool) *Refusal {
	if r := checkPath(name, n.limits); r != nil {
		return r
	}
	if r := n.count(name); r != nil {
		return r
	}
	key := foldPath(name)
	if old, ok := n.known[key]; ok {
		return clash(name, folder, old)
	}
	n.known[key] = named{name, folder}
	// A folder that is known has known parents: a deep tree takes no quadratic time.
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		key := foldPath(dir)
		if old, ok := n.known[key]; ok {
			return clash(dir, true, old)
		}
		if r := n.count(name); r != nil {
			return r
		}
		n.known[key] = named{dir, true}
	}
	return nil
}

// count counts an entry or an implied folder against the limit.
func (n *names) count(name string) *Refusal {
	if n.entries++; n.entries > n.limits.Files {
		return refuse(RuleTooMany, name, hintLimit, "there are more than %d files and folders", n.limits.Files)
	}
	return nil
}

const hintLimit = "raise the limits below pull in packgen.yaml only if you trust where the archive comes from"

// clash compares an entry with one under the same folded path.
func clash(name string, folder bool, old named) *Refusal {
	switch {
	case name == old.path && folder && old.folder:
		return nil
	case name != old.path:
		return refuse(RuleClash, name, hintRename, "\"%s\" is the same name where letter case or Unicode form does not count", shown(old.path))
	case folder != old.folder:
		return refuse(RuleClash, name, hintAttack, "the path is both a file and a folder")
	}
	return refuse(RuleClash, name, "make the archive again, with each file once", "the file is listed twice")
}

// foldPath maps all spellings of a path that some file system treats as one to the
// same string: full case folding, canonical equivalence, and no characters that are
// left out of comparisons.
func foldPath(name string) string {
	plain := true
	for i := range len(name) {
		if c := name[i]; c >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(packpath.Visible(name))))
		} else if 'A' <= c && c <= 'Z' {
			plain = false
		}
	}
	if plain {
		return name
	}
	return strings.ToLower(name)
}
