package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/packpath"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/repo"
)

// visit is the repository as it is for one request.
type visit struct {
	ws    *repo.Repo
	lib   *repo.Library
	packs []resolver.Pack

	locked *repo.LockedEntries // index entries; nil until they are read, and without a lock
}

// look opens the repository for one request: what changed on disk since the last one is
// seen. Requests take turns. The call is given nothing that outlives it.
func (s *service) look(call func(v *visit) error) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := s.ws.Load(); err != nil {
		var faults *repo.Faults
		if errors.As(err, &faults) {
			return diag.WithHint(errors.New("the configuration of the repository cannot be used"), "run packgen check for the places")
		}
		return err
	}
	v := &visit{ws: s.ws, lib: repo.NewLibrary(s.ws)}
	defer v.lib.Close()
	var err error
	if v.packs, err = v.lib.Packs(context.Background(), nil); err != nil && len(s.from) == 0 {
		if len(v.lib.Unpulled) > 0 {
			return err
		}
		return diag.WithHint(err, "run packgen init, or start packgen mcp in a knowledge repository; packgen pull REF brings a pack from elsewhere")
	}
	if len(s.from) > 0 {
		more, err := v.lib.Choose(context.Background(), s.from, false, nil)
		if err != nil {
			return err
		}
		for _, p := range more {
			p.Activation = "" // the resolver ranks them with the others
			if !slices.ContainsFunc(v.packs, func(have resolver.Pack) bool { return have.Dir == p.Dir && v.lib.Foreign(p.Dir) != nil }) {
				v.packs = append(v.packs, p)
			}
		}
	}
	return call(v)
}

// named returns the packs of the repository with these names. Unlike the flag of the
// resolve verb it takes no directories: a client reads nothing outside of the
// repository's packs.
func (v *visit) named(names []string) ([]resolver.Pack, error) {
	var list []resolver.Pack
	for _, name := range names {
		i := slices.IndexFunc(v.packs, func(p resolver.Pack) bool { return v.lib.NameOf(p.Dir) == name })
		if i < 0 {
			return nil, v.unknown(name)
		}
		p := v.packs[i]
		p.Activation = resolver.Explicit
		if !slices.ContainsFunc(list, func(have resolver.Pack) bool { return have.Dir == p.Dir }) {
			list = append(list, p)
		}
	}
	return list, nil
}

// unknown is the error of a name that no pack has.
func (v *visit) unknown(name string) error {
	known := make([]string, len(v.packs))
	for i, p := range v.packs {
		known[i] = v.lib.NameOf(p.Dir)
	}
	err := fmt.Errorf("no pack is named %q", shortened(name, maxLabel))
	if near := nearest.Name(name, known); near != "" {
		return diag.WithHint(err, "did you mean %s?", near)
	}
	return diag.WithHint(err, "name one of %s", strings.Join(known[:min(len(known), 20)], ", "))
}

const (
	scheme    = "knowledge"
	published = "packs/" // below the root of a site and in its index
)

// address names a text of a pack: in ids as "pack:path", in resources as
// "knowledge://pack/path".
type address struct{ pack, path string }

func (a address) id() string { return a.pack + ":" + a.path }

func (a address) uri() string {
	u := url.URL{Scheme: scheme, Host: a.pack, Path: "/" + a.path}
	return u.String()
}

// page is where a text is published, or its resource when nobody says where that is, as of a
// pack from elsewhere.
func (v *visit) page(a address, dir string) string {
	base := v.ws.Config.BaseURL
	if base == "" || v.lib.Foreign(dir) != nil {
		return a.uri()
	}
	file, section, _ := strings.Cut(a.path, "#")
	u := url.URL{Path: published + a.pack + "/" + file, Fragment: section}
	return base + strings.TrimPrefix(u.String(), "./")
}

// parseAddress reads what tools are given for a text: an id, the URI of a resource, or
// the path of an index entry. The path is clean; whether there is such a text is not
// looked at.
func parseAddress(text string) (address, error) {
	var a address
	switch rest, isEntry := strings.CutPrefix(text, published); {
	case strings.HasPrefix(text, scheme+"://"):
		u, err := url.Parse(text)
		if err != nil {
			return a, errAddress(text)
		}
		a = address{u.Host, strings.TrimPrefix(u.Path, "/")}
		if u.Fragment != "" {
			a.path += "#" + u.Fragment
		}
	case isEntry:
		a.pack, a.path, _ = strings.Cut(rest, "/")
	default:
		a.pack, a.path, _ = strings.Cut(text, ":")
	}
	file, _, _ := strings.Cut(a.path, "#")
	if a.pack == "" || len(text) > maxAddress || packpath.Check(file) != nil {
		return a, errAddress(text)
	}
	return a, nil
}

// errAddress is the error of a text that names none.
func errAddress(text string) error {
	return diag.WithHint(fmt.Errorf("%q names no text of a pack", shortened(text, maxLabel)),
		"write an id such as handbook:documents/returns.md, as search and resolve_context give it; rules and memories are files to open")
}

// read returns a part of a text.
func (v *visit) read(ctx context.Context, a address, offset, limit int) (*resolver.Passage, error) {
	packs, err := v.named([]string{a.pack})
	if err != nil {
		return nil, err
	}
	p, err := resolver.Read(ctx, packs[0], a.path, offset, limit)
	if errors.Is(err, resolver.ErrNoPassage) {
		return nil, diag.WithHint(fmt.Errorf("the pack %s has no text %q", a.pack, shortened(a.path, maxLabel)), "use an id that search or resolve_context gives")
	}
	return p, err
}

// dirOf is the directory of the pack of a name, or what the library calls one from elsewhere.
func (v *visit) dirOf(name string) string {
	for _, p := range v.packs {
		if v.lib.NameOf(p.Dir) == name {
			return p.Dir
		}
	}
	return ""
}
