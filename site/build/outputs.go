package build

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
)

// outputs are what an action of a build has made, as one file travels from the machine that
// did it to others: entries of a name and bytes, each with its length before it as a
// variable-length number, and a name of no length after the last, compressed with zstd. The
// first entry is this list; then come the blobs of the store, the files of the pack and
// those of the site.
//
// Nothing of it is believed: a pack takes the files only when the compile began with the
// files that the pack has, its state is summed up again, and the key of what the site has
// of a pack holds that state, the program and the configuration.
type outputs struct {
	name  string         // of the pack; "" for what the site has beside the packs
	state store.Digest   // of the pack after it
	after []store.File   // files of the pack after it, with digests
	site  []publish.Kept // files of the site
	held  []held
}

// held is a result in a group of the store.
type held struct {
	group  string
	key    store.Digest
	result store.Result
}

// outputsFormat begins the list.
const outputsFormat = "packgen outputs 3\n"

// names of the entries of the archive.
const (
	outputsList = "outputs"
	blobEntry   = "blob/"
	packEntry   = "pack/"
	siteEntry   = "site/"
)

// maxEntry bounds an entry in bytes. What an archive of a number of bytes holds is bounded,
// too: its list, most of which are digests, and all of its entries. The pages of a site are
// much alike, and are compressed to a fiftieth at most.
const (
	maxEntry   = 1 << 30
	leastList  = 4 << 20
	timesList  = 16 // an archive's size
	leastPlain = 64 << 20
	timesPlain = 200
)

func (o *outputs) encode() []byte {
	w := store.NewWriter(96 * (len(o.after) + len(o.site)))
	w.Str(outputsFormat)
	w.Str(o.name)
	w.Digest(o.state)
	w.Uint(len(o.after))
	for i := range o.after {
		w.Str(o.after[i].Path)
		w.Digest(o.after[i].Sum)
	}
	publish.PackKept(w, o.site)
	w.Uint(len(o.held))
	for _, h := range o.held {
		w.Str(h.group)
		w.Digest(h.key)
		w.Uint(len(h.result))
		for _, d := range h.result {
			w.Digest(d)
		}
	}
	return w.Bytes()
}

// decode reads a list; false when it is not one.
func (o *outputs) decode(data []byte) bool {
	r := store.ReadBytes(data)
	if r.Str() != outputsFormat {
		return false
	}
	o.name, o.state = r.Str(), r.Digest()
	o.after = make([]store.File, r.CountOf(1+len(store.Digest{})))
	for i := range o.after {
		o.after[i] = store.File{Path: r.Str(), Sum: r.Digest()}
		if i > 0 && o.after[i].Path <= o.after[i-1].Path {
			return false
		}
	}
	o.site = publish.UnpackKept(r)
	o.held = make([]held, r.CountOf(2+len(store.Digest{})))
	for i := range o.held {
		h := &o.held[i]
		h.group, h.key = r.Str(), r.Digest()
		h.result = make(store.Result, r.CountOf(len(store.Digest{})))
		for j := range h.result {
			h.result[j] = r.Digest()
		}
	}
	return r.Done()
}

// outputsWriter writes an archive of outputs.
type outputsWriter struct {
	z     *zstd.Encoder
	head  []byte
	clean leaving
}

// writeOutputs begins an archive.
func writeOutputs(to io.Writer, o *outputs) (*outputsWriter, error) {
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return nil, err
	}
	w := &outputsWriter{z: z}
	return w, w.add(outputsList, o.encode())
}

// window is how far back equal bytes are found. What is larger than the caches of a
// processor costs each reader a quarter more time, and saves a fiftieth of the bytes.
const window = 1 << 20

// add adds an entry.
func (w *outputsWriter) add(name string, data []byte) error {
	w.head = append(binary.AppendUvarint(w.head[:0], uint64(len(name))), name...)
	w.head = binary.AppendUvarint(w.head, uint64(len(data)))
	_, err := w.z.Write(w.head)
	if err == nil {
		_, err = w.z.Write(data)
	}
	if err != nil {
		return fmt.Errorf("write outputs: %w", err)
	}
	return nil
}

