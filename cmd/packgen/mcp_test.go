package main

import (
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/oktest"
)

// The program as an agent starts it: a process of its own, asked by the client of the
// protocol's own SDK.
func TestAgentStartsTheServerAsAProcess(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(program(t), "mcp", "-C", "../..")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session := oktest.Value(client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil))(t)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{
		Name: "read_entry", Arguments: map[string]any{"path": "packgen-manual:documents/tutorial.md", "limit": 500},
	})
	if err != nil || result.IsError {
		t.Fatalf("read_entry: %v, %+v", err, result)
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok || !strings.HasPrefix(text.Text, `<knowledge_pack name="packgen-manual"`) || !strings.Contains(text.Text, "Continue with offset") {
		t.Errorf("read_entry gave %+v", result.Content[0])
	}
	if err := session.Close(); err != nil {
		t.Errorf("the process ends with %v", err)
	}
	if stderr.Len() > 0 {
		t.Errorf("standard error:\n%s", stderr.String())
	}
}
