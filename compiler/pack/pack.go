package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// EntryName is the file that makes a directory a pack; letter case counts.
const EntryName = "KNOWLEDGE.md"

// What a compile writes besides views and run records (section 6.2).
const (
	SplitsDir     = "compiled/splits"
	IndexPath     = "compiled/index.json"
	SourceMapPath = "indexes/source-map.json"
)

// Layer is a folder at the root of a pack (section 2).
type Layer string

// The layers that a compile reads, and the three that it writes.
const (
	Documents Layer = "documents"
	Wiki      Layer = "wiki"
	Sources   Layer = "sources"
	Ontology  Layer = "ontology"
	Answers   Layer = "answers"
	Compiled  Layer = "compiled"
	Indexes   Layer = "indexes"
	Runs      Layer = "runs"
)

// LayerOf returns the first part of a path.
func LayerOf(path string) Layer {
	top, _, _ := strings.Cut(path, "/")
	return Layer(top)
}

// IsInput reports a layer whose files a compile reads.
func (l Layer) IsInput() bool {
	return slices.Contains([]Layer{Documents, Wiki, Sources, Ontology, Answers}, l)
}

// IsOutput reports a layer that a compile writes.
func (l Layer) IsOutput() bool { return l == Compiled || l == Indexes || l == Runs }

// Limits on what is read from a pack.
const (
	MaxFileSize   = 64 << 20  // bytes of a file that is read whole
	maxRecordSize = 1 << 30   // bytes of a record that a compile writes: what it makes of a large pack is read again
	maxFiles      = 1_000_000 // files of one pack
	maxLinks      = 40        // symbolic links followed for one path
)

// Pack is an opened knowledge pack. It holds metadata and the list of files,
// never their bodies. Its methods may be called from several goroutines.
type Pack struct {
	Dir       string    // the directory as the caller named it, for messages; may be "" for an fs.FS
	Meta      Knowledge // KNOWLEDGE.md's front matter
	Entry     []byte    // KNOWLEDGE.md as it is on disk
	Guide     int       // byte offset in EntryText where the guide (the Markdown body) starts
	EntryText []byte    // KNOWLEDGE.md decoded: no byte-order mark, LF line ends
	Files     []File    // every input and every file under compiled/, indexes/, runs/…, in path order

	Listed time.Time // when the listing began: what the stat of a file says holds for this moment

	fsys    fs.FS
	lenient bool              // opened by Inspect
	root    *os.Root          // nil for an fs.FS
	links   map[string]string // listed paths that lead through a link → where they lead
	mapped  []*mapped         // folders from elsewhere
	own     map[string]bool   // the pack's own documents; nil when no folder is mapped
	renamed map[string]string // listed paths by those as they are, see ListedAs

	archived archived
}

// File is one file of a pack. Names starting with "." are never listed, nor is
// scripts/, which is not part of a pack (section 2).
type File struct {
	Path       string // clean slash path relative to the pack root
	store.Stat        // what the listing saw
}

// Open opens the pack in a directory. The diagnostics are about its files,
// sorted as section 6.11 says. The pack is nil when the directory is not a readable
// pack: no KNOWLEDGE.md, or one whose front matter cannot be read. A pack with an error
// among the diagnostics is to be shown, not trusted. The error is for a directory that
// cannot be read.
//
// Folders that lie elsewhere join its documents; one that cannot be used is reported, and
// the rest of the pack is opened without it.
//
// A pack keeps its directories open until Close.
func Open(dir string, mappings ...Mapping) (*Pack, []diag.Diagnostic, error) {
	return openDir(dir, false, mappings)
}

func openDir(dir string, lenient bool, mappings []Mapping) (*Pack, []diag.Diagnostic, error) {
	root, err := regularfile.Root(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open pack: %w", err)
	}
	name := dir
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	p := &Pack{Dir: dir, fsys: regularfile.FS(root), root: root, lenient: lenient}
	return p.open(name, mappings)
}

// OpenFS opens the pack at the root of a file system; dir is its name in
// messages, and its last element the directory name that the pack's name is
// compared with ("" compares nothing). Links are followed by the rules of Open
// when the file system knows them (fs.ReadLinkFS).
func OpenFS(fsys fs.FS, dir string, mappings ...Mapping) (*Pack, []diag.Diagnostic, error) {
	p := &Pack{Dir: dir, fsys: fsys}
	name := ""
	if clean := strings.TrimRight(filepath.ToSlash(dir), "/"); clean != "" && clean != "." {
		name = clean[strings.LastIndexByte(clean, '/')+1:]
	}
	return p.open(name, mappings)
}

