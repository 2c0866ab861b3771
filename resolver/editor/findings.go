package editor

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// maxFindings is how many findings of a pack an editor gets.
const maxFindings = 2000

// later checks what a document belongs to once nothing has changed for a while.
func (s *session) later(ctx context.Context, uri string) *rpcError {
	name, ok := fileOf(uri)
	if !ok {
		return nil
	}
	at := s.locate(name)
	if at.dir != "" {
		s.soon(ctx, at.dir, func(ctx context.Context) { s.checkPack(ctx, at) })
	}
	if read := alone(at, name); read != nil {
		s.soon(ctx, name, func(ctx context.Context) { s.checkFile(ctx, name, read) })
	}
	return nil
}

// saved checks again what a saved document belongs to, after packgen.yaml everything.
func (s *session) saved(ctx context.Context, uri string) *rpcError {
	switch name, _ := fileOf(uri); filepath.Base(name) {
	case repo.ConfigName, pack.EntryName:
		s.reload()
		for _, d := range s.docs {
			if d.where.dir != "" {
				s.soon(ctx, d.where.dir, func(ctx context.Context) { s.checkPack(ctx, d.where) })
			}
		}
	}
	return s.later(ctx, uri)
}

// changedOutside checks again what files belong to that another program changed.
func (s *session) changedOutside(ctx context.Context, p *watchedParams) *rpcError {
	for _, c := range p.Changes[:min(len(p.Changes), maxOpenFiles)] {
		if fault := s.saved(ctx, c.URI); fault != nil {
			return fault
		}
	}
	return nil
}

// withoutPanic makes a fault of the program at a check a message to the user.
func (s *session) withoutPanic(key string) {
	if fault := recover(); fault != nil {
		_ = s.complain(fmt.Sprintf("packgen failed at %s: %v", filepath.Base(key), fault))
	}
}

// soon makes a check once nothing has changed for a while. The key is a pack or a file.
func (s *session) soon(ctx context.Context, key string, check func(context.Context)) {
	if stop := s.checks[key]; stop != nil {
		stop()
	}
	ctx, stop := context.WithCancel(ctx)
	s.checks[key] = stop
	s.group.Go(func() {
		defer stop()
		select {
		case <-time.After(quietTime):
		case <-ctx.Done():
			return
		}
		s.one.Lock()
		defer s.one.Unlock()
		if ctx.Err() == nil {
			defer s.withoutPanic(key)
			check(ctx)
		}
	})
}

// roleName is the file that says what an agent with a role reads.
const roleName = "boot.yml"

// alone is how a file is checked that is checked without a pack around it; nil for
// others.
func alone(at where, name string) func(context.Context, []byte) []diag.Diagnostic {
	switch base := filepath.Base(name); {
	case base == repo.ConfigName:
		return func(_ context.Context, text []byte) []diag.Diagnostic {
			c := repo.DefaultConfig()
			faults, _ := repo.ReadConfig(at.ws, &c, repo.ConfigName, text) // no flag or variable is wrong in an editor
			return faults
		}
	case base == schema.LockName:
		return func(_ context.Context, text []byte) []diag.Diagnostic {
			if _, err := schema.DecodeLock(text); err != nil {
				return []diag.Diagnostic{eval.SchemaFault(schema.LockName, err)}
			}
			return nil
		}
	case base == roleName && at.ws != nil:
		return func(ctx context.Context, text []byte) []diag.Diagnostic { return ofRole(ctx, at.ws, name, text) }
	case at.ws != nil && at.dir == "" && name == at.ws.Paths.Abs(eval.RoutingPath):
		return func(_ context.Context, text []byte) []diag.Diagnostic {
			_, faults := eval.ReadRouting(eval.RoutingPath, text)
			return faults
		}
	}
	return nil
}

