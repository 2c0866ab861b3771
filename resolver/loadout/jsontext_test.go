package loadout

import (
	"math"
	"testing"
)

func TestAppendNumberPrintsAsJavaScript(t *testing.T) {
	tests := map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", -5: "-5", 0.1: "0.1", 1.0 / 3: "0.3333333333333333",
		1.0/3 + 0.2: "0.5333333333333333", 0.30000000000000004: "0.30000000000000004", 1e21: "1e+21", 1e20: "100000000000000000000",
		123456789012345680000: "123456789012345680000", 1e-6: "0.000001", 1e-7: "1e-7", 1.5e-10: "1.5e-10",
		2.5e300: "2.5e+300", -1e21: "-1e+21", 5e-324: "5e-324", 1 << 53: "9007199254740992",
		math.MaxFloat64: "1.7976931348623157e+308", math.Inf(1): "null", math.Inf(-1): "null",
	}
	for f, want := range tests {
		if got := string(AppendNumber(nil, f)); got != want {
			t.Errorf("AppendNumber(%g) = %s, want %s", f, got, want)
		}
	}
	if got := string(AppendNumber(nil, math.NaN())); got != "null" {
		t.Errorf("AppendNumber(NaN) = %s, want null", got)
	}
}

func TestAppendStringEscapesOnlyWhatJavaScriptEscapes(t *testing.T) {
	tests := map[string]string{
		"plain":                          `"plain"`,
		"\"\\\b\f\n\r\t":                 `"\"\\\b\f\n\r\t"`,
		"\x00\x1f":                       `"\u0000\u001f"`,
		"<>&/\x7f\u2028\u2029":           "\"<>&/\x7f\u2028\u2029\"",
		"\xed\xa0\xbd":                   `"\ud83d"`,
		"a\xed\xb0\x80b":                 `"a\udc00b"`,
		"\U0001f600":                     "\"\U0001f600\"",
		"\xff\xc3":                       "\"\ufffd\ufffd\"",
		"\xed\xa0":                       "\"\ufffd\ufffd\"",
		"caf\u00e9 \u65e5\u672c \ufffd.": "\"caf\u00e9 \u65e5\u672c \ufffd.\"",
	}
	for s, want := range tests {
		if got := string(AppendString(nil, s)); got != want {
			t.Errorf("AppendString(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestUnquote(t *testing.T) {
	tests := map[string]string{
		`"plain"`:                      "plain",
		`""`:                           "",
		`"\"\\\/\b\f\n\r\t"`:           "\"\\/\b\f\n\r\t",
		`"\u00e9\u65e5"`:               "\u00e9\u65e5",
		`"\ud83d\ude00"`:               "\U0001f600",
		`"\ud83d"`:                     "\xed\xa0\xbd",
		`"\ude00\ud83d"`:               "\xed\xb8\x80\xed\xa0\xbd",
		`"\ud83d\ud83d\ude00"`:         "\xed\xa0\xbd\U0001f600",
		`"\u12"`:                       "u12",
		`"`:                            "",
		`"\`:                           "",
		"\"caf\u00e9 \\u0041 \ufeff\"": "caf\u00e9 A \ufeff",
	}
	for lit, want := range tests {
		if got := unquote(lit); got != want {
			t.Errorf("unquote(%s) = %q, want %q", lit, got, want)
		}
	}
}

func TestTextConvertsAsJavaScriptDoesInMessages(t *testing.T) {
	for v, want := range map[Value]string{
		"": "undefined", "null": "null", "true": "true", "1e+21": "1e+21", `"a\"b"`: `a"b`, `{"a":1}`: "[object Object]",
		"[]": "", `["a",null,[1,[2]],{}]`: "a,,1,2,[object Object]", "[[],[]]": ",",
	} {
		if got := v.Text(); got != want {
			t.Errorf("Text(%s) = %q, want %q", v, got, want)
		}
	}
}

// Walking text that is not a value at all ends, and does not panic.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"c"}],"d":null}`, `{"a"`, `[1,`, `{"a":}`, `[[[`, `{"\`, `[,]`, `{,}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := Value(text)
		v.Text()
		if v.Falsy() && (v.Kind() == Object || v.Kind() == Array) {
			t.Fatalf("%q is falsy", text)
		}
		v.toNumber()
		e := DecodeEntry(v)
		ix, _ := DecodeAtMost(v, math.MaxInt)
		if _, err := Match("a b ci", ix, MatchOptions{}); err != nil {
			return
		}
		e.JSON()
	})
}
