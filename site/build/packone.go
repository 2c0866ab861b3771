package build

import (
	"context"
	"errors"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/repo"
)

// PackOne compiles one pack and writes its archive to out, "" for NAME.tar.gz. Without
// names the only pack is meant. An Archive without Out means that findings, which the
// repository has, forbid one. The caller closes the repository.
func PackOne(ctx context.Context, w *repo.Repo, f ArchiveOptions, names []string, out string) (r *repo.Packs, done Archive, err error) {
	if r, err = w.OpenOne(names); err != nil {
		return nil, done, err
	}
	opened := r
	defer func() {
		if err != nil {
			opened.Close()
		}
	}()
	s, err := newSigner(w, f.SignOptions)
	if err != nil {
		return nil, done, err
	}
	m := r.Members[0]
	if out == "" {
		out = m.Name() + ".tar.gz"
	}
	out = w.Paths.Abs(out)
	if err := checkArchivePath(w, out, m); err != nil {
		return nil, done, err
	}
	st := w.Follow()
	defer st.End()
	err = compiled(ctx, w, f, r, st, func(overlay string) (err error) {
		if failed(r) {
			return nil
		}
		st.Begin("pack")
		done, err = writeArchive(ctx, w, f, m, overlay, out)
		r.Add(oversizeArchive(done.Out, done.Bytes, false))
		if err != nil || s == nil || done.Out == "" || f.DryRun {
			return err
		}
		return done.sign(ctx, w, s, m, out)
	})
	return r, done, err
}

// compiled compiles packs for their archives and calls then while the outputs are in
// place: for a trial they are elsewhere, and removed afterwards.
func compiled(ctx context.Context, w *repo.Repo, f ArchiveOptions, r *repo.Packs, st *repo.Stages, then func(overlay string) error) (err error) {
	var o repo.CompileOptions
	if o.Each.Now, err = repo.RunTime(w.Getenv); err != nil {
		return err
	}
	var remove func() error
	if o.Overlay, remove, err = packOverlay(w, f); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	st.Begin("compile")
	if err = repo.CheckOverlay(w.Paths, o.Overlay, r); err == nil {
		err = r.Compile(ctx, o)
	}
	if err == nil {
		err = then(o.Overlay)
	}
	return repo.ExplainWrite(err)
}

func failed(r *repo.Packs) bool {
	return r.Status() == schema.Failed || diag.Count(r.Findings(), diag.Error) > 0
}
