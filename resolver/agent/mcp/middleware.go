package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// internalError is the answer to a request that the program fails at.
func internalError(method string, fault any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: shortened(fmt.Sprintf("packgen failed at %s: %v", method, fault), maxLabel)}
}

// withoutPanic makes a fault of the program an error of the one request.
func withoutPanic(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				result, err = nil, internalError(method, fault)
			}
		}()
		return next(ctx, method, req)
	}
}

// encodable makes an answer that JSON cannot hold an error of the one request: the SDK
// would end the session, or leave the request without an answer.
func encodable(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		answer := jsonrpc.Response{Error: err}
		if err == nil && result != nil {
			data, fault := json.Marshal(result)
			if fault != nil {
				return nil, internalError(method, fault)
			}
			answer.Result = data
		}
		if _, fault := jsonrpc.EncodeMessage(&answer); fault != nil {
			return nil, internalError(method, fault)
		}
		return result, err
	}
}

// coded gives an error of ours a code: a client takes one without for none. What is asked
// for and does not exist, or cannot be read as asked, is wrong in the parameters.
func coded(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		var known *jsonrpc.Error
		if err == nil || errors.As(err, &known) || ctx.Err() != nil || method != "prompts/get" && method != "resources/read" {
			return result, err
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
}

// checkURIs refuses a request with a URI that cannot be used before the SDK sees it.
func checkURIs(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		for _, uri := range urisOf(req.GetParams()) {
			if err := checkURI(uri); err != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
			}
		}
		return next(ctx, method, req)
	}
}

// urisOf returns the URIs that the parameters of a request hold.
func urisOf(params sdk.Params) []string {
	switch p := params.(type) {
	case *sdk.ReadResourceParams:
		if p != nil {
			return []string{p.URI}
		}
	case *sdk.SubscribeParams:
		if p != nil {
			return []string{p.URI}
		}
	case *sdk.UnsubscribeParams:
		if p != nil {
			return []string{p.URI}
		}
	case *sdk.CompleteParams:
		if p != nil && p.Ref != nil {
			return []string{p.Ref.URI}
		}
	case *sdk.SubscriptionsListenParams:
		if p != nil && p.Notifications != nil {
			return p.Notifications.ResourceSubscriptions
		}
	}
	return nil
}

// checkURI refuses a URI that is too long, that has characters which nobody sees, or that
// cannot be read.
func checkURI(uri string) error {
	if len(uri) > maxAddress {
		return fmt.Errorf("the URI has %d bytes; at most %d are read", len(uri), maxAddress)
	}
	for i, c := range uri {
		if c == utf8.RuneError || !strconv.IsPrint(c) {
			return fmt.Errorf("the URI has the character %U at byte %d; write it percent-encoded", c, i)
		}
	}
	if _, err := url.Parse(uri); err != nil {
		return fmt.Errorf("the URI cannot be read; a percent sign is followed by two hexadecimal digits, and a name starts with knowledge://")
	}
	return nil
}
