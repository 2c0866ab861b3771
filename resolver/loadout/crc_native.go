//go:build !wasm

package loadout

import "hash/crc32"

// checksum returns the CRC-32C of b, with the processor's help where it has any.
func checksum(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}
