// Package jsonfile changes JSON files of others, such as the settings of an agent:
// what it does not change stays as it is, to the byte.
package jsonfile
