// Package javascript holds what the loadout format takes from JavaScript's texts
// (loadout section 3): its white space, and lengths in UTF-16 code units; and the
// code fences that its line-based readers skip.
package javascript
