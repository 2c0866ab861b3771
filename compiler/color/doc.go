// Package color colours words of a text where its reader wants that.
package color
