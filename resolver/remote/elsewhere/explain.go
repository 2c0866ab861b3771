package elsewhere

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/repo"
)

// explainTarget adds what to do about a reference that could not be opened.
func explainTarget(e *Places, t target, err error) error {
	var mismatch *remote.MismatchError
	var offline *remote.OfflineError
	var gone *fetch.Error
	var cache *remote.CacheError
	word := diag.ShellWord(t.Ref.String())
	switch {
	case errors.As(err, &cache):
		return ExplainCache(err)
	case errors.As(err, &mismatch):
		return diag.WithClass(diag.Mismatch, diag.WithHint(err, "run packgen lock update %s if the change is intended; nothing was overwritten", word))
	case errors.As(err, &offline):
		return diag.WithHint(err, "run packgen pull %s with a network first", word)
	case errors.As(err, &gone) && t.locked != nil && (gone.Rule == fetch.RuleExpired || gone.Rule == fetch.RuleNotFound):
		return diag.WithHint(err, "run packgen lock update %s to lock what exists now: what was locked is gone", word)
	case t.Ref.Kind == remote.Directory && isRegular(e.ws.Paths.Abs(t.Ref.Path)):
		return diag.WithHint(err, "name a directory, or an archive whose name ends in .tar.gz, .tgz, .tar or .zip")
	case errors.Is(err, os.ErrNotExist) && t.Ref.IsLocal():
		if near := nearest.Name(t.Ref.Path, e.Locked()); near != "" && t.locked == nil {
			return diag.WithHint(err, "did you mean %s, which is locked?", near)
		}
		return diag.Absent("directory or archive", t.Ref.Path, "write a path relative to %s", e.ws.Paths.Start)
	}
	return explainElsewhere(err)
}

// ExplainCache says what to do about a cache that cannot be used.
func ExplainCache(err error) error {
	if diag.DiskFull(err) {
		return diag.WithHint(err, "free some space: packgen prune cache removes what this repository does not lock, and $%s names another place", repo.CacheVariable)
	}
	return diag.WithHint(err, "set %s to a directory that can be written", repo.CacheVariable)
}

func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// explainElsewhere adds to an error what to do about it, and its exit code.
func explainElsewhere(err error) error {
	var mismatch *fetch.MismatchError
	switch {
	case errors.As(err, new(*remote.SignatureError)), errors.As(err, new(*archive.Refusal)), errors.As(err, new(*remote.DamageError)):
		return diag.Refuse(err)
	case errors.As(err, &mismatch):
		err = fmt.Errorf("%s: the bytes are not the announced ones: want %s, got %s", mismatch.URL, mismatch.Want, mismatch.Got)
		return diag.WithClass(diag.Mismatch, diag.WithHint(err, "try again, then ask the publisher; nothing was kept"))
	}
	return err
}

// explainRemote distinguishes a file that does not exist, or is not what it was, from a server
// that does not answer.
func explainRemote(name string, err error) error {
	var f *fetch.Error
	if errors.As(err, &f) {
		switch {
		case f.Status == http.StatusNotFound, f.Status == http.StatusGone:
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		case f.Rule == fetch.RuleTooLarge:
			return &fs.PathError{Op: "open", Path: name, Err: archive.ErrLonger}
		}
	}
	return err
}
