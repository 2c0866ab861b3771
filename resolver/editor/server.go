package editor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/resolver/repo"
)

// Limits of a session.
const (
	maxOpenBytes = 128 << 20 // of all open documents
	maxOpenFiles = 20_000
	quietTime    = 250 * time.Millisecond // without a change before a pack is checked
)

// openDoc is a document as the editor has it.
type openDoc struct {
	uri     string
	version int
	text    []byte
	where   where
}

// session is a session with one editor.
type session struct {
	conn    *conn
	version string // of packgen

	mu      sync.Mutex // guards what follows; requests are answered one at a time
	docs    map[string]*openDoc
	bytes   int
	known   map[string]map[string]parsed // documents by pack
	started bool
	ended   bool
	renames bool // the editor renames files when an edit says so

	folders      []*repo.Repo          // the repositories that are open, the server's own first
	repositories map[string]*repo.Repo // by directory in them

	requests context.Context // of the session, for work that a request waits for

	checks   map[string]context.CancelFunc // the check of each pack that waits or runs
	group    sync.WaitGroup
	one      sync.Mutex                 // one check runs at a time
	reported map[string]map[string]bool // files with findings that the editor knows, by pack
}

// Serve talks to an editor until it ends the session or the input ends.
func Serve(ctx context.Context, w *repo.Repo, version string, in io.Reader, out io.Writer) error {
	own := *w
	own.Report, own.Note, own.Stages = nil, nil, nil
	s := &session{
		folders: []*repo.Repo{configured(&own)}, repositories: map[string]*repo.Repo{}, conn: &conn{in: bufio.NewReaderSize(in, maxHeader), out: out}, version: version,
		docs: map[string]*openDoc{}, known: map[string]map[string]parsed{}, checks: map[string]context.CancelFunc{}, reported: map[string]map[string]bool{},
	}
	ctx, stop := context.WithCancel(ctx)
	s.requests = ctx
	defer s.group.Wait()
	defer stop()
	for {
		m, err := s.conn.read()
		var bad *rpcError
		switch {
		case errors.As(err, &bad):
			if err := s.conn.write(&message{ID: json.RawMessage("null"), Error: bad}); err != nil {
				return err
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.Method == "exit":
			return nil
		case m.Method == "":
			continue // a response: nothing was asked
		}
		if err := s.handle(ctx, m); err != nil {
			return err
		}
	}
}

// handle answers a request, or takes in a notification. The error is that of the
// connection.
func (s *session) handle(ctx context.Context, m *message) error {
	result, fault := s.answer(ctx, m)
	if m.ID == nil {
		return nil // nobody waits
	}
	if fault != nil {
		return s.conn.write(&message{ID: m.ID, Error: fault})
	}
	if result == nil {
		result = json.RawMessage("null")
	}
	return s.conn.write(&message{ID: m.ID, Result: result})
}

// answer is the result of a request. A fault of the program is an error of that request.
func (s *session) answer(ctx context.Context, m *message) (result any, fault *rpcError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			result, fault = nil, fail(codeInternal, "%s failed: %v", m.Method, cause)
		}
	}()
	switch {
	case m.Method == "initialize":
		s.started = true
		fault = with(m, func(p initializeParams) *rpcError {
			s.settle(&p)
			return nil
		})
		return s.capabilities(), fault
	case !s.started:
		return nil, fail(codeNotInit, "the session has not been initialized")
	case m.Method == "shutdown":
		s.ended = true
		return nil, nil
	case s.ended:
		return nil, fail(codeInvalid, "the session has ended")
	}
	switch m.Method {
	case "initialized", "$/cancelRequest", "$/setTrace", "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders":
		return nil, nil
	case "textDocument/didOpen":
		return nil, with(m, func(p openParams) *rpcError {
			return s.take(ctx, p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text)
		})
	case "textDocument/didChange":
		return nil, with(m, func(p changeParams) *rpcError { return s.change(ctx, &p) })
	case "textDocument/didClose":
		return nil, with(m, func(p placeParams) *rpcError { return s.forget(ctx, p.TextDocument.URI) })
	case "textDocument/didSave":
		return nil, with(m, func(p placeParams) *rpcError { return s.saved(ctx, p.TextDocument.URI) })
	case "workspace/didChangeWatchedFiles":
		return nil, with(m, func(p watchedParams) *rpcError { return s.changedOutside(ctx, &p) })
	case "workspace/willRenameFiles":
		return request(m, s.renameFiles)
	}
	if answer := s.questions()[m.Method]; answer != nil {
		return request(m, func(p placeParams) (any, *rpcError) {
			at, fault := s.open(p)
			if at == nil {
				return nil, fault
			}
			defer at.view.close()
			return answer(at)
		})
	}
	return nil, fail(codeMethod, "%s is not known", m.Method)
}

// questions are the requests about a place of a document.
func (s *session) questions() map[string]func(*place) (any, *rpcError) {
	return map[string]func(*place) (any, *rpcError){
		"textDocument/completion": s.complete, "textDocument/definition": s.define, "textDocument/hover": s.hover,
		"textDocument/codeAction":    s.actions,
		"textDocument/prepareRename": s.prepareRename, "textDocument/rename": s.rename, "textDocument/references": s.references,
	}
}

