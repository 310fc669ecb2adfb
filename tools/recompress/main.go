// Compresses a stream exactly as a known gzip writer does. Built for WebAssembly with plain exports:
// the caller fills the input buffer, calls write, and takes what is pending before the next call.
package main

import (
	"bytes"
	stdgzip "compress/gzip"
	"io"
	"unsafe"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/pgzip"
)

const inputBytes = 1 << 20

// What pgzip cuts its input into when nobody says otherwise; containers/image says the same.
const blockBytes = 1 << 20

const (
	methodGo = iota
	methodPgzip
	methodKlauspost
)

var (
	input   [inputBytes]byte
	pending bytes.Buffer
	writer  io.WriteCloser
)

func main() {}

//go:wasmexport input
func inputPointer() unsafe.Pointer { return unsafe.Pointer(&input[0]) }

//go:wasmexport output
func outputPointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(pending.Bytes())) }

// start begins a stream; 0 when the method or the level is not known.
//
//go:wasmexport start
func start(method, level int32) int32 {
	pending.Reset()
	opened, err := open(method, int(level))
	if err != nil {
		return 0
	}
	writer = opened
	return 1
}

func open(method int32, level int) (io.WriteCloser, error) {
	switch method {
	case methodGo:
		return stdgzip.NewWriterLevel(&pending, level)
	case methodKlauspost:
		return gzip.NewWriterLevel(&pending, level)
	case methodPgzip:
		return openPgzip(level)
	}
	return nil, io.ErrUnexpectedEOF
}

// One block at a time: how many run at once changes nothing about the bytes.
func openPgzip(level int) (io.WriteCloser, error) {
	opened, err := pgzip.NewWriterLevel(&pending, level)
	if err != nil {
		return nil, err
	}
	return opened, opened.SetConcurrency(blockBytes, 1)
}

// write compresses the first size bytes of the input; the length of what is pending, or -1.
//
//go:wasmexport write
func write(size int32) int32 {
	pending.Reset()
	if _, err := writer.Write(input[:size]); err != nil {
		return -1
	}
	return int32(pending.Len())
}

// finish ends the stream; the length of what is pending, or -1.
//
//go:wasmexport finish
func finish() int32 {
	pending.Reset()
	if err := writer.Close(); err != nil {
		return -1
	}
	return int32(pending.Len())
}
