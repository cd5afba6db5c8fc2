package parquet

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"rvflplus/internal/celltext"
)

// width returns the bytes of a number of the column, 0 for booleans, which have a bit each, and for texts.
func (c *column) width() int {
	switch c.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	}
	return 0
}

// fixedWidth is width, also for values of a fixed length that are no numbers.
func (c *column) fixedWidth() int {
	if c.physical == format.FixedLenByteArray {
		return c.length
	}
	return c.width()
}

// number returns the value of a cell from its bits; false if it has no finite float64 of the same value.
func (c *column) number(bits uint64) (float64, bool) {
	switch c.physical {
	case format.Double:
		v := math.Float64frombits(bits)
		return v, !math.IsInf(v, 0)
	case format.Float:
		v := float64(math.Float32frombits(uint32(bits)))
		return v, !math.IsInf(v, 0)
	case format.Boolean:
		return float64(bits), true
	case format.Int64:
		if c.unsigned {
			v := float64(bits)
			return v, v < 1<<64 && uint64(v) == bits
		}
	}
	v := c.whole(bits)
	if c.day > 0 {
		return c.dayNumber(v), true
	}
	if c.scale > 0 {
		return scaled(v, c.scale), true
	}
	f := float64(v)
	return f, f < 1<<63 && int64(f) == v
}

// dayNumber returns the day number of a date or timestamp, whose units count from 1970 on.
func (c *column) dayNumber(v int64) float64 {
	days, rest := v/c.day, v%c.day
	if rest < 0 {
		days, rest = days-1, rest+c.day
	}
	const nanoseconds = 86400e9 // of a day
	return celltext.DayOf(days, rest*(nanoseconds/c.day))
}

// whole returns the integer of at most 63 bits a cell holds.
func (c *column) whole(bits uint64) int64 {
	switch {
	case c.physical == format.Int64:
		return int64(bits)
	case c.unsigned:
		return int64(uint32(bits))
	}
	return int64(int32(bits))
}

// problem describes a cell that number refused.
func (c *column) problem(bits uint64) (text, hint string) {
	switch {
	case c.physical == format.Double || c.physical == format.Float:
		v, _ := c.number(bits)
		return fmt.Sprintf("%v is not a finite number", v), "save null if the value is unknown"
	case c.unsigned:
		return fmt.Sprintf("%d has no exact float64", bits), inexactHint
	}
	return fmt.Sprintf("%d has no exact float64", int64(bits)), inexactHint
}

const inexactHint = "integers beyond 2^53 would be rounded; save identifiers as texts"

// scaled returns the float64 nearest to v/10^scale.
func scaled(v int64, scale int) float64 {
	if scale <= 22 && v > -1<<53 && v < 1<<53 { // both are exact, so the quotient is rounded once
		return float64(v) / math.Pow10(scale)
	}
	return decimal(strconv.FormatInt(v, 10), scale)
}

func decimal(digits string, scale int) float64 {
	v, _ := strconv.ParseFloat(digits+"e-"+strconv.Itoa(scale), 64)
	return v
}

// decimalOf returns the number of a decimal in big-endian two's complement, and
// false if it is beyond float64.
func (c *column) decimalOf(data []byte) (float64, bool) {
	v := new(big.Int).SetBytes(data)
	if len(data) > 0 && data[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(data))))
	}
	if c.scale == 0 {
		f, accuracy := new(big.Float).SetInt(v).Float64()
		return f, accuracy == big.Exact
	}
	f := decimal(v.String(), c.scale)
	return f, !math.IsInf(f, 0)
}
