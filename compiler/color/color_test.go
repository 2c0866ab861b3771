package color

import "testing"

func TestFlagBeatsEnvironmentBeatsTerminal(t *testing.T) {
	type env = map[string]string
	for _, tt := range []struct {
		name, choice string
		terminal     bool
		env          env
		want         bool
	}{
		{"a terminal", "auto", true, nil, true},
		{"a pipe", "", false, nil, false},
		{"a terminal that cannot", "auto", true, env{"TERM": "dumb"}, false},
		{"NO_COLOR", "auto", true, env{"NO_COLOR": "1"}, false},
		{"an empty NO_COLOR", "auto", true, env{"NO_COLOR": ""}, true},
		{"FORCE_COLOR in a pipe", "auto", false, env{"FORCE_COLOR": "1", "TERM": "dumb"}, true},
		{"FORCE_COLOR=0", "auto", true, env{"FORCE_COLOR": "0"}, false},
		{"CLICOLOR_FORCE in a pipe", "auto", false, env{"CLICOLOR_FORCE": "1"}, true},
		{"CLICOLOR_FORCE=0 in a pipe", "auto", false, env{"CLICOLOR_FORCE": "0"}, false},
		{"CLICOLOR=0", "auto", true, env{"CLICOLOR": "0"}, false},
		{"NO_COLOR and FORCE_COLOR", "auto", false, env{"NO_COLOR": "1", "FORCE_COLOR": "1"}, false},
		{"always", "always", false, env{"NO_COLOR": "1"}, true},
		{"never", "never", true, env{"FORCE_COLOR": "1"}, false},
	} {
		if got := Wanted(tt.choice, tt.terminal, func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
	if Painter(false).Red("x") != "x" || Painter(true).Red("x") != "\x1b[31mx\x1b[0m" {
		t.Error("a painter does not do as it is told")
	}
}
