// Package assets holds the stylesheets, scripts and icon of the pages of a site, and
// the matcher compiled to WebAssembly. [Build] bundles them with esbuild into files
// with hashed names.
//
// Sources are embedded and bundled when a site is generated (it takes some
// milliseconds), so that a site can add a stylesheet and a script of its own
// that go through the same door.
package assets