func with[P any](m *message, do func(P) *rpcError) *rpcError {
	_, fault := request(m, func(p P) (any, *rpcError) { return nil, do(p) })
	return fault
}

func request[P any](m *message, do func(P) (any, *rpcError)) (any, *rpcError) {
	var p P
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return nil, fail(codeParams, "%s: the parameters cannot be read: %v", m.Method, err)
	}
	return do(p)
}

// capabilities is what the server can do.
func (s *session) capabilities() any {
	type object = map[string]any
	filesAndFolders := []object{{"scheme": "file", "pattern": object{"glob": "**/*"}}} // links lead to pictures too
	return object{
		"serverInfo": object{"name": "packgen", "version": s.version},
		"capabilities": object{
			"positionEncoding":   "utf-16",
			"textDocumentSync":   object{"openClose": true, "change": 1, "save": true}, // 1: whole texts
			"completionProvider": object{"triggerCharacters": []string{"[", "(", "#", "/", ":", " ", "\""}},
			"definitionProvider": true, "referencesProvider": true, "hoverProvider": true, "codeActionProvider": true,
			"renameProvider": object{"prepareProvider": true},
			"workspace":      object{"fileOperations": object{"willRename": object{"filters": filesAndFolders}}},
		},
	}
}

// take keeps a document as the editor has it.
func (s *session) take(ctx context.Context, uri string, version int, text string) *rpcError {
	name, ok := fileOf(uri)
	if !ok {
		return nil
	}
	at := s.locate(name)
	if at.ws == nil {
		return nil // of another place: nothing is said of it
	}
	old := 0
	if d := s.docs[name]; d != nil {
		old = len(d.text)
	}
	if s.bytes-old+len(text) > maxOpenBytes || s.docs[name] == nil && len(s.docs) >= maxOpenFiles {
		s.drop(name)
		return s.complain(fmt.Sprintf("too much is open: at most %d documents and %s in all; %s is read from disk", maxOpenFiles, bytesize.Text(maxOpenBytes), filepath.Base(name)))
	}
	s.bytes += len(text) - old
	s.docs[name] = &openDoc{uri, version, []byte(text), at}
	return s.later(ctx, uri)
}

func (s *session) drop(name string) {
	if d := s.docs[name]; d != nil {
		s.bytes -= len(d.text)
		delete(s.docs, name)
	}
}

// complain shows a message to the user.
func (s *session) complain(text string) *rpcError {
	_ = s.conn.notify("window/showMessage", map[string]any{"type": 2, "message": text})
	return nil
}

// change takes over a changed text. Changes are whole texts: that is what was agreed on.
func (s *session) change(ctx context.Context, p *changeParams) *rpcError {
	for _, c := range p.ContentChanges {
		if c.Range != nil {
			return fail(codeParams, "changes are whole texts")
		}
		name, _ := fileOf(p.TextDocument.URI)
		if s.docs[name] == nil {
			return nil // never opened, or too much is open
		}
		if fault := s.take(ctx, p.TextDocument.URI, p.TextDocument.Version, c.Text); fault != nil {
			return fault
		}
	}
	return nil
}

func (s *session) forget(ctx context.Context, uri string) *rpcError {
	if name, ok := fileOf(uri); ok {
		s.drop(name)
	}
	return s.later(ctx, uri)
}

// opened are the open documents of a pack as they are now, by path on disk.
func (s *session) opened(dir string) map[string]*openDoc {
	list := map[string]*openDoc{}
	for name, d := range s.docs {
		if d.where.dir == dir {
			now := *d
			list[name] = &now
		}
	}
	return list
}

// place is a place of a document that is asked about.
type place struct {
	view    *packView  // of no pack for a file outside of packs
	ws      *repo.Repo // of its repository
	name    string     // absolute
	path    string     // in the pack
	lines   *lines
	at      position
	newName string
}

// open opens the pack of a document; nil for one that nothing is known of.
func (s *session) open(p placeParams) (*place, *rpcError) {
	name, ok := fileOf(p.TextDocument.URI)
	d := s.docs[name]
	if !ok || d == nil {
		return nil, nil
	}
	d.where = s.locate(name)
	text := []byte(strings.ReplaceAll(string(d.text), "\r\n", "\n"))
	at := &place{name: name, ws: d.where.ws, lines: newLines(text), at: p.Position, newName: p.NewName, view: &packView{close: func() {}}}
	if d.where.dir == "" {
		return at, nil
	}
	view, err := s.view(d.where)
	if err != nil {
		return nil, fail(codeRefused, "%v", err)
	}
	at.view, at.path = view, d.where.path
	return at, nil
}

// view opens a pack as the editor has it.
func (s *session) view(at where) (*packView, error) {
	if s.known[at.dir] == nil {
		s.known[at.dir] = map[string]parsed{}
	}
	return openView(at.ws, at.dir, s.opened(at.dir), s.known[at.dir])
}
