// Package mathml writes formulas in the notation of LaTeX as MathML, which browsers
// draw without a script. It knows what the formulas of documentation use: fractions,
// roots, scripts, sums, matrices, cases, accents, some alphabets and symbols. A formula with
// anything else is not written at all, so that a page shows it as it was typed and never
// half of it. There are no macros: time and size are linear in the formula.
package mathml
