// Package jsonfile changes other programs' JSON files, such as the settings of an agent:
// what it does not change stays as it is, to the byte.
package jsonfile
