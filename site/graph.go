package site

import (
	"bytes"
	"encoding/json"
)

// putJSON writes a data file of the pack.
func (w *making) putJSON(name string, value any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	return w.put(w.ps.Dir+name, text.Bytes())
}
