// Package diagram draws the commonest diagrams of Mermaid as SVG when a site is built: no
// script, no style attribute, no address. What it does not know, or what is too large, it
// does not draw, so that the page shows the text. It is one package because all kinds are
// drawn with the same shapes, and most of them are laid out as flowcharts are.
//
// All arithmetic is with whole numbers, tenths of a pixel, so that a drawing is the same
// on every machine.
package diagram
