package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// offlinePath is the service worker of a site that can be read without a network. It is at
// the root, since a worker answers for what is below it.
const offlinePath = "offline.js"

// addOffline adds the worker, and the script that asks for it.
func (b *Bundle) addOffline() error {
	ours := source{name: "packgen", files: embedded}
	script, err := b.add(ours, "ts/offline.ts", classic{})
	if err != nil {
		return err
	}
	b.Script = append(b.Script, script...)
	files := []string{"index.html", "search.html"}
	files = append(append(files, b.Style...), b.Script...)
	sum := sha256.Sum256([]byte(strings.Join(files, " ")))
	list, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("list the files of the worker: %w", err)
	}
	made, err := bundle(ours, "ts/worker.ts", classic{"OFFLINE_VERSION": `"` + hex.EncodeToString(sum[:5]) + `"`, "OFFLINE_FILES": string(list)})
	if err != nil {
		return fmt.Errorf("bundle the worker: %w", err)
	}
	for _, f := range made {
		b.Files = append(b.Files, File{Path: offlinePath, Data: f.Data})
	}
	return nil
}
