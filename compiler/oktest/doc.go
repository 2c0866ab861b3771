// Package oktest ends a test at an error that it does not expect.
package oktest