// open reads KNOWLEDGE.md and lists the files; name is that of the directory.
func (p *Pack) open(name string, mappings []Mapping) (*Pack, []diag.Diagnostic, error) {
	found := &findings{}
	ok, err := p.readEntry(name, found)
	if err == nil && ok {
		err = p.list(found)
	}
	if err == nil && ok {
		p.openMapped(mappings, found)
		p.checkFiles(found)
		if p.lenient {
			p.guess()
		}
	}
	p.attribute(name, found)
	diag.Sort(found.list)
	if err != nil || !ok {
		return nil, found.list, errors.Join(err, p.Close())
	}
	return p, found.list, nil
}

// attribute names the pack in its diagnostics: as it calls itself, otherwise as its
// directory is called.
func (p *Pack) attribute(dir string, found *findings) {
	if p.Meta.Name != "" {
		dir = p.Meta.Name
	}
	for i := range found.list {
		found.list[i].Pack = dir
	}
}

// Close releases the directory that Open holds.
func (p *Pack) Close() error {
	for _, m := range p.mapped {
		m.pack.Close() // only read: an error of Close loses nothing
	}
	if p.root == nil {
		return nil
	}
	return p.root.Close()
}

// readEntry reads KNOWLEDGE.md; ok is false when the pack cannot be used.
func (p *Pack) readEntry(name string, found *findings) (ok bool, err error) {
	p.Entry, err = p.ReadFile(EntryName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found.add(metadataInvalid, diag.Error, EntryName, "the pack has no "+EntryName, p.entryHint())
		return false, nil
	case errors.Is(err, ErrTooLarge), errors.Is(err, errNotRegular):
		found.add(metadataInvalid, diag.Error, EntryName, EntryName+" cannot be used: "+err.Error(), "put a text file of that name in its place")
		return p.lenient, nil
	case errors.Is(err, errEscape) && p.lenient:
		return true, nil // listing the files reports it
	case errors.Is(err, errEscape):
		found.add("symlink-escape", diag.Error, EntryName, err.Error(), "put the file itself into the pack")
		return false, nil
	case err != nil:
		return false, err
	}
	return p.takeEntry(name, found), nil
}

// FromEntry returns the pack that a KNOWLEDGE.md describes, without files: for one that
// is no longer in its directory. Name is that of the directory. Faults are those of
// [Open]; the pack is nil when the file cannot be used.
func FromEntry(entry []byte, name string) (*Pack, []diag.Diagnostic) {
	p, found := &Pack{Entry: entry}, &findings{}
	ok := p.takeEntry(name, found)
	p.attribute(name, found)
	if !ok {
		return nil, found.list
	}
	return p, found.list
}

// takeEntry reads the text of KNOWLEDGE.md; ok is false when the pack cannot be used.
func (p *Pack) takeEntry(name string, found *findings) (ok bool) {
	text, isText := frontmatter.Decode(p.Entry)
	if !isText {
		line, column, message := frontmatter.Undecodable(p.Entry)
		found.list = append(found.list, diag.Diagnostic{
			ID: "encoding-invalid", Severity: diag.Error, Path: EntryName, Line: line, Column: column, Message: message, Hint: "save it as UTF-8 text",
		})
		return p.lenient
	}
	block, faults := frontmatter.Read(text, frontmatter.Options{Path: EntryName, Required: true})
	if len(faults) > 0 {
		found.list = append(found.list, faults...)
		if p.lenient {
			p.salvage(text, block, name, found)
		}
		return p.lenient
	}
	p.EntryText, p.Guide = text, block.End
	p.Meta = readKnowledge(block.Node, name, found)
	return true
}

// entryHint looks for a KNOWLEDGE.md in other letters.
func (p *Pack) entryHint() string {
	entries, err := fs.ReadDir(p.fsys, ".")
	if err == nil {
		for _, e := range entries {
			if strings.EqualFold(e.Name(), EntryName) {
				return fmt.Sprintf("rename %s to %s; letter case counts", e.Name(), EntryName)
			}
		}
	}
	return `a pack is a directory with a ` + EntryName + ` that starts with "---" and its front matter`
}

// Has reports whether the pack lists that file.
func (p *Pack) Has(path string) bool {
	_, ok := p.Stat(path)
	return ok
}

// Stat returns what the pack lists about a file.
func (p *Pack) Stat(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(p.Files, path, func(f File, path string) int { return strings.Compare(f.Path, path) })
	if !ok {
		return File{}, false
	}
	return p.Files[i], true
}

