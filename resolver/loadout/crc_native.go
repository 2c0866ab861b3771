//go:build !wasm

package loadout

import "hash/crc32"

// checksum returns the CRC-32C of b, with the processor's help where it has any.
func checksum(b []byte) uint32 { return extendChecksum(0, b) }

// extendChecksum returns the checksum of what sum is that of, and b after it.
func extendChecksum(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}
