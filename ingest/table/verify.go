package table

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/thrift/lib/go/thrift"
	flatbuffers "github.com/google/flatbuffers/go"
)

// The library makes slices of the lengths that a schema states. A damaged one
// could state billions, and memory that runs out can't be caught as a panic
// can. So the lengths are held against the bytes that there are, beforehand.

// maxHeader bounds the schema of an IPC stream and the footer of a Parquet
// file, in bytes.
const maxHeader = 64 << 20

// verifyIPC checks the lengths in the schema at the start of an IPC stream.
func verifyIPC(r io.ReaderAt, size int64) (err error) {
	defer recovered(&err, ErrDamaged)
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	if n > min(size-8, maxHeader) {
		return fmt.Errorf("%w: a schema of %d bytes in a stream of %d", ErrDamaged, n, size)
	}
	buf := make([]byte, n)
	if _, err := r.ReadAt(buf, 8); err != nil && err != io.EOF {
		return err
	}
	v := &flatVerifier{left: len(buf)}
	message := flatbuffers.Table{Bytes: buf, Pos: flatbuffers.GetUOffsetT(buf)}
	if at := message.Offset(messageHeader); at != 0 {
		var schema flatbuffers.Table
		message.Union(&schema, flatbuffers.UOffsetT(at))
		v.each(schema, schemaMetadata, func(flatbuffers.Table) {})
		v.each(schema, schemaFields, v.field)
	}
	return nil
}

// Places of the members that are lists, in the flatbuffer tables of Arrow's
// Schema.fbs and Message.fbs.
const (
	messageHeader  = 8
	schemaFields   = 6
	schemaMetadata = 8
	fieldChildren  = 14
	fieldMetadata  = 16
)

// flatVerifier visits lists of tables, at most as many entries as the buffer
// has bytes: there are no fewer, unless entries are shared or go in circles.
type flatVerifier struct{ left int }

func (v *flatVerifier) field(f flatbuffers.Table) {
	v.each(f, fieldMetadata, func(flatbuffers.Table) {})
	v.each(f, fieldChildren, v.field)
}

// each calls f with each table of a list. It panics, as reading a flatbuffer
// out of bounds does too.
func (v *flatVerifier) each(t flatbuffers.Table, slot flatbuffers.VOffsetT, f func(flatbuffers.Table)) {
	at := flatbuffers.UOffsetT(t.Offset(slot))
	if at == 0 {
		return
	}
	n := t.VectorLen(at)
	if v.left -= n; n < 0 || v.left < 0 {
		panic(fmt.Sprintf("its schema has a list of %d entries", n))
	}
	start := t.Vector(at)
	for i := range n {
		f(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))})
	}
}

// verifyParquet checks the counts of columns in the footer of a Parquet file.
func verifyParquet(r io.ReaderAt, size int64) error {
	if size < 12 {
		return fmt.Errorf("%w: %d bytes are too few for a Parquet file", ErrDamaged, size)
	}
	var tail [8]byte
	if _, err := r.ReadAt(tail[:], size-8); err != nil && err != io.EOF {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if !bytes.Equal(tail[4:], parquetMagic) || n > min(size-12, maxHeader) {
		return fmt.Errorf("%w: no Parquet footer at its end, so it was cut off", ErrDamaged)
	}
	buf := make([]byte, n)
	if _, err := r.ReadAt(buf, size-8-n); err != nil {
		return err
	}
	if err := verifyFooter(buf); err != nil {
		return fmt.Errorf("%w: footer: %w", ErrDamaged, err)
	}
	return nil
}

// Numbers of the members, in the structures of Parquet's thrift definition.
const (
	footerSchema    = 2 // list of schema elements
	elementChildren = 5 // how many of the elements after it are its children
)

// verifyFooter reads the schema elements of a footer.
func verifyFooter(buf []byte) error {
	ctx := context.Background()
	in := thrift.NewTCompactProtocolConf(
		&thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(buf)},
		&thrift.TConfiguration{MaxMessageSize: int32(len(buf))})
	return eachMember(ctx, in, func(id int16, kind thrift.TType) error {
		if id != footerSchema || kind != thrift.LIST {
			return in.Skip(ctx, kind)
		}
		_, n, err := in.ReadListBegin(ctx)
		if err != nil {
			return err
		}
		for range n {
			if err := verifyElement(ctx, in, int32(n)); err != nil {
				return err
			}
		}
		return in.ReadListEnd(ctx)
	})
}

// verifyElement reads a schema element, one of n.
func verifyElement(ctx context.Context, in thrift.TProtocol, n int32) error {
	return eachMember(ctx, in, func(id int16, kind thrift.TType) error {
		if id != elementChildren || kind != thrift.I32 {
			return in.Skip(ctx, kind)
		}
		children, err := in.ReadI32(ctx)
		if err == nil && (children < 0 || children >= n) {
			err = fmt.Errorf("a group of %d of %d columns", children, n)
		}
		return err
	})
}

// eachMember reads a structure, calling f to read each member.
func eachMember(ctx context.Context, in thrift.TProtocol, f func(int16, thrift.TType) error) error {
	if _, err := in.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, kind, id, err := in.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if kind == thrift.STOP {
			return in.ReadStructEnd(ctx)
		}
		if err := f(id, kind); err != nil {
			return err
		}
		if err := in.ReadFieldEnd(ctx); err != nil {
			return err
		}
	}
}
