package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/repo"
)

// Perform carries out the action of one pack, for another machine: Options.Action is the
// directory of the pack, and its outputs go into the file Options.Out. The repository is
// not written: the service that runs this may have it read-only.
func Perform(ctx context.Context, w *repo.Repo, f Options) (err error) {
	out := w.Paths.Abs(f.Out)
	work, err := regularfile.MkdirTemp(filepath.Dir(out), ".packgen-work-*")
	if err != nil {
		return fmt.Errorf("make a place to work: %w", err)
	}
	defer func() { err = errors.Join(err, regularfile.RemoveAll(work)) }()
	if err := copyTree(work, w.Paths.Dir); err != nil {
		return fmt.Errorf("copy the inputs: %w", err)
	}
	there := w.At(work)
	if err := there.Load(); err != nil {
		return err
	}
	b, err := Prepare(ctx, there, Options{Action: f.Action, Force: f.Force})
	if err != nil {
		return err
	}
	defer b.Close()
	gctuning.LimitMemory(b.Repository.BuildFiles())
	b.Out = filepath.Join(work, ".packgen-site")
	m := b.Repository.Find("", f.Action)
	if m == nil || m.Unusable() {
		return fmt.Errorf("%s cannot be compiled", f.Action)
	}
	b.Repository.Members = []*repo.Member{m}
	return b.perform(ctx, m, out)
}

// perform compiles a pack, makes its pages, and writes the outputs of both.
func (b *Run) perform(ctx context.Context, m *repo.Member, out string) error {
	sums, err := b.sumsOf(m)
	if err != nil {
		return err
	}
	t, err := b.newTools(ctx, false)
	if err != nil {
		return err
	}
	defer t.close()
	tx, err := newSpooled(filepath.Dir(b.ws.Paths.Dir))
	if err != nil {
		return err
	}
	defer tx.close()
	if err := b.compile(ctx, t, tx); err != nil {
		return err
	}
	if m.Unsound() || m.Result == nil || withheld(m.Findings()) {
		return diag.WithHint(fmt.Errorf("%s has errors", m.Dir), "compile it where it is")
	}
	o, ok := b.collect(t, tx, m, sums)
	if !ok {
		return fmt.Errorf("the outputs of %s are not all known", m.Dir)
	}
	f, _, err := regularfile.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(b.writePack(f, t, m, o, sums, nil, tx.read), f.Close())
}

// copyTree copies the regular files of a directory.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(from, name)
		if err = errors.Join(err, relErr); err != nil {
			return err
		}
		place := filepath.Join(to, rel)
		switch {
		case d.IsDir() && rel != "." && slices.Contains([]string{repo.StateName, ".git"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return regularfile.MkdirAll(place, 0o777)
		case d.Type() == fs.ModeSymlink: // a service may have its inputs as links
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(place, name)
	})
}

func copyFile(to, from string) error {
	in, _, err := regularfile.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, _, err := regularfile.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
