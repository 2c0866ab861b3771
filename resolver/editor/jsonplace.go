package editor

import "strings"

// jsonPlace is where a place of a JSON text is.
type jsonPlace struct {
	keys   []string // above it; of a value its own too
	typed  string   // of a key or value so far
	value  bool     // not a key
	quoted bool     // it is inside of quotation marks
}

// jsonAt finds where the end of a text is in JSON. What is wrong with the text before
// does not matter.
func jsonAt(text string) jsonPlace {
	type level struct {
		list bool
		key  string // "" until its colon
	}
	var above []level
	var last string // the string before
	at := jsonPlace{}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			above = append(above, level{list: c == '['})
			at.typed = ""
		case '}', ']':
			above = above[:max(0, len(above)-1)]
			at.typed = ""
		case ':', ',':
			if n := len(above) - 1; n >= 0 && !above[n].list {
				above[n].key = ""
				if c == ':' {
					above[n].key = last
				}
			}
			at.typed = ""
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' && text[end] != '\n' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(text) {
				at.quoted, at.typed = true, text[i+1:]
			} else {
				last = text[i+1 : end]
				at.typed = ""
			}
			i = end
		case ' ', '\t', '\n', '\r':
			at.typed = ""
		default:
			at.typed += string(c)
		}
	}
	for _, l := range above {
		if !l.list && l.key != "" {
			at.keys = append(at.keys, l.key)
		}
	}
	n := len(above) - 1
	at.value = n >= 0 && (above[n].list || above[n].key != "")
	return at
}

// json offers the keys of an object, or the values of a key.
func (c *completer) json(name string) {
	at := jsonAt(string(c.at.lines.text[:c.at.offset()]))
	from := len(c.items)
	if !at.value {
		c.known(name, at.keys, at.typed)
	} else if !c.values(name, at.keys, at.typed) {
		c.enums(name, at.keys, at.typed)
	}
	for i := from; i < len(c.items) && !at.quoted; i++ {
		text := `"` + c.items[i].Label + `"`
		if !at.value {
			text += ": "
		}
		c.items[i].TextEdit.NewText = text
	}
}

// isJSON reports a file of JSON by its name.
func isJSON(name string) bool {
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".lock")
}
