package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// MismatchError says that a reference leads to something else than what the lock
// file holds. Nothing was overwritten. Commands exit 3 on it.
type MismatchError struct {
	Ref       string // as written
	What      string // "tree", "pack.json" or "pack"
	Want, Got string // of the lock, and what came: hashes, or names for "pack"
}

func (e *MismatchError) Error() string {
	what := map[string]string{
		"tree":      "the files are not those that packgen.lock holds",
		"pack.json": "pack.json is not the one that packgen.lock holds",
		"pack":      "the pack is not the one that packgen.lock holds",
	}[e.What]
	return fmt.Sprintf("%s: %s: want %s, got %s", e.Ref, what, e.Want, e.Got)
}

// ChooseError says that a reference leads to several packs and names none.
type ChooseError struct {
	Ref   string   // as written
	Named string   // the pack it names, when no pack has that name
	Names []string // of the packs, sorted
}

// maxChoices is how many names of packs a message lists.
const maxChoices = 20

func (e *ChooseError) Error() string {
	names := strings.Join(e.Names[:min(len(e.Names), maxChoices)], ", ")
	if len(e.Names) > maxChoices {
		names += fmt.Sprintf(" and %d more", len(e.Names)-maxChoices)
	}
	switch {
	case len(e.Names) == 0:
		return fmt.Sprintf("%s: it holds no pack", e.Ref)
	case e.Named != "":
		return fmt.Sprintf("%s: it holds no pack %q but %s", e.Ref, e.Named, names)
	}
	return fmt.Sprintf("%s: it holds %d packs: %s", e.Ref, len(e.Names), names)
}

// OfflineError says that a reference needs the network, which the caller forbids.
type OfflineError struct {
	Ref string // as written
	Why string // what is missing
}

func (e *OfflineError) Error() string {
	return fmt.Sprintf("%s: %s, and nothing is fetched offline", e.Ref, e.Why)
}

// CacheError says that the cache cannot be read or written.
type CacheError struct{ Err error }

func (e *CacheError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *CacheError) Unwrap() error { return e.Err }

// cacheFault is a CacheError, except for an ended context.
func cacheFault(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &CacheError{err}
}

// DamageError says that files are not what their listing says. A damaged tree of
// the cache is dropped and fetched again.
type DamageError struct {
	Place   string // the directory
	Path    string // the file in it; "" for the whole
	Problem string
}

func (e *DamageError) Error() string {
	place := e.Place
	if e.Path != "" {
		place += ": " + e.Path
	}
	return place + ": " + e.Problem
}
