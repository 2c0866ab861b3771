package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
)

const (
	maxMessage = 4 << 20 // bytes of one message
	maxCalls   = 64      // requests that wait for their answer at one time
)

// lines is the stdio transport: a message a line. That of the SDK ends the session at
// the first line that is not a message; here such a line is answered with an error, and
// the next one is read.
type lines struct {
	in  io.Reader
	out io.Writer
}

// Connect starts to read.
func (t *lines) Connect(context.Context) (sdk.Connection, error) {
	c := &lineConn{out: t.out, incoming: make(chan item), calls: make(chan struct{}, maxCalls), waiting: map[jsonrpc.ID]*batch{}, closed: make(chan struct{})}
	go c.receive(bufio.NewReader(t.in))
	return c, nil
}

// lineConn is a connection of which each line is one message.
type lineConn struct {
	incoming chan item     // closed when there are no more
	calls    chan struct{} // holds one for each request whose answer is not written
	failure  error         // of the reader; set before incoming is closed
	version  atomic.Value  // of the protocol, a string; nil before the session has one

	asking  sync.Mutex
	waiting map[jsonrpc.ID]*batch // requests without an answer, with their batches

	writing sync.Mutex
	out     io.Writer

	once   sync.Once
	closed chan struct{}
}

// receive reads lines until there are no more, or the connection is closed.
func (c *lineConn) receive(r *bufio.Reader) {
	defer close(c.incoming)
	for {
		line, err := readLine(r)
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] == '[' && len(line) <= maxMessage && json.Valid(text) {
			if !c.receiveBatch(text) {
				return
			}
		} else if m := c.message(line); m != nil && !c.deliver(item{m, nil}) {
			return
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.failure = fmt.Errorf("read a message: %w", err)
			}
			return
		}
	}
}

// readLine reads a line, at most one byte more than a message may have; the rest of a
// longer line is skipped.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if room := maxMessage + 1 - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// The error codes of JSON-RPC that a line is answered with.
const (
	codeParse   = jsonrpc.CodeParseError
	codeInvalid = jsonrpc.CodeInvalidRequest
)

// What is said of an object that is not read.
const (
	noMessage = "the object is not a message of JSON-RPC 2.0"
	noID      = "the id is not read: use a text, or a whole number of at most 15 digits"
)

// message decodes a line. A line that is not a message is answered with an error; of that
// and of an empty line nothing is left.
func (c *lineConn) message(line []byte) jsonrpc.Message {
	long := len(line) > maxMessage && line[maxMessage] != '\n'
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil
	case long:
		c.refuse(codeInvalid, nil, "the message is larger than "+bytesize.Text(maxMessage))
	case !json.Valid(line):
		c.refuse(codeParse, nil, "the line is not JSON")
	case line[0] != '{':
		c.refuse(codeInvalid, nil, "a message is an object")
	default:
		m, why := decoded(line)
		if why == "" {
			return m
		}
		c.refuse(codeInvalid, idOf(line), why)
	}
	return nil
}

// decoded reads a message, or says why it is refused: an id that the SDK would not give
// back as it came is, too.
func decoded(text []byte) (m jsonrpc.Message, why string) {
	m, err := jsonrpc.DecodeMessage(text)
	switch {
	case err != nil || !wellFormed(m):
		return nil, noMessage
	case !keepsID(m, text):
		return nil, noID
	}
	return m, ""
}

// maxID is the number below which the SDK tells ids apart, in a round figure.
const maxID = 1_000_000_000_000_000

// keepsID reports whether a message has the id of its text: no fraction, no number beyond
// maxID and no half of a surrogate pair, which become other ids when they are read.
func keepsID(m jsonrpc.Message, text []byte) bool {
	written, ok := readID(text)
	if !ok {
		return false
	}
	var id jsonrpc.ID
	switch m := m.(type) {
	case *jsonrpc.Request:
		id = m.ID
	case *jsonrpc.Response:
		id = m.ID
	}
	switch id := id.Raw().(type) {
	case int64:
		return id > -maxID && id < maxID && string(written) == strconv.FormatInt(id, 10)
	case string:
		return !strings.ContainsRune(id, utf8.RuneError)
	}
	return true
}

// wellFormed reports a request with a method, or an answer with an id.
func wellFormed(m jsonrpc.Message) bool {
	switch m := m.(type) {
	case *jsonrpc.Request:
		return m.Method != ""
	case *jsonrpc.Response:
		return m.ID.IsValid() && (m.Result != nil || m.Error != nil)
	}
	return false
}

