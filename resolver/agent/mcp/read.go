package mcp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

type readInput struct {
	ID     string `json:"id,omitempty" jsonschema:"the id of an index entry, or of a text as search and resolve_context give it"`
	Path   string `json:"path,omitempty" jsonschema:"path of an index entry or a pointer, pack:path, knowledge://pack/path"`
	Offset int    `json:"offset,omitempty" jsonschema:"bytes of the text to skip; next_offset of the part before, 0 when absent"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the most bytes of the text to return; 16384 when absent, at most 65536"`
}

type readOutput struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`
	Status schema.Status `json:"status" jsonschema:"of the pack"`
	Offset int           `json:"offset"`
	Next   int           `json:"next_offset,omitempty" jsonschema:"where the rest starts; absent when there is none"`
	Size   int           `json:"size" jsonschema:"bytes of the whole text"`
	Text   string        `json:"text" jsonschema:"fenced as data"`
	Origin string        `json:"origin,omitempty" jsonschema:"where the pack is from, when packs from elsewhere are served"`
}

// check refuses a request for no text, for two, or for a part that cannot be.
func (in *readInput) check() error {
	switch {
	case (in.ID == "") == (in.Path == ""):
		return diag.WithHint(errors.New("read_entry needs an id or a path"), "give one of the two")
	case in.Offset < 0:
		return diag.WithHint(fmt.Errorf("offset %d is out of range", in.Offset), "write 0 or more")
	case in.Limit < 0 || in.Limit > maxRead:
		return diag.WithHint(fmt.Errorf("limit %d is out of range", in.Limit), "write a number from 1 to %d", maxRead)
	}
	if in.Limit == 0 {
		in.Limit = usualRead
	}
	return nil
}

func (s *service) readEntry(ctx context.Context, in readInput) (out readOutput, text string, err error) {
	if err := in.check(); err != nil {
		return out, "", err
	}
	err = s.look(func(v *visit) error {
		name, err := s.located(v, in.Path, in.ID)
		if err != nil {
			return err
		}
		if out, err = v.part(ctx, name, in.Offset, in.Limit); err == nil && in.Offset == 0 {
			s.noteText(ctx, v, "read_entry", out.ID, out.Text)
		}
		return err
	})
	return out, out.continued(), err
}

// part reads a part of a text by what names it.
func (v *visit) part(ctx context.Context, name string, offset, limit int) (readOutput, error) {
	at, err := parseAddress(name)
	if err != nil {
		return readOutput{}, err
	}
	p, err := v.read(ctx, at, offset, limit)
	if err != nil {
		return readOutput{}, err
	}
	if offset > 0 && offset >= p.Size {
		return readOutput{}, diag.WithHint(fmt.Errorf("offset %d is beyond the end: the text has %d bytes", offset, p.Size), "write a number from 0 to %d", max(p.Size-1, 0))
	}
	return readOutput{ID: address{at.pack, p.Path}.id(), Title: label(p.Title), Status: p.Status, Offset: p.Offset, Next: p.Next, Size: p.Size, Text: p.Context, Origin: v.origin(v.dirOf(at.pack))}, nil
}

// located is what names a text: by its path, or by the id of it or of an index entry. Either
// may be the path that the hook points to, which begins at a directory of the repository.
func (s *service) located(v *visit, name, id string) (string, error) {
	if name == "" {
		if strings.ContainsAny(id, "/\\") && !strings.Contains(id, "://") {
			name = id
		} else {
			var err error
			if name, err = s.pathOf(v, id); err != nil {
				return "", err
			}
		}
	}
	return v.pointed(s.ws, name), nil
}

// pointed is what names the text that a path leads to, when it is one that the hook gives:
// from a directory of the repository, or in full for a pack from elsewhere. Any other text
// comes back as it is.
func (v *visit) pointed(ws *repo.Repo, name string) string {
	file, section, cut := strings.Cut(filepath.ToSlash(name), "#")
	if !path.IsAbs(file) && (strings.HasPrefix(file, published) || strings.Contains(file, ":")) {
		return name
	}
	full := filepath.ToSlash(ws.Paths.Abs(filepath.FromSlash(file)))
	if cut {
		section = "#" + section
	}
	for _, dir := range [...]string{ws.Paths.Abs(v.ws.Config.Out), ws.Paths.Dir} {
		if rest, ok := strings.CutPrefix(full, filepath.ToSlash(dir)+"/"+published); ok && packpath.Check(rest) == nil {
			return published + rest + section
		}
	}
	if rest, ok := strings.CutPrefix(full, filepath.ToSlash(ws.Paths.Abs(filepath.FromSlash(repo.LockedLink(""))))+"/"); ok {
		if name, file, ok := strings.Cut(rest, "/"); ok && packpath.Check(file) == nil {
			return address{name, file + section}.id()
		}
	}
	for _, p := range v.packs {
		name, dir := p.Dir, ws.Paths.Abs(p.Dir)
		if f := v.lib.Foreign(p.Dir); f == nil {
			name = v.lib.NameOf(p.Dir)
		} else if dir = f.Tree; dir == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(full, filepath.ToSlash(dir)+"/"); ok && packpath.Check(rest) == nil {
			return address{name, rest + section}.id()
		}
	}
	return name
}

// pathOf is what names the text of an id: the path of an index entry, or the id itself
// when it is that of a text.
func (s *service) pathOf(v *visit, id string) (string, error) {
	if strings.Contains(id, ":") {
		return id, nil
	}
	if err := v.readLocked(s.ws); err != nil {
		return "", err
	}
	m, err := v.entries(s.ws, loadout.Need{IDs: []string{id}})
	if err != nil {
		return "", err
	}
	if ix := lookup(m, id); ix != nil {
		return v.pointed(s.ws, ix.Lookup(id).Path), nil
	}
	return "", v.unknownEntry(s.ws, id)
}

// continued is the fenced text, where the pack is from, and where the rest of the text is.
func (out *readOutput) continued() string {
	text := out.Text
	if out.Origin != "" {
		text += "\nfrom: " + out.Origin
	}
	if out.Next > 0 {
		text += fmt.Sprintf("\nThe text continues: %d of %d bytes were read. Continue with offset %d.", out.Next, out.Size, out.Next)
	}
	return text
}

type fetchInput struct {
	ID string `json:"id" jsonschema:"id of a text or index entry"`
}

type fetchOutput struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text" jsonschema:"fenced as data"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata"`
}

func (s *service) fetch(ctx context.Context, in fetchInput) (out fetchOutput, text string, err error) {
	err = s.look(func(v *visit) error {
		name, err := s.located(v, "", in.ID)
		if err != nil {
			return err
		}
		at, err := parseAddress(name)
		if err != nil {
			return err
		}
		p, err := v.read(ctx, at, 0, maxRead)
		if err != nil {
			return err
		}
		s.noteText(ctx, v, "fetch", at.id(), p.Context)
		dir := v.dirOf(at.pack)
		out = fetchOutput{ID: at.id(), Title: label(p.Title), Text: p.Context, URL: v.page(at, dir), Metadata: map[string]string{"pack": at.pack, "status": string(p.Status)}}
		if from := v.origin(dir); from != "" {
			out.Metadata["origin"] = from
		}
		if p.Next > 0 {
			out.Metadata["cut"] = fmt.Sprintf("%d of %d bytes; read_entry gives the rest", p.Next, p.Size)
		}
		return nil
	})
	return out, "", err
}
