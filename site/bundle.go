package site

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/parallel"
	"github.com/packgen/packgen/site/model"
)

// Bundle is a compiled pack as it is published: its record pack.json, and the
// archive of its files.
type Bundle struct {
	Manifest    *schema.PackManifest // nil for a pack of more files than one may list: it has no archive
	JSON        []byte               // pack.json
	Diagnostics []diag.Diagnostic    // files that were left out

	files []archive.File
	open  func(path string) (io.ReadCloser, error)
}

// BundleOptions say what of a pack is published, and where its files are.
type BundleOptions struct {
	Sources bool // sources/ too
	Runs    bool // all of runs/, not only the newest compile run

	// Open opens a file of the pack as it is after the compile. Required.
	Open func(path string) (io.ReadCloser, error)
	// Size returns the size in bytes of a file that the compile wrote, when that is
	// known without opening it. May be nil.
	Size func(path string) (int64, bool)
}

// NewBundle lists and hashes the files of a compiled pack that are published.
// What the compile has hashed is not read for it; [Bundle.Write] checks that the
// bytes are still those.
func NewBundle(res *compiler.Result, o BundleOptions) (*Bundle, error) {
	n := &bundler{res: res, run: model.NewestRun(res), known: knownDigests(res), withheld: withheldBy(res)}
	n.ledger = ledgerOf(res, o.Open)
	n.o = o
	paths, left := archive.Published(res.Pack, archive.PublishOptions{
		Sources: o.Sources, Runs: o.Runs, Run: n.run, Ledger: n.ledger, Index: &res.Index, Withheld: n.isWithheld,
	})
	b := &Bundle{open: o.Open, Diagnostics: left}
	found, err := n.describeAll(paths)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.left != nil {
			b.Diagnostics = append(b.Diagnostics, f.left.finding(res.Pack.Meta.Name))
			continue
		}
		b.files = append(b.files, f.File)
	}
	if len(b.files) > schema.MaxPackFiles {
		b.Diagnostics = append(left, n.tooMany(len(b.files)))
		return b, nil
	}
	b.Diagnostics = append(b.Diagnostics, n.tooMuch(b.files)...)
	if b.Manifest, err = archive.NewManifest(res.Pack, n.views(), b.files); err != nil {
		return nil, err
	}
	size := recordBytes * (len(b.files) + 8)
	for i := range b.files {
		size += len(b.files[i].Path)
	}
	record := bytes.NewBuffer(make([]byte, 0, size))
	err = schema.Write(record, b.Manifest)
	b.JSON = record.Bytes()
	return b, err
}

// ledgerOf returns the path of the ledger of the newest run; "" when it has none, as the
// record of another tool.
func ledgerOf(res *compiler.Result, open func(path string) (io.ReadCloser, error)) string {
	run := model.NewestRun(res)
	ledger := schema.RunLedgerPath(run)
	if run == "" || run == res.RunPath {
		return ledger
	}
	r, err := open(ledger)
	if err != nil {
		return ""
	}
	_ = r.Close()
	return ledger
}

// recordBytes is about what pack.json says of one file besides its path.
const recordBytes = 160

// Write writes the archive, pack.tar.gz. It may be called more than once and
// writes the same bytes every time.
func (b *Bundle) Write(w io.Writer) error {
	return archive.WriteTarGz(w, b.Manifest.Name, b.JSON, b.files, b.open)
}

// bundler is a NewBundle in progress.
type bundler struct {
	res      *compiler.Result
	o        BundleOptions
	run      string            // the newest compile run, "" when there is none
	ledger   string            // its ledger, "" when there is none
	known    map[string]string // SHA-256 by path
	withheld map[string]bool
}

// knownDigests are the digests that a compile has taken. A file that somebody
// edited is not what the index says.
func knownDigests(res *compiler.Result) map[string]string {
	known := make(map[string]string, len(res.Run.Inputs)+len(res.Index.Splits))
	for _, in := range res.Run.Inputs {
		known[in.Path] = in.SHA256
	}
	for _, v := range res.Index.Views {
		known[v.Path] = v.SHA256
	}
	for _, s := range res.Index.Splits {
		known[s.Path] = s.SHA256
	}
	for _, d := range res.Found {
		if d.ID == "view-hand-edited" {
			delete(known, d.Path)
		}
	}
	return known
}

