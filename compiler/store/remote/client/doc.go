// Package client speaks the Remote Execution API to the services of package remote.
//
// Calls end when nothing arrives for a while, so that a service that hangs costs a
// bounded time. What a failure means is the caller's to say: without a service a build
// makes everything by itself. Only programs that use such services link it: gRPC does work
// before main.
package client
