package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// batchVersion is the one version of the protocol that has batches: several messages in
// one line, of which the answers are one line too.
const batchVersion = "2025-03-26"

// item is a message that was read, and the batch that it is of; nil when it came alone.
type item struct {
	message jsonrpc.Message
	batch   *batch
}

// batch collects the answers to the requests of a batch. Its lock is that of the
// connection's requests.
type batch struct {
	left    int // requests without an answer
	answers [][]byte
}

// deliver hands a message on; false when the connection is closed.
func (c *lineConn) deliver(i item) bool {
	select {
	case c.incoming <- i:
		return true
	case <-c.closed:
		return false
	}
}

// receiveBatch decodes a line that is a list of messages and hands them on; false when
// the connection is closed. What is not a message is answered with an error in the answer
// to the batch.
func (c *lineConn) receiveBatch(line []byte) bool {
	if version, _ := c.version.Load().(string); version != batchVersion {
		c.refuse(codeInvalid, nil, "batches are not read: send each message in a line of its own")
		return true
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil || len(parts) == 0 || len(parts) > maxCalls {
		c.refuse(codeInvalid, nil, fmt.Sprintf("a batch has 1 to %d messages", maxCalls))
		return true
	}
	b := &batch{}
	var list []item
	for _, part := range parts {
		m, why := decoded(part)
		r, isRequest := m.(*jsonrpc.Request)
		switch {
		case why != "":
			b.answers = append(b.answers, fault(codeInvalid, idOf(part), why))
		case isRequest && r.Method == "initialize":
			b.answers = append(b.answers, fault(codeInvalid, idOf(part), "initialize is not part of a batch"))
		case isRequest && r.IsCall():
			b.left++
			list = append(list, item{m, b})
		default:
			list = append(list, item{m, nil})
		}
	}
	if b.left == 0 && len(b.answers) > 0 {
		_ = c.writeLine(b.text())
	}
	for _, i := range list {
		if !c.deliver(i) {
			return false
		}
	}
	return true
}

// text is the answer to a batch.
func (b *batch) text() []byte {
	return append(append([]byte{'['}, bytes.Join(b.answers, []byte{','})...), ']')
}

// add notes the answer to a request of a batch, and returns what is to be written: nil as
// long as others have none.
func (c *lineConn) add(b *batch, answer []byte) []byte {
	c.asking.Lock()
	defer c.asking.Unlock()
	b.answers = append(b.answers, answer)
	if b.left--; b.left > 0 {
		return nil
	}
	return b.text()
}

// note keeps the version of the protocol that a session starts with.
func (c *lineConn) note(r *jsonrpc.Response) {
	if c.version.Load() != nil || len(r.Result) == 0 {
		return
	}
	var start sdk.InitializeResult
	if json.Unmarshal(r.Result, &start) == nil && start.ProtocolVersion != "" {
		c.version.Store(start.ProtocolVersion)
	}
}