// HasDir reports whether the pack lists a file below that directory.
func (p *Pack) HasDir(dir string) bool {
	if dir == "" {
		return len(p.Files) > 0
	}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	i, _ := slices.BinarySearchFunc(p.Files, prefix, func(f File, prefix string) int { return strings.Compare(f.Path, prefix) })
	return i < len(p.Files) && strings.HasPrefix(p.Files[i].Path, prefix)
}

// List returns the files below a directory such as "documents", in path order;
// "" lists all. The slice is part of Files.
func (p *Pack) List(dir string) []File {
	if dir == "" {
		return p.Files
	}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	start, _ := slices.BinarySearchFunc(p.Files, prefix, func(f File, prefix string) int { return strings.Compare(f.Path, prefix) })
	end := start
	for end < len(p.Files) && strings.HasPrefix(p.Files[end].Path, prefix) {
		end++
	}
	return p.Files[start:end:end]
}

// Release drops the files below a directory from Files, for who asks no more about them: of a
// thousand packs the lists are much.
func (p *Pack) Release(dir string) {
	rest := make([]File, 0, len(p.Files)-len(p.List(dir)))
	for _, f := range p.Files {
		if !strings.HasPrefix(f.Path, dir+"/") {
			rest = append(rest, f)
		}
	}
	p.Files = rest
}

// findings collects diagnostics.
type findings struct{ list []diag.Diagnostic }

func (f *findings) add(id string, severity diag.Severity, path, message, hint string) {
	f.list = append(f.list, diag.Diagnostic{ID: id, Severity: severity, Path: path, Message: message, Hint: hint})
}

// metadataInvalid is the rule for everything wrong in front matter.
const metadataInvalid = frontmatter.ID

// archiveName is the archive that is beside pack.json where a pack is
// published.
const archiveName = "pack.tar.gz"

// isRecord reports the files at the root of a pack that describe it as a published
// whole: they are not part of it.
func isRecord(name string) bool { return name == schema.PackManifestName || name == archiveName }

// archived is what pack.json says of a pack that was published and unpacked
// elsewhere. It is read when it is first needed.
type archived struct {
	once   sync.Once
	listed map[string]bool // nil for a pack that is not from an archive
}

// LeftOut reports a file of sources/, or the folder itself, that this pack has not
// because it comes from an archive without it: a pack.json at the root says which
// files were published. Whoever published the pack had the file; that it is absent
// here is not a fault.
func (p *Pack) LeftOut(path string) bool {
	path = strings.TrimSuffix(path, "/")
	if path != "sources" && !strings.HasPrefix(path, "sources/") || p.Has(path) || p.HasDir(path) {
		return false
	}
	p.archived.once.Do(func() {
		data, err := p.ReadFile(schema.PackManifestName)
		if err != nil {
			return
		}
		m, err := schema.DecodePackManifest(data)
		if err != nil || m.Name != p.Meta.Name {
			return // another program's file
		}
		p.archived.listed = map[string]bool{}
		for _, f := range m.Files {
			if strings.HasPrefix(f.Path, "sources/") {
				p.archived.listed[f.Path] = true
			}
		}
	})
	return p.archived.listed != nil && !p.archived.listed[path]
}

// layers are the optional layers of agent-knowledge section 19 with the field that
// names their main file.
var layers = [...]struct{ dir, field string }{
	{"ontology", "metadata.primaryOntology"},
	{"answers", "metadata.primaryAnswers"},
}

// lacksLayer reports a path in an optional layer that the pack does not have at
// all, which is a lesser fault than a missing file.
func (p *Pack) lacksLayer(path string) bool {
	for _, l := range layers {
		if strings.HasPrefix(path, l.dir+"/") && !p.HasDir(l.dir) {
			return true
		}
	}
	return false
}

// checkLayers checks that the optional layers and what KNOWLEDGE.md says of them
// agree (section 19.1).
func (p *Pack) checkLayers(report func(field string, severity diag.Severity, id, message, hint string)) {
	for _, l := range layers {
		_, declared := p.Meta.places[l.field]
		switch has := p.HasDir(l.dir); {
		case declared && !has:
			report(l.field, diag.Warning, "optional-layer-missing", fmt.Sprintf("%s is declared, and the pack has no %s/", l.field, l.dir), "add the layer, or drop the field")
		case has && !declared:
			report("type", diag.Warning, "optional-layer-undeclared", fmt.Sprintf("the pack has %s/, and no %s names its main file", l.dir, l.field),
				fmt.Sprintf("add %s: %s/<file>.json", l.field, l.dir))
		}
	}
	if p.Meta.Type == "content-ontology" && !p.HasDir("ontology") {
		report("type", diag.Error, metadataInvalid, "a pack of type content-ontology needs files in ontology/", "add the layer, or choose another type")
	}
}
