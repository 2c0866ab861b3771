package fetch

import (
	"io"
	"strings"
	"testing"

	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// Options that nothing can be asked with end a write to a registry with their own fault.
func TestUnusableOptionsReachNoRegistry(t *testing.T) {
	server := fetchtest.NewRegistry(t)
	for _, tt := range []struct {
		rule, says string
		set        func(*Options)
	}{
		{ruleTLS, "use --cacert none.pem", func(o *Options) { o.Trust.CA = "none.pem" }},
		{ruleAddress, "use --mirror x=y", func(o *Options) { o.Mirrors = []string{"x=y"} }},
	} {
		o := Options{Getenv: func(string) string { return "" }}
		tt.set(&o)
		target, err := New(o).Target(t.Context(), Registry{Host: server.Host(), Name: "p"})
		if err == nil {
			_, err = target.Blob(t.Context(), specs.DescriptorEmptyJSON, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("{}")), nil })
		}
		wantError(t, err, tt.rule, tt.says)
	}
}
