// Package diagram draws the commonest diagrams of Mermaid, which are flowcharts, sequences,
// states, classes, entities and pies, as SVG when a site is built: no script, no style attribute, no address. What
// it does not know, or what is too large, it does not draw, so that the page shows the
// text.
//
// All arithmetic is with whole numbers, tenths of a pixel, so that a drawing is the same
// on every machine.
package diagram
