// Command build compiles the matcher to WebAssembly and writes it, packed, to
// assets/dist together with a note of what it was made from:
//
//	go run ./assets/wasm/build          # from the module's root
//	go run ./assets/wasm/build -check   # is the committed one current?
//
// The result is committed, so that installing packgen needs no second build.
// The same toolchain gives the same bytes on every machine.
package main
