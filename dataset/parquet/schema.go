package parquet

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"rvflplus/dataset"
)

const maxColumns = 1 << 20

// column is a field of the table.
type column struct {
	name     string
	chunk    int // position of its pages in a row group
	physical format.Type
	length   int // bytes of a FIXED_LEN_BYTE_ARRAY
	optional bool
	refused  string // why it cannot be read, or ""
	unsigned bool
	decimal  bool
	scale    int // digits after the point of a decimal
	// day is how many units of a date or timestamp a day has; 0 of other columns.
	day int64
}

// numeric reports whether the cells are numbers.
func (c *column) numeric() bool { return c.decimal || c.physical != format.ByteArray }

// kind returns what the schema declares of the column.
func (c *column) kind() dataset.Kind {
	switch {
	case c.refused != "" || !c.numeric():
		return dataset.Unknown
	case c.day > 0:
		return dataset.Date
	}
	return dataset.Numeric
}

// setSchema turns the list of the schema's elements, parents before children, into columns. The elements of a nested
// field become one column, which cannot be read.
func (r *Reader) setSchema(meta *format.FileMetaData) error {
	if len(meta.Schema) == 0 {
		return errors.New("the file has no schema")
	}
	fields, elements := int(meta.Schema[0].NumChildren.V), meta.Schema[1:]
	if fields < 1 || fields > maxColumns || fields > len(elements) {
		return fmt.Errorf("%d columns in a schema of %d elements, 1 to %d are read", fields, len(elements), maxColumns)
	}
	seen, chunk := map[string]bool{}, 0
	for range fields {
		used, leaves, err := subtree(elements)
		if err != nil {
			return err
		}
		c := newColumn(&elements[0], chunk)
		if c.name == "" || !utf8.ValidString(c.name) || strings.ContainsRune(c.name, 0) || seen[c.name] {
			return fmt.Errorf("column %d is called %q; names are unique UTF-8 texts", len(r.columns)+1, c.name)
		}
		seen[c.name] = true
		r.columns = append(r.columns, c)
		r.fields = append(r.fields, dataset.Field{Name: c.name, Kind: c.kind()})
		elements, chunk = elements[used:], chunk+leaves
	}
	if len(elements) > 0 {
		return fmt.Errorf("%d elements of the schema belong to no column", len(elements))
	}
	return nil
}

// subtree returns how many elements the first field has, and how many of them are leaves, which have pages.
func subtree(elements []format.SchemaElement) (used, leaves int, err error) {
	for open := 1; open > 0; used++ {
		if used == len(elements) {
			return 0, 0, errors.New("the schema ends within a field")
		}
		children := int(elements[used].NumChildren.V)
		if children < 0 || children > len(elements) {
			return 0, 0, fmt.Errorf("a field of %d fields in the schema", children)
		}
		if leaf(&elements[used]) {
			leaves++
		}
		open += children - 1
	}
	return used, leaves, nil
}

func leaf(e *format.SchemaElement) bool { return e.NumChildren.V == 0 && e.Type.Valid }

func newColumn(e *format.SchemaElement, chunk int) column {
	c := column{
		name: e.Name, chunk: chunk, physical: e.Type.V, length: int(e.TypeLength.V),
		optional: e.RepetitionType.V == format.Optional,
	}
	switch {
	case e.NumChildren.V > 0:
		c.refused = "is nested"
	case e.RepetitionType.V == format.Repeated:
		c.refused = "holds lists"
	case !e.Type.Valid:
		c.refused = "has no type"
	default:
		c.setType(e)
	}
	return c
}

// setType tells from the schema what the numbers or bytes of a column stand for, and refuses types that are not read.
func (c *column) setType(e *format.SchemaElement) {
	c.setLogicalType(e)
	const maxScale, maxLength = 400, 1 << 10
	switch raw := c.physical == format.FixedLenByteArray; {
	case c.refused != "":
	case c.day > 0 && c.physical != format.Int32 && c.physical != format.Int64:
		c.refused = fmt.Sprintf("holds dates as type %s, which is not read", c.physical)
	case c.physical == format.Int96:
		c.refused = "is of type INT96, an old form of timestamps, which is not read"
	case raw && (!c.decimal || c.length < 1 || c.length > maxLength):
		c.refused = fmt.Sprintf("holds raw values of %d bytes, which are not read", c.length)
	case c.physical < format.Boolean || c.physical > format.FixedLenByteArray:
		c.refused = fmt.Sprintf("is of an unknown type %d", c.physical)
	case c.decimal && uint(c.scale) > maxScale:
		c.refused = fmt.Sprintf("holds decimals of %d places, which are not read", c.scale)
	}
}

func (c *column) setLogicalType(e *format.SchemaElement) {
	switch t := e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType, *format.NullType:
	case *format.IntType:
		c.unsigned = !t.IsSigned
	case *format.DecimalType:
		c.decimal, c.scale = true, int(t.Scale)
	case *format.DateType:
		c.day = 1
	case *format.TimestampType:
		c.setTimestamp(t)
	case nil:
		c.setConvertedType(e)
	default:
		c.refused = fmt.Sprintf("is of type %s, which is not read", t)
	}
}

func (c *column) setTimestamp(t *format.TimestampType) {
	switch t.Unit.Value.(type) {
	case *format.MilliSeconds:
		c.day = 86400e3
	case *format.MicroSeconds:
		c.day = 86400e6
	case *format.NanoSeconds:
		c.day = 86400e9
	default:
		c.refused = "holds times of an unknown unit, which are not read"
	}
}

// setConvertedType does what setType does for files of before 2017.
func (c *column) setConvertedType(e *format.SchemaElement) {
	if !e.ConvertedType.Valid {
		return
	}
	switch t := e.ConvertedType.V; t {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json,
		deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		c.unsigned = true
	case deprecated.Date:
		c.day = 1
	case deprecated.TimestampMillis:
		c.day = 86400e3
	case deprecated.TimestampMicros:
		c.day = 86400e6
	case deprecated.Decimal:
		c.decimal, c.scale = true, int(e.Scale.V)
	default:
		c.refused = fmt.Sprintf("holds times of the day or raw values (converted type %d), which are not read", t)
	}
}

// group is a row group: rows whose columns have pages of their own.
type group struct {
	rows   int64
	chunks []format.ColumnChunk
	end    int64 // of the pages in the file
}

func (r *Reader) setGroups(meta *format.FileMetaData, end int64) error {
	leaves := 0
	for _, e := range meta.Schema[1:] {
		if leaf(&e) {
			leaves++
		}
	}
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		if len(g.Columns) != leaves {
			return fmt.Errorf("row group %d has %d columns, the schema %d", i+1, len(g.Columns), leaves)
		}
		if g.NumRows < 0 || g.NumRows > math.MaxInt64/2-r.rows {
			return fmt.Errorf("row group %d has %d rows", i+1, g.NumRows)
		}
		r.rows += g.NumRows
		r.groups = append(r.groups, group{g.NumRows, g.Columns, end})
	}
	return nil
}
