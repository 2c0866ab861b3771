// Package page makes the views of the pages of a site, a kind of page in a file: what
// templates show, of what package model knows. It writes nothing.
package page
