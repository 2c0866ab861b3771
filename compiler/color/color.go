package color

import "slices"

// Choices are the values of a flag that asks for colours: as the output and the
// environment say, always, never.
func Choices() []string { return []string{"auto", "always", "never"} }

// Wanted reports whether an output gets colours. With a choice of auto or none the
// environment decides, and without a word in it whether the output is a terminal:
// NO_COLOR against them; FORCE_COLOR and CLICOLOR_FORCE, unless 0 or false, for them;
// CLICOLOR=0 and TERM=dumb against them.
func Wanted(choice string, terminal bool, getenv func(string) string) bool {
	off := []string{"", "0", "false"}
	switch {
	case choice == "always":
		return true
	case choice == "never" || getenv("NO_COLOR") != "":
		return false
	case !slices.Contains(off, getenv("FORCE_COLOR")) || !slices.Contains(off, getenv("CLICOLOR_FORCE")):
		return true
	}
	return terminal && getenv("CLICOLOR") != "0" && getenv("FORCE_COLOR") == "" && getenv("TERM") != "dumb"
}

// Painter colours words; the zero value leaves them alone.
type Painter bool

// Red marks what failed.
func (p Painter) Red(s string) string { return p.paint("31", s) }

// Green marks what is as it should be.
func (p Painter) Green(s string) string { return p.paint("32", s) }

// Bold marks the head of something.
func (p Painter) Bold(s string) string { return p.paint("1", s) }

// Dim marks what matters less.
func (p Painter) Dim(s string) string { return p.paint("2", s) }

func (p Painter) paint(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
