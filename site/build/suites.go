package build

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/matching"
)

// suites are the discovery and context evals of the packs that the site shows. A file
// with a fault has none: check and eval report it.
func (b *Run) suites() ([]matching.Suite, error) {
	var list []matching.Suite
	left := maxTasks
	for _, m := range b.out.shown {
		s := matching.Suite{Pack: m.Name()}
		for _, name := range append(eval.DiscoveryPaths(m.Pack), eval.ContextPath) {
			if !m.Pack.Has(name) {
				continue
			}
			data, err := b.readEvals(m, name)
			if err != nil {
				return nil, err
			}
			if data == nil || len(lint.Scan(name, data).Secrets) > 0 {
				continue
			}
			if name == eval.ContextPath {
				addQueries(&s, data)
			} else {
				addPrompts(&s, m, data)
			}
		}
		s.Prompts, s.Queries = s.Prompts[:min(left, len(s.Prompts))], s.Queries[:min(left, len(s.Queries))]
		if left -= max(len(s.Prompts), len(s.Queries)); len(s.Prompts) > 0 {
			s.Words, s.Declared = eval.SubjectWords(m.Pack), index.DeclaredBy(m.Pack)
		}
		if len(s.Prompts)+len(s.Queries) > 0 {
			list = append(list, s)
		}
	}
	return list, nil
}

// readEvals reads a file of evals; nil for one that cannot be read, with a finding of its
// pack: the pages do not depend on it.
func (b *Run) readEvals(m *repo.Member, name string) ([]byte, error) {
	data, err := m.Pack.ReadFile(name)
	if err == nil {
		return data, nil
	}
	if m.Fault(err, "") == nil {
		return nil, fmt.Errorf("read %s of %s: %w", name, m.Dir, err)
	}
	b.raise([]diag.Diagnostic{{
		ID: "schema-invalid", Severity: diag.Warning, Pack: m.Name(), Path: name,
		Message: fmt.Sprintf("the evals are left out: %v", err), Hint: "replace the file by one that can be read, or remove it",
	}})
	return nil, nil
}

func addPrompts(s *matching.Suite, m *repo.Member, data []byte) {
	suite, err := schema.DecodeSuite(data)
	if err != nil {
		return
	}
	subject := eval.NewSubject(m.Pack, &m.Result.Run)
	for _, c := range suite.Cases {
		s.Prompts = append(s.Prompts, matching.Prompt{Prompt: c.Prompt, Select: c.Expected != schema.Reject, Never: c.Expected == schema.Warn && !subject.Warns(&c)})
	}
}

func addQueries(s *matching.Suite, data []byte) {
	suite, _ := eval.ReadContextSuite(eval.ContextPath, data)
	if suite == nil {
		return
	}
	s.Budget = suite.Budget
	for _, c := range suite.Cases {
		s.Queries = append(s.Queries, matching.Query{
			Query: c.Query, Also: c.Also, Budget: c.Budget, Unanswerable: !c.MayBeAnswered(), Required: c.Required, Forbidden: c.Forbidden,
		})
	}
}

// maxTasks is how many tasks of evals the match page knows.
const maxTasks = 1000

// tasks are those of the routing evals, of the packs that the site shows and of the
// repository. A file with a fault has none: check and eval report it.
func (b *Run) tasks() ([]matching.Task, error) {
	var list []matching.Task
	add := func(pack string, data []byte) {
		if r, _ := eval.ReadRouting(eval.RoutingPath, data); r != nil {
			list = appendTasks(list, pack, r, r.Dialect(loadout.Coverage))
		}
	}
	for _, m := range b.out.shown {
		if !m.Pack.Has(eval.RoutingPath) {
			continue
		}
		data, err := b.readEvals(m, eval.RoutingPath)
		if err != nil {
			return nil, err
		}
		if data != nil && len(lint.Scan(eval.RoutingPath, data).Secrets) == 0 {
			add(m.Name(), data)
		}
	}
	data, err := b.ownTasks()
	if err == nil && data != nil && len(lint.Scan(eval.RoutingPath, data).Secrets) == 0 {
		add("", data)
	}
	return list[:min(len(list), maxTasks)], err
}

// ownTasks are the routing evals of the repository; nil when it has none.
func (b *Run) ownTasks() ([]byte, error) {
	data, err := atomicfile.Read(b.ws.Paths.Abs(eval.RoutingPath), eval.MaxRoutingBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", eval.RoutingPath, err)
	}
	return data, nil
}

func appendTasks(list []matching.Task, pack string, r *eval.Routing, dialect loadout.Dialect) []matching.Task {
	for _, t := range r.Tasks {
		task := matching.Task{Pack: pack, File: eval.RoutingPath, Task: t.Task, Dialect: dialect.String(), Tokens: t.Tokens}
		for _, e := range t.Must {
			task.Must = append(task.Must, matching.Target{ID: e.ID, Rank: e.Rank})
		}
		for _, id := range t.MustNot {
			task.MustNot = append(task.MustNot, matching.Target{ID: id})
		}
		list = append(list, task)
	}
	return list
}
