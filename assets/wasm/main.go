//go:build wasip1

package main

// main is never run: the loader calls the exports.
func main() {}
