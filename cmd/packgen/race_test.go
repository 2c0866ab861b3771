//go:build race

package main

// raceEnabled: the tests look for data races, and so does the program they start.
const raceEnabled = true