// close ends the archive.
func (w *outputsWriter) close() error {
	_, err := w.z.Write([]byte{0})
	return errors.Join(err, w.z.Close())
}

// outputsReader reads an archive of outputs, entry by entry.
type outputsReader struct {
	outputs
	gone func() // drops the file
	z    *zstd.Decoder
	in   *bufio.Reader
	list int64  // bytes that the list may have
	next string // name of the entry that is read next; "" after the last
	size int64
	buf  []byte
}

// errOutputs says that an archive is not one of outputs.
var errOutputs = errors.New("the outputs cannot be read")

// readOutputs begins to read an archive of a number of bytes.
func readOutputs(f io.Reader, size int64) (*outputsReader, error) {
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	plain := io.LimitReader(z, leastPlain+timesPlain*size)
	r := &outputsReader{gone: func() {}, z: z, in: bufio.NewReaderSize(plain, 64<<10), list: leastList + timesList*size}
	if err = r.step(); err == nil {
		var data []byte
		if data, err = r.read(r.list); err == nil && !r.decode(slices.Clone(data)) {
			err = errOutputs
		}
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// maxWindow bounds the memory of a decompression in bytes; a writer takes [window].
const maxWindow = 8 * window

// maxName bounds the name of an entry in bytes.
const maxName = 4096

// step goes to the next entry.
func (r *outputsReader) step() error {
	length, err := binary.ReadUvarint(r.in)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errOutputs, err)
	case length > maxName:
		return errOutputs
	case length == 0:
		r.next = ""
		if _, err := r.in.ReadByte(); err != io.EOF {
			return errOutputs // the end has come when the sum of all bytes was right, too
		}
		return nil
	}
	name := make([]byte, length)
	if _, err := io.ReadFull(r.in, name); err != nil {
		return fmt.Errorf("%w: %w", errOutputs, err)
	}
	size, err := binary.ReadUvarint(r.in)
	if err != nil || size > maxEntry {
		return errOutputs
	}
	r.next, r.size = string(name), int64(size)
	return nil
}

// read returns the bytes of the entry, valid until the next read, and goes to the one
// after it.
func (r *outputsReader) read(most int64) ([]byte, error) {
	if r.next == "" || r.size > most {
		return nil, errOutputs
	}
	// The memory grows as bytes arrive: the archive may claim any size.
	r.buf = r.buf[:0]
	for left := r.size; left > 0; left = r.size - int64(len(r.buf)) {
		had := len(r.buf)
		r.buf = slices.Grow(r.buf, int(min(left, firstPiece)))
		r.buf = r.buf[:had+int(min(left, int64(cap(r.buf)-had)))]
		if _, err := io.ReadFull(r.in, r.buf[had:]); err != nil {
			return nil, fmt.Errorf("%w: %w", errOutputs, err)
		}
	}
	return r.buf, r.step()
}

// firstPiece is how many bytes are made room for before the first has come.
const firstPiece = 64 << 10

// verify reads an archive to its end, and reports whether all that its list names is there,
// has the digests that the list gives, and belongs to the pack.
func (r *outputsReader) verify() error {
	if err := r.blobs(func(store.Digest, []string, []byte) error { return nil }); err != nil {
		return err
	}
	for _, h := range r.held {
		switch h.group {
		case repo.IndexGroup, repo.SiteGroup:
		case repo.PackGroup + r.name:
			if h.key != r.state {
				return errOutputs
			}
		default:
			return errOutputs
		}
	}
	after := map[string]store.Digest{}
	for _, f := range r.after {
		after[f.Path] = f.Sum
	}
	for name, data, err := r.packFile(); name != "" || err != nil; name, data, err = r.packFile() {
		sum, ok := after[name]
		if err != nil || !ok || !compiler.Generated(name) || store.Sum(data) != sum {
			return errOutputs
		}
		delete(after, name)
	}
	for _, want := range r.site {
		if name, ok := cutEntry(r.next, siteEntry); !ok || name != want.Path {
			return errOutputs
		}
		data, err := r.read(maxEntry)
		if err != nil || store.Sum(data) != want.Sum {
			return errOutputs
		}
	}
	if r.next != "" {
		return errOutputs
	}
	return nil
}

