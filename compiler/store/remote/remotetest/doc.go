// Package remotetest is a service of the Remote Execution API in memory, on the loopback
// address, with the faults that real ones have: for tests.
package remotetest
