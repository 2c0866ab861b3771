package editor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
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

// The types of LSP 3.17 that are used. Lines and characters count from 0; characters
// are UTF-16 units.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	span struct { // "Range" of the protocol
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	docID struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"` // null: the file as it is on disk
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	docEdit struct { // edits of a text, or another name for its file
		TextDocument *docID     `json:"textDocument,omitempty"`
		Edits        []textEdit `json:"edits,omitempty"`
		Kind         string     `json:"kind,omitempty"` // "rename"
		OldURI       string     `json:"oldUri,omitempty"`
		NewURI       string     `json:"newUri,omitempty"`
	}
	workspaceEdit struct {
		DocumentChanges []docEdit `json:"documentChanges"`
	}
	prepared struct {
		Range       span   `json:"range"`
		Placeholder string `json:"placeholder"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
	}
	completionItem struct {
		Label         string    `json:"label"`
		Kind          int       `json:"kind"`
		Detail        string    `json:"detail,omitempty"`
		Documentation string    `json:"documentation,omitempty"`
		FilterText    string    `json:"filterText,omitempty"`
		TextEdit      *textEdit `json:"textEdit"`
	}
	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}
	diagnostic struct {
		Range    span   `json:"range"`
		Severity int    `json:"severity"`
		Code     string `json:"code"`
		Source   string `json:"source"`
		Message  string `json:"message"`
	}
	diagnosticsParams struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	codeAction struct {
		Title string        `json:"title"`
		Kind  string        `json:"kind"`
		Edit  workspaceEdit `json:"edit"`
	}
	placeParams struct { // of most requests
		TextDocument docID    `json:"textDocument"`
		Position     position `json:"position"`
		NewName      string   `json:"newName"`
	}
	initializeParams struct {
		RootURI          string `json:"rootUri"` // "" for null
		WorkspaceFolders []struct {
			URI string `json:"uri"`
		} `json:"workspaceFolders"`
		Capabilities struct {
			Workspace struct {
				WorkspaceEdit struct {
					ResourceOperations []string `json:"resourceOperations"`
				} `json:"workspaceEdit"`
			} `json:"workspace"`
		} `json:"capabilities"`
	}
	watchedParams struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	renameFilesParams struct {
		Files []struct {
			OldURI string `json:"oldUri"`
			NewURI string `json:"newUri"`
		} `json:"files"`
	}
	openParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
	}
	changeParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Range *span  `json:"range"`
			Text  string `json:"text"`
		} `json:"contentChanges"`
	}
)

// Kinds of completions, by the numbers of the protocol.
const (
	kindValue     = 12
	kindProperty  = 10
	kindFile      = 17
	kindReference = 18
)

// Limits on what a client may send.
const (
	maxFrame  = 32 << 20 // bytes of one message
	maxHeader = 8 << 10  // bytes of the header of one message
)

// The codes of errors (JSON-RPC 2.0, LSP 3.17).
const (
	codeParse     = -32700
	codeInvalid   = -32600
	codeMethod    = -32601
	codeParams    = -32602
	codeInternal  = -32603
	codeNotInit   = -32002
	codeRefused   = -32803
	noLength      = -1
	versionOfRPC  = "2.0"
	lengthOfFrame = "Content-Length"
)

// message is a request, a notification or a response.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // absent in a notification
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is why a request has no result.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func fail(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// conn reads and writes messages in frames with a header. Writing is safe for
// concurrent use.
type conn struct {
	in  *bufio.Reader
	mu  sync.Mutex
	out io.Writer
}

// read returns the next message. An *rpcError is about that message alone; after any
// other error the frames cannot be reported apart any more.
func (c *conn) read() (*message, error) {
	size, err := c.header()
	if err != nil {
		return nil, err
	}
	if size > maxFrame {
		if _, err := io.CopyN(io.Discard, c.in, int64(size)); err != nil {
			return nil, fmt.Errorf("read message: %w", err)
		}
		return nil, fail(codeInvalid, "the message is larger than %s", bytesize.Text(maxFrame))
	}
	// The memory grows as bytes arrive: the header may claim any size.
	text, err := io.ReadAll(io.LimitReader(c.in, int64(size)))
	if err == nil && len(text) < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("read message: %w", err)
	}
	m := &message{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fail(codeParse, "the message is not JSON: %v", err)
	}
	return m, nil
}

// header reads the header of a frame and returns the size of its content.
func (c *conn) header() (int, error) {
	size, read := noLength, 0
	for {
		line, err := c.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return 0, errors.New("read message: a line of the header is too long")
		}
		if err != nil {
			if len(line) == 0 && read == 0 && errors.Is(err, io.EOF) {
				return 0, io.EOF
			}
			return 0, fmt.Errorf("read message: %w", io.ErrUnexpectedEOF)
		}
		if read += len(line); read > maxHeader {
			return 0, errors.New("read message: the header is too long")
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, errors.New("read message: a line of the header has no colon")
		}
		if !strings.EqualFold(name, lengthOfFrame) {
			continue
		}
		if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 {
			return 0, fmt.Errorf("read message: %s is not a length", lengthOfFrame)
		}
	}
	if size == noLength {
		return 0, fmt.Errorf("read message: the header has no %s", lengthOfFrame)
	}
	return size, nil
}

// write sends a message. A result that JSON cannot hold becomes an internal error under
// its id.
func (c *conn) write(m *message) error {
	m.JSONRPC = versionOfRPC
	text, err := json.Marshal(m)
	if err != nil && m.ID != nil {
		text, err = json.Marshal(&message{JSONRPC: versionOfRPC, ID: m.ID, Error: fail(codeInternal, "packgen failed: %v", err)})
	}
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	text = diag.EscapeJSON(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err = fmt.Fprintf(c.out, "%s: %d\r\n\r\n%s", lengthOfFrame, len(text), text); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// notify sends a notification.
func (c *conn) notify(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("write %s: %w", method, err)
	}
	return c.write(&message{Method: method, Params: text})
}
