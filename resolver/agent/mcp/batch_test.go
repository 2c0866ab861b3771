package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// The answers to a batch are one line, with an answer for each request and each part that
// is not a message, and none for notifications.
func TestBatches(t *testing.T) {
	p := pipe(t, batchVersion)
	for _, c := range []struct {
		line string
		ids  []string // of the answers; one that begins with ! is an error
	}{
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"1"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/none"}]`, []string{`"b"`, "1"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},7]`, []string{"!null", "1"}},
		{`[1,2]`, []string{"!null", "!null"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"1.0","id":5,"method":"ping"}]`, []string{"!5", "1"}},
		{`[{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"!9", "1"}},
		{`[{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{}},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"!4", "1"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"kettle"}}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"none"}}]`, []string{"!2", "1"}},
	} {
		p.send(c.line)
		var got []string
		var answers []struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		said := p.receive()
		if err := json.Unmarshal([]byte(said), &answers); err != nil {
			t.Fatalf("%s is answered with %s", c.line, said)
		}
		for _, a := range answers {
			id := string(a.ID)
			if a.Error != nil {
				id = "!" + id
			}
			got = append(got, id)
		}
		if slices.Sort(got); !slices.Equal(got, c.ids) {
			t.Errorf("%s: answers to %v, want %v", c.line, got, c.ids)
		}
	}
	for _, line := range []string{"[]", "[" + strings.Repeat("1,", maxCalls) + "1]"} {
		p.send(line)
		if got := p.receive(); !strings.Contains(got, "a batch has 1 to 64 messages") {
			t.Errorf("%.20s is answered with %s", line, got)
		}
	}
	p.send(`[{"jsonrpc":"2.0","method":"notifications/none"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`)
	if said := p.answers(); len(said) > 0 {
		t.Errorf("notifications are answered with %v", said)
	}
}

// However many batches are sent, with ids that are in use too, each is answered whole.
func TestManyBatchesAtOneTime(t *testing.T) {
	p := pipe(t, batchVersion)
	const n = 50
	go func() {
		for i := range n {
			var parts []string
			for j := range maxCalls {
				parts = append(parts, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, (i*7+j)%90))
			}
			fmt.Fprintf(p.in, "[%s]\n", strings.Join(parts, ","))
		}
		p.in.Close()
	}()
	said := oktest.Value(io.ReadAll(p.out))(t)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	for _, line := range lines {
		var answers []json.RawMessage
		if err := json.Unmarshal([]byte(line), &answers); err != nil || len(answers) != maxCalls {
			t.Fatalf("%d answers in %.80s: %v", len(answers), line, err)
		}
	}
	if len(lines) != n {
		t.Errorf("%d batches are answered, %d were sent", len(lines), n)
	}
	if err := <-p.ends; err != nil {
		t.Error(err)
	}
}
