// Package schematest makes the published JSON Schemas from the types and tables of
// their readers, and shows that schema and reader take and refuse the same, for tests.
package schematest
