//go:build wasm

package loadout

// castagnoli is the reversed polynomial of CRC-32C.
const castagnoli = 0x82f63b78

// checksum returns the CRC-32C of b. The standard library's costs 12 KB of
// gzipped WebAssembly, this one next to nothing.
func checksum(b []byte) uint32 { return extendChecksum(0, b) }

// extendChecksum returns the checksum of what sum is that of, and b after it.
func extendChecksum(sum uint32, b []byte) uint32 {
	var table [256]uint32
	for i := range table {
		c := uint32(i)
		for range 8 {
			if c&1 != 0 {
				c = c>>1 ^ castagnoli
			} else {
				c >>= 1
			}
		}
		table[i] = c
	}
	crc := ^sum
	for _, v := range b {
		crc = table[byte(crc)^v] ^ crc>>8
	}
	return ^crc
}
