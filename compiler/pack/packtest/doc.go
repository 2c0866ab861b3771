// Package packtest makes knowledge packs of any size for benchmarks and
// property tests. The same options give the same bytes on every machine.
package packtest
