package diag

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestJSONThatIsPrintedHidesNothing(t *testing.T) {
	for text, want := range map[string]string{
		"a\u009b31m":           `"a\u009b31m"`,
		"\u0080\u009f\u007f":   `"\u0080\u009f\u007f"`,
		"\u202e\u2066\u200b":   `"\u202e\u2066\u200b"`,
		"\U000e0049\U000e0067": `"\udb40\udc49\udb40\udc67"`,
		"\ufeff\u2028x\u00ad":  `"\ufeff\u2028x\u00ad"`,
		"é 返品 \U0001F600":      "\"é 返品 \U0001F600\"",
		"می\u200cخواهم":        "\"می\u200cخواهم\"",
	} {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		oktest.Check(t, enc.Encode(text))
		got := EscapeJSON([]byte(b.String()))
		if strings.TrimSpace(string(got)) != want {
			t.Errorf("%+q: %s, want %s", text, got, want)
		}
		var again string
		if err := json.Unmarshal(got, &again); err != nil || again != text {
			t.Errorf("%+q is read as %+q, %v", text, again, err)
		}
	}
}
