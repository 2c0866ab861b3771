package boot

import (
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
)

// budget reads the top-level budget mapping (boot.yml section 11). Its keys are
// closed: in a flow mapping "tokens: 5,000" reads as tokens 5 and a key 000,
// and ignoring the latter would set a cap nobody wrote.
func (p *parser) budget(value *yaml.Node) int {
	if isNull(value) {
		return 0
	}
	if value.Kind != yaml.MappingNode {
		p.add(idSchema, diag.Error, value, p.schema+": budget must be a mapping, not "+describe(value), "write budget: {tokens: 20_000}")
		return 0
	}
	tokens := 0
	for i := 0; i+1 < len(value.Content); i += 2 {
		k, v := value.Content[i], deref(value.Content[i+1])
		if textOf(k) != "tokens" {
			p.add(idSchema, diag.Error, k, p.schema+": budget has no key "+quoteKey(k),
				"write its only key, tokens; quote a number with a comma inside { }")
			continue
		}
		n, ok := wholeNumber(v)
		if !ok {
			p.add(idSchema, diag.Error, v, p.schema+": budget tokens must be a positive whole number", "write a number such as 20000, 20_000 or \"20,000\"")
			continue
		}
		tokens = n
	}
	return tokens
}

// wholeNumber reads digits with _ or , between them.
func wholeNumber(n *yaml.Node) (int, bool) {
	if n.Kind != yaml.ScalarNode {
		return 0, false
	}
	text := n.Value
	if text == "" || !digit(text[0]) || !digit(text[len(text)-1]) || strings.ContainsAny(text, "xo") {
		return 0, false
	}
	v, ok := amount.Whole(strings.NewReplacer("_", "", ",", "").Replace(text))
	return int(v), ok && v > 0 && v <= math.MaxInt32
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
