// Package wiring writes the prompt hook into the settings of an agent and takes it out
// again, and shows the difference. Everything else in the file stays as it is.
package wiring
