package parquet

import (
	"encoding/binary"
	"errors"
	"io"
)

// skimmer walks over a structure in Thrift's compact protocol before anything is allocated for it. Footers and page
// headers are written in this protocol.
type skimmer struct {
	data    []byte
	at      int
	depth   int
	structs int // elements of lists
}

// The types of the protocol.
const (
	typeStop = iota
	typeTrue
	typeFalse
	typeByte
	typeInt16
	typeInt32
	typeInt64
	typeDouble
	typeBinary
	typeList
	typeSet
	typeMap
	typeStruct
)

const maxDepth = 16

var errMalformed = errors.New("malformed metadata")

// skim returns how many bytes a structure takes and how many structures its lists
// hold. io.ErrUnexpectedEOF says that data ends before it.
func skim(data []byte) (n, structs int, err error) {
	s := &skimmer{data: data}
	err = s.structure()
	return s.at, s.structs, err
}

func (s *skimmer) structure() error {
	if s.depth++; s.depth > maxDepth {
		return errMalformed
	}
	for {
		head, err := s.byte()
		if err != nil {
			return err
		}
		if head == typeStop {
			s.depth--
			return nil
		}
		if head>>4 == 0 {
			if _, err := s.varint(); err != nil {
				return err
			}
		}
		if err := s.value(head & 0xF); err != nil {
			return err
		}
	}
}

func (s *skimmer) value(kind byte) error {
	switch kind {
	case typeTrue, typeFalse: // the type is the value
		return nil
	case typeByte:
		return s.skip(1)
	case typeInt16, typeInt32, typeInt64:
		_, err := s.varint()
		return err
	case typeDouble:
		return s.skip(8)
	case typeBinary:
		n, err := s.varint()
		if err != nil {
			return err
		}
		return s.skip(n)
	case typeList, typeSet:
		return s.list()
	case typeStruct:
		return s.structure()
	}
	return errMalformed // no structure of the format has others
}

// list skips elements, which have at least a byte each. Lists of booleans would not; they are refused, as no structure
// of the format has one.
func (s *skimmer) list() error {
	head, err := s.byte()
	if err != nil {
		return err
	}
	n, kind := uint64(head>>4), head&0xF
	if n == 15 {
		if n, err = s.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(s.data)-s.at) {
		return io.ErrUnexpectedEOF
	}
	if kind == typeTrue || kind == typeFalse {
		return errMalformed
	}
	if kind == typeStruct {
		s.structs += int(n)
	}
	for range n {
		if err := s.value(kind); err != nil {
			return err
		}
	}
	return nil
}

func (s *skimmer) byte() (byte, error) {
	if s.at >= len(s.data) {
		return 0, io.ErrUnexpectedEOF
	}
	s.at++
	return s.data[s.at-1], nil
}

func (s *skimmer) skip(n uint64) error {
	if n > uint64(len(s.data)-s.at) {
		return io.ErrUnexpectedEOF
	}
	s.at += int(n)
	return nil
}

func (s *skimmer) varint() (uint64, error) {
	v, n := binary.Uvarint(s.data[s.at:])
	if n < 0 {
		return 0, errMalformed
	}
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	s.at += n
	return v, nil
}
