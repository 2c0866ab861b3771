package escape

import "testing"

func TestOpens(t *testing.T) {
	for _, c := range []struct {
		name, text, after string
		ok                bool
	}{
		{"an opening tag", "brief path", " path", true},
		{"a closing tag", "/brief>", ">", true},
		{"any case", "/BriEf>", ">", true},
		{"white space before and after the slash", " \n/\u00a0brief>", ">", true},
		{"invisible characters before and in the name", "\u200b/b\u00adr\u2060ief\u200d>", ">", true},
		{"the name goes on", "briefs>", "s>", true},
		{"nothing follows", "/brief", "", true},
		{"white space parts a name", "br ief>", "", false},
		{"the text ends in the name", "/bri", "", false},
		{"two slashes", "//brief>", "", false},
		{"nothing", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if after, ok := Opens(c.text, "brief"); after != c.after || ok != c.ok {
				t.Errorf("Opens(%q) = %q, %v; want %q, %v", c.text, after, ok, c.after, c.ok)
			}
		})
	}
}
