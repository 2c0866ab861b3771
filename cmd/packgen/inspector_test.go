package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
)

// The MCP inspector is a client that nobody here wrote: it gets the tools, a text and the
// resources. It is used where it is installed: npm install -g @modelcontextprotocol/inspector.
func TestInstallTheInspectorReadsTheServer(t *testing.T) {
	t.Parallel()
	inspector, err := exec.LookPath(cmp.Or(os.Getenv("PACKGEN_MCP_INSPECTOR"), "mcp-inspector"))
	if err != nil {
		packgentest.Lacks(t, "inspector", "npm has it as @modelcontextprotocol/inspector; PACKGEN_MCP_INSPECTOR names another place")
	}
	for _, c := range []struct {
		args []string
		want string // in the answer
	}{
		{[]string{"tools/list"}, `"name": "resolve_context"`},
		{[]string{"tools/call", "--tool-name", "resolve_context", "--tool-arg", "task=how do I split a CLAUDE.md"}, `<knowledge_pack name=\"packgen-manual\"`},
		{[]string{"tools/call", "--tool-name", "read_entry", "--tool-arg", "path=packgen-manual:documents/tutorial.md", "--tool-arg", "limit=500"}, "Continue with offset"},
		{[]string{"resources/list"}, "knowledge://packgen-manual/"},
		{[]string{"resources/read", "--uri", "knowledge://packgen-manual/documents/tutorial.md"}, "<knowledge_pack"},
		{[]string{"prompts/list"}, "use_pack"},
	} {
		out, err := exec.Command(inspector, append([]string{"--cli", program(t), "mcp", "-C", "../..", "--method"}, c.args...)...).Output()
		if err != nil || !json.Valid(out) || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v, not %s in\n%.2000s", c.args, err, c.want, out)
		}
	}
}
