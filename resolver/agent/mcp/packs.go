package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
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

const markdownType = "text/markdown"

// addResources adds the template for every text that may be read.
func (s *service) addResources() {
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "text", Title: "Text of a knowledge pack", MIMEType: markdownType, URITemplate: scheme + "://{pack}/{+path}",
		Description: "A Markdown file of documents/, wiki/ or compiled/ of a pack, fenced as data.",
	}, s.readResource)
}

// readResource returns a text by its URI. Resources have no parts: of a longer text the
// beginning is returned, and read_entry has the rest.
func (s *service) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	var out readOutput
	err := s.look(func(v *visit) (err error) {
		out, err = v.part(ctx, req.Params.URI, 0, maxRead)
		return err
	})
	if err != nil {
		return nil, withHint(err)
	}
	return &sdk.ReadResourceResult{
		Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: markdownType, Text: out.continued()}},
	}, nil
}

// listFirst brings the list of resources up to date before a client gets it: a pack
// that appeared or disappeared on disk is seen, and other sessions are notified.
func (s *service) listFirst(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == "resources/list" {
			if err := s.list(ctx); err != nil {
				return nil, withHint(err)
			}
		}
		return next(ctx, method, req)
	}
}

// list makes the resources of the server those of the catalog.
func (s *service) list(ctx context.Context) error {
	return s.look(func(v *visit) error {
		entries, err := resolver.Catalog(ctx, v.packs)
		if err != nil {
			return err
		}
		found := map[string]bool{}
		for _, e := range entries {
			r := sdk.Resource{
				URI: address{e.Name, pack.EntryName}.uri(), Name: label(e.Name), MIMEType: markdownType,
				Description: label(e.Description), Title: label(fmt.Sprintf("%s (%s)", e.Name, e.Status)),
			}
			if u, err := url.Parse(r.URI); err != nil || u.Host != e.Name {
				continue // a name that no URI can hold
			}
			found[r.URI] = true
			if had, ok := s.listed[r.URI]; !ok || had.Title != r.Title || had.Description != r.Description {
				s.listed[r.URI] = r
				s.server.AddResource(&r, s.readResource)
			}
		}
		for uri := range s.listed {
			if !found[uri] {
				delete(s.listed, uri)
				s.server.RemoveResources(uri)
			}
		}
		return nil
	})
}

// addPrompts adds the prompt that brings a pack into use.
func (s *service) addPrompts() {
	s.server.AddPrompt(&sdk.Prompt{
		Name: "use_pack", Title: "Use a knowledge pack",
		Description: "The guide of a pack with the list of what it holds and, with a task, the text that fits it.",
		Arguments: []*sdk.PromptArgument{
			{Name: "name", Description: "the name of the pack", Required: true},
			{Name: "task", Description: "what is to be done with it"},
		},
	}, s.usePack)
}

// usePack brings one pack into use: its guide and, with a task, what fits that.
func (s *service) usePack(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	name, task := req.Params.Arguments["name"], req.Params.Arguments["task"]
	if task != "" {
		if err := checkQuestion("task", task); err != nil {
			return nil, withHint(err)
		}
	}
	parts := []string{fmt.Sprintf("Use the knowledge pack %s.", shortened(name, maxLabel))}
	if task != "" {
		parts[0] = fmt.Sprintf("Use the knowledge pack %s for this task: %s", shortened(name, maxLabel), task)
	}
	err := s.look(func(v *visit) error {
		guide, err := v.guide(ctx, name)
		if err != nil {
			return err
		}
		parts = append(parts, guide)
		if task == "" {
			return nil
		}
		r, err := v.resolve(ctx, resolveInput{Task: task, Packs: []string{name}})
		if err != nil {
			return err
		}
		out := v.audit(r)
		parts = append(parts, out.text())
		return nil
	})
	if err != nil {
		return nil, withHint(err)
	}
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: strings.Join(parts, "\n\n")}}}}, nil
}

// howToAsk says how an agent asks for more of a pack: with a tool, since it may have no shell.
const howToAsk = "Search: call resolve_context with the question as task, with search words and synonyms as also, and with one question for each part of it."

// guide is the guide of a pack, or its beginning alone when it is too long.
func (v *visit) guide(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", diag.WithHint(fmt.Errorf("use_pack needs the name of a pack"), "take one from resources/list")
	}
	packs, err := v.named([]string{name})
	if err != nil {
		return "", err
	}
	text, err := resolver.Guide(ctx, packs[0], scheme+"://"+name+"/", howToAsk, resolver.Request{})
	if err != nil || len(text) <= maxRead {
		return strings.TrimSuffix(text, "\n"), err
	}
	out, err := v.part(ctx, address{name, pack.EntryName}.id(), 0, usualRead)
	return out.continued(), err
}