func (r *outputsReader) close() {
	r.z.Close()
	r.gone()
}

// blobs hands on the blobs of an archive, each with the groups that it is for: all that the
// list names, with the digests that it gives, and no other.
func (r *outputsReader) blobs(take func(d store.Digest, groups []string, data []byte) error) error {
	wanted := map[store.Digest][]string{}
	for _, h := range r.held {
		for _, d := range h.result {
			wanted[d] = append(wanted[d], h.group)
		}
	}
	for {
		name, ok := cutEntry(r.next, blobEntry)
		if !ok {
			break
		}
		data, err := r.read(maxEntry)
		if err != nil {
			return err
		}
		d := store.ParseDigest(name)
		if len(wanted[d]) == 0 || store.Sum(data) != d {
			return errOutputs
		}
		if err := take(d, wanted[d], data); err != nil {
			return err
		}
		delete(wanted, d)
	}
	if len(wanted) > 0 {
		return errOutputs
	}
	return nil
}

// keep puts the results and blobs of an archive that was verified into the store.
func (r *outputsReader) keep(disk *store.Disk) error {
	err := r.blobs(func(d store.Digest, groups []string, data []byte) error {
		for _, group := range groups {
			if disk.Group(group).SetBlob(data) != d {
				return errOutputs
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, h := range r.held {
		disk.Group(h.group).SetAction(h.key, h.result)
	}
	return nil
}

// packFile returns the next file of the pack, "" after the last.
func (r *outputsReader) packFile() (string, []byte, error) {
	name, ok := cutEntry(r.next, packEntry)
	if !ok {
		return "", nil, nil
	}
	data, err := r.read(pack.SizeLimit(name))
	return name, data, err
}

// cutEntry returns the rest of the name of an entry of a kind.
func cutEntry(name, kind string) (string, bool) {
	if len(name) <= len(kind) || name[:len(kind)] != kind {
		return "", false
	}
	return name[len(kind):], true
}

// putSite puts the files of the site where they go, all that the list has and no other.
func (r *outputsReader) putSite(to publish.Target) error {
	for _, want := range r.site {
		name, ok := cutEntry(r.next, siteEntry)
		if !ok || name != want.Path {
			return errOutputs
		}
		data, err := r.read(maxEntry)
		if err != nil {
			return err
		}
		if _, err := to.Put(name, data); err != nil {
			return err
		}
		if got, ok := to.Sum(name); !ok || got != want { // it was summed up when it was put
			return errOutputs
		}
	}
	if r.next != "" {
		return errOutputs
	}
	return nil
}

// measure counts and hashes the bytes written to it.
type measure struct {
	size int64
	sum  hash.Hash
}

func newSum() *measure { return &measure{sum: sha256.New()} }

// Write implements io.Writer; it never fails.
func (m *measure) Write(data []byte) (int, error) {
	m.size += int64(len(data))
	return m.sum.Write(data)
}

// reset forgets what was written.
func (m *measure) reset() {
	m.size = 0
	m.sum.Reset()
}

// hex is the SHA-256 of what was written, as 64 lower-case hex digits.
func (m *measure) hex() string { return hex.EncodeToString(m.sum.Sum(nil)) }

// ArchiveOptions say what an archive holds.
type ArchiveOptions struct {
	Sources bool // sources/ too
	Runs    bool // every record of runs/
	DryRun  bool // write nothing

	SignOptions
}

// Archive is what the envelope says about the archive.
type Archive struct {
	Out    string `json:"out"`
	Change string `json:"change"` // created, updated, unchanged
	Tree   string `json:"tree"`
	Files  int    `json:"files"` // pack.json aside
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`

	Signature string `json:"signature,omitempty"` // the file of the signature; absent when it is not signed
	Signer    string `json:"signer,omitempty"`

	manifest string // digest of pack.json
}

// sign writes the signature beside the archive.
func (a *Archive) sign(ctx context.Context, w *repo.Repo, s *signer, m *repo.Member, out string) error {
	bundle, who, err := s.sign(ctx, signature.Pack{Name: m.Name(), Version: m.Pack.Meta.Version, Tree: a.Tree, Manifest: a.manifest, Archive: a.SHA256})
	if err != nil {
		return err
	}
	if err := atomicfile.Write(out+signature.Ending, bundle); err != nil {
		return fmt.Errorf("write the signature: %w", err)
	}
	a.Signature, a.Signer = a.Out+signature.Ending, who
	return nil
}

// checkArchivePath refuses a place inside the pack, where the archive would be
// read as a part of it.
func checkArchivePath(w *repo.Repo, out string, m *repo.Member) error {
	inside, err := filepath.Rel(w.Paths.Abs(m.Dir), out)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) || inside == archive.ArchiveName {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--out %s lies inside the pack", w.Paths.Rel(out)), "name a place beside it; in the pack itself only %s is not part of it", archive.ArchiveName)
}

// packOverlay is where the compile writes: into the pack, or where it must not be
// touched elsewhere. The caller calls remove.
func packOverlay(w *repo.Repo, f ArchiveOptions) (overlay string, remove func() error, err error) {
	if f.DryRun {
		dir, err := scratch.NewDir("pack")
		if err != nil {
			return "", nil, fmt.Errorf("make a place for a trial compile: %w", err)
		}
		return dir.Path, dir.Remove, nil
	}
	overlay, err = repo.ChooseOverlay(w, w.Config.Overlay)
	return overlay, func() error { return nil }, err
}

// writeArchive writes the archive, unless it already exists.
func writeArchive(ctx context.Context, w *repo.Repo, f ArchiveOptions, m *repo.Member, overlay, out string) (done Archive, err error) {
	bundle, err := bundleOf(w, f, m, overlay)
	if err != nil || bundle == nil {
		return done, err
	}
	done = Archive{Out: w.Paths.Rel(out), Tree: bundle.Manifest.Tree, Files: len(bundle.Manifest.Files), manifest: archive.SHA256(bundle.JSON)}
	state := ""
	if !repo.ReadOnly(w.Paths.Dir) {
		state = filepath.Join(w.Paths.Dir, repo.StateName)
	}
	tx, err := publish.Begin(ctx, publish.Options{Target: filepath.Dir(out), StateDir: state, DryRun: f.DryRun, Wait: repo.LockWait})
	if err != nil {
		return done, fmt.Errorf("write %s: %w", done.Out, err)
	}
	defer func() { err = errors.Join(err, tx.Abort()) }()
	sum := newSum()
	change, err := tx.PutFrom(publish.File{Path: filepath.Base(out), Content: func(w io.Writer) error {
		sum.reset()
		return bundle.Write(io.MultiWriter(w, sum))
	}})
	if err == nil {
		_, err = tx.Commit()
	}
	if err != nil {
		return done, fmt.Errorf("write %s: %w", done.Out, err)
	}
	done.Change, done.Bytes, done.SHA256 = string(change), sum.size, sum.hex()
	return done, nil
}

// bundleOf lists what the archive of a compiled pack holds; nil when findings forbid one.
func bundleOf(w *repo.Repo, f ArchiveOptions, m *repo.Member, overlay string) (*site.Bundle, error) {
	bundle, err := site.NewBundle(m.Result, site.BundleOptions{
		Sources: w.Config.Site.Sources || f.Sources, Runs: w.Config.Site.Runs || f.Runs,
		Open: func(path string) (io.ReadCloser, error) { return openWritten(overlay, m.Pack, path) },
	})
	if err != nil {
		return nil, err
	}
	m.Later = append(m.Later, bundle.Diagnostics...)
	if diag.Count(bundle.Diagnostics, diag.Error) > 0 || bundle.Manifest == nil {
		return nil, nil
	}
	return bundle, nil
}