// withheldBy are the files that a secret finding is about.
func withheldBy(res *compiler.Result) map[string]bool {
	list := map[string]bool{}
	for _, d := range res.Diagnostics {
		if compiler.Withheld(d) {
			list[d.Path] = true
		}
	}
	if len(list) > 0 {
		for _, s := range res.Index.Splits {
			list[s.Path] = list[s.Path] || list[s.Document]
		}
	}
	return list
}

func (n *bundler) isWithheld(path string) bool { return n.withheld[path] }

// described is a file that is published, or why it is not.
type described struct {
	archive.File
	left *leftOut
}

// describeAll looks at the files side by side.
func (n *bundler) describeAll(paths []string) ([]described, error) {
	list, failed := make([]described, len(paths)), make([]error, len(paths))
	parallel.Ranges(len(paths), func(from, to int) {
		for i, path := range paths[from:to] {
			f, err := n.describe(path)
			if errors.As(err, &list[from+i].left) {
				continue
			}
			if err != nil {
				failed[from+i] = fmt.Errorf("publish %s of %s: %w", path, n.res.Pack.Meta.Name, err)
				return
			}
			list[from+i].File = f
		}
	})
	return list, cmp.Or(failed...)
}

// describe returns the size and digest of a file.
func (n *bundler) describe(path string) (archive.File, error) {
	f := archive.File{Path: path, SHA256: n.known[path]}
	var sized bool
	if entry, ok := n.res.Pack.Stat(path); ok && !pack.LayerOf(path).IsOutput() {
		f.Size, sized = entry.Size, true
	} else if n.o.Size != nil {
		f.Size, sized = n.o.Size(path)
	}
	if sized && f.SHA256 != "" {
		return f, checkSize(f)
	}
	r, err := n.o.Open(path)
	if err != nil {
		return f, err
	}
	defer r.Close()
	sum := sha256.New()
	to := io.Writer(sum)
	var text bytes.Buffer
	if n.unscanned(path) {
		to = io.MultiWriter(sum, &text)
	}
	f.Size, err = io.Copy(to, io.LimitReader(r, pack.MaxFileSize+1))
	if err != nil {
		return f, err
	}
	if text.Len() > 0 && len(lint.Scan(path, text.Bytes()).Secrets) > 0 {
		return f, &leftOut{path, secretSuspect, "something in the file looks like a secret; it is not published"}
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return f, checkSize(f)
}

// unscanned reports a file in which no compile looks for secrets: what other
// programs keep in indexes/ and runs/.
func (n *bundler) unscanned(path string) bool {
	top := pack.LayerOf(path)
	return top == pack.Indexes && path != pack.SourceMapPath || top == pack.Runs && path != n.run && path != n.ledger
}

// checkSize refuses a file that no reader of archives would take.
func checkSize(f archive.File) error {
	if f.Size <= pack.MaxFileSize {
		return nil
	}
	return &leftOut{f.Path, tooLarge, fmt.Sprintf("the file is larger than %d MiB; it is not published", pack.MaxFileSize>>20)}
}

// tooMany warns of a pack that is published without an archive.
func (n *bundler) tooMany(files int) diag.Diagnostic {
	return diag.Diagnostic{
		ID: tooLarge, Severity: diag.Warning, Pack: n.res.Pack.Meta.Name, Path: pack.EntryName,
		Message: fmt.Sprintf("the pack has %d files to publish; %s lists at most %d, so there is no archive of it", files, schema.PackManifestName, schema.MaxPackFiles),
		Hint:    "cut the pack into several",
	}
}

// tooMuch warns of a pack that is pulled only where limits were raised.
func (n *bundler) tooMuch(files []archive.File) []diag.Diagnostic {
	var refusal *archive.Refusal
	if !errors.As(archive.CheckTree(files, archive.Limits{}), &refusal) || refusal.Rule != archive.RuleTooLarge && refusal.Rule != archive.RuleTooMany {
		return nil
	}
	return []diag.Diagnostic{{
		ID: tooLarge, Severity: diag.Warning, Pack: n.res.Pack.Meta.Name, Path: pack.EntryName,
		Message: "the archive of the pack is too large to be pulled: " + refusal.Message,
		Hint:    "cut the pack into several, or have those who pull it raise the limits below pull in packgen.yaml",
	}}
}

// tooLarge is the rule for files that are left out because of their size.
const tooLarge = "published-too-large"

// leftOut says why a file is not published.
type leftOut struct{ path, id, message string }

func (l *leftOut) Error() string { return l.message }

func (l *leftOut) finding(name string) diag.Diagnostic {
	hint := "keep it out of the pack, or move it to sources/"
	switch {
	case pack.LayerOf(l.path).IsOutput():
		hint = "cut the pack into several"
	case strings.HasPrefix(l.path, "sources/"):
		hint = "keep it out of the pack, or publish the pack without its sources"
	}
	return diag.Diagnostic{ID: l.id, Severity: diag.Warning, Pack: name, Path: l.path, Message: l.message, Hint: hint}
}

// views says of each view what is known of it.
func (n *bundler) views() []schema.PublishedView {
	status := map[string]schema.Status{}
	claims := map[string][]int32{}
	for i := range n.res.Units {
		status[n.res.Units[i].Path] = n.res.Units[i].Doubt()
	}
	for i := range n.res.SourceMap.Claims {
		c := &n.res.SourceMap.Claims[i]
		claims[c.Document] = append(claims[c.Document], int32(i))
	}
	lookup := func(name string) (schema.Status, []int32, bool) {
		s, ok := status[name]
		return s, claims[name], ok
	}
	list := []schema.PublishedView{}
	for i := range n.res.Index.Views {
		if v := &n.res.Index.Views[i]; !n.withheld[v.Path] {
			list = append(list, publishedView(n.res, v, model.DoubtIn(&n.res.SourceMap, v, lookup)))
		}
	}
	return list
}

// maxViewWarnings is how many warnings pack.json keeps of one view.
const maxViewWarnings = 20

// publishedView is a view with its status of agent-knowledge section 13.7: the
// worst of the claims it holds, of what the run found in it, and of what it was
// built on.
func publishedView(res *compiler.Result, v *schema.View, d model.Doubt) schema.PublishedView {
	out := schema.PublishedView{Path: v.Path, Status: schema.Passed}
	worse := func(status schema.Status) { out.Status = schema.Worse(out.Status, status) }
	if d.Status != "" {
		worse(d.Status)
		out.Warnings = append(out.Warnings, "Built on "+string(d.Status)+" material: "+d.Named()+".")
	}
	for i := range res.SourceMap.Claims {
		c := &res.SourceMap.Claims[i]
		if c.Status != schema.Confirmed && slices.Contains(c.CompiledInto, v.Path) {
			switch c.Status {
			case schema.Stale, schema.Disputed:
				worse(c.Status)
			default:
				worse(schema.NeedsReview)
			}
		}
	}
	var about []diag.Diagnostic
	for _, f := range res.Diagnostics {
		if f.Path != v.Path || f.Severity == diag.Info {
			continue
		}
		about = append(about, f)
		switch {
		case f.Severity == diag.Error:
			worse(schema.Failed)
		case f.ID == "source-changed", f.ID == "source-stale":
			worse(schema.Stale)
		case f.ID == "claim-conflict", f.ID == "claim-disputed":
			worse(schema.Disputed)
		default:
			worse(schema.NeedsReview)
		}
	}
	shares, _ := diag.Share(about, maxViewWarnings-len(out.Warnings))
	for _, f := range shares {
		out.Warnings = append(out.Warnings, f.Message)
	}
	return out
}

// secretSuspect is the rule of likely secrets.
const secretSuspect = "secret-suspect"
