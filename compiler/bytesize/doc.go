// Package bytesize writes sizes for people.
package bytesize
