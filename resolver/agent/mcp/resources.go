package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	resolver "github.com/packgen/packgen/resolver/context"
)

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
