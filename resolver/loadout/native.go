//go:build !wasm

package loadout

import (
	"hash/crc32"
	"strconv"
	"sync"
)

// keepsHeld says that what entries hold of a task is kept, for many entries.
const keepsHeld = true

// parseNumber reads a decimal number as JSON writes it, correctly rounded.
func parseNumber(text string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// checksum returns the CRC-32C of b, with the processor's help where it has any.
func checksum(b []byte) uint32 { return extendChecksum(0, b) }

// extendChecksum returns the checksum of what sum is that of, and b after it.
func extendChecksum(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}

// isIdle reports a stem that says nothing about a task.
func isIdle(stem []byte) bool { return idleStems()[string(stem)] }

// idleStems are the words of idle.
var idleStems = sync.OnceValue(func() map[string]bool {
	set, from := map[string]bool{}, 0
	for i := range len(idle) {
		if idle[i] == ' ' {
			set[idle[from:i]], from = true, i+1
		}
	}
	return set
})