// ofRole is what is wrong with a boot.yml. A role that cannot be opened is reported by
// check; here its file is read alone.
func ofRole(ctx context.Context, w *repo.Repo, name string, text []byte) []diag.Diagnostic {
	own := *w
	_ = own.Load() // its faults are findings of its own file
	found, err := repo.CheckRole(ctx, &own, filepath.Dir(name), text)
	if err != nil {
		_, found = boot.Parse(roleName, text)
	}
	var list []diag.Diagnostic
	for _, d := range found {
		if path.Base(d.Path) == roleName {
			list = append(list, d)
		}
	}
	return list
}

// checkFile reports what is wrong with a file that belongs to no pack, as it is open now.
func (s *session) checkFile(ctx context.Context, name string, read func(context.Context, []byte) []diag.Diagnostic) {
	s.mu.Lock()
	d := s.docs[name]
	s.mu.Unlock()
	if d == nil {
		s.publish(uriOf(name), nil, newLines(nil), nil)
		return
	}
	found := read(ctx, d.text)
	if ctx.Err() == nil {
		s.publish(d.uri, &d.version, newLines(d.text), found)
	}
}

// checkPack checks a pack as it is now, and reports what is wrong with each file.
func (s *session) checkPack(ctx context.Context, at where) {
	dir := at.dir
	s.mu.Lock()
	docs := s.opened(dir)
	s.mu.Unlock()
	found, texted := s.findingsOf(ctx, at, docs)
	if ctx.Err() != nil {
		return // a later check says more
	}
	if texted != nil {
		defer texted.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	byPath := map[string][]diag.Diagnostic{}
	for _, d := range found[:min(len(found), maxFindings)] {
		byPath[d.Path] = append(byPath[d.Path], d)
	}
	reported := s.reported[dir]
	s.reported[dir] = map[string]bool{}
	for name, list := range byPath {
		s.reported[dir][name] = true
		s.report(dir, name, list, texted)
	}
	for name := range reported {
		if byPath[name] == nil {
			s.report(dir, name, nil, texted)
		}
	}
}

// findingsOf opens and checks a pack. A panic is that of the program: it is reported and
// the session continues.
func (s *session) findingsOf(ctx context.Context, at where, docs map[string]*openDoc) (found []diag.Diagnostic, v *packView) {
	defer func() {
		if cause := recover(); cause != nil {
			found = []diag.Diagnostic{{ID: "internal", Severity: diag.Error, Path: pack.EntryName, Line: 1, Message: "packgen could not check this pack"}}
		}
	}()
	v, err := openView(at.ws, at.dir, docs, map[string]parsed{})
	if err != nil {
		return nil, nil
	}
	if v.pack == nil {
		return v.found, v
	}
	found, err = check.Editing(ctx, v.pack, v.found, local(at.ws, at.dir))
	if err != nil {
		return v.found, v
	}
	return found, v
}

// report sends the editor the findings about one file.
func (s *session) report(dir, name string, list []diag.Diagnostic, v *packView) {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if v != nil {
		file = v.file(name)
	}
	uri, l := uriOf(file), newLines(nil)
	var version *int
	if d := s.docs[file]; d != nil {
		uri, version, l = d.uri, &d.version, newLines(d.text)
	} else if v != nil && len(list) > 0 {
		l = newLines(v.text(name))
	}
	s.publish(uri, version, l, list)
}

// publish sends findings about a text.
func (s *session) publish(uri string, version *int, l *lines, list []diag.Diagnostic) {
	out := diagnosticsParams{URI: uri, Version: version, Diagnostics: []diagnostic{}}
	for _, d := range diag.Findings(list) {
		severity := 1 + int(diag.Error-d.Severity) // of the protocol: 1 is an error
		text := strings.TrimPrefix(d.Message, "["+d.ID+"] ")
		if d.Hint != "" {
			text += "\n" + diag.Advice(d.Hint)
		}
		out.Diagnostics = append(out.Diagnostics, diagnostic{l.place(d.Line, d.Column), severity, d.ID, "packgen", text})
	}
	_ = s.conn.notify("textDocument/publishDiagnostics", out)
}

// local is what the repository makes of the findings of a pack.
func local(w *repo.Repo, dir string) policy.Local {
	return policy.Local{Policy: w.Config.Policy(), Dir: w.Paths.Rel(dir)}
}
