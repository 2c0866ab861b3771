package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

// openFile opens a pack from an archive on disk. The archive is hashed each time:
// one that was written again is another one.
func (o *Options) openFile(ctx context.Context, ref Ref, name string) (*Artifact, error) {
	a, err := o.readFile(ctx, ref, name)
	if err == nil {
		a.bundles = bundleBeside(name)
	}
	return a, err
}

func (o *Options) readFile(ctx context.Context, ref Ref, name string) (*Artifact, error) {
	digest, err := o.digestOf(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ref, err)
	}
	e := schema.LockedRef{Ref: ref.Text, Source: ref.source(), Digest: digest}
	if a, err := o.known(ctx, ref, e); a != nil || err != nil {
		return a, err
	}
	key := digestKey(digest, ref.Pack)
	done, err := o.Cache.alone(ctx, key)
	if err != nil {
		return nil, err
	}
	defer done()
	if a, err := o.known(ctx, ref, e); a != nil || err != nil {
		return a, err
	}
	w, err := o.Cache.workspace()
	if err != nil {
		return nil, err
	}
	a, err := o.unpack(ctx, w, name, ref, e)
	return a, closeAfter(w, a, err)
}

// closeAfter closes a workspace; an error of that closes the artifact as well.
func closeAfter(w *workspace, a *Artifact, err error) error {
	if closing := w.close(); closing != nil && err == nil {
		a.Close()
		return cacheFault("clean the cache: %w", closing)
	}
	return err
}

// known opens the pack of an archive whose digest has been seen before; nil when
// it was not, or is no longer cached.
func (o *Options) known(ctx context.Context, ref Ref, e schema.LockedRef) (*Artifact, error) {
	have := o.Cache.record(digestKey(e.Digest, ref.Pack))
	if have == nil || ref.Pack != "" && have.Pack != ref.Pack {
		return nil, nil
	}
	if o.Locked != nil && have.Tree != o.Locked.Tree {
		return nil, nil // the archive itself decides
	}
	e.Pack, e.Version, e.Format, e.Tree, e.Manifest = have.Pack, have.Version, have.Format, have.Tree, have.Manifest
	a, err := o.fromCache(ctx, ref, &e)
	if a == nil || err != nil {
		return nil, err
	}
	return o.settle(a)
}

// digestOf returns "sha256:" and the digest of a file that is not larger than an
// archive may be.
func (o *Options) digestOf(ctx context.Context, name string) (string, error) {
	f, info, err := regularfile.Open(name)
	if err != nil {
		return "", reasonOf(err)
	}
	defer f.Close()
	limit := o.Limits.ArchiveBytes
	if limit <= 0 {
		limit = archive.DefaultArchiveBytes
	}
	if info.Size() > limit {
		return "", &archive.Refusal{Rule: archive.RuleTooLarge, Message: fmt.Sprintf("the archive is larger than %s", bytesize.Text(limit)), Hint: "raise pull.archive_bytes in packgen.yaml only if you trust where the archive comes from"}
	}
	h := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		_, err := io.CopyN(h, f, hashPiece)
		if errors.Is(err, io.EOF) {
			return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", reasonOf(err)
		}
	}
}

// hashPiece is how many bytes are hashed before an ended context is noticed.
const hashPiece = 8 << 20

// reasonOf is an error without the path, which the message names as it was
// written.
func reasonOf(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
