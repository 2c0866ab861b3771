package editor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
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
