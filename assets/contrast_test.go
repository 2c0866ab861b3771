package assets

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// pairs are the texts and grounds that meet on a page, by their names in
// tokens.css.
var pairs = [][2]string{
	{"ink", "paper"}, {"ink", "card"}, {"ink", "sunk"}, {"ink", "mark"}, {"ink", "warn-bg"}, {"ink", "bad-bg"},
	{"soft", "paper"}, {"soft", "card"}, {"soft", "sunk"},
	{"link", "paper"}, {"link", "card"}, {"link", "sunk"}, {"link", "warn-bg"}, {"link", "bad-bg"},
	{"accent", "card"}, {"on-accent", "accent"},
	{"ok", "ok-bg"}, {"warn", "warn-bg"}, {"bad", "bad-bg"}, {"bad", "paper"}, {"calm", "calm-bg"}, {"warn", "card"},
	{"code-key", "sunk"}, {"code-str", "sunk"}, {"code-num", "sunk"}, {"code-name", "sunk"}, {"code-note", "sunk"},
	{"bad", "sunk"}, {"ok", "sunk"},
}

// leastContrast is what WCAG 2.2 level AA asks of text.
const leastContrast = 4.5

func TestTextCanBeReadInBothSchemes(t *testing.T) {
	css := oktest.Value(embedded.ReadFile("css/tokens.css"))(t)
	colours := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--([\w-]+): light-dark\((#\w+), (#\w+)\)`).FindAllStringSubmatch(string(css), -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for _, pair := range pairs {
		for scheme, name := range []string{"light", "dark"} {
			text, ground := colours[pair[0]][scheme], colours[pair[1]][scheme]
			ratio, err := contrast(text, ground)
			if err != nil {
				t.Errorf("%s on %s: %v", pair[0], pair[1], err)
			} else if ratio < leastContrast {
				t.Errorf("%s: %s on %s is %.2f to 1, want %.1f", name, pair[0], pair[1], ratio, leastContrast)
			}
		}
	}
}

// contrast is the ratio of two colours as WCAG defines it.
func contrast(a, b string) (float64, error) {
	x, err := luminance(a)
	if err != nil {
		return 0, err
	}
	y, err := luminance(b)
	if err != nil {
		return 0, err
	}
	return (max(x, y) + 0.05) / (min(x, y) + 0.05), nil
}

func luminance(hex string) (float64, error) {
	if len(hex) == 4 {
		hex = fmt.Sprintf("#%c%c%c%c%c%c", hex[1], hex[1], hex[2], hex[2], hex[3], hex[3])
	}
	if len(hex) != 7 {
		return 0, fmt.Errorf("%q is not a colour", hex)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return 0, fmt.Errorf("%q is not a colour: %w", hex, err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum, nil
}
