package hook

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// readEvent reads the event of a prompt; the missing Value when it is too large
// or not JSON.
func readEvent(r io.Reader) loadout.Value {
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(r, maxEvent+1)); err != nil || data.Len() > maxEvent {
		return ""
	}
	v, err := indexjson.ParseInfinite(data.Bytes())
	if err != nil {
		return ""
	}
	return v
}

// promptOf returns the part of the prompt that is matched: the first truthy of
// its three names (loadout section 21.3). It is empty for a blank prompt.
func promptOf(event loadout.Value) string {
	if event.Kind() != loadout.Object {
		return ""
	}
	for _, key := range [...]string{"prompt", "user_prompt", "message"} {
		if v := event.Get(key); !v.Falsy() {
			text := v.Text()
			if javascript.Trim(text) == "" {
				return ""
			}
			return javascript.Cut(text, maxPrompt)
		}
	}
	return ""
}

// directoryOf returns the directory that a prompt was submitted in, "" when the event
// names none that a hook can look into.
func directoryOf(event loadout.Value) string {
	dir, _ := event.Get("cwd").Str()
	if len(dir) > maxPath || !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return ""
	}
	return filepath.Clean(dir)
}

// floorOf reads the floor as JavaScript reads a number: blank is 0, and what is
// not a finite number is the default, as is an unset variable (loadout section
// 21.2).
func floorOf(text string, set bool, byDefault float64) float64 {
	if !set {
		return byDefault
	}
	text = javascript.Trim(text)
	if text == "" {
		return 0
	}
	if len(text) > 2 && text[0] == '0' {
		base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]
		if base != 0 {
			n, err := strconv.ParseUint(text[2:], base, 64)
			if err != nil {
				return byDefault
			}
			return float64(n)
		}
	}
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return byDefault
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return byDefault
	}
	return f
}

// debugf explains on standard error; w is io.Discard outside debug mode.
func debugf(w io.Writer, format string, args ...any) {
	if w != io.Discard {
		_, _ = io.WriteString(w, "[loadout-hook] "+javascript.Line(fmt.Sprintf(format, args...))+"\n")
	}
}
