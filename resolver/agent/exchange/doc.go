// Package exchange carries packs into the formats of other systems, and what those
// systems hold into packs.
//
// An export reads what a compile found sound and makes a set of files; an import makes a
// pack of a folder. Both are in one package because of the law that holds them together:
// export, import and export again give the same bytes (skills and OKF).
//
// Nothing of another owner is ever overwritten: what an export wrote is listed with its
// digests in a file beside it, and an import makes new packs alone.
package exchange
