// Package migrate finds what other systems left in a project and a home directory, and
// says what becomes of it here. It reads names alone and changes nothing.
package migrate
