package client

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/scratch"
)

// How a helper is asked.
const (
	helperTime  = 30 * time.Second
	maxHelper   = 1 << 20 // bytes of an answer
	helperUsage = "it reads {\"uri\": \"…\"} and answers {\"headers\": {\"NAME\": [\"VALUE\"]}}"
)

// askHelper asks a credential helper for the headers of a service, as Bazel does: the
// program is called with "get" in an empty directory, and reads and writes JSON.
func askHelper(ctx context.Context, program, host string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, helperTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "get")
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(fmt.Sprintf("{\"uri\": %q}", "https://"+host))
	out, err := scratch.Output(cmd, maxHelper)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("ask the credential helper %s: %w", program, err), "%s", helperUsage)
	}
	var answer struct {
		Headers map[string][]string `json:"headers"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, diag.WithHint(fmt.Errorf("the answer of the credential helper %s cannot be read", program), "%s", helperUsage)
	}
	headers := map[string]string{}
	for name, values := range answer.Headers {
		headers[name] = strings.Join(values, ",")
	}
	return headers, nil
}
