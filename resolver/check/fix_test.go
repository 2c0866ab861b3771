package check

import (
	"fmt"
	"strings"
	"testing"
)

func TestSettleReadsKeysInAnyCaseAndReportsSlips(t *testing.T) {
	for _, tt := range []struct{ head, want, slips string }{
		{"id: a\nKeywords: [B]\nPRIORITY: Core # Always\n", "id: a\nkeywords: [B]\npriority: core # always\n", ""},
		{"priority: croe\n", "priority: croe\n", `INVALID_PRIORITY 2 did you mean "core"?`},
		{"Priority: high\n", "priority: high\n", `INVALID_PRIORITY 2 write core, domain or manual`},
		{"tags: [a]\nKeyword: [b]\nmetadata:\n  Type: x\n", "tags: [a]\nKeyword: [b]\nmetadata:\n  Type: x\n", `UNKNOWN_FIELD 3 did you mean "keywords"?`},
	} {
		for _, form := range []string{"---\n%s---\n# Title: A\n", "\ufeff---\n%s---\n", "---\n%s---"} {
			got, slips := Settle(fmt.Sprintf(form, tt.head))
			var list []string
			for _, s := range slips {
				list = append(list, fmt.Sprint(s.Code, " ", s.Line, " ", s.Hint))
			}
			if got != fmt.Sprintf(form, tt.want) || strings.Join(list, "; ") != tt.slips {
				t.Errorf("%q: got %q, %q", tt.head, got, list)
			}
		}
	}
	for _, text := range []string{"", "# A\nPriority: x\n", "---\nPriority: x\n", "--\nPriority: x\n--\n"} {
		if got, slips := Settle(text); got != text || slips != nil {
			t.Errorf("%q became %q, %v", text, got, slips)
		}
	}
}