// idOf is the id of an object that is not a message; nil when it has none.
func idOf(line []byte) json.RawMessage {
	id, ok := readID(line)
	if !ok || len(id) == 0 || len(id) > 256 || id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil
	}
	return id
}

// readID returns the id of an object as it is written; ok is false for what is not an object.
func readID(text []byte) (id json.RawMessage, ok bool) {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	err := json.Unmarshal(text, &head)
	return head.ID, err == nil
}

// refuse answers a line that is not a message. A client that reads no answers shows at
// the next write.
func (c *lineConn) refuse(code int, id json.RawMessage, message string) {
	_ = c.writeLine(fault(code, id, message))
}

// fault is an answer that is an error; the id is null when it is not known.
func fault(code int, id json.RawMessage, message string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(message)
	if err != nil {
		text = []byte(`"invalid"`)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}

// listens is the one request that is answered when the session ends.
const listens = "subscriptions/listen"

// Read returns the next message. While too many requests wait for their answer it
// takes none; at the end of the input it waits for the answers to be written.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case i, ok := <-c.incoming:
			if !ok {
				return nil, c.drained(ctx)
			}
			r, isRequest := i.message.(*jsonrpc.Request)
			if !isRequest || !r.IsCall() || r.Method == listens && i.batch == nil {
				return i.message, nil
			}
			if taken, err := c.ask(ctx, r.ID, i.batch); taken || err != nil {
				return i.message, err
			}
			// The SDK would not answer it at all.
			refusal := fault(codeInvalid, nil, "a request with this id still waits for its answer")
			if i.batch != nil {
				refusal = c.add(i.batch, refusal)
			}
			if refusal != nil {
				_ = c.writeLine(refusal)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
}

// ask notes that a request waits for its answer; not when another one with its id does.
func (c *lineConn) ask(ctx context.Context, id jsonrpc.ID, b *batch) (taken bool, err error) {
	c.asking.Lock()
	_, known := c.waiting[id]
	if !known {
		c.waiting[id] = b
	}
	c.asking.Unlock()
	if known {
		return false, nil
	}
	return true, c.take(ctx)
}

// answered notes that a request no longer waits, and reports whether it did, and of which
// batch it is.
func (c *lineConn) answered(id jsonrpc.ID) (b *batch, waited bool) {
	c.asking.Lock()
	defer c.asking.Unlock()
	b, waited = c.waiting[id]
	delete(c.waiting, id)
	return b, waited
}

// take waits until one more request may wait for its answer.
func (c *lineConn) take(ctx context.Context) error {
	select {
	case c.calls <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return io.EOF
	}
}

// drained waits until no request waits for an answer, and says why the input ended.
func (c *lineConn) drained(ctx context.Context) error {
	for range maxCalls {
		if err := c.take(ctx); err != nil {
			return err
		}
	}
	if c.failure != nil {
		return c.failure
	}
	return io.EOF
}

// codeRejected is the code of an error of Write that does not end the session.
const codeRejected = -32005

// encoded is the text of a message. An answer that JSON cannot hold becomes an internal
// error under its id.
func encoded(m jsonrpc.Message) ([]byte, error) {
	data, err := jsonrpc.EncodeMessage(m)
	if r, ok := m.(*jsonrpc.Response); ok && err != nil {
		data, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.ID, Error: internalError("an answer", err)})
	}
	if err != nil {
		return nil, &jsonrpc.Error{Code: codeRejected, Message: "encode a message: " + err.Error()}
	}
	return data, nil
}

// Write writes a message as a line; answers to a batch are one line together.
func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := encoded(m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.note(r)
		// The client may use the id again once it has the answer; the end of the input waits
		// until the answer is written.
		if b, waited := c.answered(r.ID); waited {
			defer func() { <-c.calls }()
			if b != nil && err == nil {
				if data = c.add(b, data); data == nil {
					return nil
				}
			}
		}
	}
	if err != nil {
		return err
	}
	return c.writeLine(data)
}

func (c *lineConn) writeLine(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(diag.EscapeJSON(data), '\n')); err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return nil
}

// Close ends the connection; a read of the input that is under way is left to the end
// of the process.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// SessionID is empty: a pipe has one session.
func (c *lineConn) SessionID() string { return "" }
